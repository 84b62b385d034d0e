// Device properties in both layouts, attributes, names and identities, all answered from the platform.
#include <cctype>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "runtime/api.h"
#include "runtime/process.h"
#include "types/shared_properties.h"

namespace hipr::api {

namespace {

hipError_t findInfo(int ordinal, const DeviceInfo*& out) {
  Process* p;
  Device* device;
  HIPR_TRY(process(p));
  HIPR_TRY(findDevice(*p, ordinal, device));
  out = device->info;
  return hipSuccess;
}

unsigned pciFunction(const DeviceInfo& info) {
  return static_cast<unsigned>(info.attributes.get(kPciFunction).value_or(0));
}

// "gfx90a:sramecc+:xnack-" is 910 in the old numbering: 100 × major + 10 × minor + stepping, the last two hexadecimal.
int gcnArchNumber(std::string_view name) {
  name = name.substr(0, name.find(':'));
  if (!name.starts_with("gfx") || name.size() < 6) return 0;
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) ? c - '0' : c - 'a' + 10; };
  int major = 0;
  for (char c : name.substr(3, name.size() - 5)) major = major * 10 + digit(c);
  return major * 100 + digit(name[name.size() - 2]) * 10 + digit(name.back());
}

// The layout every release up to 5.7 had, and the plain symbols keep in all later ones.
hipDeviceProp_tR0000 toR0000(const hipDeviceProp_tR0600& from) {
  hipDeviceProp_tR0000 to{};
  to.gcnArch = gcnArchNumber(from.gcnArchName);
  copySharedProperties(from, to);
  return to;
}

// How many wishes (non-zero fields) a device fulfils; -1 when it does not fulfil them all.
template <class Props>
int fulfilled(const Props& wish, const Props& device) {
  int count = 0, wishes = 0;
  const auto atLeast = [&](auto wanted, auto has) {
    wishes += wanted != 0;
    count += wanted != 0 && has >= wanted;
  };
  atLeast(wish.major, device.major);
  atLeast(wish.minor, device.minor);
  atLeast(wish.totalGlobalMem, device.totalGlobalMem);
  atLeast(wish.sharedMemPerBlock, device.sharedMemPerBlock);
  atLeast(wish.maxThreadsPerBlock, device.maxThreadsPerBlock);
  atLeast(wish.totalConstMem, device.totalConstMem);
  atLeast(wish.multiProcessorCount, device.multiProcessorCount);
  atLeast(wish.maxThreadsPerMultiProcessor, device.maxThreadsPerMultiProcessor);
  atLeast(wish.memoryClockRate, device.memoryClockRate);
  atLeast(wish.memoryBusWidth, device.memoryBusWidth);
  atLeast(wish.regsPerBlock, device.regsPerBlock);
  atLeast(wish.l2CacheSize, device.l2CacheSize);
  atLeast(wish.maxSharedMemoryPerMultiProcessor, device.maxSharedMemoryPerMultiProcessor);
  atLeast(wish.warpSize, device.warpSize);
  return count == wishes ? count : -1;
}

template <class Props, class Convert>
hipError_t choose(int* device, const Props* wish, Convert&& propsOf) {
  Process* p;
  HIPR_TRY(process(p));
  if (device == nullptr || wish == nullptr) return hipErrorInvalidValue;
  int best = 0;
  *device = 0;
  for (const auto& candidate : p->devices)
    if (const int count = fulfilled(*wish, propsOf(candidate->info->props)); count > best) {
      best = count;
      *device = candidate->ordinal;
    }
  return hipSuccess;
}

}  // namespace

hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600* prop, int deviceId) {
  const DeviceInfo* info;
  Process* p;
  HIPR_TRY(process(p));
  if (prop == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findInfo(deviceId, info));
  *prop = info->props;
  return hipSuccess;
}

hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_tR0000* prop, int device) {
  const DeviceInfo* info;
  Process* p;
  HIPR_TRY(process(p));
  if (prop == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findInfo(device, info));
  *prop = toR0000(info->props);
  return hipSuccess;
}

hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000* prop, int device) {
  return api::hipGetDevicePropertiesR0000(prop, device);
}

hipError_t hipChooseDeviceR0600(int* device, const hipDeviceProp_tR0600* prop) {
  return choose(device, prop, [](const hipDeviceProp_tR0600& props) -> const auto& { return props; });
}

hipError_t hipChooseDeviceR0000(int* device, const hipDeviceProp_tR0000* properties) {
  return choose(device, properties, toR0000);
}

hipError_t hipChooseDevice(int* device, const hipDeviceProp_tR0000* prop) {
  return api::hipChooseDeviceR0000(device, prop);
}

