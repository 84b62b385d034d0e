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

HostMemory::HostMemory(platform::AddressRange range, Calls calls, std::uint64_t most, HostWindow window)
    : calls_(std::move(calls)),
      range_(std::move(range)),
      window_(window.size ? window : HostWindow{range_.base(), range_.size()}),
      most_(most),
      mirror_(
          {.send = calls_.send, .base = window_.base, .size = window_.size, .addresses = [this](const auto& addresses) {
             exposeReached(addresses);
           }}) {
  free_.emplace(range_.base(), range_.size());
}

bool HostMemory::roomFor(std::size_t size) const {
  return size <= window_.size && platform::roundToPage(size) <= most_ - std::min(most_, total_);
}

HostMemory::Region* HostMemory::insert(const Region& region) {
  ++soughtCount_;
  total_ += platform::roundToPage(region.size);
  return &(regions_[region.address] = region);
}

HostMemory::Region* HostMemory::add(std::size_t size, std::byte* host) {
  if (!roomFor(size)) return nullptr;
  const std::size_t span = spanOf(size);
  const auto room = std::find_if(free_.begin(), free_.end(), [&](const auto& range) { return range.second >= span; });
  if (room == free_.end()) return nullptr;
  const std::uint64_t address = room->first, rest = room->second - span;
  free_.erase(room);
  if (rest) free_.emplace(address + span, rest);
  return insert({address, size, host ? host : reinterpret_cast<std::byte*>(address)});
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
    if (!region.guest) insertFree(free_, address, spanOf(region.size));
    regions_.erase(found);
    if (region.shared) --sharedCount_;
    if (!region.shared || region.adopted()) --soughtCount_;
    total_ -= platform::roundToPage(region.size);
  }
  if (there) calls_.conceal({address});
}

void* HostMemory::allocate(std::size_t size) {
  if (calls_.share) return addShared(size, nullptr, nullptr);
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

void* HostMemory::addShared(std::size_t size, std::byte* host, Pages* pages) {
  std::uint64_t address;
  {
    const auto sending = mirror_.lockSending();  // memory and messages arrive in the same order, and after ConcealHost
    {
      std::lock_guard lock(mutex_);
      const Region* region = add(size, host);
      if (!region) return nullptr;
      address = region->address;
      if (host) noteAdopted(*region);
    }
    if (const Pages made = makePages(address)) {
      if (pages) *pages = made;
      if (!calls_.share || handOver(address, size, *made)) return reinterpret_cast<void*>(address);
    }
  }
  erase(address, host == nullptr);
  return nullptr;
}

HostMemory::Pages HostMemory::makePages(std::uint64_t address) {
  Region region;
  {
    std::lock_guard lock(mutex_);
    region = regions_.at(address);
  }
  const std::size_t bytes = platform::roundToPage(region.size);
  auto pages = std::make_shared<platform::SharedMemory>();
  if (!platform::SharedMemory::make(bytes, *pages).ok()) return nullptr;
  if (region.adopted()) {
    if (!pages->map().ok()) return nullptr;
    std::memcpy(pages->bytes().data(), region.host, region.size);
  }
  return pages->mapOver(region.host, bytes).ok() ? pages : nullptr;
}

bool HostMemory::handOver(std::uint64_t address, std::size_t size, const platform::SharedMemory& pages) {
  {
    std::lock_guard lock(mutex_);
    Region& region = regions_.at(address);
    region.shared = true;
    if (!region.adopted()) --soughtCount_;  // others have another address there
    ++sharedCount_;
  }
  return calls_.share({address, size}, pages).ok();
}

void* HostMemory::allocateFor(std::size_t size, Pages& pages) {
  return platform::kCanShareMemory ? addShared(size, nullptr, &pages) : allocate(size);
}

bool HostMemory::admit(std::uint64_t address, std::size_t size, void* host, const Pages& pages) {
  const auto sending = mirror_.lockSending();
  {
    std::lock_guard lock(mutex_);
    if (find(address)) return true;
    if (!inWindow(address) || !inWindow(address + size - 1) || !roomFor(size)) return false;
    const Region* region =
        insert({.address = address, .size = size, .host = static_cast<std::byte*>(host), .guest = true});
    if (region->adopted()) noteAdopted(*region);
  }
  if (!calls_.share) return true;
  if (pages) return handOver(address, size, *pages);
  exposeReached({address});  // nobody looks for addresses in shared memory
  return true;
}

void HostMemory::dismiss(std::uint64_t address) {
  erase(address, false);
}

void HostMemory::release(void* pointer) {
  erase(reinterpret_cast<std::uint64_t>(pointer), true);
}

void* HostMemory::adopt(void* host, std::size_t size) {
  std::lock_guard lock(mutex_);
  const Region* region = add(size, static_cast<std::byte*>(host));
  if (!region) return nullptr;
  noteAdopted(*region);
  return reinterpret_cast<void*>(region->address);
}

void* HostMemory::replace(void* host, std::size_t size, Pages* pages) {
  return calls_.share ? addShared(size, static_cast<std::byte*>(host), pages) : adopt(host, size);
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

void HostMemory::noteAdopted(const Region& region) {
  adopted_[reinterpret_cast<std::uint64_t>(region.host)] = region.address;
  anyAdopted_ = true;
}

bool HostMemory::mayName(wire::Bytes arguments) const {
  if (anyAdopted_.load(std::memory_order_relaxed)) return true;
  for (std::size_t at = 0; at + 8 <= arguments.size(); at += 8) {
    std::uint64_t value;
    std::memcpy(&value, arguments.data() + at, sizeof value);
    if (inWindow(value)) return true;
  }
  return false;
}

void HostMemory::scanArguments(std::vector<std::byte>& arguments) {
  std::vector<std::uint64_t> fresh;
  {
    std::lock_guard lock(mutex_);
    for (std::size_t at = 0; at + 8 <= arguments.size(); at += 8) {
      std::uint64_t value;
      std::memcpy(&value, arguments.data() + at, sizeof value);
      if (!handles_.empty() && handles_.contains(value)) continue;
      Region* region = nullptr;
      if (inWindow(value)) {
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

void HostMemory::addHandle(std::uint64_t value) {
  const std::lock_guard lock(mutex_);
  handles_.insert(value);
}

void HostMemory::dropHandle(std::uint64_t value) {
  const std::lock_guard lock(mutex_);
  handles_.erase(value);
}

void HostMemory::scanUpload(wire::Bytes bytes) {
  std::vector<std::uint64_t> found = mirror::addressesIn(bytes, window_.base, window_.size);
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
  const Region* region = inWindow(address) ? find(address) : findByHost(address);
  return region && region->there();
}

std::uint64_t HostMemory::alias(std::uint64_t host) {
  std::lock_guard lock(mutex_);
  const Region* region = inWindow(host) ? nullptr : findByHost(host);
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
