// Devices: which there are, what they are like, limits, peers, and waiting for all of one's work.
#include <cstring>

#include "tools/hip_on_cuda/attributes.h"
#include "tools/hip_on_cuda/driver.h"

using namespace hipr::cuda;

namespace {

bool exists(int device) {
  return driver().state == hipSuccess && device >= 0 && device < driver().devices;
}

}  // namespace

extern "C" {

hipError_t hipInit(unsigned int) {
  return driver().state;
}

hipError_t hipGetDeviceCount(int* count) {
  if (!count) return hipErrorInvalidValue;
  *count = driver().devices;
  return driver().state;
}

hipError_t hipSetDevice(int device) {
  return setCurrentDevice(device);
}

hipError_t hipGetDevice(int* device) {
  if (!device) return hipErrorInvalidValue;
  *device = currentDevice();
  return driver().state;
}

hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600* properties, int device) {
  if (!properties) return hipErrorInvalidValue;
  return exists(device) ? readProperties(device, *properties) : hipErrorInvalidDevice;
}

hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
  if (!value) return hipErrorInvalidValue;
  if (!exists(device)) return hipErrorInvalidDevice;
  const int cuda = cudaAttribute(attribute);
  return cuda ? toHip(driver().deviceGetAttribute(value, cuda, device)) : hipErrorInvalidValue;
}

hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device) {
  if (!uuid) return hipErrorInvalidValue;
  if (!exists(device)) return hipErrorInvalidDevice;
  CUuuid found{};
  const CUresult result = driver().deviceGetUuid(&found, device);
  std::memcpy(uuid, &found, sizeof found);
  return toHip(result);
}

// The first three limits have the same numbers; the rest are AMD's own.
hipError_t hipDeviceGetLimit(size_t* value, hipLimit_t limit) {
  if (!value) return hipErrorInvalidValue;
  if (limit > hipLimitMallocHeapSize) return hipErrorUnsupportedLimit;
  return call(&Driver::ctxGetLimit, value, static_cast<int>(limit));
}

hipError_t hipDeviceSetLimit(hipLimit_t limit, size_t value) {
  if (limit > hipLimitMallocHeapSize) return hipErrorUnsupportedLimit;
  return call(&Driver::ctxSetLimit, static_cast<int>(limit), value);
}

hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call(&Driver::ctxGetStreamPriorityRange, least, greatest);
}

hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer) {
  if (!can) return hipErrorInvalidValue;
  if (!exists(device) || !exists(peer)) return hipErrorInvalidDevice;
  return toHip(driver().deviceCanAccessPeer(can, device, peer));
}

hipError_t hipDeviceEnablePeerAccess(int peer, unsigned int flags) {
  CUcontext context = nullptr;
  if (const hipError_t error = contextOf(peer, context); error != hipSuccess) return error;
  return call(&Driver::ctxEnablePeerAccess, context, flags);
}

hipError_t hipDeviceDisablePeerAccess(int peer) {
  CUcontext context = nullptr;
  if (const hipError_t error = contextOf(peer, context); error != hipSuccess) return error;
  return call(&Driver::ctxDisablePeerAccess, context);
}

hipError_t hipDeviceGetP2PAttribute(int* value, hipDeviceP2PAttr attribute, int from, int to) {
  if (!value) return hipErrorInvalidValue;
  if (!exists(from) || !exists(to) || from == to) return hipErrorInvalidDevice;
  return toHip(driver().deviceGetP2PAttribute(value, attribute + 1, from, to));  // CUDA counts from one
}

hipError_t hipDriverGetVersion(int* version) {
  if (!version) return hipErrorInvalidValue;
  *version = kPretendedVersion;
  return hipSuccess;
}

hipError_t hipRuntimeGetVersion(int* version) {
  return hipDriverGetVersion(version);
}

hipError_t hipDeviceSynchronize() {
  return call(&Driver::ctxSynchronize);
}

hipError_t hipDeviceReset() {
  if (const hipError_t error = enter(); error != hipSuccess) return error;
  const int device = currentDevice();
  const CUresult result = driver().primaryCtxReset(device);
  forgetContexts(device);
  return toHip(result);
}
}
