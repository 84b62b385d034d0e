// Virtual memory management: addresses to reserve, and physical memory. vmm_mapping.cpp brings them together.
#include <utility>

#include "runtime/api.h"
#include "runtime/async_error.h"
#include "runtime/vmm_parts.h"

namespace hipr {

hipError_t locationOf(Process& p, const hipMemLocation& location, Device*& device) {
  const bool known = location.type == hipMemLocationTypeDevice && findDevice(p, location.id, device) == hipSuccess;
  return known ? hipSuccess : hipErrorInvalidValue;
}

hipError_t letGo(VirtualMemory& memory, std::unique_lock<std::mutex> lock, std::uint64_t id) {
  const auto found = memory.physical.find(id);
  if (found == memory.physical.end() || found->second.holds != 0 || found->second.mappings != 0) return hipSuccess;
  const VirtualMemory::Physical physical = found->second;
  memory.physical.erase(found);
  lock.unlock();
  return physical.owner->evenLost().memRelease(physical.number);
}

namespace api {

namespace {

hipMemGenericAllocationHandle_t handleOf(std::uint64_t id) {
  return reinterpret_cast<hipMemGenericAllocationHandle_t>(id);
}

}  // namespace

hipError_t hipMemGetAllocationGranularity(size_t* granularity, const hipMemAllocationProp* prop,
                                          hipMemAllocationGranularity_flags option) {
  Process* p;
  Device* device;
  HIPR_TRY(process(p));
  if (granularity == nullptr || prop == nullptr || prop->type != hipMemAllocationTypePinned)
    return hipErrorInvalidValue;
  if (option != hipMemAllocationGranularityMinimum && option != hipMemAllocationGranularityRecommended)
    return hipErrorInvalidValue;
  HIPR_TRY(locationOf(*p, prop->location, device));
  Core* core;
  HIPR_TRY(device->reach(core));
  *granularity = core->memGranularity(device->index);
  return *granularity != 0 ? hipSuccess : hipErrorNotSupported;
}

hipError_t hipMemAddressReserve(void** ptr, size_t size, size_t alignment, void* addr, unsigned long long flags) {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  if (ptr == nullptr || flags != 0) return hipErrorInvalidValue;
  Core* core;
  HIPR_TRY(device->reach(core));
  const std::size_t granularity = core->memGranularity(device->index);
  if (granularity == 0) return hipErrorNotSupported;
  // From HIP 7 on it is the value that is wrong.
  if (size == 0 || size % granularity != 0 || (alignment & (alignment - 1)) != 0) return hipErrorInvalidValue;
  HIPR_TRY(core->memAddressReserve(ptr, size, alignment, addr));
  std::lock_guard lock(p->virtualMemory.mutex);
  p->virtualMemory.reserved[asNumber(*ptr)] = {size, device};
  return hipSuccess;
}

hipError_t hipMemAddressFree(void* devPtr, size_t size) {
  Process* p;
  HIPR_TRY(process(p));
  Device* owner;
  {
    std::lock_guard lock(p->virtualMemory.mutex);
    auto& reserved = p->virtualMemory.reserved;
    const auto it = reserved.find(asNumber(devPtr));
    if (it == reserved.end() || it->second.size != size) return hipErrorInvalidValue;
    const auto inside = p->virtualMemory.mapped.lower_bound(it->first);
    if (inside != p->virtualMemory.mapped.end() && inside->first - it->first < size) return hipErrorInvalidValue;
    owner = it->second.owner;
    reserved.erase(it);
  }
  return owner->evenLost().memAddressFree(devPtr, size);
}

hipError_t hipMemCreate(hipMemGenericAllocationHandle_t* handle, size_t size, const hipMemAllocationProp* prop,
                        unsigned long long flags) {
  Process* p;
  Device* device;
  HIPR_TRY(process(p));
  if (handle == nullptr || size == 0 || flags != 0 || prop == nullptr || prop->type != hipMemAllocationTypePinned)
    return hipErrorInvalidValue;
  HIPR_TRY(locationOf(*p, prop->location, device));
  if (prop->requestedHandleType != hipMemHandleTypeNone &&
      prop->requestedHandleType != hipMemHandleTypePosixFileDescriptor)
    return hipErrorNotSupported;
  Core* core;
  HIPR_TRY(device->reach(core));
  const std::size_t granularity = core->memGranularity(device->index);
  if (granularity == 0) return hipErrorNotSupported;
  if (size % granularity != 0) return hipErrorInvalidValue;
  HIPR_TRY(asyncError(*device));
  hipMemAllocationProp translated = *prop;
  translated.location.id = device->index;
  std::uint64_t physical = 0;
  HIPR_TRY(core->memCreate(&physical, size, translated));
  const std::uint64_t id = p->newId();
  std::lock_guard lock(p->virtualMemory.mutex);
  p->virtualMemory.physical[id] = {size, device, physical, *prop};
  *handle = handleOf(id);
  return hipSuccess;
}

hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle) {
  Process* p;
  HIPR_TRY(process(p));
  std::unique_lock lock(p->virtualMemory.mutex);
  const auto found = p->virtualMemory.physical.find(asNumber(handle));
  if (found == p->virtualMemory.physical.end() || found->second.holds == 0) return hipErrorInvalidValue;
  --found->second.holds;
  return letGo(p->virtualMemory, std::move(lock), asNumber(handle));
}

hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t* handle, void* addr) {
  Process* p;
  HIPR_TRY(process(p));
  if (handle == nullptr || addr == nullptr) return hipErrorInvalidValue;
  std::lock_guard lock(p->virtualMemory.mutex);
  auto& mapped = p->virtualMemory.mapped;
  const auto it = containing(mapped, asNumber(addr), 1, [](const VirtualMemory::Mapping& m) { return m.size; });
  if (it == mapped.end()) return hipErrorInvalidValue;
  ++p->virtualMemory.physical.at(it->second.physical).holds;
  *handle = handleOf(it->second.physical);
  return hipSuccess;
}

