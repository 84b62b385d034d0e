// What older sonames have otherwise: memory, pointers, copies.
#pragma once

#include <vector>

#include "abi/edge.h"
#include "abi/translate.h"
#include "hip_remote/hip.h"
#include "runtime/api.h"

namespace hipr::abi {

template <int Abi>
  requires(Abi < 7)
struct Edge<&::hipFreeAsync, Abi> {
  template <auto Api>
  static hipError_t call(void* pointer, hipStream_t stream) {
    if (pointer == nullptr) return hipErrorInvalidValue;
    return Api(pointer, stream);
  }
};

// What HIP 7 calls a wrong description, and a view of what has none, used to be an invalid value.
template <auto Exported, int Abi>
  requires(Abi < 7 && OneOf<Exported, &::hipCreateTextureObject, &::hipTexObjectCreate, &::hipBindTexture,
                            &::hipBindTexture2D, &::hipTexRefSetAddress, &::hipTexRefSetAddress2D>)
struct Edge<Exported, Abi> {
  template <auto Api, typename... Args>
  static hipError_t call(Args... args) {
    const hipError_t error = Api(args...);
    return error == hipErrorInvalidChannelDescriptor || error == hipErrorUnknown ? hipErrorInvalidValue : error;
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
    *attributes = {};
    // HIP 5 knows no "unregistered": memory it did not make is an error.
    if (found.type == hipMemoryTypeUnregistered) return hipErrorInvalidValue;
    found.type = static_cast<hipMemoryType>(memoryTypeTo5(found.type));
    *attributes = found;
    return hipSuccess;
  }
};

// What only HIP 7 tells of a pointer.
constexpr bool toldSince7(hipPointer_attribute attribute) {
  return attribute == HIP_POINTER_ATTRIBUTE_CONTEXT || attribute == HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE;
}

template <int Abi>
  requires(Abi < 7)
struct Edge<&::hipPointerGetAttribute, Abi> {
  template <auto Api>
  static hipError_t call(void* data, hipPointer_attribute attribute, hipDeviceptr_t pointer) {
    if (data == nullptr || pointer == nullptr) return Api(data, attribute, pointer);
    if (toldSince7(attribute)) return hipErrorNotSupported;
    const hipError_t error = Api(data, attribute, pointer);
    if (Abi == 5 && error == hipSuccess && attribute == HIP_POINTER_ATTRIBUTE_MEMORY_TYPE)
      *static_cast<int*>(data) = memoryTypeTo5(*static_cast<hipMemoryType*>(data));
    return error;
  }
};

template <int Abi>
  requires(Abi < 7)
struct Edge<&::hipDrvPointerGetAttributes, Abi> {
  template <auto Api>
  static hipError_t call(unsigned count, hipPointer_attribute* attributes, void** data, hipDeviceptr_t pointer) {
    if (count == 0 || attributes == nullptr || data == nullptr) return Api(count, attributes, data, pointer);
    void* nowhere = nullptr;
    std::vector<void*> places(data, data + count);
    for (unsigned i = 0; i < count; ++i)
      if (toldSince7(attributes[i])) places[i] = &nowhere;
    const hipError_t error = Api(count, attributes, places.data(), pointer);
    if (Abi != 5 || error != hipSuccess) return error;
    // Of memory HIP did not make, every attribute is 0, the type too.
    for (unsigned i = 0; i < count; ++i)
      if (attributes[i] == HIP_POINTER_ATTRIBUTE_MEMORY_TYPE)
        *static_cast<int*>(data[i]) = memoryTypeTo5(*static_cast<hipMemoryType*>(data[i]));
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

// A captured stream makes a node of this call before HIP 7, which refuses it.
template <int Abi>
  requires(Abi < 7)
struct Edge<&::hipMemcpyWithStream, Abi> {
  template <auto Api>
  static hipError_t call(void* to, const void* from, size_t size, hipMemcpyKind kind, hipStream_t stream) {
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    if (stream != nullptr) static_cast<void>(api::hipStreamIsCapturing(stream, &status));
    return status == hipStreamCaptureStatusNone ? Api(to, from, size, kind, stream)
                                                : api::hipMemcpyAsync(to, from, size, kind, stream);
  }
};

// What HIP 7 calls an invalid value is, of the sizes and alignments of a reservation, a failed allocation before.
template <int Abi>
  requires(Abi < 7)
struct Edge<&::hipMemAddressReserve, Abi> {
  template <auto Api>
  static hipError_t call(void** pointer, size_t size, size_t alignment, void* address, unsigned long long flags) {
    const hipError_t error = Api(pointer, size, alignment, address, flags);
    const bool ofShape = pointer != nullptr && flags == 0;
    return error == hipErrorInvalidValue && ofShape ? hipErrorOutOfMemory : error;
  }
};

// The only flag there is, "lazy peer access", was 0 in HIP 5 and is 1 since.
template <>
struct Edge<&::hipIpcOpenMemHandle, 5> {
  template <auto Api>
  static hipError_t call(void** pointer, hipIpcMemHandle_t handle, unsigned flags) {
    return Api(pointer, handle, flags == 0 ? 1 : flags);
  }
};

}  // namespace hipr::abi
