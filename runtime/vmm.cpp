// Virtual memory management: reserve addresses, create physical memory, map one to the other, say who may use it.
#include "runtime/vmm.h"

#include <iterator>

#include "runtime/api.h"
#include "runtime/async_error.h"
#include "runtime/process.h"

namespace hipr::api {

namespace {

std::uintptr_t number(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

// The entry of an address-ordered map that contains [address, address + size).
template <class Map, class SizeOf>
auto containing(Map& map, std::uintptr_t address, std::size_t size, SizeOf&& sizeOf) {
  auto it = map.upper_bound(address);
  if (it == map.begin()) return map.end();
  --it;
  const std::size_t all = sizeOf(it->second), offset = address - it->first;
  return offset < all && size <= all - offset ? it : map.end();
}

hipError_t locationOf(Process& p, const hipMemLocation& location, Device*& device) {
  const bool known = location.type == hipMemLocationTypeDevice && findDevice(p, location.id, device) == hipSuccess;
  return known ? hipSuccess : hipErrorInvalidValue;
}

int accessor(const hipMemLocation& location) {
  return location.type == hipMemLocationTypeDevice ? location.id : hipCpuDeviceId;
}

hipMemGenericAllocationHandle_t handleOf(std::uint64_t id) {
  return reinterpret_cast<hipMemGenericAllocationHandle_t>(id);
}

// One hold or mapping less; the last one takes the memory along. REQUIRES: the lock is held until here.
hipError_t letGo(VirtualMemory& memory, std::unique_lock<std::mutex> lock, std::uint64_t id) {
  const auto found = memory.physical.find(id);
  if (found == memory.physical.end() || found->second.holds != 0 || found->second.mappings != 0) return hipSuccess;
  const VirtualMemory::Physical physical = found->second;
  memory.physical.erase(found);
  lock.unlock();
  return physical.owner->evenLost().memRelease(physical.number);
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
  p->virtualMemory.reserved[number(*ptr)] = {size, device};
  return hipSuccess;
}

hipError_t hipMemAddressFree(void* devPtr, size_t size) {
  Process* p;
  HIPR_TRY(process(p));
  Device* owner;
  {
    std::lock_guard lock(p->virtualMemory.mutex);
    auto& reserved = p->virtualMemory.reserved;
    const auto it = reserved.find(number(devPtr));
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
  const auto found = p->virtualMemory.physical.find(number(handle));
  if (found == p->virtualMemory.physical.end() || found->second.holds == 0) return hipErrorInvalidValue;
  --found->second.holds;
  return letGo(p->virtualMemory, std::move(lock), number(handle));
}

hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t* handle, void* addr) {
  Process* p;
  HIPR_TRY(process(p));
  if (handle == nullptr || addr == nullptr) return hipErrorInvalidValue;
  std::lock_guard lock(p->virtualMemory.mutex);
  auto& mapped = p->virtualMemory.mapped;
  const auto it = containing(mapped, number(addr), 1, [](const VirtualMemory::Mapping& m) { return m.size; });
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
  const auto found = p->virtualMemory.physical.find(number(handle));
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
    const auto found = p->virtualMemory.physical.find(number(handle));
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
  const bool byValue = number(osHandle) < kFirstAddress;
  const int descriptor = byValue ? static_cast<int>(number(osHandle)) : *static_cast<const int*>(osHandle);
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

// AMD's runtime has no sparse arrays.
hipError_t hipMemMapArrayAsync(hipArrayMapInfo* mapInfoList, unsigned int count, hipStream_t) {
  return mapInfoList == nullptr || count == 0 ? hipErrorInvalidValue : hipErrorNotSupported;
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

hipError_t hipMemMap(void* ptr, size_t size, size_t offset, hipMemGenericAllocationHandle_t handle,
                     unsigned long long flags) {
  Process* p;
  HIPR_TRY(process(p));
  if (ptr == nullptr || size == 0 || offset != 0 || flags != 0) return hipErrorInvalidValue;
  VirtualMemory::Physical physical;
  {
    std::lock_guard lock(p->virtualMemory.mutex);
    auto& memory = p->virtualMemory;
    const auto found = memory.physical.find(number(handle));
    if (found == memory.physical.end() || found->second.holds == 0 || size > found->second.size)
      return hipErrorInvalidValue;
    physical = found->second;
    const auto range =
        containing(memory.reserved, number(ptr), size, [](const VirtualMemory::Reservation& r) { return r.size; });
    if (range == memory.reserved.end()) return hipErrorInvalidValue;
    HIPR_TRY(inOneCore(*range->second.owner, *physical.owner, "a range of addresses"));
    const auto next = memory.mapped.lower_bound(number(ptr));
    if (next != memory.mapped.end() && next->first - number(ptr) < size) return hipErrorInvalidValue;
    if (next != memory.mapped.begin() && number(ptr) - std::prev(next)->first < std::prev(next)->second.size)
      return hipErrorInvalidValue;
    memory.mapped[number(ptr)] = {size, physical.owner, number(handle), {}};
    ++found->second.mappings;
  }
  Core* core;
  hipError_t error = physical.owner->reach(core);
  if (error == hipSuccess) error = core->memMap(ptr, size, offset, physical.number);
  if (error != hipSuccess) {
    std::unique_lock lock(p->virtualMemory.mutex);
    p->virtualMemory.mapped.erase(number(ptr));
    --p->virtualMemory.physical.at(number(handle)).mappings;
    static_cast<void>(letGo(p->virtualMemory, std::move(lock), number(handle)));
    return error;
  }
  p->allocations.insert({.allocation = {.kind = MemoryKind::kDevice,
                                        .owner = physical.owner,
                                        .device = physical.owner->index,
                                        .size = size,
                                        .devicePointer = ptr,
                                        .id = p->newId()},
                         .origin = Region::Origin::kMapped});
  return hipSuccess;
}

hipError_t hipMemUnmap(void* ptr, size_t size) {
  Process* p;
  HIPR_TRY(process(p));
  VirtualMemory& memory = p->virtualMemory;
  VirtualMemory::Mapping mapping;
  {
    std::lock_guard lock(memory.mutex);
    const auto it = memory.mapped.find(number(ptr));
    if (it == memory.mapped.end() || it->second.size != size) return hipErrorInvalidValue;
    mapping = it->second;
    memory.mapped.erase(it);
  }
  p->allocations.take(ptr, [](const Region& r) { return r.origin == Region::Origin::kMapped; });
  const hipError_t error = mapping.owner->evenLost().memUnmap(ptr, size);
  std::unique_lock lock(memory.mutex);
  --memory.physical.at(mapping.physical).mappings;
  static_cast<void>(letGo(memory, std::move(lock), mapping.physical));
  return error;
}

hipError_t hipMemSetAccess(void* ptr, size_t size, const hipMemAccessDesc* desc, size_t count) {
  Process* p;
  HIPR_TRY(process(p));
  if (ptr == nullptr || size == 0 || desc == nullptr || count == 0) return hipErrorInvalidValue;
  std::vector<hipMemAccessDesc> translated(desc, desc + count);
  std::vector<const Device*> users;
  for (hipMemAccessDesc& d : translated) {
    Device* device;
    if (d.flags != hipMemAccessFlagsProtNone && d.flags != hipMemAccessFlagsProtRead &&
        d.flags != hipMemAccessFlagsProtReadWrite)
      return hipErrorInvalidValue;
    if (d.location.type == hipMemLocationTypeHost) continue;
    HIPR_TRY(locationOf(*p, d.location, device));
    d.location.id = device->index;
    users.push_back(device);
  }
  const std::uintptr_t end = number(ptr) + size;
  Device* owner = nullptr;
  {
    // The range covers whole mappings, one after another.
    std::lock_guard lock(p->virtualMemory.mutex);
    auto it = p->virtualMemory.mapped.find(number(ptr));
    for (std::uintptr_t at = number(ptr); at < end; ++it) {
      if (it == p->virtualMemory.mapped.end() || it->first != at) return hipErrorInvalidValue;
      at += it->second.size;
      owner = it->second.owner;
      for (const Device* user : users) HIPR_TRY(inOneCore(*owner, *user, "a range of addresses"));
    }
  }
  Core* core;
  HIPR_TRY(owner->reach(core));
  HIPR_TRY(core->memSetAccess(ptr, size, translated.data(), count));
  std::lock_guard lock(p->virtualMemory.mutex);
  for (auto it = p->virtualMemory.mapped.find(number(ptr)); it != p->virtualMemory.mapped.end() && it->first < end;
       ++it)
    for (std::size_t i = 0; i < count; ++i) it->second.access[accessor(desc[i].location)] = desc[i].flags;
  return hipSuccess;
}

hipError_t hipMemGetAccess(unsigned long long* flags, const hipMemLocation* location, void* ptr) {
  Process* p;
  HIPR_TRY(process(p));
  Device* device;
  if (flags == nullptr || location == nullptr || ptr == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(locationOf(*p, *location, device));
  std::lock_guard lock(p->virtualMemory.mutex);
  auto& mapped = p->virtualMemory.mapped;
  const auto it = containing(mapped, number(ptr), 1, [](const VirtualMemory::Mapping& m) { return m.size; });
  if (it == mapped.end()) return hipErrorInvalidValue;
  const auto access = it->second.access.find(accessor(*location));
  *flags = access == it->second.access.end() ? hipMemAccessFlagsProtNone : access->second;
  return hipSuccess;
}

}  // namespace hipr::api
