// Device management: which device is current, its flags, limits and preferences.
#include "runtime/device.h"

#include <optional>

#include "base/log.h"
#include "runtime/api.h"
#include "runtime/async_error.h"
#include "runtime/process.h"

namespace hipr {

const PeerInfo& peerInfo(const Device& from, const Device& to) {
  static const PeerInfo strangers;
  if (!sameCore(from, to)) return strangers;
  return from.platform->peer(from.index, to.index);
}

hipError_t severalWorkers(const char* what) {
  logError("%s cannot use devices of several workers", what);
  return hipErrorNotSupported;
}

namespace api {

namespace {

bool validDeviceFlags(unsigned flags) {
  const unsigned schedule = flags & hipDeviceScheduleMask;
  const bool one = (schedule & (schedule - 1)) == 0;
  return one && (flags & ~(hipDeviceScheduleMask | hipDeviceMapHost | hipDeviceLmemResizeToMax)) == 0;
}

// What the device came with.
std::optional<std::size_t> limitOf(const Device& device, hipLimit_t limit) {
  for (const Limit& known : device.info->limits)
    if (known.limit == limit) return known.value;
  return std::nullopt;
}

}  // namespace

hipError_t hipInit(unsigned int flags) {
  Process* p;
  HIPR_TRY(process(p));
  return flags == 0 ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipGetDeviceCount(int* count) {
  if (count == nullptr) return hipErrorInvalidValue;
  Process* p;
  *count = 0;
  HIPR_TRY(process(p));
  *count = static_cast<int>(p->devices.size());
  return hipSuccess;
}

hipError_t hipGetDevice(int* deviceId) {
  Process* p;
  HIPR_TRY(process(p));
  if (deviceId == nullptr) return hipErrorInvalidValue;
  *deviceId = threadState().device;
  return hipSuccess;
}

hipError_t hipSetDevice(int deviceId) {
  Process* p;
  Device* device;
  HIPR_TRY(process(p));
  HIPR_TRY(findDevice(*p, deviceId, device));
  threadState().device = deviceId;
  threadState().deviceChosen = true;
  device->used.store(true, std::memory_order_relaxed);
  if (ThreadObjects* mine = threadState().objects; mine != nullptr && !mine->contexts.empty())
    mine->contexts.back() = device;
  return hipSuccess;
}

hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
  Process* p;
  Device* found;
  HIPR_TRY(process(p));
  if (device == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findDevice(*p, ordinal, found));
  *device = ordinal;
  return hipSuccess;
}

hipError_t hipDeviceSynchronize() {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  HIPR_TRY(p->captures.deviceWaitAllowed());
  HIPR_TRY(asyncError(*device));
  Core* core;
  HIPR_TRY(device->reach(core));
  HIPR_TRY(core->synchronize(device->index));
  trimPools(*p, *device);
  return asyncError(*device);
}

hipError_t hipSetDeviceFlags(unsigned int flags) {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  if (!validDeviceFlags(flags)) return hipErrorInvalidValue;
  device->flags = flags & hipDeviceScheduleMask;  // the rest has no meaning here
  return hipSuccess;
}

hipError_t hipGetDeviceFlags(unsigned int* flags) {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  if (flags == nullptr) return hipErrorInvalidValue;
  *flags = device->flags;
  return hipSuccess;
}

hipError_t hipInitDevice(int deviceId, unsigned int deviceFlags, unsigned int flags) {
  constexpr unsigned kDeviceFlagsAreValid = 1;
  Process* p;
  Device* device;
  HIPR_TRY(process(p));
  HIPR_TRY(findDevice(*p, deviceId, device));
  if ((flags & ~kDeviceFlagsAreValid) != 0) return hipErrorInvalidValue;
  if (flags == kDeviceFlagsAreValid) {
    if (!validDeviceFlags(deviceFlags)) return hipErrorInvalidValue;
    device->flags = deviceFlags;
  }
  device->used.store(true, std::memory_order_relaxed);
  return hipSuccess;
}

// What a thread that has not chosen a device uses: the first of the list, or device 0 when the list is empty.
hipError_t hipSetValidDevices(int* device_arr, int len) {
  Process* p;
  HIPR_TRY(process(p));
  if (len < 0 || (len > 0 && device_arr == nullptr) || static_cast<std::size_t>(len) > p->devices.size())
    return hipErrorInvalidValue;
  for (int i = 0; i < len; ++i) {
    Device* device;
    HIPR_TRY(findDevice(*p, device_arr[i], device));
  }
  if (!threadState().deviceChosen) threadState().device = len > 0 ? device_arr[0] : 0;
  return hipSuccess;
}

hipError_t hipDeviceGetLimit(size_t* pValue, hipLimit_t limit) {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  if (pValue == nullptr || limit == hipLimitRange) return hipErrorInvalidValue;
  std::lock_guard lock(device->mutex);
  const auto set = device->limits.find(limit);
  const auto value = set != device->limits.end() ? std::optional(set->second) : limitOf(*device, limit);
  if (!value) return hipErrorUnsupportedLimit;
  *pValue = *value;
  return hipSuccess;
}

hipError_t hipDeviceSetLimit(hipLimit_t limit, size_t value) {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  const bool exists = (limit >= hipLimitStackSize && limit <= hipLimitMallocHeapSize) ||
                      (limit >= hipExtLimitScratchMin && limit <= hipExtLimitScratchCurrent);
  if (!exists) return hipErrorInvalidValue;
  if (limit == hipLimitStackSize) {
    constexpr std::size_t kMost = (128 << 10) - 16, kUnit = 16;  // per work-item, as the hardware counts
    if (value > kMost) return hipErrorInvalidValue;
    value = (value + kUnit - 1) / kUnit * kUnit;
  }
  if (limit == hipLimitMallocHeapSize && value >= device->info->props.totalGlobalMem) return hipErrorInvalidValue;
  // How far scratch memory can go is the device's to say.
  if (limit == hipExtLimitScratchMin || limit == hipExtLimitScratchMax || !limitOf(*device, limit))
    return hipErrorUnsupportedLimit;
  if (limit == hipExtLimitScratchCurrent && value > limitOf(*device, hipExtLimitScratchMax).value_or(0))
    return hipErrorInvalidValue;
  Core* core;
  HIPR_TRY(device->reach(core));
  HIPR_TRY(core->setLimit(device->index, limit, value));
  std::lock_guard lock(device->mutex);
  device->limits[limit] = value;
  return hipSuccess;
}

// The preferences below have no effect on AMD GPUs: they are checked, and what is in force stays what it was.
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t cacheConfig) {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  if (cacheConfig < hipFuncCachePreferNone || cacheConfig > hipFuncCachePreferEqual) return hipErrorInvalidValue;
  return hipSuccess;
}

hipError_t hipDeviceGetCacheConfig(hipFuncCache_t* cacheConfig) {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  if (cacheConfig == nullptr) return hipErrorInvalidValue;
  *cacheConfig = hipFuncCachePreferNone;
  return hipSuccess;
}

hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config) {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  if (config < hipSharedMemBankSizeDefault || config > hipSharedMemBankSizeEightByte) return hipErrorInvalidValue;
  return hipSuccess;
}

hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig* pConfig) {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  if (pConfig == nullptr) return hipErrorInvalidValue;
  *pConfig = hipSharedMemBankSizeFourByte;
  return hipSuccess;
}

hipError_t hipDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  if (leastPriority != nullptr) *leastPriority = device->info->leastStreamPriority;
  if (greatestPriority != nullptr) *greatestPriority = device->info->greatestStreamPriority;
  return hipSuccess;
}

hipError_t hipMemGetInfo(size_t* free, size_t* total) {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  std::size_t freeBytes = 0, totalBytes = 0;
  Core* core;
  HIPR_TRY(device->reach(core));
  HIPR_TRY(core->memoryInfo(device->index, &freeBytes, &totalBytes));
  if (free != nullptr) *free = freeBytes;
  if (total != nullptr) *total = totalBytes;
  return hipSuccess;
}

hipError_t hipDriverGetVersion(int* driverVersion) {
  Process* p;
  HIPR_TRY(process(p));
  if (driverVersion == nullptr) return hipErrorInvalidValue;
  *driverVersion = p->devices[0]->platform->driverVersion;
  return hipSuccess;
}

hipError_t hipRuntimeGetVersion(int* runtimeVersion) {
  Process* p;
  HIPR_TRY(process(p));
  if (runtimeVersion == nullptr) return hipErrorInvalidValue;
  *runtimeVersion = p->devices[0]->platform->runtimeVersion;
  return hipSuccess;
}

}  // namespace api
}  // namespace hipr
