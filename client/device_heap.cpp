#include "client/device_heap.h"

#include <algorithm>
#include <vector>

namespace hipr::client {
namespace {

constexpr std::uint64_t kAlignment = 4096;  // as AMD's runtime: its libraries write a little past what they asked for
constexpr std::uint64_t kSharedMapping = 32 << 20;
constexpr std::uint64_t kSmall = 1 << 20;  // up to here blocks share mappings

std::uint64_t roundUp(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

void insertFree(std::map<std::uint64_t, std::uint64_t>& free, std::uint64_t begin, std::uint64_t size) {
  auto next = free.lower_bound(begin);
  if (next != free.end() && begin + size == next->first) {
    size += next->second;
    next = free.erase(next);
  }
  if (next != free.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == begin) {
      previous->second += size;
      return;
    }
  }
  free.emplace(begin, size);
}

DeviceHeap::DeviceHeap(std::uint64_t base, std::uint64_t size, std::uint64_t granularity, std::uint64_t credit,
                       Calls calls)
    : granularity_(granularity), credit_(credit), calls_(std::move(calls)) {
  addresses_.emplace(base, size);
}

std::uint64_t DeviceHeap::allocate(std::size_t size) {
  if (size > (std::uint64_t{1} << 47)) return 0;
  const std::uint64_t rounded = size <= kSmall ? roundUp(size, kAlignment) : roundUp(size, granularity_);
  Moment everything;
  {
    std::lock_guard lock(mutex_);
    reclaimFinished();
    if (const std::uint64_t address = tryAllocate(rounded)) return address;
    if (resting_.empty()) return 0;
    everything = calls_.now();
  }
  // Only freed memory that running work may still touch is left: wait for that work, as a local hipMalloc would.
  calls_.waitFor(everything);
  std::lock_guard lock(mutex_);
  reclaimFinished();
  return tryAllocate(rounded);
}

std::uint64_t DeviceHeap::tryAllocate(std::uint64_t size) {
  std::uint64_t address = size <= kSmall ? fromShared(size) : newMapping(size, false);
  if (!address && size <= kSmall) {
    // A whole shared mapping if the credit allows it, else one just big enough.
    if (newMapping(roundUp(kSharedMapping, granularity_), true) || newMapping(roundUp(size, granularity_), true)) {
      address = fromShared(size);
    }
  }
  if (address) live_[address] = size;
  return address;
}

std::uint64_t DeviceHeap::fromShared(std::uint64_t size) {
  for (auto& [base, mapping] : mappings_) {
    if (!mapping.shared || mapping.freeBytes < size) continue;
    for (auto range = mapping.free.begin(); range != mapping.free.end(); ++range) {
      if (range->second < size) continue;
      const std::uint64_t address = range->first, rest = range->second - size;
      mapping.free.erase(range);
      if (rest) mapping.free.emplace(address + size, rest);
      mapping.freeBytes -= size;
      return address;
    }
  }
  return 0;
}

std::uint64_t DeviceHeap::newMapping(std::uint64_t size, bool shared) {
  if (size > credit_) credit_ += calls_.askCredit(size - credit_);
  if (size > credit_) return 0;
  const std::uint64_t address = takeAddresses(size);
  if (!address) return 0;
  credit_ -= size;
  Mapping& mapping = mappings_[address];
  mapping.size = size;
  mapping.shared = shared;
  if (shared) {
    mapping.free.emplace(address, size);
    mapping.freeBytes = size;
  }
  calls_.map(address, size);
  return address;
}

std::uint64_t DeviceHeap::takeAddresses(std::uint64_t size) {
  for (auto range = addresses_.begin(); range != addresses_.end(); ++range) {
    if (range->second < size) continue;
    const std::uint64_t address = range->first, rest = range->second - size;
    addresses_.erase(range);
    if (rest) addresses_.emplace(address + size, rest);
    return address;
  }
  return 0;
}

void DeviceHeap::release(std::uint64_t address) {
  std::lock_guard lock(mutex_);
  const auto found = live_.find(address);
  if (found == live_.end()) return;
  const Resting block{calls_.now(), found->first, found->second};
  live_.erase(found);
  if (block.until.passed()) {
    reclaim(block);
  } else {
    resting_.push_back(block);
  }
}

void DeviceHeap::reclaimFinished() {
  for (std::size_t n = resting_.size(); n; --n) {
    Resting block = std::move(resting_.front());
    resting_.pop_front();
    if (block.until.passed()) {
      reclaim(block);
    } else {
      resting_.push_back(std::move(block));
    }
  }
}

void DeviceHeap::reclaim(const Resting& block) {
  auto mapping = std::prev(mappings_.upper_bound(block.address));
  if (!mapping->second.shared) return dropMapping(mapping);
  insertFree(mapping->second.free, block.address, block.size);
  mapping->second.freeBytes += block.size;
  if (mapping->second.freeBytes < mapping->second.size) return;
  // Keep one empty shared mapping: programs that allocate and free in turn would otherwise map and unmap each time.
  const auto emptyOnes = std::count_if(mappings_.begin(), mappings_.end(), [](const auto& m) {
    return m.second.shared && m.second.freeBytes == m.second.size;
  });
  if (emptyOnes > 1) dropMapping(mapping);
}

void DeviceHeap::dropMapping(std::map<std::uint64_t, Mapping>::iterator mapping) {
  calls_.unmap(mapping->first);
  credit_ += mapping->second.size;
  insertFree(addresses_, mapping->first, mapping->second.size);
  mappings_.erase(mapping);
}

std::uint64_t DeviceHeap::mappedFree() {
  std::lock_guard lock(mutex_);
  std::uint64_t bytes = 0;
  for (const auto& [base, mapping] : mappings_) bytes += mapping.freeBytes;
  for (const Resting& block : resting_) bytes += block.size;
  return bytes;
}

}  // namespace hipr::client
