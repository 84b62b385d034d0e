// A visible device and what a program may set about it. The immutable part is in the platform; everything mutable here
// is atomic or guarded by `mutex`, which is never held across a call into the core.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <set>

#include "hip_remote/hip.h"
#include "runtime/objects.h"
#include "runtime/platform.h"

namespace hipr {

struct MemoryPool;

struct Device {
  int ordinal = 0;  // as the program counts
  int index = 0;    // in Platform::devices
  const DeviceInfo* info = nullptr;

  std::atomic<Stream*> nullStream{nullptr};  // made on first use
  std::mutex nullStreamMutex;                // makes that happen once

  std::atomic<unsigned> flags{0};
  std::atomic<int> primaryRetains{0};
  std::atomic<bool> used{false};  // its primary context counts as active

  std::mutex mutex;
  std::map<hipLimit_t, std::size_t> limits;  // those the program has set
  std::set<int> peers;                       // ordinals whose memory this device was allowed to use
  MemoryPool* defaultPool = nullptr;         // made on first use
  MemoryPool* pool = nullptr;                // the one the program chose; null, or gone, is the default one
};

// HIP calls a device's context by an opaque handle; here it is the device itself.
inline hipCtx_t contextOf(Device* device) {
  return reinterpret_cast<hipCtx_t>(device);
}

}  // namespace hipr
