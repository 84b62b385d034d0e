// Memory: the device's, the host's that the device can reach, what a pointer is, and memory at chosen addresses.
#include <vector>

#include "tools/hip_on_cuda/driver.h"

using namespace hipr::cuda;

namespace {

CUmemAllocationProp cudaProp(const hipMemAllocationProp& hip) {
  CUmemAllocationProp out{};
  out.type = hip.type;  // the same numbers, here and in the location
  out.requestedHandleTypes = hip.requestedHandleTypes;
  out.location = {hip.location.type, hip.location.id};
  return out;
}

CUmemHandle native(hipMemGenericAllocationHandle_t handle) {
  return reinterpret_cast<CUmemHandle>(handle);
}

}  // namespace

extern "C" {

hipError_t hipMemGetInfo(size_t* free, size_t* total) {
  if (!free || !total) return hipErrorInvalidValue;
  return call(&Driver::memGetInfo, free, total);
}

hipError_t hipMalloc(void** out, size_t bytes) {
  if (!out) return hipErrorInvalidValue;
  *out = nullptr;
  if (bytes == 0) return hipSuccess;
  CUdeviceptr got = 0;
  const hipError_t error = call(&Driver::memAlloc, &got, bytes);
  *out = reinterpret_cast<void*>(got);
  return error;
}

hipError_t hipFree(void* pointer) {
  return pointer ? call(&Driver::memFree, address(pointer)) : hipSuccess;
}

// Always portable and mapped: HIP's kernels may use pinned memory whatever the flags.
hipError_t hipHostMalloc(void** out, size_t bytes, unsigned int flags) {
  if (!out) return hipErrorInvalidValue;
  *out = nullptr;
  if (bytes == 0) return hipSuccess;
  const unsigned cuda = kHostPortable | kHostDeviceMap | (flags & hipHostMallocWriteCombined ? kHostWriteCombined : 0u);
  return call(&Driver::memHostAlloc, out, bytes, cuda);
}

hipError_t hipHostFree(void* pointer) {
  return pointer ? call(&Driver::memFreeHost, pointer) : hipSuccess;
}

hipError_t hipHostRegister(void* pointer, size_t bytes, unsigned int flags) {
  const unsigned cuda = kRegisterPortable | kRegisterDeviceMap | (flags & (kRegisterIoMemory | kRegisterReadOnly));
  return call(&Driver::memHostRegister, pointer, bytes, cuda);
}

hipError_t hipHostUnregister(void* pointer) {
  return call(&Driver::memHostUnregister, pointer);
}

hipError_t hipHostGetDevicePointer(void** device, void* host, unsigned int) {
  if (!device) return hipErrorInvalidValue;
  CUdeviceptr got = 0;
  const hipError_t error = call(&Driver::memHostGetDevicePointer, &got, host, 0u);
  *device = reinterpret_cast<void*>(got);
  return error;
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t* out, const void* pointer) {
  if (!out || !pointer) return hipErrorInvalidValue;
  unsigned type = 0, managed = 0;
  int device = 0;
  CUdeviceptr onDevice = 0;
  void* onHost = nullptr;
  CUpointerAttribute which[] = {kPointerMemoryType, kPointerDeviceOrdinal, kPointerDevicePointer, kPointerHostPointer,
                                kPointerIsManaged};
  void* values[] = {&type, &device, &onDevice, &onHost, &managed};
  if (const hipError_t error = call(&Driver::pointerGetAttributes, 5u, which, values, address(pointer));
      error != hipSuccess) {
    return error;
  }
  if (type != kMemoryHost && type != kMemoryDevice) return hipErrorInvalidValue;  // not memory that CUDA knows
  *out = {};
  out->type = type == kMemoryHost ? hipMemoryTypeHost : managed ? hipMemoryTypeManaged : hipMemoryTypeDevice;
  out->device = device;
  out->devicePointer = reinterpret_cast<void*>(onDevice);
  out->hostPointer = onHost;
  out->isManaged = managed ? 1 : 0;
  return hipSuccess;
}

hipError_t hipMemAddressReserve(void** out, size_t bytes, size_t alignment, void* wish, unsigned long long flags) {
  if (!out) return hipErrorInvalidValue;
  CUdeviceptr got = 0;
  const hipError_t error = call(&Driver::memAddressReserve, &got, bytes, alignment, address(wish), flags);
  *out = reinterpret_cast<void*>(got);
  return error;
}

hipError_t hipMemAddressFree(void* pointer, size_t bytes) {
  return call(&Driver::memAddressFree, address(pointer), bytes);
}

hipError_t hipMemGetAllocationGranularity(size_t* bytes, const hipMemAllocationProp* prop,
                                          hipMemAllocationGranularity_flags option) {
  if (!bytes || !prop) return hipErrorInvalidValue;
  const CUmemAllocationProp cuda = cudaProp(*prop);
  return call(&Driver::memGetAllocationGranularity, bytes, &cuda, static_cast<int>(option));
}

hipError_t hipMemCreate(hipMemGenericAllocationHandle_t* out, size_t bytes, const hipMemAllocationProp* prop,
                        unsigned long long flags) {
  if (!out || !prop) return hipErrorInvalidValue;
  const CUmemAllocationProp cuda = cudaProp(*prop);
  CUmemHandle handle = 0;
  const hipError_t error = call(&Driver::memCreate, &handle, bytes, &cuda, flags);
  *out = reinterpret_cast<hipMemGenericAllocationHandle_t>(handle);
  return error;
}

hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle) {
  return call(&Driver::memRelease, native(handle));
}

hipError_t hipMemMap(void* pointer, size_t bytes, size_t offset, hipMemGenericAllocationHandle_t handle,
                     unsigned long long flags) {
  return call(&Driver::memMap, address(pointer), bytes, offset, native(handle), flags);
}

hipError_t hipMemUnmap(void* pointer, size_t bytes) {
  return call(&Driver::memUnmap, address(pointer), bytes);
}

hipError_t hipMemSetAccess(void* pointer, size_t bytes, const hipMemAccessDesc* access, size_t count) {
  if (!access) return hipErrorInvalidValue;
  std::vector<CUmemAccessDesc> cuda;
  for (size_t i = 0; i < count; ++i) {
    cuda.push_back({{access[i].location.type, access[i].location.id}, static_cast<int>(access[i].flags)});
  }
  return call(&Driver::memSetAccess, address(pointer), bytes, cuda.data(), count);
}
}
