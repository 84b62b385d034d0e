// Where a soname differs from HIP 7, which hipr::api speaks. Edge<&::call, Abi>::call<&api::call>(arguments) is the
// call as that soname has it; for nearly all of them it is the plain call. A specialisation for a row that is still
// Todo lies ready for the day it is built: its struct differs, and forgetting that would corrupt an older program's
// memory.
#pragma once

#include <cstring>
#include <type_traits>
#include <vector>

#include "abi/translate.h"
#include "hip_remote/hip.h"
#include "runtime/api.h"

namespace hipr::abi {

template <auto Exported, int Abi>
struct Edge {
  template <auto Api, typename... Args>
  static auto call(Args... args) {
    return Api(args...);
  }
};

// One of several functions; they may have different types.
template <auto Function>
struct Identity {};
template <auto Function, auto... Others>
concept OneOf = (std::is_same_v<Identity<Function>, Identity<Others>> || ...);

// --- errors

// HIP 6 has one slot under both names.
template <>
struct Edge<&::hipExtGetLastError, 6> {
  template <auto>
  static hipError_t call() {
    return api::hipGetLastError();
  }
};

// 1054 was hipErrorTbd before a new code took its number.
template <auto Exported, int Abi>
  requires(Abi < 7 &&
           OneOf<Exported, &::hipGetErrorName, &::hipGetErrorString, &::hipDrvGetErrorName, &::hipDrvGetErrorString>)
struct Edge<Exported, Abi> {
  template <auto Api, typename... Rest>
  static auto call(hipError_t error, Rest... rest) {
    return Api(error == hipErrorInvalidClusterSize ? hipErrorTbd : error, rest...);
  }
};

// --- devices

template <auto Exported, int Abi>
  requires OneOf<Exported, &::hipRuntimeGetVersion, &::hipDriverGetVersion>
struct Edge<Exported, Abi> {
  template <auto Api>
  static hipError_t call(int* version) {
    const hipError_t error = Api(version);
    if (error == hipSuccess) *version = hipVersion(Abi);
    return error;
  }
};

template <int Abi>
struct Edge<&::hipDeviceGetAttribute, Abi> {
  template <auto Api>
  static hipError_t call(int* value, hipDeviceAttribute_t attribute, int device) {
    if (!knownAttribute(Abi, attribute)) return hipErrorInvalidValue;
    if constexpr (Abi == 5) {
      constexpr int kArch = 10001, kGcnArch = 10003;
      if (attribute == kArch || attribute == kGcnArch) return ofArchitecture(value, attribute == kArch, device);
    }
    return Api(value, attribute, device);
  }

