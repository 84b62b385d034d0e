// What a program may set and ask about a memory pool.
#include <span>

#include "runtime/api.h"
#include "runtime/process.h"

namespace hipr {

hipMemAccessFlags accessOf(MemoryPool& pool, const Device& device) {
  if (&device == pool.owner) return hipMemAccessFlagsProtReadWrite;
  std::lock_guard lock(pool.mutex);
  const auto set = pool.access.find(device.ordinal);
  return set != pool.access.end() ? set->second : hipMemAccessFlagsProtNone;
}

}  // namespace hipr

namespace hipr::api {

namespace {

hipError_t answer(void* value, std::uint64_t number) {
  *static_cast<std::uint64_t*>(value) = number;
  return hipSuccess;
}

// A high-water mark can be set to nothing but zero, and rises again with the next allocation.
hipError_t startAnew(const void* value, std::uint64_t& high) {
  if (*static_cast<const std::uint64_t*>(value) != 0) return hipErrorInvalidValue;
  high = 0;
  return hipSuccess;
}

// The flag behind one of the three reuse attributes, else null.
bool* reuseFlag(MemoryPool& pool, hipMemPoolAttr attr) {
  switch (attr) {
    case hipMemPoolReuseFollowEventDependencies:
      return &pool.reuse.followEvents;
    case hipMemPoolReuseAllowOpportunistic:
      return &pool.reuse.opportunistic;
    case hipMemPoolReuseAllowInternalDependencies:
      return &pool.internalDependencies;
    default:
      return nullptr;
  }
}

// The device may use the memory of the other. Memory is mapped for whole devices: one that may use a pool can use its
// peer's other memory, too, and keeps that when it is told no more about this pool.
hipError_t grantAccess(Device& device, Device& owner) {
  {
    std::lock_guard lock(device.mutex);
    if (!device.poolPeers.insert(owner.ordinal).second || device.peers.contains(owner.ordinal)) return hipSuccess;
  }
  Core* core;
  HIPR_TRY(device.reach(core));
  return core->setPeerAccess(device.index, owner.index, true);
}

}  // namespace

hipError_t hipMemPoolGetAttribute(hipMemPool_t mem_pool, hipMemPoolAttr attr, void* value) {
  Process* p;
  MemoryPool* pool;
  HIPR_TRY(findPool(mem_pool, p, pool));
  if (value == nullptr) return hipErrorInvalidValue;
  std::lock_guard lock(pool->mutex);
  if (const bool* flag = reuseFlag(*pool, attr)) {
    *static_cast<int*>(value) = *flag;
    return hipSuccess;
  }
  switch (attr) {
    case hipMemPoolAttrReleaseThreshold:
      return answer(value, pool->releaseThreshold);
    case hipMemPoolAttrReservedMemCurrent:
      return answer(value, pool->reserved());
    case hipMemPoolAttrUsedMemCurrent:
      return answer(value, pool->used);
    case hipMemPoolAttrReservedMemHigh:
      return answer(value, pool->reservedHigh);
    case hipMemPoolAttrUsedMemHigh:
      return answer(value, pool->usedHigh);
    default:
      break;
  }
  return hipErrorInvalidValue;
}

hipError_t hipMemPoolSetAttribute(hipMemPool_t mem_pool, hipMemPoolAttr attr, void* value) {
  Process* p;
  MemoryPool* pool;
  HIPR_TRY(findPool(mem_pool, p, pool));
  if (value == nullptr) return hipErrorInvalidValue;
  std::lock_guard lock(pool->mutex);
  if (bool* flag = reuseFlag(*pool, attr)) {
    *flag = *static_cast<const int*>(value) != 0;
    return hipSuccess;
  }
  switch (attr) {
    case hipMemPoolAttrReleaseThreshold:
      pool->releaseThreshold = *static_cast<const std::uint64_t*>(value);
      return hipSuccess;
    case hipMemPoolAttrReservedMemHigh:
      return startAnew(value, pool->reservedHigh);
    case hipMemPoolAttrUsedMemHigh:
      return startAnew(value, pool->usedHigh);
    default:  // what is in use cannot be set
      break;
  }
  return hipErrorInvalidValue;
}

hipError_t hipMemPoolSetAccess(hipMemPool_t mem_pool, const hipMemAccessDesc* desc_list, size_t count) {
  Process* p;
  MemoryPool* pool;
  HIPR_TRY(findPool(mem_pool, p, pool));
  if (desc_list == nullptr) return hipErrorInvalidValue;
  if (count > p->devices.size()) return hipErrorInvalidDevice;
  Device& owner = *pool->owner;
  const std::span list(desc_list, count);
  for (const hipMemAccessDesc& desc : list) {
    Device* device;
    if (desc.location.type != hipMemLocationTypeDevice) return hipErrorInvalidValue;
    HIPR_TRY(findDevice(*p, desc.location.id, device));
    if (desc.flags != hipMemAccessFlagsProtNone && desc.flags != hipMemAccessFlagsProtRead &&
        desc.flags != hipMemAccessFlagsProtReadWrite)
      return hipErrorInvalidValue;
    if (device == &owner) {  // it cannot lose its own memory
      if (desc.flags == hipMemAccessFlagsProtNone) return hipErrorInvalidDevice;
      if (desc.flags == hipMemAccessFlagsProtRead) return hipErrorNotSupported;
    } else if (!peerInfo(*device, owner).canAccess) {
      return hipErrorInvalidDevice;
    }
  }
  for (const hipMemAccessDesc& desc : list) {
    Device& device = *p->devices[static_cast<std::size_t>(desc.location.id)];
    if (&device == &owner) continue;
    if (desc.flags != hipMemAccessFlagsProtNone) HIPR_TRY(grantAccess(device, owner));
    std::lock_guard lock(pool->mutex);
    pool->access[device.ordinal] = desc.flags;
  }
  return hipSuccess;
}

hipError_t hipMemPoolGetAccess(hipMemAccessFlags* flags, hipMemPool_t mem_pool, hipMemLocation* location) {
  Process* p;
  MemoryPool* pool;
  Device* device;
  HIPR_TRY(findPool(mem_pool, p, pool));
  if (flags == nullptr || location == nullptr || location->type != hipMemLocationTypeDevice)
    return hipErrorInvalidValue;
  if (findDevice(*p, location->id, device) != hipSuccess) return hipErrorInvalidValue;
  *flags = accessOf(*pool, *device);
  return hipSuccess;
}

}  // namespace hipr::api
