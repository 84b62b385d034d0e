// Virtual memory management as the runtime remembers it: which physical memory is mapped where, for whom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "hip_remote/hip.h"

namespace hipr {

struct Device;

struct VirtualMemory {
  struct Physical {
    std::size_t size;
    Device* owner;
    std::uint64_t number;  // the core's
    hipMemAllocationProp properties;
    int holds = 1;     // hipMemCreate and hipMemRetainAllocationHandle, less hipMemRelease
    int mappings = 0;  // it lives as long as it has either
  };
  struct Reservation {
    std::size_t size;
    Device* owner;  // any device of the core that keeps it
  };
  struct Mapping {
    std::size_t size;
    Device* owner;                            // of the physical memory
    std::uint64_t physical;                   // its handle
    std::map<int, hipMemAccessFlags> access;  // by device ordinal; -1 is the host
  };

  std::mutex mutex;
  std::map<std::uint64_t, Physical> physical;  // by handle
  std::map<std::uintptr_t, Reservation> reserved;
  std::map<std::uintptr_t, Mapping> mapped;
};

}  // namespace hipr