 private:
  static hipError_t ofArchitecture(int* value, bool features, int device) {
    if (value == nullptr) return hipErrorInvalidValue;
    hipDeviceProp_tR0000 prop;
    const hipError_t error = api::hipGetDevicePropertiesR0000(&prop, device);
    if (error != hipSuccess) return error;
    static_assert(sizeof(prop.arch) == sizeof(*value));
    std::memcpy(value, features ? static_cast<const void*>(&prop.arch) : &prop.gcnArch, sizeof(*value));
    return hipSuccess;
  }
};

// --- memory

template <int Abi>
  requires(Abi < 7)
struct Edge<&::hipFreeAsync, Abi> {
  template <auto Api>
  static hipError_t call(void* pointer, hipStream_t stream) {
    if (pointer == nullptr) return hipErrorInvalidValue;
    return Api(pointer, stream);
  }
};

template <int Abi>
  requires(Abi < 7)
struct Edge<&::hipPointerGetAttributes, Abi> {
  template <auto Api>
  static hipError_t call(hipPointerAttribute_t* attributes, const void* pointer) {
    if (pointer == nullptr) return hipErrorInvalidValue;
    if constexpr (Abi == 6) return Api(attributes, pointer);
    hipPointerAttribute_t found;
    const hipError_t error = Api(attributes != nullptr ? &found : nullptr, pointer);
    if (error != hipSuccess) return error;
    // HIP 5 knows no "unregistered": memory it did not make is an error.
    if (found.type == hipMemoryTypeUnregistered) return hipErrorInvalidValue;
    found.type = static_cast<hipMemoryType>(memoryTypeTo5(found.type));
    *attributes = found;
    return hipSuccess;
  }
};

template <>
struct Edge<&::hipPointerGetAttribute, 5> {
  template <auto Api>
  static hipError_t call(void* data, hipPointer_attribute attribute, hipDeviceptr_t pointer) {
    if (attribute != HIP_POINTER_ATTRIBUTE_MEMORY_TYPE || data == nullptr) return Api(data, attribute, pointer);
    hipMemoryType type;
    const hipError_t error = Api(&type, attribute, pointer);
    if (error != hipSuccess) return error;
    if (type == hipMemoryTypeUnregistered) return hipErrorInvalidValue;
    *static_cast<int*>(data) = memoryTypeTo5(type);
    return hipSuccess;
  }
};

template <auto Exported>
  requires OneOf<Exported, &::hipMemcpyParam2D, &::hipMemcpyParam2DAsync, &::hipDrvMemcpy2DUnaligned>
struct Edge<Exported, 5> {
  template <auto Api, typename... Rest>
  static hipError_t call(const hip_Memcpy2D* copy, Rest... rest) {
    if (copy == nullptr) return hipErrorInvalidValue;
    const hip_Memcpy2D translated = memcpy2DFrom5(*copy);
    return Api(&translated, rest...);
  }
};

template <auto Exported>
  requires OneOf<Exported, &::hipDrvMemcpy3D, &::hipDrvMemcpy3DAsync>
struct Edge<Exported, 5> {
  template <auto Api, typename... Rest>
  static hipError_t call(const HIP_MEMCPY3D* copy, Rest... rest) {
    if (copy == nullptr) return hipErrorInvalidValue;
    const HIP_MEMCPY3D translated = memcpy3DFrom5(*reinterpret_cast<const Memcpy3D5*>(copy));
    return Api(&translated, rest...);
  }
};

template <>
struct Edge<&::hipMemCreate, 5> {
  template <auto Api>
  static hipError_t call(hipMemGenericAllocationHandle_t* handle, size_t size, const hipMemAllocationProp* prop,
                         unsigned long long flags) {
    if (prop == nullptr) return hipErrorInvalidValue;
    const hipMemAllocationProp translated = memAllocationPropFrom5(prop);
    return Api(handle, size, &translated, flags);
  }
};

template <>
struct Edge<&::hipMemGetAllocationGranularity, 5> {
  template <auto Api>
  static hipError_t call(size_t* granularity, const hipMemAllocationProp* prop,
                         hipMemAllocationGranularity_flags option) {
    if (prop == nullptr) return hipErrorInvalidValue;
    const hipMemAllocationProp translated = memAllocationPropFrom5(prop);
    return Api(granularity, &translated, option);
  }
};

// --- launches: a block that is too large was an invalid value before HIP 7

template <auto Exported, int Abi>
  requires(Abi < 7 && OneOf<Exported, &::hipLaunchKernel, &::hipExtLaunchKernel, &::hipLaunchByPtr,
                            &::hipModuleLaunchKernel, &::hipExtModuleLaunchKernel, &::hipHccModuleLaunchKernel,
                            &::hipLaunchCooperativeKernel, &::hipModuleLaunchCooperativeKernel>)
struct Edge<Exported, Abi> {
  template <auto Api, typename... Args>
  static hipError_t call(Args... args) {
    const hipError_t error = Api(args...);
    return error == hipErrorInvalidConfiguration ? hipErrorInvalidValue : error;
  }
};

// --- graphs

template <int Abi>
  requires(Abi < 7)
struct Edge<&::hipGraphKernelNodeGetAttribute, Abi> {
  template <auto Api>
  static hipError_t call(hipGraphNode_t node, hipLaunchAttributeID attribute, hipLaunchAttributeValue* value) {
    if (value == nullptr) return hipErrorInvalidValue;
    hipLaunchAttributeValue full{};
    const hipError_t error = Api(node, attribute, &full);
    if (error == hipSuccess) launchAttributeValueTo56(full, value);
    return error;
  }
};

template <int Abi>
  requires(Abi < 7)
struct Edge<&::hipGraphKernelNodeSetAttribute, Abi> {
  template <auto Api>
  static hipError_t call(hipGraphNode_t node, hipLaunchAttributeID attribute, const hipLaunchAttributeValue* value) {
    if (value == nullptr) return hipErrorInvalidValue;
    const hipLaunchAttributeValue full = launchAttributeValueFrom56(value);
    return Api(node, attribute, &full);
  }
};

template <>
struct Edge<&::hipDrvGraphAddMemsetNode, 6> {
  template <auto Api>
  static hipError_t call(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies, size_t count,
                         const hipMemsetParams* params, hipCtx_t context) {
    if (params == nullptr) return hipErrorInvalidValue;
    const hipMemsetParams translated = memsetParamsFrom6(*reinterpret_cast<const HIP_MEMSET_NODE_PARAMS*>(params));
    return Api(node, graph, dependencies, count, &translated, context);
  }
};

template <>
struct Edge<&::hipDrvGraphExecMemsetNodeSetParams, 6> {
  template <auto Api>
  static hipError_t call(hipGraphExec_t exec, hipGraphNode_t node, const hipMemsetParams* params, hipCtx_t context) {
    if (params == nullptr) return hipErrorInvalidValue;
    const hipMemsetParams translated = memsetParamsFrom6(*reinterpret_cast<const HIP_MEMSET_NODE_PARAMS*>(params));
    return Api(exec, node, &translated, context);
  }
};

// --- external memory and semaphores

template <>
struct Edge<&::hipImportExternalMemory, 5> {
  template <auto Api>
  static hipError_t call(hipExternalMemory_t* memory, const hipExternalMemoryHandleDesc* desc) {
    if (desc == nullptr) return hipErrorInvalidValue;
    const hipExternalMemoryHandleDesc translated = externalMemoryHandleFrom5(desc);
    return Api(memory, &translated);
  }
};

template <>
struct Edge<&::hipExternalMemoryGetMappedBuffer, 5> {
  template <auto Api>
  static hipError_t call(void** pointer, hipExternalMemory_t memory, const hipExternalMemoryBufferDesc* desc) {
    if (desc == nullptr) return hipErrorInvalidValue;
    const hipExternalMemoryBufferDesc translated = externalMemoryBufferFrom5(desc);
    return Api(pointer, memory, &translated);
  }
};

template <>
struct Edge<&::hipImportExternalSemaphore, 5> {
  template <auto Api>
  static hipError_t call(hipExternalSemaphore_t* semaphore, const hipExternalSemaphoreHandleDesc* desc) {
    if (desc == nullptr) return hipErrorInvalidValue;
    const hipExternalSemaphoreHandleDesc translated = externalSemaphoreHandleFrom5(desc);
    return Api(semaphore, &translated);
  }
};

template <auto From5, auto Api, typename Params>
hipError_t withSemaphoreParams(const hipExternalSemaphore_t* semaphores, const Params* params, unsigned count,
                               hipStream_t stream) {
  if (params == nullptr) return hipErrorInvalidValue;
  const auto* old = reinterpret_cast<const ExternalSemaphoreParams5*>(params);
  std::vector<Params> translated;
  for (unsigned i = 0; i < count; ++i) translated.push_back(From5(old[i]));
  return Api(semaphores, translated.data(), count, stream);
}

template <>
struct Edge<&::hipSignalExternalSemaphoresAsync, 5> {
  template <auto Api>
  static hipError_t call(const hipExternalSemaphore_t* semaphores, const hipExternalSemaphoreSignalParams* params,
                         unsigned count, hipStream_t stream) {
    return withSemaphoreParams<&externalSemaphoreSignalFrom5, Api>(semaphores, params, count, stream);
  }
};

template <>
struct Edge<&::hipWaitExternalSemaphoresAsync, 5> {
  template <auto Api>
  static hipError_t call(const hipExternalSemaphore_t* semaphores, const hipExternalSemaphoreWaitParams* params,
                         unsigned count, hipStream_t stream) {
    return withSemaphoreParams<&externalSemaphoreWaitFrom5, Api>(semaphores, params, count, stream);
  }
};

}  // namespace hipr::abi
