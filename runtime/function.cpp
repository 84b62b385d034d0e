// What is known about a kernel, and what a program may prefer for it.
#include "runtime/function.h"

#include "runtime/api.h"
#include "runtime/process.h"
#include "runtime/registry.h"

namespace hipr {

namespace {

const DeviceInfo& infoOf(const Function& f) {
  return *f.module->owner->info;
}

int maxThreads(const Function& f) {
  const auto bound = static_cast<int>(f.kernel->resources().maxGroupSize);
  return bound != 0 ? bound : infoOf(f).props.maxThreadsPerBlock;
}

int binaryVersion(const Function& f) {
  const hipDeviceProp_tR0600& props = infoOf(f).props;
  return props.major * 10 + props.minor;
}

}  // namespace

int availableShared(const Function& f) {
  return static_cast<int>(infoOf(f).props.sharedMemPerBlock - f.kernel->resources().sharedBytes);
}

hipError_t functionAttribute(const Function& f, hipFunction_attribute attribute, int& value) {
  const code::Resources kernel = f.kernel->resources();
  switch (attribute) {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      value = maxThreads(f);
      return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      value = static_cast<int>(kernel.sharedBytes);
      return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA:
      value = 0;
      return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      value = static_cast<int>(kernel.privateBytes);
      return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_NUM_REGS:
      value = static_cast<int>(kernel.registers);
      return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
    case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
      value = binaryVersion(f);
      return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      value = f.maxDynamicShared >= 0 ? f.maxDynamicShared.load() : availableShared(f);
      return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      value = f.sharedCarveout.load();
      return hipSuccess;
    default:
      return hipErrorInvalidValue;
  }
}

int sharedLimit(const Function& f) {
  const int asKernel = f.asKernel.get(hipFuncAttributeMaxDynamicSharedMemorySize, -1);
  const int own = f.maxDynamicShared.load(std::memory_order_relaxed);
  return asKernel >= 0 && own >= 0 ? own : asKernel;
}

namespace api {

namespace {

hipError_t findHost(const void* host, Process*& p, Function*& out) {
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  return namedFunction(*p, *device, host, out);
}

}  // namespace

hipError_t hipFuncGetAttributes(hipFuncAttributes* attr, const void* func) {
  Process* p;
  Function* f;
  HIPR_TRY(process(p));
  if (attr == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findHost(func, p, f));
  const code::Resources kernel = f->kernel->resources();
  const int dynamicShared = f->maxDynamicShared.load();
  *attr = {.binaryVersion = binaryVersion(*f),
           .cacheModeCA = 0,
           .constSizeBytes = 0,
           .localSizeBytes = kernel.privateBytes,
           .maxDynamicSharedSizeBytes = dynamicShared >= 0 ? dynamicShared : availableShared(*f),
           .maxThreadsPerBlock = maxThreads(*f),
           .numRegs = static_cast<int>(kernel.registers),
           .preferredShmemCarveout = f->sharedCarveout.load(),
           .ptxVersion = binaryVersion(*f),
           .sharedSizeBytes = kernel.sharedBytes};
  return hipSuccess;
}

hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute attrib, hipFunction_t hfunc) {
  Process* p;
  HIPR_TRY(process(p));
  if (value == nullptr) return hipErrorInvalidValue;
  const Function* f = p->functions.find(hfunc);
  return f != nullptr ? functionAttribute(*f, attrib, *value) : hipErrorInvalidHandle;
}

// The kernel may be named by its stand-in on the host or by its handle.
hipError_t hipFuncSetAttribute(const void* func, hipFuncAttribute attr, int value) {
  Process* p;
  HIPR_TRY(process(p));
  if (func == nullptr) return hipErrorInvalidDeviceFunction;
  if (attr != hipFuncAttributeMaxDynamicSharedMemorySize && attr != hipFuncAttributePreferredSharedMemoryCarveout)
    return hipErrorInvalidValue;
  Function* f = p->functions.find(func);
  if (f == nullptr) HIPR_TRY(findHost(func, p, f));
  if (attr == hipFuncAttributeMaxDynamicSharedMemorySize) {
    if (value < 0 || value > availableShared(*f)) return hipErrorInvalidValue;
    f->maxDynamicShared = value;
    return hipSuccess;
  }
  if (value < -1 || value > 100) return hipErrorInvalidValue;
  f->sharedCarveout = value;
  return hipSuccess;
}

// Preferences AMD GPUs have no use for: checked, otherwise without effect, whatever kernel they are about.
hipError_t hipFuncSetCacheConfig(const void* func, hipFuncCache_t config) {
  Process* p;
  HIPR_TRY(process(p));
  if (func == nullptr) return hipErrorInvalidDeviceFunction;
  return config >= hipFuncCachePreferNone && config <= hipFuncCachePreferEqual ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipFuncSetSharedMemConfig(const void* func, hipSharedMemConfig config) {
  Process* p;
  HIPR_TRY(process(p));
  if (func == nullptr) return hipErrorInvalidDeviceFunction;
  return config >= hipSharedMemBankSizeDefault && config <= hipSharedMemBankSizeEightByte ? hipSuccess
                                                                                          : hipErrorInvalidValue;
}

hipError_t hipGetFuncBySymbol(hipFunction_t* functionPtr, const void* symbolPtr) {
  Process* p;
  Function* f;
  HIPR_TRY(process(p));
  if (functionPtr == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findHost(symbolPtr, p, f));
  *functionPtr = reinterpret_cast<hipFunction_t>(f);
  return hipSuccess;
}

const char* hipKernelNameRef(const hipFunction_t f) {
  Process* p = openedProcess();
  const Function* function = p != nullptr ? p->functions.find(f) : nullptr;
  return function != nullptr ? function->kernel->name().c_str() : nullptr;
}

const char* hipKernelNameRefByPtr(const void* hostFunction, hipStream_t) {
  return registeredKernelName(hostFunction);
}

}  // namespace api
}  // namespace hipr
