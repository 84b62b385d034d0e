// Virtual memory management: maps physical memory at reserved addresses, and says who may use it there.
#include <iterator>
#include <utility>

#include "runtime/api.h"
#include "runtime/vmm_parts.h"

namespace hipr::api {

namespace {

// Of memory that a pool has given out.
hipError_t poolAccess(Process& p, const void* address, const Device& device, unsigned long long& flags) {
  const auto region = p.allocations.find(address);
  if (!region || region->origin != Region::Origin::kStream) return hipErrorInvalidValue;
  MemoryPool* pool = p.pools.find(const_cast<void*>(region->owner));
  if (pool == nullptr) return hipErrorInvalidValue;
  flags = accessOf(*pool, device);
  return hipSuccess;
}

int accessor(const hipMemLocation& location) {
  return location.type == hipMemLocationTypeDevice ? location.id : hipCpuDeviceId;
}

using Mappings = std::map<std::uintptr_t, VirtualMemory::Mapping>;

std::uintptr_t endOf(const Mappings::value_type& mapping) {
  return mapping.first + mapping.second.size;
}

// The first of the mappings that cover a range, one after another, and one past the last, which may end behind the
// range. The same twice when they do not cover it.
std::pair<Mappings::iterator, Mappings::iterator> mappingsOf(Mappings& mapped, std::uintptr_t begin, std::size_t size) {
  const auto first = mapped.find(begin);
  auto last = first;
  for (std::size_t covered = 0; covered < size; ++last) {
    if (last == mapped.end() || last->first != begin + covered) return {mapped.end(), mapped.end()};
    covered += last->second.size;
  }
  return {first, last};
}

}  // namespace

// AMD's runtime has no sparse arrays.
hipError_t hipMemMapArrayAsync(hipArrayMapInfo* mapInfoList, unsigned int count, hipStream_t) {
  return mapInfoList == nullptr || count == 0 ? hipErrorInvalidValue : hipErrorNotSupported;
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
    const auto found = memory.physical.find(asNumber(handle));
    if (found == memory.physical.end() || found->second.holds == 0 || size > found->second.size)
      return hipErrorInvalidValue;
    physical = found->second;
    const auto range =
        containing(memory.reserved, asNumber(ptr), size, [](const VirtualMemory::Reservation& r) { return r.size; });
    if (range == memory.reserved.end()) return hipErrorInvalidValue;
    HIPR_TRY(inOneCore(*range->second.owner, *physical.owner, "a range of addresses"));
    const auto next = memory.mapped.lower_bound(asNumber(ptr));
    if (next != memory.mapped.end() && next->first - asNumber(ptr) < size) return hipErrorInvalidValue;
    if (next != memory.mapped.begin() && asNumber(ptr) - std::prev(next)->first < std::prev(next)->second.size)
      return hipErrorInvalidValue;
    memory.mapped[asNumber(ptr)] = {size, physical.owner, asNumber(handle), {}};
    ++found->second.mappings;
  }
  Core* core;
  hipError_t error = physical.owner->reach(core);
  if (error == hipSuccess) error = core->memMap(ptr, size, offset, physical.number);
  if (error != hipSuccess) {
    std::unique_lock lock(p->virtualMemory.mutex);
    p->virtualMemory.mapped.erase(asNumber(ptr));
    --p->virtualMemory.physical.at(asNumber(handle)).mappings;
    static_cast<void>(letGo(p->virtualMemory, std::move(lock), asNumber(handle)));
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

// Of several mappings all or none: the range has to be made of whole ones.
hipError_t hipMemUnmap(void* ptr, size_t size) {
  Process* p;
  HIPR_TRY(process(p));
  VirtualMemory& memory = p->virtualMemory;
  Mappings gone;
  {
    std::lock_guard lock(memory.mutex);
    const auto [first, last] = mappingsOf(memory.mapped, asNumber(ptr), size);
    if (first == last || endOf(*std::prev(last)) != asNumber(ptr) + size) return hipErrorInvalidValue;
    for (auto it = first; it != last;) gone.insert(memory.mapped.extract(it++));
  }
  hipError_t error = hipSuccess;
  for (const auto& [begin, mapping] : gone) {
    void* const address = reinterpret_cast<void*>(begin);
    p->allocations.take(address, [](const Region& r) { return r.origin == Region::Origin::kMapped; });
    const hipError_t unmapped = mapping.owner->evenLost().memUnmap(address, mapping.size);
    if (error == hipSuccess) error = unmapped;
    std::unique_lock lock(memory.mutex);
    --memory.physical.at(mapping.physical).mappings;
    static_cast<void>(letGo(memory, std::move(lock), mapping.physical));
  }
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
  const std::uintptr_t end = asNumber(ptr) + size;
  Device* owner = nullptr;
  {
    std::lock_guard lock(p->virtualMemory.mutex);
    const auto [first, last] = mappingsOf(p->virtualMemory.mapped, asNumber(ptr), size);
    if (first == last) return hipErrorInvalidValue;
    for (auto it = first; it != last; ++it) {
      owner = it->second.owner;
      for (const Device* user : users) HIPR_TRY(inOneCore(*owner, *user, "a range of addresses"));
    }
  }
  Core* core;
  HIPR_TRY(owner->reach(core));
  HIPR_TRY(core->memSetAccess(ptr, size, translated.data(), count));
  std::lock_guard lock(p->virtualMemory.mutex);
  for (auto it = p->virtualMemory.mapped.find(asNumber(ptr)); it != p->virtualMemory.mapped.end() && it->first < end;
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
  const auto it = containing(mapped, asNumber(ptr), 1, [](const VirtualMemory::Mapping& m) { return m.size; });
  if (it == mapped.end()) return poolAccess(*p, ptr, *device, *flags);
  const auto access = it->second.access.find(accessor(*location));
  *flags = access == it->second.access.end() ? hipMemAccessFlagsProtNone : access->second;
  return hipSuccess;
}

}  // namespace hipr::api
