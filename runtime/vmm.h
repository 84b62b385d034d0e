// Virtual memory management as the runtime remembers it: which physical memory is mapped where, for whom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "hip_remote/hip.h"

namespace hipr {

struct VirtualMemory {
  struct Physical {
    std::size_t size;
    int device;  // platform index
  };
  struct Mapping {
    std::size_t size;
    std::map<int, hipMemAccessFlags> access;  // by device ordinal; -1 is the host
  };

  std::mutex mutex;
  std::map<std::uint64_t, Physical> physical;  // by the core's number
  std::map<std::uintptr_t, std::size_t> reserved;
  std::map<std::uintptr_t, Mapping> mapped;
};

}  // namespace hipr
