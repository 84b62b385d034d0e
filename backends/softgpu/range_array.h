// RangeArray: memory ranges in the order of their addresses, for RegionTable.
//
// Two levels: leaves of up to kLeaf ranges, and a directory of the leaves. A change moves half a leaf at most, and when
// a leaf is split or joined with its neighbour, entries of the directory, which is small. One writer at a time. A
// reader may run at the same time and then gets nonsense, but never leaves the array: leaves are not given back to the
// system, and every number it reads is one that was right at some time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hipr::softgpu {

struct MemoryRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t devices = 0;  // bit per device that may always touch it
  int owner = -1;             // devices with peer access to this one may touch it too; -1: nobody more
  bool joins = false;         // part of a larger range where it borders another such one (virtual memory mappings)
  std::uint64_t shift = 0;    // from a device address to where this process has the byte (Region)
};

class RangeArray {
 public:
  static constexpr std::size_t kLeaf = 256;

  RangeArray();
  ~RangeArray();
  RangeArray(const RangeArray&) = delete;
  RangeArray& operator=(const RangeArray&) = delete;

  // A place in the array, which may be one before the first range or behind the last.
  struct Cursor {
    std::size_t leaf = 0;      // in the directory
    std::ptrdiff_t entry = 0;  // in the leaf
  };
  Cursor lastAtOrBefore(std::uint64_t address) const;  // the last range that begins there
  bool read(const Cursor& at, MemoryRange& out) const;
  Cursor next(Cursor at) const;
  Cursor previous(Cursor at) const;

  // For the writer. False when the array is full.
  bool insertAfter(Cursor at, const MemoryRange& range);
  void erase(const Cursor& at);
  void setDevices(const Cursor& at, std::uint64_t devices);

  std::size_t size() const { return size_.load(std::memory_order_relaxed); }
  std::uint64_t moves() const { return moves_; }

 private:
  struct Slot {
    std::atomic<std::uint64_t> begin, end, devices, shift;
    std::atomic<std::int64_t> ownerAndJoins;  // owner * 2 + joins
  };
  // Where a leaf's slots are, and how many of them are in use.
  struct Entry {
    std::atomic<std::uint64_t> begin;  // of its first range
    std::atomic<std::uint32_t> leaf, count;
  };

  Slot* slots(std::size_t leaf) const;
  std::uint32_t count(std::size_t leaf) const { return directory_[leaf].count.load(std::memory_order_acquire); }
  void setCount(std::size_t leaf, std::size_t count);
  void move(Slot& to, const Slot& from);
  bool split(std::size_t leaf);
  void joinWithNext(std::size_t leaf);
  bool openLeaf(std::size_t at);
  void closeLeaf(std::size_t at);

  Slot* slots_;       // address space for many leaves, memory for those in use
  Entry* directory_;  // likewise
  std::atomic<std::size_t> leaves_{0};
  std::atomic<std::size_t> size_{0};
  std::vector<std::uint32_t> unused_;  // leaves
  std::uint32_t fresh_ = 0;            // leaves from here on were never used
  std::uint64_t moves_ = 0;
};

}  // namespace hipr::softgpu
