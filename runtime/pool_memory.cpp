// Allocating from pools and freeing into them.
#include <algorithm>

#include "runtime/api.h"
#include "runtime/async_error.h"
#include "runtime/graph/memory.h"
#include "runtime/memory.h"
#include "runtime/stream.h"
#include "runtime/submit.h"

namespace hipr {

namespace {

// REQUIRES: pool.mutex is held.
void countUse(MemoryPool& pool, std::size_t size) {
  pool.used += size;
  pool.usedHigh = std::max(pool.usedHigh, pool.used);
  pool.reservedHigh = std::max(pool.reservedHigh, pool.reserved());
  ++pool.allocations;
}

// The opposite. True when that was the last of a destroyed pool.
bool countEnd(MemoryPool& pool, std::size_t size) {
  pool.used -= size;
  return --pool.allocations == 0 && pool.destroyed;
}

void undoUse(Process& p, MemoryPool& pool, std::size_t size) {
  bool ended;
  {
    std::lock_guard lock(pool.mutex);
    ended = countEnd(pool, size);
  }
  if (ended) p.pools.recycle(&pool);
}

// A block that was in use before begins a new life.
hipError_t handOut(Process& p, MemoryPool& pool, KeptBlock block, void** out) {
  block.allocation.id = p.newId();
  block.allocation.synchronous = false;
  if (!p.allocations.insert({.allocation = block.allocation, .origin = Region::Origin::kStream, .owner = &pool})) {
    undoUse(p, pool, block.allocation.size);
    return hipErrorUnknown;
  }
  *out = block.allocation.devicePointer;
  return hipSuccess;
}

hipError_t reuse(Process& p, MemoryPool& pool, std::size_t size, Stream& stream, void** out) {
  std::optional<KeptBlock> block;
  {
    std::lock_guard lock(pool.mutex);
    block = pool.kept.take(size, stream, pool.reuse);
    if (block) countUse(pool, block->allocation.size);
  }
  return block ? handOut(p, pool, std::move(*block), out) : hipErrorOutOfMemory;
}

// False when the pool may not grow that far. Like AMD's, a pool with a limit counts from the most it ever had, even if
// it has given that back; hipMemPoolAttrReservedMemHigh starts the count anew.
bool makeRoom(MemoryPool& pool, std::size_t size) {
  const std::uint64_t most = pool.properties.maxSize;
  std::lock_guard lock(pool.mutex);
  if (most != 0 && (size > most || pool.reservedHigh > most - size)) return false;
  countUse(pool, size);
  return true;
}

hipError_t grow(Process& p, MemoryPool& pool, std::size_t size, void** out) {
  if (!makeRoom(pool, size)) return hipErrorOutOfMemory;
  const hipError_t error = allocateMemory(p, *pool.owner, MemoryKind::kDevice, size, hipDeviceMallocDefault,
                                          Region::Origin::kStream, *out, &pool);
  if (error != hipSuccess) undoUse(p, pool, size);
  return error;
}

// `later` goes on when `earlier` has done what it has now.
hipError_t putBehind(Process& p, Stream& later, Stream& earlier) {
  Core* core;
  HIPR_TRY(earlier.owner->reach(core));
  Event* event = p.events.create();
  if (event == nullptr) return hipErrorOutOfMemory;
  event->id = p.newId();
  event->owner = earlier.owner;
  event->device = earlier.device;
  event->flags = hipEventDisableTiming;
  hipError_t error = core->create(*event);
  if (error == hipSuccess) {
    error = hand(earlier, Record{event}, Stage::kSent);
    if (error == hipSuccess) error = hand(later, Wait{event}, Stage::kSent);
    core->destroy(*event);
  }
  p.events.take(event);
  p.events.recycle(event);
  return error;
}

// Memory that another stream still uses: this one is made to wait for it.
hipError_t reuseBehind(Process& p, MemoryPool& pool, std::size_t size, Stream& stream, void** out) {
  std::optional<KeptBlock> block;
  {
    std::lock_guard lock(pool.mutex);
    if (!pool.internalDependencies) return hipErrorOutOfMemory;
    block = pool.kept.takeAny(size);
    if (!block) return hipErrorOutOfMemory;
    countUse(pool, block->allocation.size);
  }
  Stream* user = nullptr;
  p.streams.forEach([&](Stream* s) {
    if (s->id == block->freed.stream) user = s;
  });
  if (user == nullptr || putBehind(p, stream, *user) != hipSuccess) {
    if (block->until != nullptr) block->until->wait();
  }
  return handOut(p, pool, std::move(*block), out);
}

// Waits for whoever still uses what the pools of this device keep, and gives it back.
void drainPools(Process& p, Device& device) {
  std::vector<KeptBlock> all;
  p.pools.forEach([&](MemoryPool* pool) {
    if (pool->owner != &device) return;
    std::lock_guard lock(pool->mutex);
    std::ranges::move(pool->kept.takeAll(), std::back_inserter(all));
  });
  for (KeptBlock& block : all)
    if (!block.reached()) block.until->wait();
  giveBack(all);
}

hipError_t allocateFrom(Process& p, MemoryPool& pool, std::size_t size, Stream& stream, void** out) {
  *out = nullptr;
  if (size == 0) return hipSuccess;
  p.usesPools.store(true, std::memory_order_relaxed);
  HIPR_TRY(asyncError(*pool.owner));
  Core* core;
  HIPR_TRY(pool.owner->reach(core));
  HIPR_TRY(inOneCore(*pool.owner, *stream.owner, "a memory pool"));
  if (reuse(p, pool, size, stream, out) == hipSuccess) return hipSuccess;
  hipError_t error = grow(p, pool, size, out);
  if (error != hipErrorOutOfMemory) return error;
  if (reuseBehind(p, pool, size, stream, out) == hipSuccess) return hipSuccess;
  drainPools(p, *pool.owner);
  return grow(p, pool, size, out);
}

template <class Trim>
std::size_t trimEach(Process& p, Device& device, Trim&& trim) {
  std::vector<KeptBlock> dropped;
  p.pools.forEach([&](MemoryPool* pool) {
    if (pool->owner != &device) return;
    std::lock_guard lock(pool->mutex);
    std::ranges::move(trim(*pool), std::back_inserter(dropped));
  });
  giveBack(dropped);
  return dropped.size();
}

}  // namespace

void giveBack(const std::vector<KeptBlock>& blocks) {
  for (const KeptBlock& block : blocks) static_cast<void>(block.allocation.owner->evenLost().release(block.allocation));
}

void returnToPool(Process& p, const Region& region, Stream* stream) {
  MemoryPool& pool = *static_cast<MemoryPool*>(const_cast<void*>(region.owner));
  KeptBlock block{.allocation = region.allocation, .freed = {}, .until = nullptr};
  if (stream != nullptr) {
    block.freed = {stream->id, stream->order.step()};
    Core* core;
    if (stream->owner->reach(core) == hipSuccess) block.until = core->point(*stream);
  }
  std::vector<KeptBlock> dropped;
  bool ended;
  {
    std::lock_guard lock(pool.mutex);
    ended = countEnd(pool, block.allocation.size);
    if (pool.destroyed) {
      dropped.push_back(std::move(block));
    } else {
      // A program that frees more than it uses and never waits would keep ever more.
      if (pool.kept.bytes() > pool.used) dropped = pool.kept.trim(pool.releaseThreshold);
      pool.kept.add(std::move(block));
    }
  }
  giveBack(dropped);
  if (ended) p.pools.recycle(&pool);
}

void trimPools(Process& p, Device& device) {
  if (!p.usesPools.load(std::memory_order_relaxed)) return;
  trimEach(p, device, [](MemoryPool& pool) { return pool.kept.trim(pool.releaseThreshold); });
}

bool emptyPools(Process& p, Device& device) {
  if (!p.usesPools.load(std::memory_order_relaxed)) return false;
  return trimEach(p, device, [](MemoryPool& pool) { return pool.kept.trim(0); }) != 0;
}

void endPools(Process& p, Device& device) {
  trimEach(p, device, [](MemoryPool& pool) { return pool.kept.takeAll(); });
}

namespace api {

hipError_t hipMallocAsync(void** dev_ptr, size_t size, hipStream_t stream) {
  Process* p;
  Stream* s;
  MemoryPool* pool;
  HIPR_TRY(process(p));
  if (dev_ptr == nullptr) return hipErrorInvalidValue;
  if (findStream(*p, stream, s) != hipSuccess) return hipErrorInvalidHandle;
  if (s->capturing) return captureAllocation(*p, *s, size, *dev_ptr);
  HIPR_TRY(currentPool(*p, *s->owner, pool));
  return allocateFrom(*p, *pool, size, *s, dev_ptr);
}

hipError_t hipMallocFromPoolAsync(void** dev_ptr, size_t size, hipMemPool_t mem_pool, hipStream_t stream) {
  Process* p;
  Stream* s;
  MemoryPool* pool;
  HIPR_TRY(findPool(mem_pool, p, pool));
  if (dev_ptr == nullptr) return hipErrorInvalidValue;
  if (findStream(*p, stream, s) != hipSuccess) return hipErrorInvalidHandle;
  if (s->capturing) return captureAllocation(*p, *s, size, *dev_ptr);
  return allocateFrom(*p, *pool, size, *s, dev_ptr);
}

hipError_t hipFreeAsync(void* dev_ptr, hipStream_t stream) {
  Process* p;
  Stream* s;
  HIPR_TRY(process(p));
  if (dev_ptr == nullptr) return hipSuccess;
  if (findStream(*p, stream, s) != hipSuccess) return hipErrorInvalidHandle;
  if (s->capturing) return captureFree(*p, *s, dev_ptr);
  hipError_t error = hipSuccess;
  const auto region = p->allocations.take(dev_ptr, [&](const Region& r) {
    const bool ends = r.allocation.kind == MemoryKind::kDevice &&
                      (r.origin == Region::Origin::kAllocated || r.origin == Region::Origin::kStream);
    if (ends) error = inOneCore(*s->owner, *r.allocation.owner, "a memory pool");
    return ends && error == hipSuccess;
  });
  if (!region) return error != hipSuccess ? error : freeOther(*p, dev_ptr);
  if (region->origin == Region::Origin::kAllocated) return releaseMemory(*p, *region);
  p->advice.forget(region->allocation.devicePointer, region->allocation.size);
  returnToPool(*p, *region, s);
  return hipSuccess;
}

hipError_t hipMemPoolTrimTo(hipMemPool_t mem_pool, size_t min_bytes_to_hold) {
  Process* p;
  MemoryPool* pool;
  HIPR_TRY(findPool(mem_pool, p, pool));
  std::vector<KeptBlock> dropped;
  {
    std::lock_guard lock(pool->mutex);
    dropped = pool->kept.trim(min_bytes_to_hold);
  }
  giveBack(dropped);
  return hipSuccess;
}

}  // namespace api
}  // namespace hipr
