// What a program may set and ask about a memory pool.
#include <span>

#include "runtime/api.h"
#include "runtime/process.h"

namespace hipr::api {

namespace {

hipError_t answer(void* value, std::uint64_t number) {
  *static_cast<std::uint64_t*>(value) = number;
  return hipSuccess;
}

// A high-water mark can be set to nothing but zero, which starts it anew from what is in use.
hipError_t startAnew(const void* value, std::uint64_t& high, std::uint64_t used) {
  if (*static_cast<const std::uint64_t*>(value) != 0) return hipErrorInvalidValue;
  high = used;
  return hipSuccess;
}

}  // namespace

hipError_t hipMemPoolGetAttribute(hipMemPool_t mem_pool, hipMemPoolAttr attr, void* value) {
  Process* p;
  MemoryPool* pool;
  HIPR_TRY(findPool(mem_pool, p, pool));
  if (value == nullptr) return hipErrorInvalidValue;
  std::lock_guard lock(pool->mutex);
  switch (attr) {
    case hipMemPoolReuseFollowEventDependencies:
    case hipMemPoolReuseAllowOpportunistic:
    case hipMemPoolReuseAllowInternalDependencies: {
      const auto set = pool->reuse.find(attr);
      *static_cast<int*>(value) = set != pool->reuse.end() ? set->second : 1;
      return hipSuccess;
    }
    case hipMemPoolAttrReleaseThreshold:
      return answer(value, pool->releaseThreshold);
    case hipMemPoolAttrReservedMemCurrent:
    case hipMemPoolAttrUsedMemCurrent:
      return answer(value, pool->used);
    case hipMemPoolAttrReservedMemHigh:
      return answer(value, pool->reservedHigh);
    case hipMemPoolAttrUsedMemHigh:
      return answer(value, pool->usedHigh);
  }
  return hipErrorInvalidValue;
}

hipError_t hipMemPoolSetAttribute(hipMemPool_t mem_pool, hipMemPoolAttr attr, void* value) {
  Process* p;
  MemoryPool* pool;
  HIPR_TRY(findPool(mem_pool, p, pool));
  if (value == nullptr) return hipErrorInvalidValue;
  std::lock_guard lock(pool->mutex);
  switch (attr) {
    case hipMemPoolReuseFollowEventDependencies:
    case hipMemPoolReuseAllowOpportunistic:
    case hipMemPoolReuseAllowInternalDependencies:
      pool->reuse[attr] = *static_cast<const int*>(value) != 0;
      return hipSuccess;
    case hipMemPoolAttrReleaseThreshold:
      pool->releaseThreshold = *static_cast<const std::uint64_t*>(value);
      return hipSuccess;
    case hipMemPoolAttrReservedMemHigh:
      return startAnew(value, pool->reservedHigh, pool->used);
    case hipMemPoolAttrUsedMemHigh:
      return startAnew(value, pool->usedHigh, pool->used);
    case hipMemPoolAttrReservedMemCurrent:
    case hipMemPoolAttrUsedMemCurrent:
      break;
  }
  return hipErrorInvalidValue;
}

// Memory is mapped for whole devices: a device that may use one pool can use its peer's other memory, too, and keeps
// that when it is told no more about this pool.
hipError_t hipMemPoolSetAccess(hipMemPool_t mem_pool, const hipMemAccessDesc* desc_list, size_t count) {
  Process* p;
  MemoryPool* pool;
  HIPR_TRY(findPool(mem_pool, p, pool));
  if (desc_list == nullptr || count == 0) return hipErrorInvalidValue;
  Device& owner = *pool->owner;
  for (const hipMemAccessDesc& desc : std::span(desc_list, count)) {
    Device* device;
    if (desc.location.type != hipMemLocationTypeDevice) return hipErrorInvalidValue;
    if (desc.flags != hipMemAccessFlagsProtNone && desc.flags != hipMemAccessFlagsProtRead &&
        desc.flags != hipMemAccessFlagsProtReadWrite)
      return hipErrorInvalidValue;
    HIPR_TRY(findDevice(*p, desc.location.id, device));
    if (device == &owner) {
      if (desc.flags != hipMemAccessFlagsProtReadWrite) return hipErrorInvalidDevice;  // it cannot lose its own memory
      continue;
    }
    if (!peerInfo(*device, owner).canAccess) return hipErrorInvalidDevice;
    Core* core;
    HIPR_TRY(device->reach(core));
    if (desc.flags != hipMemAccessFlagsProtNone) HIPR_TRY(core->setPeerAccess(device->index, owner.index, true));
    std::lock_guard lock(pool->mutex);
    pool->access[device->ordinal] = desc.flags;
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
  HIPR_TRY(findDevice(*p, location->id, device));
  std::lock_guard lock(pool->mutex);
  const auto set = pool->access.find(device->ordinal);
  if (device == pool->owner)
    *flags = hipMemAccessFlagsProtReadWrite;
  else
    *flags = set != pool->access.end() ? set->second : hipMemAccessFlagsProtNone;
  return hipSuccess;
}

}  // namespace hipr::api
