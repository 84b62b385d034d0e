#include "client/host_memory.h"

#include <algorithm>
#include <cstring>

#include "base/log.h"
#include "client/device_heap.h"
#include "mirror/pointers.h"

namespace hipr::client {
namespace {

// Regions begin at multiples of it, so that no two share a page on either side, and it is the least distance between
// them: running over the end of one must not land in the next. No processor we know has larger pages.
constexpr std::size_t kGrain = 64 << 10;

std::size_t spanOf(std::size_t size) {
  return (size + kGrain - 1) / kGrain * kGrain + kGrain;
}

}  // namespace

HostMemory::HostMemory(platform::AddressRange range, Calls calls, std::uint64_t most)
    : calls_(std::move(calls)),
      range_(std::move(range)),
      most_(most),
      mirror_({.send = calls_.send,
               .base = range_.base(),
               .size = range_.size(),
               .addresses = [this](const auto& addresses) { exposeReached(addresses); }}) {
  free_.emplace(range_.base(), range_.size());
}

HostMemory::Region* HostMemory::add(std::size_t size, std::byte* host) {
  if (size > range_.size() || platform::roundToPage(size) > most_ - std::min(most_, total_)) return nullptr;
  const std::size_t span = spanOf(size);
  const auto room = std::find_if(free_.begin(), free_.end(), [&](const auto& range) { return range.second >= span; });
  if (room == free_.end()) return nullptr;
  const std::uint64_t address = room->first, rest = room->second - span;
  free_.erase(room);
  if (rest) free_.emplace(address + span, rest);
  ++soughtCount_;
  total_ += platform::roundToPage(size);
  return &(regions_[address] = {address, size, host ? host : reinterpret_cast<std::byte*>(address)});
}

// Whoever gets the address next exposes it under the sending lock too, so its ExposeHost follows our ConcealHost.
void HostMemory::erase(std::uint64_t address, bool committed) {
  const auto sending = mirror_.lockSending();
  std::uint64_t number;
  bool there;
  {
    std::lock_guard lock(mutex_);
    const auto found = regions_.find(address);
    if (found == regions_.end()) return;
    const Region region = found->second;
    number = region.number;
    there = region.there();
    if (number) mirror_.remove(number);
    if (committed) range_.decommit(address, platform::roundToPage(region.size));
    adopted_.erase(reinterpret_cast<std::uint64_t>(region.host));
    insertFree(free_, address, spanOf(region.size));
    regions_.erase(found);
    if (region.shared) --sharedCount_;
    if (!region.shared || region.adopted()) --soughtCount_;
    total_ -= platform::roundToPage(region.size);
  }
  if (there) calls_.conceal({address});
}

void* HostMemory::allocate(std::size_t size) {
  if (calls_.share) return addShared(size, nullptr);
  std::uint64_t address;
  {
    std::lock_guard lock(mutex_);
    const Region* region = add(size, nullptr);
    if (!region) return nullptr;
    if (range_.commit(region->address, platform::roundToPage(size))) return region->host;
    address = region->address;
  }
  erase(address, false);
  return nullptr;
}

void* HostMemory::addShared(std::size_t size, std::byte* host) {
  std::uint64_t address;
  {
    const auto sending = mirror_.lockSending();  // memory and messages arrive in the same order, and after ConcealHost
    {
      std::lock_guard lock(mutex_);
      const Region* region = add(size, host);
      if (!region) return nullptr;
      address = region->address;
      if (host) adopted_[reinterpret_cast<std::uint64_t>(host)] = address;
    }
    if (share(address)) return reinterpret_cast<void*>(address);
  }
  erase(address, host == nullptr);
  return nullptr;
}

bool HostMemory::share(std::uint64_t address) {
  Region region;
  {
    std::lock_guard lock(mutex_);
    region = regions_.at(address);
  }
  const std::size_t pages = platform::roundToPage(region.size);
  platform::SharedMemory memory;
  if (!platform::SharedMemory::make(pages, memory).ok()) return false;
  if (region.adopted()) {
    if (!memory.map().ok()) return false;
    std::memcpy(memory.bytes().data(), region.host, region.size);
  }
  if (!memory.mapOver(region.host, pages).ok()) return false;
  {
    std::lock_guard lock(mutex_);
    regions_.at(address).shared = true;
    if (!region.adopted()) --soughtCount_;  // others have another address there
    ++sharedCount_;
  }
  return calls_.share({address, region.size}, memory).ok();
}

void HostMemory::release(void* pointer) {
  erase(reinterpret_cast<std::uint64_t>(pointer), true);
}

void* HostMemory::adopt(void* host, std::size_t size) {
  std::lock_guard lock(mutex_);
  const Region* region = add(size, static_cast<std::byte*>(host));
  if (!region) return nullptr;
  adopted_[reinterpret_cast<std::uint64_t>(host)] = region->address;
  return reinterpret_cast<void*>(region->address);
}

void* HostMemory::replace(void* host, std::size_t size) {
  return calls_.share ? addShared(size, static_cast<std::byte*>(host)) : adopt(host, size);
}

void HostMemory::reveal(void* alias) {
  if (!calls_.share) return;
  const auto sending = mirror_.lockSending();
  exposeReached({reinterpret_cast<std::uint64_t>(alias)});
}

void HostMemory::disown(void* alias) {
  erase(reinterpret_cast<std::uint64_t>(alias), false);
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

void HostMemory::expose(const std::vector<std::uint64_t>& addresses) {
  for (const std::uint64_t address : addresses) {
    wire::ExposeHost message;
    {
      std::lock_guard lock(mutex_);
      Region* region = find(address);
      if (!region || region->there()) continue;
      if (!mirror_.add(exposures_ + 1, region->host, region->size)) {
        logError("no memory for a second copy of %zu bytes of host memory that kernels use; they will not find it",
                 region->size);
        continue;
      }
      region->number = ++exposures_;
      message = {region->address, region->size, region->number};
    }
    calls_.expose(message);
    unsent_.push_back(message.region);
  }
}

// Kernels may be running: they find what an address leads to before they find the address. What is sent here may lead
// further, to regions that are appended to the list meanwhile.
void HostMemory::exposeReached(const std::vector<std::uint64_t>& addresses) {
  expose(addresses);
  if (sendingReached_) return;
  sendingReached_ = true;
  while (!unsent_.empty()) {
    const std::uint64_t number = unsent_.back();
    unsent_.pop_back();
    mirror_.sendNew(number);
  }
  sendingReached_ = false;
}

void HostMemory::scanArguments(std::vector<std::byte>& arguments) {
  std::vector<std::uint64_t> fresh;
  {
    std::lock_guard lock(mutex_);
    for (std::size_t at = 0; at + 8 <= arguments.size(); at += 8) {
      std::uint64_t value;
      std::memcpy(&value, arguments.data() + at, sizeof value);
      Region* region = nullptr;
      if (range_.contains(value)) {
        region = find(value);
      } else if (!adopted_.empty() && (region = findByHost(value))) {
        value = region->address + (value - reinterpret_cast<std::uint64_t>(region->host));
        std::memcpy(arguments.data() + at, &value, sizeof value);
      }
      if (region && !region->there()) fresh.push_back(value);
    }
  }
  if (fresh.empty()) return;
  const auto sending = mirror_.lockSending();
  exposeReached(fresh);
}

void HostMemory::scanUpload(wire::Bytes bytes) {
  std::vector<std::uint64_t> found = mirror::addressesIn(bytes, range_.base(), range_.size());
  if (found.empty()) return;
  {
    std::lock_guard lock(mutex_);
    std::erase_if(found, [this](std::uint64_t address) {
      const Region* region = find(address);
      return !region || region->there();
    });
  }
  if (found.empty()) return;
  const auto sending = mirror_.lockSending();
  exposeReached(found);
}

bool HostMemory::exposed(std::uint64_t address) {
  if (!anyExposed()) return false;
  std::lock_guard lock(mutex_);
  const Region* region = range_.contains(address) ? find(address) : findByHost(address);
  return region && region->there();
}

std::uint64_t HostMemory::alias(std::uint64_t host) {
  std::lock_guard lock(mutex_);
  const Region* region = range_.contains(host) ? nullptr : findByHost(host);
  return region ? region->address + (host - reinterpret_cast<std::uint64_t>(region->host)) : host;
}

void HostMemory::flush() {
  mirror_.send();
}

bool HostMemory::exchange() {
  return mirror_.exchange();
}

bool HostMemory::apply(const wire::HostBytes& changes) {
  return mirror_.apply(changes);
}

}  // namespace hipr::client
