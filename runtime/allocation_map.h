// AllocationMap: which memory an address belongs to. Every copy, fill and pointer query asks it, usually for the same
// few buffers, so each thread remembers its last hits and an unchanged map answers from those without a lock.
// Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "runtime/objects.h"

namespace hipr {

// A known piece of memory and why it is known.
struct Region {
  enum class Origin {
    kAllocated,   // hipMalloc and friends: hipFree ends it
    kStream,      // hipMallocAsync
    kRegistered,  // hipHostRegister
    kVariable,    // a variable of a module
    kMapped,      // hipMemMap
    kGraph,       // a node that allocates
    kOpened,      // another process's (shared_memory.h)
    kEvent,       // the words of an event that others share
  };
  Allocation allocation;
  Origin origin = Origin::kAllocated;
  const void* owner =
      nullptr;  // of a variable: its module; of stream-ordered memory: its pool; of a graph's: its GraphMemory

  std::uintptr_t hostBegin() const { return reinterpret_cast<std::uintptr_t>(allocation.host); }
  std::uintptr_t deviceBegin() const { return reinterpret_cast<std::uintptr_t>(allocation.devicePointer); }
  // Distance of an address from the start of the region, by whichever of its two addresses it was named.
  std::size_t offsetOf(const void* address) const {
    const auto a = reinterpret_cast<std::uintptr_t>(address);
    return a - deviceBegin() < allocation.size ? a - deviceBegin() : a - hostBegin();
  }
};

class AllocationMap {
 public:
  AllocationMap();

  // Adds a region under its device address, and its host address when that is another one. False when any part of it is
  // known already.
  bool insert(const Region& region);

  // The region containing `address`.
  std::optional<Region> find(const void* address) const;

  // Whether so many bytes from an offset in a region on are known memory: its own, and that of mappings (hipMemMap)
  // which follow each other without a gap, as programs let one array grow.
  bool holds(const Region& region, std::size_t offset, std::size_t bytes) const;

  // Calls f(region) for every region, some of them twice. REQUIRES: f does not use the map.
  template <class F>
  void forEach(F&& f) const {
    std::shared_lock lock(mutex_);
    for (const auto& [address, region] : byAddress_) f(region);
  }

  // change(allocation) of the region containing `address`. False when there is none.
  template <class Change>
  bool change(const void* address, Change&& change) {
    const auto region = find(address);
    if (!region) return false;
    std::unique_lock lock(mutex_);
    for (const std::uintptr_t begin : {region->deviceBegin(), region->hostBegin()})
      if (const auto it = byAddress_.find(begin); it != byAddress_.end()) change(it->second.allocation);
    ++version_;
    return true;
  }

  // Removes the region that starts at `address`, when `accept(region)` agrees.
  template <class Accept>
  std::optional<Region> take(const void* address, Accept&& accept) {
    std::unique_lock lock(mutex_);
    const auto it = byAddress_.find(reinterpret_cast<std::uintptr_t>(address));
    if (it == byAddress_.end() || !accept(it->second)) return std::nullopt;
    return erase(it);
  }

  // Removes and returns every region `accept(region)` agrees to.
  template <class Accept>
  std::vector<Region> takeAll(Accept&& accept) {
    std::unique_lock lock(mutex_);
    std::vector<Region> taken;
    for (const auto& [address, region] : byAddress_)
      if (address == region.deviceBegin() && accept(region)) taken.push_back(region);
    for (const Region& region : taken) erase(byAddress_.find(region.deviceBegin()));
    return taken;
  }

 private:
  // REQUIRES for both: mutex_ is held.
  bool overlaps(std::uintptr_t begin, std::size_t size) const;
  Region erase(std::map<std::uintptr_t, Region>::iterator at);  // by any of its addresses

  mutable std::shared_mutex mutex_;
  std::map<std::uintptr_t, Region> byAddress_;  // by first byte; a region with two addresses stands here twice
  std::atomic<std::uint64_t> version_;          // changes with every removal: remembered hits of before are worthless
};

}  // namespace hipr
