// Contexts, as HIP has them on AMD GPUs: one per device, there from the start. A context handle is the device.
#include <algorithm>

#include "runtime/api.h"
#include "runtime/process.h"

namespace hipr::api {

namespace {

Device* deviceOf(Process& p, hipCtx_t context) {
  for (const auto& device : p.devices)
    if (contextOf(device.get()) == context) return device.get();
  return nullptr;
}

}  // namespace

hipError_t hipCtxCreate(hipCtx_t* ctx, unsigned int flags, hipDevice_t device) {
  Process* p;
  Device* d;
  HIPR_TRY(process(p));
  if (ctx == nullptr || findDevice(*p, device, d) != hipSuccess) return hipErrorInvalidValue;
  d->flags = flags;
  d->used.store(true, std::memory_order_relaxed);
  *ctx = contextOf(d);
  return api::hipCtxPushCurrent(*ctx);
}

hipError_t hipCtxDestroy(hipCtx_t ctx) {
  Process* p;
  HIPR_TRY(process(p));
  Device* d = deviceOf(*p, ctx);
  if (d == nullptr) return hipErrorInvalidValue;
  auto& stack = threadObjects().contexts;
  if (!stack.empty() && stack.back() == d) stack.pop_back();
  if (!stack.empty()) threadState().device = stack.back()->ordinal;
  return hipSuccess;
}

hipError_t hipCtxSetCurrent(hipCtx_t ctx) {
  Process* p;
  HIPR_TRY(process(p));
  auto& stack = threadObjects().contexts;
  if (ctx == nullptr) {
    if (!stack.empty()) stack.pop_back();
    return hipSuccess;
  }
  Device* d = deviceOf(*p, ctx);
  if (d == nullptr) return hipErrorInvalidContext;
  if (!stack.empty()) stack.pop_back();
  return api::hipCtxPushCurrent(ctx);
}

hipError_t hipCtxGetCurrent(hipCtx_t* ctx) {
  Process* p;
  Device* d;
  HIPR_TRY(currentDevice(p, d));
  if (ctx == nullptr) return hipErrorInvalidValue;
  *ctx = contextOf(d);
  return hipSuccess;
}

hipError_t hipCtxPushCurrent(hipCtx_t ctx) {
  Process* p;
  HIPR_TRY(process(p));
  Device* d = deviceOf(*p, ctx);
  if (d == nullptr) return hipErrorInvalidContext;
  threadObjects().contexts.push_back(d);
  threadState().device = d->ordinal;
  return hipSuccess;
}

hipError_t hipCtxPopCurrent(hipCtx_t* ctx) {
  Process* p;
  HIPR_TRY(process(p));
  auto& stack = threadObjects().contexts;
  if (stack.empty()) return hipErrorInvalidContext;
  if (ctx != nullptr) *ctx = contextOf(stack.back());
  stack.pop_back();
  if (!stack.empty()) threadState().device = stack.back()->ordinal;
  return hipSuccess;
}

hipError_t hipCtxGetDevice(hipDevice_t* device) {
  Process* p;
  Device* d;
  HIPR_TRY(currentDevice(p, d));
  if (device == nullptr) return hipErrorInvalidValue;
  *device = d->ordinal;
  return hipSuccess;
}

hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig* pConfig) {
  return api::hipDeviceGetSharedMemConfig(pConfig);
}

// HIP has these calls, but on AMD GPUs they do nothing and say so.
hipError_t hipCtxGetApiVersion(hipCtx_t, unsigned int*) {
  return hipErrorNotSupported;
}
hipError_t hipCtxGetFlags(unsigned int*) {
  return hipErrorNotSupported;
}
hipError_t hipCtxGetCacheConfig(hipFuncCache_t*) {
  return hipErrorNotSupported;
}
hipError_t hipCtxSetCacheConfig(hipFuncCache_t cacheConfig) {
  const hipError_t error = api::hipDeviceSetCacheConfig(cacheConfig);
  return error == hipSuccess ? hipErrorNotSupported : error;
}
hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig) {
  return hipErrorNotSupported;
}
hipError_t hipCtxSynchronize() {
  return hipErrorNotSupported;
}

// And these succeed whatever they are told; hipDeviceEnablePeerAccess is what counts.
hipError_t hipCtxEnablePeerAccess(hipCtx_t, unsigned int) {
  return hipSuccess;
}
hipError_t hipCtxDisablePeerAccess(hipCtx_t) {
  return hipSuccess;
}

hipError_t hipDevicePrimaryCtxGetState(hipDevice_t dev, unsigned int* flags, int* active) {
  Process* p;
  Device* device;
  HIPR_TRY(process(p));
  HIPR_TRY(findDevice(*p, dev, device));
  if (flags != nullptr) *flags = 0;  // whatever the device has
  if (active != nullptr) *active = device->used || device->primaryRetains > 0;
  return hipSuccess;
}

hipError_t hipDevicePrimaryCtxRetain(hipCtx_t* pctx, hipDevice_t dev) {
  Process* p;
  Device* device;
  HIPR_TRY(process(p));
  if (pctx == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findDevice(*p, dev, device));
  device->primaryRetains++;
  *pctx = contextOf(device);
  return hipSuccess;
}

hipError_t hipDevicePrimaryCtxRelease(hipDevice_t dev) {
  Process* p;
  Device* device;
  HIPR_TRY(process(p));
  HIPR_TRY(findDevice(*p, dev, device));
  for (int count = device->primaryRetains; count > 0;)
    if (device->primaryRetains.compare_exchange_weak(count, count - 1)) break;
  return hipSuccess;
}

// AMD's runtime leaves everything as it is.
hipError_t hipDevicePrimaryCtxReset(hipDevice_t) {
  return hipSuccess;
}

// The primary context exists from the start, so it is always too late.
hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t dev, unsigned int) {
  Process* p;
  Device* device;
  HIPR_TRY(process(p));
  HIPR_TRY(findDevice(*p, dev, device));
  return hipErrorContextAlreadyInUse;
}

}  // namespace hipr::api
