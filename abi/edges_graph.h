// What older sonames have otherwise: graphs and external memory.
#pragma once

#include <algorithm>
#include <vector>

#include "abi/edge.h"
#include "abi/translate.h"
#include "hip_remote/hip.h"
#include "runtime/thread_state.h"

namespace hipr::abi {

// --- graphs

// These take no notice of what is captured; newer ones refuse to disturb it.
template <auto Exported, int Abi>
  requires((Abi < 7 && OneOf<Exported, &::hipModuleUnload, &::hipMallocManaged, &::hipStreamAddCallback>) ||
           (Abi < 6 && OneOf<Exported, &::hipDeviceSynchronize>))
struct Edge<Exported, Abi> {
  template <auto Api, typename... Args>
  static hipError_t call(Args... args) {
    const IgnoringCapture scope;
    return Api(args...);
  }
};

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
  std::vector<Params> translated(std::max(count, 1u));  // an address, even of none
  for (unsigned i = 0; i < count; ++i) translated[i] = From5(old[i]);
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
