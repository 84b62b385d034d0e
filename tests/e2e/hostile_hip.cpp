// A HIP runtime that is on the attacker's side: what a client could do that has taken its session over. It has one
// device, and each value of hipDeviceSetLimit is something to try. What came of it is told by hipMemGetInfo, as total:
// 0 when it worked, else errno.
#include <cstring>

#include "hip_remote/hip.h"
#include "tests/e2e/hostile_deeds.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

int outcome = 0;

}  // namespace

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
  std::strcpy(props->name, "Hostile");
  props->totalGlobalMem = 1 << 30;
  return hipSuccess;
}
EXPORT hipError_t hipMemGetInfo(size_t* free, size_t* total) {
  *free = 1 << 30;
  *total = static_cast<std::size_t>(outcome);
  return hipSuccess;
}
EXPORT hipError_t hipStreamQuery(hipStream_t) {
  return hipSuccess;
}
EXPORT hipError_t hipDeviceSetLimit(hipLimit_t, size_t value) {
  outcome = hipr::attempt(static_cast<hipr::Deed>(value));
  return hipSuccess;
}
EXPORT hipError_t hipMemcpyAsync(void*, const void*, size_t, hipMemcpyKind, hipStream_t) {
  return hipErrorNotSupported;
}
EXPORT hipError_t hipModuleLaunchKernel(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                        unsigned, hipStream_t, void**, void**) {
  return hipErrorNotSupported;
}
