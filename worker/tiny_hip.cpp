// The smallest library hip-worker accepts as a HIP runtime: one device, no memory to speak of. For tests of the
// supervisor, which need processes and not GPUs. hipDeviceSetLimit crashes, so that a client can ask for a crash.
#include <cstdlib>
#include <cstring>

#include "hip_remote/hip.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT hipError_t hipInit(unsigned) {
  return hipSuccess;
}
EXPORT hipError_t hipSetDevice(int device) {
  return device == 0 ? hipSuccess : hipErrorInvalidDevice;
}
EXPORT hipError_t hipGetDeviceCount(int* count) {
  *count = 1;
  return hipSuccess;
}
EXPORT hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600* props, int) {
  std::memset(props, 0, sizeof *props);
  std::strcpy(props->name, "Tiny");
  props->totalGlobalMem = 1 << 30;
  props->major = 9;
  return hipSuccess;
}
EXPORT hipError_t hipMemGetInfo(size_t* free, size_t* total) {
  *free = *total = 1 << 30;
  return hipSuccess;
}
EXPORT hipError_t hipStreamQuery(hipStream_t) {
  return hipSuccess;
}
EXPORT hipError_t hipDeviceSetLimit(hipLimit_t, size_t) {
  std::abort();
}
EXPORT hipError_t hipMemcpyAsync(void*, const void*, size_t, hipMemcpyKind, hipStream_t) {
  return hipErrorNotSupported;
}
EXPORT hipError_t hipModuleLaunchKernel(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                        unsigned, hipStream_t, void**, void**) {
  return hipErrorNotSupported;
}
