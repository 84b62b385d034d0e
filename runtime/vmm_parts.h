// What the calls of virtual memory management share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "runtime/process.h"
#include "runtime/vmm.h"

namespace hipr {

inline std::uintptr_t asNumber(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

// The entry of an address-ordered map that contains [address, address + size).
template <class Map, class SizeOf>
auto containing(Map& map, std::uintptr_t address, std::size_t size, SizeOf&& sizeOf) {
  auto it = map.upper_bound(address);
  if (it == map.begin()) return map.end();
  --it;
  const std::size_t all = sizeOf(it->second), offset = address - it->first;
  return offset < all && size <= all - offset ? it : map.end();
}

// The device; of the host there is none.
hipError_t locationOf(Process& p, const hipMemLocation& location, Device*& device);

// One hold or mapping less; the last one takes the memory along. REQUIRES: the lock is held until here.
hipError_t letGo(VirtualMemory& memory, std::unique_lock<std::mutex> lock, std::uint64_t id);

}  // namespace hipr
