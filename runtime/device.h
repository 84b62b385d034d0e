// A visible device, the way to its core, and what a program may set about it. The immutable part is in the platform;
// everything mutable here is atomic or guarded by `mutex`, which is never held across a call into the core.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <set>

#include "hip_remote/hip.h"
#include "runtime/core.h"
#include "runtime/objects.h"
#include "types/platform.h"

namespace hipr {

struct ExecutionContext;
struct MemoryPool;

// Bytes of memory that graphs allocate on a device.
struct GraphMemoryUse {
  std::uint64_t used = 0, usedHigh = 0;          // by launches, and not freed
  std::uint64_t reserved = 0, reservedHigh = 0;  // by nodes
};

struct Device {
  Device(Core& core, const Platform& all, int number, int asProgramCounts)
      : ordinal(asProgramCounts), index(number), platform(&all), info(&all.devices[number]), core_(&core) {}

  const int ordinal;               // as the program counts
  const int index;                 // as its core counts: in Platform::devices
  const Platform* const platform;  // of its core
  const DeviceInfo* const info;

  // The way from every rule to the core, and the one place that notices that a core is gone.
  hipError_t reach(Core*& out) const {
    out = core_;
    return out->lost();
  }
  // For what must be possible even then: giving back what is kept on this side, and a reset.
  Core& evenLost() const { return *core_; }

  std::atomic<Stream*> nullStream{nullptr};  // made on first use
  std::mutex nullStreamMutex;                // makes that happen once

  std::atomic<unsigned> flags{hipDeviceScheduleSpin};
  std::atomic<int> primaryRetains{0};
  std::atomic<bool> used{false};  // its primary context counts as active

  std::mutex mutex;
  std::map<hipLimit_t, std::size_t> limits;      // those the program has set
  std::set<int> peers;                           // ordinals whose memory this device was allowed to use
  std::set<int> poolPeers;                       // the same, for the sake of a pool there
  ExecutionContext* executionContext = nullptr;  // of the whole device; made on first use
  MemoryPool* defaultPool = nullptr;             // made on first use
  GraphMemoryUse graphMemory;
  MemoryPool* pool = nullptr;  // the one the program chose; null, or gone, is the default one

 private:
  Core* const core_;
};

// What `from` can do with the memory of `to`: nothing, when they belong to different cores.
const PeerInfo& peerInfo(const Device& from, const Device& to);

inline bool sameCore(const Device& a, const Device& b) {
  return &a.evenLost() == &b.evenLost();
}
// hipErrorNotSupported, and a line in the log that says what cannot be on two workers at once.
hipError_t severalWorkers(const char* what);
inline hipError_t inOneCore(const Device& a, const Device& b, const char* what) {
  return sameCore(a, b) ? hipSuccess : severalWorkers(what);
}

// HIP calls a device's context by an opaque handle; here it is the device itself.
inline hipCtx_t contextOf(Device* device) {
  return reinterpret_cast<hipCtx_t>(device);
}

}  // namespace hipr
