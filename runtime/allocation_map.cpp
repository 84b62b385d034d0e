#include "runtime/allocation_map.h"

#include <mutex>

namespace hipr {

namespace {

// The last two regions this thread asked for (a copy has two sides). Versions are unique over all maps, so a remembered
// hit of another map can never be taken for one of this.
struct Remembered {
  std::uint64_t version = 0;
  std::uintptr_t begin = 0;
  std::size_t size = 0;
  Region region;
};
struct Memory {
  Remembered hits[2];
  unsigned next = 0;
};
thread_local Memory memory;

std::uint64_t nextVersion() {
  static std::atomic<std::uint64_t> versions{0};
  return versions.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

AllocationMap::AllocationMap() : version_(nextVersion()) {}

bool AllocationMap::overlaps(std::uintptr_t begin, std::size_t size) const {
  auto it = byAddress_.lower_bound(begin);
  if (it != byAddress_.end() && it->first - begin < size) return true;
  if (it == byAddress_.begin()) return false;
  --it;
  return begin - it->first < it->second.allocation.size;
}

bool AllocationMap::insert(const Region& region) {
  std::unique_lock lock(mutex_);
  const std::uintptr_t device = region.deviceBegin(), host = region.hostBegin();
  const bool twice = host != 0 && host != device;
  if (overlaps(device, region.allocation.size)) return false;
  if (twice && overlaps(host, region.allocation.size)) return false;
  byAddress_.emplace(device, region);
  if (twice) byAddress_.emplace(host, region);
  return true;
}

Region AllocationMap::erase(std::map<std::uintptr_t, Region>::iterator at) {
  const Region region = at->second;
  const std::uintptr_t known = at->first;
  byAddress_.erase(at);
  for (const std::uintptr_t other : {region.deviceBegin(), region.hostBegin()})
    if (other != known && other != 0) byAddress_.erase(other);
  version_.store(nextVersion(), std::memory_order_release);
  return region;
}

std::optional<Region> AllocationMap::find(const void* address) const {
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  const std::uint64_t version = version_.load(std::memory_order_acquire);
  Memory& mine = memory;
  for (const Remembered& hit : mine.hits)
    if (hit.version == version && a - hit.begin < hit.size) return hit.region;

  std::shared_lock lock(mutex_);
  auto it = byAddress_.upper_bound(a);
  if (it == byAddress_.begin()) return std::nullopt;
  --it;
  if (a - it->first >= it->second.allocation.size) return std::nullopt;
  // Removals take the lock exclusively, so the version read here belongs to what was found.
  mine.hits[mine.next++ & 1] = {version_.load(std::memory_order_relaxed), it->first, it->second.allocation.size,
                                it->second};
  return it->second;
}

bool AllocationMap::holds(const Region& region, std::size_t offset, std::size_t bytes) const {
  if (offset > region.allocation.size) return false;
  std::size_t own = region.allocation.size - offset;
  if (bytes <= own || region.origin != Region::Origin::kMapped) return bytes <= own;
  std::shared_lock lock(mutex_);
  std::uintptr_t end = region.deviceBegin() + region.allocation.size;
  for (auto next = byAddress_.find(end); next != byAddress_.end(); next = byAddress_.find(end)) {
    if (next->second.origin != Region::Origin::kMapped) return false;
    own += next->second.allocation.size;
    if (bytes <= own) return true;
    end += next->second.allocation.size;
  }
  return false;
}

}  // namespace hipr
