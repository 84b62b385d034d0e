#include "client/device_heap.h"

#include <algorithm>

namespace hipr::client {
namespace {

constexpr std::uint64_t kAlignment = 4096;  // as AMD's runtime: its libraries write a little past what they asked for
constexpr std::uint64_t kSharedMapping = 32 << 20;
constexpr std::uint64_t kSmall = 1 << 20;  // up to here blocks share mappings
constexpr std::size_t kMostVacated = 256;
constexpr std::uint64_t kMostAsked = 64 << 20;  // more than is needed now
constexpr int kMostWaits = 4;                   // other threads may take what one has waited for
constexpr std::uint64_t kMostIdle = 256 << 20;
constexpr std::uint64_t kLargestIdle = 32 << 20;  // using a larger block after its free is a fault, as it is locally

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
  addresses_.insert(base, size);
}

std::uint64_t DeviceHeap::allocate(std::size_t size) {
  if (size > (std::uint64_t{1} << 47)) return 0;
  const std::uint64_t rounded = roundUp(std::max<std::uint64_t>(size, 1), size <= kSmall ? kAlignment : granularity_);
  std::uint64_t address = allocateAtOnce(rounded);
  for (int waits = 0; !address && waits < kMostWaits && waitForWork(); ++waits) address = allocateAtOnce(rounded);
  return address;
}

std::uint64_t DeviceHeap::allocateAtOnce(std::uint64_t rounded) {
  const std::uint64_t own = roundUp(rounded, granularity_), shared = roundUp(kSharedMapping, granularity_);
  // For a small block a whole shared mapping, if the credit allows it, else one just big enough.
  const std::uint64_t address = rounded <= kSmall ? obtain(rounded, shared, own) : 0;
  return address ? address : obtain(rounded, own, own);
}

// Only memory that running work may still touch is left: wait for that work, as a local hipMalloc would.
bool DeviceHeap::waitForWork() {
  {
    std::lock_guard lock(mutex_);
    if (resting_.empty() && owed_.empty()) return false;
  }
  const Moment everything = calls_.now();
  calls_.waitFor(everything);
  return everything.passed();
}

// Memory that is mapped already, or a new mapping of `mappingSize`, for which credit is asked if it does not suffice;
// credit for a mapping of `leastSize` would help too, and where many share a device that may be all there is.
// Other threads go on meanwhile and may use up what was granted; then it is asked again.
std::uint64_t DeviceHeap::obtain(std::uint64_t size, std::uint64_t mappingSize, std::uint64_t leastSize) {
  std::unique_lock lock(mutex_);
  for (bool refused = false;;) {
    reclaimFinished();
    if (const std::uint64_t address = fromMapped(size)) return address;
    if (addMapping(mappingSize, size <= kSmall)) return fromMapped(size);
    const std::uint64_t atHand = credit_ + idleBytes_;
    if (refused || atHand >= mappingSize) return 0;
    const std::uint64_t lacking = mappingSize - atHand;
    // A program that has much will want more: the more it has, the more rarely it asks.
    const std::uint64_t most = lacking + std::min(mappedBytes_ / 2, kMostAsked);
    const std::uint64_t least = std::min(lacking, std::max(leastSize - std::min(leastSize, atHand), granularity_));
    refused = ask(lock, least, most) < lacking;
  }
}

bool DeviceHeap::takeCredit(std::uint64_t bytes) {
  bool taken = takeCreditAtOnce(bytes);
  for (int waits = 0; !taken && waits < kMostWaits && waitForWork(); ++waits) taken = takeCreditAtOnce(bytes);
  return taken;
}

bool DeviceHeap::takeCreditAtOnce(std::uint64_t bytes) {
  std::unique_lock lock(mutex_);
  for (bool refused = false;;) {
    reclaimFinished();
    makeRoom(bytes);
    if (bytes <= credit_) {
      credit_ -= bytes;
      return true;
    }
    if (refused) return false;
    const std::uint64_t lacking = bytes - credit_;
    refused = ask(lock, lacking, lacking) < lacking;
  }
}

std::uint64_t DeviceHeap::ask(std::unique_lock<std::mutex>& lock, std::uint64_t least, std::uint64_t most) {
  lock.unlock();
  const std::uint64_t granted = calls_.askCredit(least, most);
  lock.lock();
  credit_ += granted;
  return granted;
}

void DeviceHeap::giveCredit(std::uint64_t bytes) {
  std::lock_guard lock(mutex_);
  owe(bytes);
}

void DeviceHeap::owe(std::uint64_t bytes) {
  Moment until = calls_.now();
  if (until.passed()) {
    credit_ += bytes;
  } else {
    owed_.push_back({std::move(until), bytes});
    owedBytes_ += bytes;
  }
}

void DeviceHeap::makeRoom(std::uint64_t size) {
  while (size > credit_ + owedBytes_ && !idle_.empty()) drop(mappings_.find(idle_.front()));
}

std::uint64_t DeviceHeap::fromMapped(std::uint64_t size) {
  std::uint64_t address = 0;
  if (size <= kSmall) {
    address = pieces_.take(size);
  } else if (auto next = idleOwn_.lower_bound({size + 1, 0}); next != idleOwn_.begin()) {
    const auto& [key, mapping] = *std::prev(next);  // the one used last: the others may be left to grow old
    if (key.first == size) address = mapping;
  }
  if (!address) return 0;
  Mapping& mapping = mappingOf(address)->second;
  if (mapping.usedBytes == 0) markUsed(mapping);
  mapping.usedBytes += size;
  liveBytes_ += size;
  if (mapping.shared) live_.emplace(address, size);
  return address;
}

bool DeviceHeap::addMapping(std::uint64_t size, bool shared) {
  if (size > credit_ + owedBytes_ + idleBytes_) return false;
  makeRoom(size);
  if (size > credit_) return false;
  std::uint64_t address = takeAddresses(size);
  while (!address && !idle_.empty()) {
    drop(mappings_.find(idle_.front()));
    address = takeAddresses(size);
  }
  if (!address) return false;
  credit_ -= size;
  mappedBytes_ += size;
  markIdle(mappings_.emplace(address, Mapping{size, shared, busy_.insert(busy_.end(), address)}).first);
  if (shared) pieces_.insert(address, size, address, address + size);
  calls_.map(address, size);
  return true;
}

std::uint64_t DeviceHeap::takeAddresses(std::uint64_t size) {
  std::uint64_t address = addresses_.take(size);
  while (!address && !vacated_.empty()) {
    addresses_.insert(vacated_.front().first, vacated_.front().second);
    vacated_.pop_front();
    address = addresses_.take(size);
  }
  return address;
}

void DeviceHeap::drop(MappingAt at) {
  auto& [address, mapping] = *at;
  markUsed(mapping);  // no longer idle, as it no longer is
  busy_.erase(mapping.place);
  if (mapping.shared) pieces_.remove(address);
  calls_.unmap(address);
  owe(mapping.size);
  mappedBytes_ -= mapping.size;
  vacated_.emplace_back(address, mapping.size);
  if (vacated_.size() > kMostVacated) {
    addresses_.insert(vacated_.front().first, vacated_.front().second);
    vacated_.pop_front();
  }
  mappings_.erase(at);
}

void DeviceHeap::markIdle(MappingAt at) {
  auto& [address, mapping] = *at;
  idle_.splice(idle_.end(), busy_, mapping.place);
  idleBytes_ += mapping.size;
  mapping.idleSince = ++clock_;
  if (mapping.shared) return;
  if (!mapping.own) {
    idleOwn_.emplace(std::pair(mapping.size, mapping.idleSince), address);
    return;
  }
  mapping.own.key().second = mapping.idleSince;
  idleOwn_.insert(std::move(mapping.own));
}

void DeviceHeap::markUsed(Mapping& mapping) {
  busy_.splice(busy_.end(), idle_, mapping.place);
  idleBytes_ -= mapping.size;
  if (!mapping.shared) mapping.own = idleOwn_.extract({mapping.size, mapping.idleSince});
}

void DeviceHeap::release(std::uint64_t address) {
  Moment until = calls_.now();
  std::lock_guard lock(mutex_);
  const MappingAt at = mappingOf(address);
  std::uint64_t size = at->second.size;
  if (at->second.shared) {
    const auto found = live_.find(address);
    size = found->second;
    live_.erase(found);
  }
  liveBytes_ -= size;
  if (until.passed()) {
    reclaim(at, address, size);
  } else {
    resting_.push_back({std::move(until), address, size});
  }
}

void DeviceHeap::reclaimFinished() {
  for (; !resting_.empty() && resting_.front().until.passed(); resting_.pop_front())
    reclaim(mappingOf(resting_.front().address), resting_.front().address, resting_.front().size);
  for (; !owed_.empty() && owed_.front().until.passed(); owed_.pop_front()) {
    credit_ += owed_.front().bytes;
    owedBytes_ -= owed_.front().bytes;
  }
}

void DeviceHeap::reclaim(MappingAt at, std::uint64_t address, std::uint64_t size) {
  auto& [base, mapping] = *at;
  if (mapping.shared) pieces_.insert(address, size, base, base + mapping.size);
  mapping.usedBytes -= size;
  if (mapping.usedBytes) return;
  markIdle(at);
  const std::uint64_t limit = idleLimit();
  if (mapping.size > std::min(limit, kLargestIdle)) return drop(at);
  while (idleBytes_ > limit) drop(mappings_.find(idle_.front()));
}

// Enough that programs which allocate and free in turn send nothing, little enough that the device's other users do not
// miss it; always room for one shared mapping.
std::uint64_t DeviceHeap::idleLimit() const {
  return std::max(roundUp(kSharedMapping, granularity_), std::min(kMostIdle, (credit_ + mappedBytes_) / 8));
}

void DeviceHeap::loseCredit(std::uint64_t bytes) {
  std::lock_guard lock(mutex_);
  const auto lose = [&bytes](std::uint64_t& from) {
    const std::uint64_t part = std::min(from, bytes);
    from -= part;
    bytes -= part;
    return part;
  };
  lose(credit_);
  // The worker may have unmapped what is not known here to be over.
  for (; bytes && !owed_.empty(); owed_.pop_front()) {
    owedBytes_ -= lose(owed_.front().bytes);
    if (owed_.front().bytes) break;
  }
}

std::uint64_t DeviceHeap::mappedFree() {
  std::lock_guard lock(mutex_);
  return mappedBytes_ - liveBytes_;
}

}  // namespace hipr::client
