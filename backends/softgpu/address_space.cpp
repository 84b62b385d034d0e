#include "backends/softgpu/address_space.h"

#include "backends/softgpu/device_list.h"

namespace hipr::softgpu {
namespace {

constexpr int kMaxJoined = 64;  // neighbours looked at on each side; more only costs more lookups

}  // namespace

// A writer's critical section: readers that overlap it see the sequence change and search again. The array stores with
// release and loads with acquire, so a reader that saw any of the new values also sees the new sequence.
class RegionTable::Change {
 public:
  explicit Change(RegionTable& table) : table_(table) {
    table_.sequence_.store(table_.sequence_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  ~Change() { table_.sequence_.store(table_.sequence_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

 private:
  RegionTable& table_;
};

RegionTable::RegionTable() : peers_(kMaxDevices) {}

bool RegionTable::insert(const MemoryRange& range) {
  const std::lock_guard lock(mutex_);
  if (range.begin >= range.end) return false;
  const RangeArray::Cursor before = ranges_.lastAtOrBefore(range.begin);
  MemoryRange neighbour;
  if (ranges_.read(before, neighbour) && neighbour.end > range.begin) return false;
  if (ranges_.read(ranges_.next(before), neighbour) && neighbour.begin < range.end) return false;
  const Change change(*this);
  return ranges_.insertAfter(before, range);
}

void RegionTable::erase(std::uint64_t begin) {
  const std::lock_guard lock(mutex_);
  const RangeArray::Cursor at = ranges_.lastAtOrBefore(begin);
  MemoryRange range;
  if (!ranges_.read(at, range) || range.begin != begin) return;
  {
    const Change change(*this);
    ranges_.erase(at);
  }
  expireViews();
}

bool RegionTable::setDevices(std::uint64_t begin, std::uint64_t devices) {
  const std::lock_guard lock(mutex_);
  const RangeArray::Cursor at = ranges_.lastAtOrBefore(begin);
  MemoryRange range;
  if (!ranges_.read(at, range) || range.begin != begin) return false;
  {
    const Change change(*this);
    ranges_.setDevices(at, devices);
  }
  if ((range.devices & ~devices) != 0) expireViews();
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
  const RangeArray::Cursor at = ranges_.lastAtOrBefore(address);
  MemoryRange range;
  if (!ranges_.read(at, range) || address >= range.end || !allows(device, range)) return {};
  Region out{range.begin, range.end, range.shift};
  if (!range.joins) return out;
  MemoryRange other;
  const auto joins = [&](const RangeArray::Cursor& cursor) {
    return ranges_.read(cursor, other) && other.joins && other.shift == range.shift && allows(device, other);
  };
  RangeArray::Cursor cursor = at;
  for (int n = 0; n < kMaxJoined && joins(cursor = ranges_.previous(cursor)) && other.end == out.begin; ++n)
    out.begin = other.begin;
  cursor = at;
  for (int n = 0; n < kMaxJoined && joins(cursor = ranges_.next(cursor)) && other.begin == out.end; ++n)
    out.end = other.end;
  return out;
}

template <class Search>
auto RegionTable::undisturbed(const Search& search) const {
  for (;;) {
    const std::uint64_t before = sequence_.load(std::memory_order_acquire);
    if (before % 2 == 0) {
      const auto found = search();
      if (sequence_.load(std::memory_order_relaxed) == before) return found;
    }
  }
}

Region RegionTable::find(int device, std::uint64_t address) const {
  return undisturbed([&] { return search(device, address); });
}

std::uint64_t RegionTable::shiftAt(std::uint64_t address) const {
  return undisturbed([&] {
    MemoryRange range;
    const bool there = ranges_.read(ranges_.lastAtOrBefore(address), range) && address < range.end;
    return there ? range.shift : 0;
  });
}

void RegionTable::addView(AddressSpace& view) {
  const std::lock_guard lock(mutex_);
  views_.push_back(&view);
}

void RegionTable::expireViews() {
  for (AddressSpace* view : views_) view->expireCaches();
}

}  // namespace hipr::softgpu
