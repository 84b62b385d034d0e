#include "backends/softgpu/address_space.h"

#include <sys/mman.h>

#include <new>

#include "backends/softgpu/device_list.h"

namespace hipr::softgpu {
namespace {

constexpr std::size_t kMaxRanges = std::size_t{1} << 22;
constexpr int kMaxJoined = 64;  // neighbours looked at on each side; more only costs more lookups

}  // namespace

// A writer's critical section: readers that overlap it see the sequence change and search again. Slots are stored with
// release and loaded with acquire, so a reader that saw any of the new values also sees the new sequence.
class RegionTable::Change {
 public:
  explicit Change(RegionTable& table) : table_(table) {
    table_.sequence_.store(table_.sequence_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  ~Change() { table_.sequence_.store(table_.sequence_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

 private:
  RegionTable& table_;
};

RegionTable::RegionTable() : peers_(kMaxDevices) {
  void* memory = mmap(nullptr, kMaxRanges * sizeof(Slot), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  slots_ = static_cast<Slot*>(memory);
}

RegionTable::~RegionTable() {
  munmap(slots_, kMaxRanges * sizeof(Slot));
}

MemoryRange RegionTable::load(const Slot& slot) {
  const std::int64_t ownerAndJoins = slot.ownerAndJoins.load(std::memory_order_acquire);
  return {slot.begin.load(std::memory_order_acquire), slot.end.load(std::memory_order_acquire),
          slot.devices.load(std::memory_order_acquire), static_cast<int>(ownerAndJoins >> 1), (ownerAndJoins & 1) != 0};
}

void RegionTable::store(Slot& slot, const MemoryRange& range) {
  slot.begin.store(range.begin, std::memory_order_release);
  slot.end.store(range.end, std::memory_order_release);
  slot.devices.store(range.devices, std::memory_order_release);
  slot.ownerAndJoins.store(std::int64_t{range.owner} * 2 + (range.joins ? 1 : 0), std::memory_order_release);
}

std::size_t RegionTable::upperBound(std::uint64_t address, std::size_t count) const {
  std::size_t low = 0;
  while (count > 0) {
    const std::size_t half = count / 2;
    if (slots_[low + half].begin.load(std::memory_order_acquire) <= address) {
      low += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return low;
}

bool RegionTable::insert(const MemoryRange& range) {
  const std::lock_guard lock(mutex_);
  const std::size_t count = count_.load(std::memory_order_relaxed);
  if (count == kMaxRanges || range.begin >= range.end) return false;
  const std::size_t at = upperBound(range.begin, count);
  if (at > 0 && load(slots_[at - 1]).end > range.begin) return false;
  if (at < count && load(slots_[at]).begin < range.end) return false;
  const Change change(*this);
  for (std::size_t i = count; i > at; --i) store(slots_[i], load(slots_[i - 1]));
  store(slots_[at], range);
  count_.store(count + 1, std::memory_order_release);
  return true;
}

void RegionTable::erase(std::uint64_t begin) {
  const std::lock_guard lock(mutex_);
  const std::size_t count = count_.load(std::memory_order_relaxed);
  const std::size_t after = upperBound(begin, count);
  if (after == 0 || load(slots_[after - 1]).begin != begin) return;
  {
    const Change change(*this);
    for (std::size_t i = after; i < count; ++i) store(slots_[i - 1], load(slots_[i]));
    count_.store(count - 1, std::memory_order_release);
  }
  expireViews();
}

bool RegionTable::setDevices(std::uint64_t begin, std::uint64_t devices) {
  const std::lock_guard lock(mutex_);
  const std::size_t after = upperBound(begin, count_.load(std::memory_order_relaxed));
  if (after == 0) return false;
  MemoryRange range = load(slots_[after - 1]);
  if (range.begin != begin) return false;
  const bool fewer = (range.devices & ~devices) != 0;
  range.devices = devices;
  {
    const Change change(*this);
    store(slots_[after - 1], range);
  }
  if (fewer) expireViews();
  return true;
}

void RegionTable::setPeerAccess(int device, int peer, bool enabled) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t bit = std::uint64_t{1} << peer;
  if (enabled) {
    peers_[device].fetch_or(bit, std::memory_order_relaxed);
  } else {
    peers_[device].fetch_and(~bit, std::memory_order_relaxed);
    expireViews();
  }
}

bool RegionTable::allows(int device, const MemoryRange& range) const {
  if (range.devices >> device & 1) return true;
  return range.owner >= 0 && (peers_[device].load(std::memory_order_relaxed) >> range.owner & 1) != 0;
}

Region RegionTable::search(int device, std::uint64_t address) const {
  const std::size_t count = count_.load(std::memory_order_acquire);
  std::size_t at = upperBound(address, count);
  if (at == 0) return {};
  MemoryRange range = load(slots_[--at]);
  if (address >= range.end || !allows(device, range)) return {};
  if (!range.joins) return {range.begin, range.end};
  const auto joinable = [&](const MemoryRange& other) { return other.joins && allows(device, other); };
  for (std::size_t i = at, n = 0; i > 0 && n < kMaxJoined; --i, ++n) {
    const MemoryRange before = load(slots_[i - 1]);
    if (before.end != range.begin || !joinable(before)) break;
    range.begin = before.begin;
  }
  for (std::size_t i = at + 1, n = 0; i < count && n < kMaxJoined; ++i, ++n) {
    const MemoryRange after = load(slots_[i]);
    if (after.begin != range.end || !joinable(after)) break;
    range.end = after.end;
  }
  return {range.begin, range.end};
}

Region RegionTable::find(int device, std::uint64_t address) const {
  for (;;) {
    const std::uint64_t before = sequence_.load(std::memory_order_acquire);
    if (before % 2 == 0) {
      const Region found = search(device, address);
      if (sequence_.load(std::memory_order_relaxed) == before) return found;
    }
  }
}

void RegionTable::addView(AddressSpace& view) {
  const std::lock_guard lock(mutex_);
  views_.push_back(&view);
}

void RegionTable::expireViews() {
  for (AddressSpace* view : views_) view->expireCaches();
}

}  // namespace hipr::softgpu
