// Which pools there are.
#include "runtime/pool.h"

#include "runtime/api.h"
#include "runtime/process.h"

namespace hipr {

namespace {

hipError_t defaultPool(Process& p, Device& device, MemoryPool*& out) {
  std::lock_guard lock(device.mutex);
  if (device.defaultPool == nullptr) {
    device.defaultPool = p.pools.create();
    if (device.defaultPool == nullptr) return hipErrorOutOfMemory;
    device.defaultPool->owner = &device;
    device.defaultPool->properties.allocType = hipMemAllocationTypePinned;
    device.defaultPool->properties.location = {hipMemLocationTypeDevice, device.ordinal};
  }
  out = device.defaultPool;
  return hipSuccess;
}

hipMemPool_t handleOf(MemoryPool* pool) {
  return reinterpret_cast<hipMemPool_t>(pool);
}

// Pools exist for memory of a device only.
hipError_t locate(const hipMemLocation* location, hipMemAllocationType type, int& device) {
  if (location == nullptr || type != hipMemAllocationTypePinned || location->type != hipMemLocationTypeDevice)
    return hipErrorInvalidValue;
  device = location->id;
  return hipSuccess;
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

hipError_t currentPool(Process& p, Device& device, MemoryPool*& out) {
  {
    std::lock_guard lock(device.mutex);
    out = p.pools.find(device.pool);
  }
  return out != nullptr ? hipSuccess : defaultPool(p, device, out);
}

namespace api {

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
  pool->properties = *pool_props;
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
  std::vector<KeptBlock> kept;
  {
    std::lock_guard lock(pool->mutex);
    pool->destroyed = true;
    ended = pool->allocations == 0;
    kept = pool->kept.takeAll();
  }
  giveBack(kept);
  if (ended) p->pools.recycle(pool);
  return hipSuccess;
}

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* mem_pool, int device) {
  return poolOf(device, defaultPool, mem_pool);
}

hipError_t hipDeviceGetMemPool(hipMemPool_t* mem_pool, int device) {
  const hipError_t error = poolOf(device, currentPool, mem_pool);
  return error == hipErrorInvalidDevice ? hipErrorInvalidValue : error;
}

hipError_t hipDeviceSetMemPool(int device, hipMemPool_t mem_pool) {
  Process* p;
  Device* d;
  MemoryPool* pool;
  HIPR_TRY(findPool(mem_pool, p, pool));
  if (findDevice(*p, device, d) != hipSuccess) return hipErrorInvalidValue;
  if (pool->owner != d) return hipErrorInvalidDevice;
  std::lock_guard lock(d->mutex);
  d->pool = pool;
  return hipSuccess;
}

hipError_t hipMemGetDefaultMemPool(hipMemPool_t* memPool, hipMemLocation* location, hipMemAllocationType type) {
  int device;
  HIPR_TRY(locate(location, type, device));
  const hipError_t error = api::hipDeviceGetDefaultMemPool(memPool, device);
  return error == hipErrorInvalidDevice ? hipErrorInvalidValue : error;
}

hipError_t hipMemGetMemPool(hipMemPool_t* pool, hipMemLocation* location, hipMemAllocationType type) {
  int device;
  HIPR_TRY(locate(location, type, device));
  return api::hipDeviceGetMemPool(pool, device);
}

hipError_t hipMemSetMemPool(hipMemLocation* location, hipMemAllocationType type, hipMemPool_t pool) {
  int device;
  HIPR_TRY(locate(location, type, device));
  const hipError_t error = api::hipDeviceSetMemPool(device, pool);
  return error == hipErrorInvalidDevice ? hipErrorInvalidValue : error;
}

}  // namespace api
}  // namespace hipr