hipError_t hipMemGetAllocationPropertiesFromHandle(hipMemAllocationProp* prop, hipMemGenericAllocationHandle_t handle) {
  Process* p;
  HIPR_TRY(process(p));
  if (prop == nullptr) return hipErrorInvalidValue;
  std::lock_guard lock(p->virtualMemory.mutex);
  const auto found = p->virtualMemory.physical.find(asNumber(handle));
  if (found == p->virtualMemory.physical.end() || found->second.holds == 0) return hipErrorInvalidValue;
  *prop = found->second.properties;
  return hipSuccess;
}

hipError_t hipMemExportToShareableHandle(void* shareableHandle, hipMemGenericAllocationHandle_t handle,
                                         hipMemAllocationHandleType handleType, unsigned long long flags) {
  Process* p;
  HIPR_TRY(process(p));
  if (shareableHandle == nullptr || flags != 0) return hipErrorInvalidValue;
  VirtualMemory::Physical physical;
  {
    std::lock_guard lock(p->virtualMemory.mutex);
    const auto found = p->virtualMemory.physical.find(asNumber(handle));
    if (found == p->virtualMemory.physical.end() || found->second.holds == 0) return hipErrorInvalidValue;
    physical = found->second;
  }
  if (handleType == hipMemHandleTypeNone || physical.properties.requestedHandleType != handleType)
    return hipErrorInvalidValue;
  Core* core;
  HIPR_TRY(physical.owner->reach(core));
  return core->memExport(physical.number, static_cast<int*>(shareableHandle));
}

// Until HIP 7.1 a program gives the address of its descriptor, since then the descriptor where a pointer stands. No
// address is that low, and no descriptor that high.
hipError_t hipMemImportFromShareableHandle(hipMemGenericAllocationHandle_t* handle, void* osHandle,
                                           hipMemAllocationHandleType shHandleType) {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  if (handle == nullptr || osHandle == nullptr) return hipErrorInvalidValue;
  if (shHandleType != hipMemHandleTypePosixFileDescriptor) return hipErrorInvalidValue;
  constexpr std::uintptr_t kFirstAddress = 1 << 16;
  const bool byValue = asNumber(osHandle) < kFirstAddress;
  const int descriptor = byValue ? static_cast<int>(asNumber(osHandle)) : *static_cast<const int*>(osHandle);
  Core* core;
  HIPR_TRY(device->reach(core));
  if (core->memGranularity(device->index) == 0) return hipErrorNotSupported;
  HIPR_TRY(asyncError(*device));
  std::uint64_t physical = 0;
  std::size_t size = 0;
  HIPR_TRY(core->memImport(descriptor, device->index, &physical, &size));
  hipMemAllocationProp prop{};
  prop.type = hipMemAllocationTypePinned;
  prop.location = {hipMemLocationTypeDevice, device->ordinal};
  prop.requestedHandleType = shHandleType;
  const std::uint64_t id = p->newId();
  std::lock_guard lock(p->virtualMemory.mutex);
  p->virtualMemory.physical[id] = {size, device, physical, prop};
  *handle = handleOf(id);
  return hipSuccess;
}

// A file descriptor for other drivers of the machine: neither softgpu nor a GPU elsewhere has one to give.
hipError_t hipMemGetHandleForAddressRange(void* handle, hipDeviceptr_t dptr, size_t size,
                                          hipMemRangeHandleType handleType, unsigned long long flags) {
  Process* p;
  HIPR_TRY(process(p));
  if (handle == nullptr || dptr == nullptr || size == 0 || flags != 0 || handleType != hipMemRangeHandleTypeDmaBufFd)
    return hipErrorInvalidValue;
  const auto region = p->allocations.find(dptr);
  if (!region || !p->allocations.holds(*region, region->offsetOf(dptr), size)) return hipErrorInvalidValue;
  return hipErrorNotSupported;
}

}  // namespace api
}  // namespace hipr