hipError_t hipDeviceGetAttribute(int* pi, hipDeviceAttribute_t attr, int deviceId) {
  const DeviceInfo* info;
  Process* p;
  HIPR_TRY(process(p));
  if (pi == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findInfo(deviceId, info));
  const auto value = info->attributes.get(attr);
  if (!value) return hipErrorInvalidValue;
  if (attr == hipDeviceAttributeHdpMemFlushCntl || attr == hipDeviceAttributeHdpRegFlushCntl) {
    std::memset(pi, 0, sizeof(void*));  // programs give room for a pointer, and this one would be of no use to them
    return hipSuccess;
  }
  *pi = *value;
  return hipSuccess;
}

hipError_t hipDeviceGetName(char* name, int len, hipDevice_t device) {
  const DeviceInfo* info;
  HIPR_TRY(findInfo(device, info));
  if (name == nullptr || len <= 0) return hipErrorInvalidValue;
  std::snprintf(name, static_cast<std::size_t>(len), "%s", info->props.name);
  return hipSuccess;
}

hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device) {
  const DeviceInfo* info;
  HIPR_TRY(findInfo(device, info));
  if (uuid == nullptr) return hipErrorInvalidValue;
  *uuid = info->props.uuid;
  return hipSuccess;
}

hipError_t hipDeviceGetLuid(char* luid, unsigned int* deviceNodeMask, hipDevice_t device) {
  const DeviceInfo* info;
  HIPR_TRY(findInfo(device, info));
  if (luid == nullptr || deviceNodeMask == nullptr) return hipErrorInvalidValue;
  std::memcpy(luid, info->props.luid, sizeof(info->props.luid));
  *deviceNodeMask = info->props.luidDeviceNodeMask;
  return hipSuccess;
}

hipError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t device) {
  const DeviceInfo* info;
  HIPR_TRY(findInfo(device, info));
  if (major == nullptr || minor == nullptr) return hipErrorInvalidValue;
  *major = info->props.major;
  *minor = info->props.minor;
  return hipSuccess;
}

hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t device) {
  const DeviceInfo* info;
  HIPR_TRY(findInfo(device, info));
  if (bytes == nullptr) return hipErrorInvalidValue;
  *bytes = info->props.totalGlobalMem;
  return hipSuccess;
}

hipError_t hipDeviceGetPCIBusId(char* pciBusId, int len, int device) {
  const DeviceInfo* info;
  HIPR_TRY(findInfo(device, info));
  if (pciBusId == nullptr || len <= 0) return hipErrorInvalidValue;
  const int needed =
      std::snprintf(pciBusId, static_cast<std::size_t>(len), "%04x:%02x:%02x.%x", info->props.pciDomainID,
                    info->props.pciBusID, info->props.pciDeviceID, pciFunction(*info));
  return needed < len ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipDeviceGetByPCIBusId(int* device, const char* pciBusId) {
  Process* p;
  HIPR_TRY(process(p));
  if (device == nullptr || pciBusId == nullptr) return hipErrorInvalidValue;
  unsigned domain = 0, bus = 0, slot = 0, function = 0;
  if (std::sscanf(pciBusId, "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4) return hipErrorInvalidValue;
  for (const auto& candidate : p->devices) {
    const hipDeviceProp_tR0600& props = candidate->info->props;
    if (static_cast<unsigned>(props.pciDomainID) == domain && static_cast<unsigned>(props.pciBusID) == bus &&
        static_cast<unsigned>(props.pciDeviceID) == slot && pciFunction(*candidate->info) == function) {
      *device = candidate->ordinal;
      return hipSuccess;
    }
  }
  return hipErrorInvalidValue;
}

// Streams can be bound to some of the compute units of any AMD GPU; masks count single units up to gfx9 and from
// gfx12.5 on, and pairs of them in between.
hipError_t hipDeviceGetExecAffinitySupport(int* pi, hipExecAffinityType type, hipDevice_t dev) {
  const DeviceInfo* info;
  Process* p;
  HIPR_TRY(process(p));
  const bool granularity = type == hipExtExecAffinityTypeGranularityCU || type == hipExtExecAffinityTypeGranularityWGP;
  if (pi == nullptr || (type != hipExecAffinityTypeCUCount && !granularity)) return hipErrorInvalidValue;
  HIPR_TRY(findInfo(dev, info));
  const int version = info->props.major * 10 + info->props.minor;
  const bool pairs = version >= 100 && version < 125;
  *pi = !granularity || (type == hipExtExecAffinityTypeGranularityWGP) == pairs;
  return hipSuccess;
}

// Nothing but the worker writes to its GPU's memory, so there is nothing to flush and no way to.
hipError_t hipDeviceFlushGPUDirectRDMAWrites(hipFlushGPUDirectRDMAWritesTarget target,
                                             hipFlushGPUDirectRDMAWritesScope scope) {
  Process* p;
  HIPR_TRY(process(p));
  if (target != hipFlushGPUDirectRDMAWritesTargetCurrentDevice) return hipErrorInvalidValue;
  const bool known = scope == hipFlushGPUDirectRDMAWritesToOwner || scope == hipFlushGPUDirectRDMAWritesToAllDevices;
  return known ? hipErrorNotSupported : hipErrorInvalidValue;
}

}  // namespace hipr::api
