// Memory pools: what a program may set and ask about memory that it allocates in stream order. A pool keeps no memory
// of its own: what is freed goes back to the device at once, where the core keeps it from being reused while work
// could still touch it. So a pool has reserved exactly what is in use, and there is never anything to trim.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "hip_remote/hip.h"

namespace hipr {

struct Process;
struct Device;
struct Region;

struct MemoryPool {
  Device* owner = nullptr;
  std::uint64_t maxSize = 0;  // 0: only the device limits it

  std::mutex mutex;  // guards all below
  std::uint64_t used = 0, usedHigh = 0, reservedHigh = 0;
  std::uint64_t releaseThreshold = 0;
  std::map<hipMemPoolAttr, int> reuse;      // of the three policies, those the program has set
  std::map<int, hipMemAccessFlags> access;  // by ordinal, of devices other than its own
  std::uint64_t allocations = 0;
  bool destroyed = false;  // by the program; it ends with its last allocation
};

hipError_t findPool(hipMemPool_t handle, Process*& p, MemoryPool*& out);

// Notes the end of memory that came from a pool. REQUIRES: its origin is kStream.
void leavePool(Process& p, const Region& region);

}  // namespace hipr
