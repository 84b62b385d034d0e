// Memory pools: memory that is allocated and freed in stream order. What is freed stays in its pool and is used again,
// by its own stream at once, by others as the pool's reuse attributes allow. When the program waits for something, what
// a pool keeps beyond its release threshold, and no work can use any more, goes back to the device.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "hip_remote/hip.h"
#include "runtime/kept_memory.h"

namespace hipr {

struct Process;
struct Device;
struct Region;

struct MemoryPool {
  Device* owner = nullptr;
  hipMemPoolProps properties{};

  std::mutex mutex;  // guards all below
  KeptMemory kept;
  std::uint64_t used = 0, usedHigh = 0, reservedHigh = 0;
  std::uint64_t releaseThreshold = 0;
  ReuseRules reuse;
  bool internalDependencies = true;         // a stream may be made to wait for another to get its memory
  std::map<int, hipMemAccessFlags> access;  // by ordinal, of devices other than its own
  std::uint64_t allocations = 0;
  bool destroyed = false;  // by the program; it ends with its last allocation

  std::uint64_t reserved() const { return used + kept.bytes(); }
};

hipError_t findPool(hipMemPool_t handle, Process*& p, MemoryPool*& out);
hipMemAccessFlags accessOf(MemoryPool& pool, const Device& device);    // to what it gives out
hipError_t currentPool(Process& p, Device& device, MemoryPool*& out);  // the one that hipMallocAsync uses there

// Memory that came from a pool goes back there, free for what comes behind this moment of the stream; without a stream,
// for everybody: nothing uses it any more. REQUIRES: its origin is kStream, and it was taken from the allocation map.
void returnToPool(Process& p, const Region& region, Stream* stream);

void giveBack(const std::vector<KeptBlock>& blocks);  // to their devices

// The program has waited for work of the device: pools give back what they need not keep.
void trimPools(Process& p, Device& device);
// Memory is short: they give back all they can. False when that is nothing.
bool emptyPools(Process& p, Device& device);
// At the end of the device: they give back everything.
void endPools(Process& p, Device& device);

}  // namespace hipr
