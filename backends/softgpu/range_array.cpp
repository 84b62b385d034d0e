#include "backends/softgpu/range_array.h"

#include <sys/mman.h>

#include <new>

namespace hipr::softgpu {
namespace {

constexpr std::size_t kMaxLeaves = std::size_t{1} << 16;

template <class T>
T* reserveArray(std::size_t count) {
  void* memory =
      mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<T*>(memory);
}

// How many of the first `count` begin at the address or before.
template <class T>
std::size_t countAtOrBefore(const T* array, std::size_t count, std::uint64_t address) {
  std::size_t low = 0;
  while (count > 0) {
    const std::size_t half = count / 2;
    if (array[low + half].begin.load(std::memory_order_acquire) <= address) {
      low += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return low;
}

}  // namespace

RangeArray::RangeArray()
    : slots_(reserveArray<Slot>(kMaxLeaves * kLeaf)), directory_(reserveArray<Entry>(kMaxLeaves)) {}

RangeArray::~RangeArray() {
  munmap(slots_, kMaxLeaves * kLeaf * sizeof(Slot));
  munmap(directory_, kMaxLeaves * sizeof(Entry));
}

RangeArray::Slot* RangeArray::slots(std::size_t leaf) const {
  return slots_ + directory_[leaf].leaf.load(std::memory_order_acquire) * kLeaf;
}

RangeArray::Cursor RangeArray::lastAtOrBefore(std::uint64_t address) const {
  const std::size_t leaf = countAtOrBefore(directory_, leaves_.load(std::memory_order_acquire), address);
  if (leaf == 0) return {0, -1};
  return {leaf - 1, static_cast<std::ptrdiff_t>(countAtOrBefore(slots(leaf - 1), count(leaf - 1), address)) - 1};
}

bool RangeArray::read(const Cursor& at, MemoryRange& out) const {
  if (at.entry < 0 || at.leaf >= leaves_.load(std::memory_order_acquire) ||
      static_cast<std::size_t>(at.entry) >= count(at.leaf))
    return false;
  const Slot& slot = slots(at.leaf)[at.entry];
  const std::int64_t ownerAndJoins = slot.ownerAndJoins.load(std::memory_order_acquire);
  out = {slot.begin.load(std::memory_order_acquire),
         slot.end.load(std::memory_order_acquire),
         slot.devices.load(std::memory_order_acquire),
         static_cast<int>(ownerAndJoins >> 1),
         (ownerAndJoins & 1) != 0,
         slot.shift.load(std::memory_order_acquire)};
  return true;
}

RangeArray::Cursor RangeArray::next(Cursor at) const {
  if (at.leaf >= leaves_.load(std::memory_order_acquire) || static_cast<std::size_t>(at.entry + 1) < count(at.leaf))
    return {at.leaf, at.entry + 1};
  return {at.leaf + 1, 0};
}

RangeArray::Cursor RangeArray::previous(Cursor at) const {
  if (at.entry > 0 || at.leaf == 0) return {at.leaf, at.entry - 1};
  return {at.leaf - 1, static_cast<std::ptrdiff_t>(count(at.leaf - 1)) - 1};
}

void RangeArray::move(Slot& to, const Slot& from) {
  const auto one = [](auto& a, const auto& b) {
    a.store(b.load(std::memory_order_relaxed), std::memory_order_release);
  };
  one(to.begin, from.begin);
  one(to.end, from.end);
  one(to.devices, from.devices);
  one(to.shift, from.shift);
  one(to.ownerAndJoins, from.ownerAndJoins);
  ++moves_;
}

void RangeArray::setCount(std::size_t leaf, std::size_t count) {
  directory_[leaf].count.store(static_cast<std::uint32_t>(count), std::memory_order_release);
  directory_[leaf].begin.store(slots(leaf)[0].begin.load(std::memory_order_relaxed), std::memory_order_release);
}

bool RangeArray::insertAfter(Cursor at, const MemoryRange& range) {
  if (leaves_.load(std::memory_order_relaxed) == 0 && !openLeaf(0)) return false;
  if (count(at.leaf) == kLeaf) {
    if (!split(at.leaf)) return false;
    const auto half = static_cast<std::ptrdiff_t>(count(at.leaf));
    if (at.entry >= half) at = {at.leaf + 1, at.entry - half};
  }
  Slot* const slot = slots(at.leaf);
  const std::size_t before = count(at.leaf), to = static_cast<std::size_t>(at.entry + 1);
  for (std::size_t i = before; i > to; --i) move(slot[i], slot[i - 1]);
  slot[to].begin.store(range.begin, std::memory_order_release);
  slot[to].end.store(range.end, std::memory_order_release);
  slot[to].devices.store(range.devices, std::memory_order_release);
  slot[to].shift.store(range.shift, std::memory_order_release);
  slot[to].ownerAndJoins.store(std::int64_t{range.owner} * 2 + (range.joins ? 1 : 0), std::memory_order_release);
  setCount(at.leaf, before + 1);
  size_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void RangeArray::erase(const Cursor& at) {
  Slot* const slot = slots(at.leaf);
  const std::size_t after = count(at.leaf) - 1;
  for (auto i = static_cast<std::size_t>(at.entry); i < after; ++i) move(slot[i], slot[i + 1]);
  size_.fetch_sub(1, std::memory_order_relaxed);
  if (after == 0) return closeLeaf(at.leaf);
  setCount(at.leaf, after);
  // Half full at most, so that what joins is not split again at once.
  const auto fits = [this](std::size_t leaf) {
    return leaf + 1 < leaves_.load(std::memory_order_relaxed) && count(leaf) + count(leaf + 1) <= kLeaf / 2;
  };
  if (fits(at.leaf)) {
    joinWithNext(at.leaf);
  } else if (at.leaf > 0 && fits(at.leaf - 1)) {
    joinWithNext(at.leaf - 1);
  }
}

void RangeArray::setDevices(const Cursor& at, std::uint64_t devices) {
  slots(at.leaf)[at.entry].devices.store(devices, std::memory_order_release);
}

bool RangeArray::split(std::size_t leaf) {
  if (!openLeaf(leaf + 1)) return false;
  const Slot* const from = slots(leaf);
  Slot* const to = slots(leaf + 1);
  for (std::size_t i = kLeaf / 2; i < kLeaf; ++i) move(to[i - kLeaf / 2], from[i]);
  setCount(leaf + 1, kLeaf - kLeaf / 2);
  setCount(leaf, kLeaf / 2);
  return true;
}

void RangeArray::joinWithNext(std::size_t leaf) {
  const std::size_t mine = count(leaf), theirs = count(leaf + 1);
  const Slot* const from = slots(leaf + 1);
  for (std::size_t i = 0; i < theirs; ++i) move(slots(leaf)[mine + i], from[i]);
  setCount(leaf, mine + theirs);
  closeLeaf(leaf + 1);
}

bool RangeArray::openLeaf(std::size_t at) {
  const std::size_t leaves = leaves_.load(std::memory_order_relaxed);
  if (leaves == kMaxLeaves) return false;
  std::uint32_t leaf;
  if (unused_.empty()) {
    leaf = fresh_++;
  } else {
    leaf = unused_.back();
    unused_.pop_back();
  }
  for (std::size_t i = leaves; i > at; --i) {
    directory_[i].leaf.store(directory_[i - 1].leaf.load(std::memory_order_relaxed), std::memory_order_release);
    directory_[i].count.store(directory_[i - 1].count.load(std::memory_order_relaxed), std::memory_order_release);
    directory_[i].begin.store(directory_[i - 1].begin.load(std::memory_order_relaxed), std::memory_order_release);
    ++moves_;
  }
  directory_[at].leaf.store(leaf, std::memory_order_release);
  directory_[at].count.store(0, std::memory_order_release);
  leaves_.store(leaves + 1, std::memory_order_release);
  return true;
}

void RangeArray::closeLeaf(std::size_t at) {
  const std::size_t leaves = leaves_.load(std::memory_order_relaxed);
  unused_.push_back(directory_[at].leaf.load(std::memory_order_relaxed));
  for (std::size_t i = at; i + 1 < leaves; ++i) {
    directory_[i].leaf.store(directory_[i + 1].leaf.load(std::memory_order_relaxed), std::memory_order_release);
    directory_[i].count.store(directory_[i + 1].count.load(std::memory_order_relaxed), std::memory_order_release);
    directory_[i].begin.store(directory_[i + 1].begin.load(std::memory_order_relaxed), std::memory_order_release);
    ++moves_;
  }
  leaves_.store(leaves - 1, std::memory_order_release);
}

}  // namespace hipr::softgpu
