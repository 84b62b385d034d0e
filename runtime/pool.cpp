#include "runtime/pool.h"

#include <algorithm>

#include "runtime/api.h"
#include "runtime/async_error.h"
#include "runtime/memory.h"
#include "runtime/stream.h"
#include "runtime/submit.h"

namespace hipr {

namespace {

hipError_t defaultPool(Process& p, Device& device, MemoryPool*& out) {
  std::lock_guard lock(device.mutex);
  if (device.defaultPool == nullptr) {
    device.defaultPool = p.pools.create();
    if (device.defaultPool == nullptr) return hipErrorOutOfMemory;
    device.defaultPool->owner = &device;
  }
  out = device.defaultPool;
  return hipSuccess;
}

// False when the pool may not grow that far.
bool enterPool(MemoryPool& pool, std::size_t size) {
  std::lock_guard lock(pool.mutex);
  if (pool.maxSize != 0 && (size > pool.maxSize || pool.used > pool.maxSize - size)) return false;
  pool.used += size;
  pool.usedHigh = std::max(pool.usedHigh, pool.used);
  pool.reservedHigh = std::max(pool.reservedHigh, pool.used);
  ++pool.allocations;
  return true;
}

void leave(Process& p, MemoryPool& pool, std::size_t size) {
  bool ended;
  {
    std::lock_guard lock(pool.mutex);
    pool.used -= size;
    ended = --pool.allocations == 0 && pool.destroyed;
  }
  if (ended) p.pools.recycle(&pool);
}

hipError_t allocateFrom(Process& p, MemoryPool& pool, std::size_t size, void** out) {
  *out = nullptr;
  if (size == 0) return hipSuccess;
  if (!enterPool(pool, size)) return hipErrorOutOfMemory;
  const hipError_t error = allocateMemory(p, *pool.owner, MemoryKind::kDevice, size, hipDeviceMallocDefault,
                                          Region::Origin::kStream, *out, &pool);
  if (error != hipSuccess) leave(p, pool, size);
  return error;
}

hipMemPool_t handleOf(MemoryPool* pool) {
  return reinterpret_cast<hipMemPool_t>(pool);
}

// Pools exist for memory of a device only.
hipError_t locate(const hipMemLocation* location, hipMemAllocationType type, int& device) {
  if (location == nullptr) return hipErrorInvalidValue;
  if (type != hipMemAllocationTypePinned || location->type != hipMemLocationTypeDevice) return hipErrorNotSupported;
  device = location->id;
  return hipSuccess;
}

// The pool that hipMallocAsync uses on that device.
hipError_t currentPool(Process& p, Device& device, MemoryPool*& out) {
  {
    std::lock_guard lock(device.mutex);
    out = p.pools.find(device.pool);
  }
  return out != nullptr ? hipSuccess : defaultPool(p, device, out);
}

hipError_t poolOf(int ordinal, hipError_t (*find)(Process&, Device&, MemoryPool*&), hipMemPool_t* out) {
  Process* p;
  Device* device;
  MemoryPool* pool;
  HIPR_TRY(process(p));
  if (out == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findDevice(*p, ordinal, device));
  HIPR_TRY(find(*p, *device, pool));
  *out = handleOf(pool);
  return hipSuccess;
}

}  // namespace

hipError_t findPool(hipMemPool_t handle, Process*& p, MemoryPool*& out) {
  HIPR_TRY(process(p));
  out = p->pools.find(handle);
  return out != nullptr ? hipSuccess : hipErrorInvalidValue;
}

void leavePool(Process& p, const Region& region) {
  leave(p, *static_cast<MemoryPool*>(const_cast<void*>(region.owner)), region.allocation.size);
}

namespace api {

hipError_t hipMallocAsync(void** dev_ptr, size_t size, hipStream_t stream) {
  Process* p;
  Stream* s;
  MemoryPool* pool;
  HIPR_TRY(process(p));
  if (dev_ptr == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findStream(*p, stream, s));
  HIPR_TRY(currentPool(*p, *s->owner, pool));
  return allocateFrom(*p, *pool, size, dev_ptr);
}

hipError_t hipMallocFromPoolAsync(void** dev_ptr, size_t size, hipMemPool_t mem_pool, hipStream_t stream) {
  Process* p;
  Stream* s;
  MemoryPool* pool;
  HIPR_TRY(findPool(mem_pool, p, pool));
  if (dev_ptr == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findStream(*p, stream, s));
  return allocateFrom(*p, *pool, size, dev_ptr);
}

hipError_t hipFreeAsync(void* dev_ptr, hipStream_t stream) {
  Process* p;
  Stream* s;
  HIPR_TRY(process(p));
  if (dev_ptr == nullptr) return hipSuccess;
  HIPR_TRY(findStream(*p, stream, s));
  const auto region = p->allocations.take(dev_ptr, [](const Region& r) {
    return r.allocation.kind == MemoryKind::kDevice &&
           (r.origin == Region::Origin::kAllocated || r.origin == Region::Origin::kStream);
  });
  if (!region) return hipErrorInvalidValue;
  forgetMemory(*p, *region);
  return hand(*s, Free{region->allocation}, Stage::kSent);
}

hipError_t hipMemPoolCreate(hipMemPool_t* mem_pool, const hipMemPoolProps* pool_props) {
  Process* p;
  Device* device;
  HIPR_TRY(process(p));
  if (mem_pool == nullptr || pool_props == nullptr || pool_props->allocType != hipMemAllocationTypePinned ||
      pool_props->location.type != hipMemLocationTypeDevice)
    return hipErrorInvalidValue;
  if (findDevice(*p, pool_props->location.id, device) != hipSuccess) return hipErrorInvalidValue;
  MemoryPool* pool = p->pools.create();
  if (pool == nullptr) return hipErrorOutOfMemory;
  pool->owner = device;
  pool->maxSize = pool_props->maxSize;
  *mem_pool = handleOf(pool);
  return hipSuccess;
}

hipError_t hipMemPoolDestroy(hipMemPool_t mem_pool) {
  Process* p;
  MemoryPool* pool;
  HIPR_TRY(findPool(mem_pool, p, pool));
  Device& device = *pool->owner;
  {
    std::lock_guard lock(device.mutex);
    if (pool == device.defaultPool) return hipErrorInvalidValue;
    if (pool == device.pool) device.pool = nullptr;
  }
  if (p->pools.take(pool) == nullptr) return hipErrorInvalidValue;
  bool ended;
  {
    std::lock_guard lock(pool->mutex);
    pool->destroyed = true;
    ended = pool->allocations == 0;
  }
  if (ended) p->pools.recycle(pool);
  return hipSuccess;
}

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* mem_pool, int device) {
  return poolOf(device, defaultPool, mem_pool);
}

hipError_t hipDeviceGetMemPool(hipMemPool_t* mem_pool, int device) {
  return poolOf(device, currentPool, mem_pool);
}

hipError_t hipDeviceSetMemPool(int device, hipMemPool_t mem_pool) {
  Process* p;
  Device* d;
  MemoryPool* pool;
  HIPR_TRY(findPool(mem_pool, p, pool));
  HIPR_TRY(findDevice(*p, device, d));
  if (pool->owner != d) return hipErrorInvalidDevice;
  std::lock_guard lock(d->mutex);
  d->pool = pool;
  return hipSuccess;
}

hipError_t hipMemGetDefaultMemPool(hipMemPool_t* memPool, hipMemLocation* location, hipMemAllocationType type) {
  int device;
  HIPR_TRY(locate(location, type, device));
  return api::hipDeviceGetDefaultMemPool(memPool, device);
}

hipError_t hipMemGetMemPool(hipMemPool_t* pool, hipMemLocation* location, hipMemAllocationType type) {
  int device;
  HIPR_TRY(locate(location, type, device));
  return api::hipDeviceGetMemPool(pool, device);
}

hipError_t hipMemSetMemPool(hipMemLocation* location, hipMemAllocationType type, hipMemPool_t pool) {
  int device;
  HIPR_TRY(locate(location, type, device));
  return api::hipDeviceSetMemPool(device, pool);
}

hipError_t hipMemPoolTrimTo(hipMemPool_t mem_pool, size_t) {
  Process* p;
  MemoryPool* pool;
  return findPool(mem_pool, p, pool);
}

}  // namespace api
}  // namespace hipr
