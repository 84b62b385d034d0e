#include "client/host_memory.h"

#include <algorithm>
#include <cstring>

#include "client/device_heap.h"

namespace hipr::client {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kGap = 64;  // changed bytes closer than this travel in one piece
constexpr std::size_t kMaxRun = 1 << 20;

std::size_t roundToPage(std::size_t size) {
  return (size + kPage - 1) / kPage * kPage;
}

// Calls f(begin, end) for each run of bytes that differ.
template <class F>
void forEachChange(const std::byte* now, const std::byte* before, std::size_t size, F&& f) {
  std::size_t begin = 0, end = 0;  // the run being collected; empty when equal
  for (std::size_t page = 0; page < size; page += kPage) {
    const std::size_t pageEnd = std::min(page + kPage, size);
    if (std::memcmp(now + page, before + page, pageEnd - page) == 0) continue;
    for (std::size_t i = page; i < pageEnd; ++i) {
      if (now[i] == before[i]) continue;
      const bool extends = begin != end && i - end < kGap && i - begin < kMaxRun;
      if (!extends) {
        if (begin != end) f(begin, end);
        begin = i;
      }
      end = i + 1;
    }
  }
  if (begin != end) f(begin, end);
}

}  // namespace

HostMemory::HostMemory(AddressRange range, Calls calls) : range_(std::move(range)), calls_(std::move(calls)) {
  free_.emplace(range_.base(), range_.size());
}

HostMemory::Region& HostMemory::add(std::size_t size, std::byte* host) {
  static Region none{};
  // A page of distance between regions: running over the end of one must not land in the next.
  const std::size_t span = roundToPage(size) + kPage;
  const auto room = std::find_if(free_.begin(), free_.end(), [&](const auto& range) { return range.second >= span; });
  if (room == free_.end()) return none;
  const std::uint64_t address = room->first, rest = room->second - span;
  free_.erase(room);
  if (rest) free_.emplace(address + span, rest);
  Region& region = regions_[address];
  region.address = address;
  region.size = size;
  region.host = host ? host : reinterpret_cast<std::byte*>(address);
  ++regionCount_;
  return region;
}

void HostMemory::erase(std::uint64_t address) {
  const auto found = regions_.find(address);
  if (found == regions_.end()) return;
  if (found->second.exposed) {
    calls_.conceal(address);
    --exposedCount_;
  }
  insertFree(free_, address, roundToPage(found->second.size) + kPage);
  regions_.erase(found);
  --regionCount_;
}

void* HostMemory::allocate(std::size_t size) {
  std::lock_guard lock(mutex_);
  if (size > range_.size()) return nullptr;
  Region& region = add(size, nullptr);
  if (!region.address) return nullptr;
  if (range_.commit(region.address, roundToPage(size))) return region.host;
  erase(region.address);
  return nullptr;
}

void HostMemory::release(void* pointer) {
  std::lock_guard lock(mutex_);
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  if (const auto found = regions_.find(address); found != regions_.end()) {
    range_.decommit(address, roundToPage(found->second.size));
    erase(address);
  }
}

void* HostMemory::adopt(void* host, std::size_t size) {
  std::lock_guard lock(mutex_);
  if (size > range_.size()) return nullptr;
  const Region& region = add(size, static_cast<std::byte*>(host));
  if (region.address) adopted_[reinterpret_cast<std::uint64_t>(host)] = region.address;
  return reinterpret_cast<void*>(region.address);
}

void HostMemory::disown(void* alias) {
  std::lock_guard lock(mutex_);
  const auto address = reinterpret_cast<std::uint64_t>(alias);
  if (const auto found = regions_.find(address); found != regions_.end()) {
    adopted_.erase(reinterpret_cast<std::uint64_t>(found->second.host));
    erase(address);
  }
}

HostMemory::Region* HostMemory::find(std::uint64_t address) {
  auto next = regions_.upper_bound(address);
  if (next == regions_.begin()) return nullptr;
  Region& region = std::prev(next)->second;
  return address - region.address < region.size ? &region : nullptr;
}

HostMemory::Region* HostMemory::findByHost(std::uint64_t address) {
  auto next = adopted_.upper_bound(address);
  if (next == adopted_.begin()) return nullptr;
  const auto& [host, alias] = *std::prev(next);
  Region& region = regions_.at(alias);
  return address - host < region.size ? &region : nullptr;
}

void HostMemory::expose(Region& region) {
  if (region.exposed) return;
  region.exposed = true;
  region.shadow = std::make_unique<std::byte[]>(region.size);  // zeros, as on the worker
  ++exposedCount_;
  calls_.expose(region.address, region.size);
}

void HostMemory::scanArguments(std::vector<std::byte>& arguments) {
  std::lock_guard lock(mutex_);
  for (std::size_t at = 0; at + 8 <= arguments.size(); at += 8) {
    std::uint64_t value;
    std::memcpy(&value, arguments.data() + at, sizeof value);
    if (range_.contains(value)) {
      if (Region* region = find(value)) expose(*region);
    } else if (Region* region = adopted_.empty() ? nullptr : findByHost(value)) {
      expose(*region);
      value = region->address + (value - reinterpret_cast<std::uint64_t>(region->host));
      std::memcpy(arguments.data() + at, &value, sizeof value);
    }
  }
}

void HostMemory::scanUpload(wire::Bytes bytes) {
  std::lock_guard lock(mutex_);
  scan(bytes);
}

void HostMemory::scan(wire::Bytes bytes) {
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    if (!range_.contains(value)) continue;
    if (Region* region = find(value)) expose(*region);
  }
}

bool HostMemory::exposed(std::uint64_t address) {
  if (exposedCount_.load(std::memory_order_relaxed) == 0) return false;
  std::lock_guard lock(mutex_);
  Region* region = range_.contains(address) ? find(address) : findByHost(address);
  return region && region->exposed;
}

std::uint64_t HostMemory::alias(std::uint64_t host) {
  std::lock_guard lock(mutex_);
  const Region* region = range_.contains(host) ? nullptr : findByHost(host);
  return region ? region->address + (host - reinterpret_cast<std::uint64_t>(region->host)) : host;
}

void HostMemory::flush() {
  if (exposedCount_.load(std::memory_order_relaxed) == 0) return;
  std::lock_guard lock(mutex_);
  // What is sent may hold addresses of further regions; they go along.
  for (int exposed = 0; exposed != exposedCount_;) {
    exposed = exposedCount_;
    for (auto& [address, region] : regions_) {
      if (region.exposed) flush(region);
    }
  }
}

void HostMemory::flush(Region& region) {
  forEachChange(region.host, region.shadow.get(), region.size, [&](std::size_t begin, std::size_t end) {
    // Copy first: the program may be writing while we look, and shadow must be exactly what was sent.
    std::memcpy(region.shadow.get() + begin, region.host + begin, end - begin);
    calls_.send(region.address + begin, {region.shadow.get() + begin, end - begin});
    const std::size_t first = begin / 8 * 8, last = std::min((end + 7) / 8 * 8, region.size);
    scan({region.shadow.get() + first, last - first});
  });
}

bool HostMemory::apply(std::uint64_t address, wire::Bytes bytes) {
  std::lock_guard lock(mutex_);
  Region* region = find(address);
  if (!region) return true;  // freed meanwhile
  const std::size_t offset = address - region->address;
  if (!region->exposed || bytes.size() > region->size - offset) return false;
  std::memcpy(region->host + offset, bytes.data(), bytes.size());
  std::memcpy(region->shadow.get() + offset, bytes.data(), bytes.size());
  return true;
}

}  // namespace hipr::client
