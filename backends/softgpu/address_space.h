// What memory exists and which device may touch it.
//
// One table for the whole process (device memory has the same address everywhere), one view of it per device. Lookups
// are many and come from all executor threads at once; changes are few. So the table is one sorted array under a
// sequence lock: a reader takes no lock and writes no shared memory, and repeats its search when a change came between.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "backends/softgpu/isa/execute.h"

namespace hipr::softgpu {

inline constexpr std::uint64_t kEveryDevice = ~std::uint64_t{0};

struct MemoryRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t devices = 0;  // bit per device that may always touch it
  int owner = -1;             // devices with peer access to this one may touch it too; -1: nobody more
  bool joins = false;         // part of a larger range where it borders another such one (virtual memory mappings)
};

class RegionTable {
 public:
  RegionTable();
  ~RegionTable();
  RegionTable(const RegionTable&) = delete;
  RegionTable& operator=(const RegionTable&) = delete;

  bool insert(const MemoryRange& range);  // false when it overlaps another one or the table is full
  void erase(std::uint64_t begin);        // REQUIRES: a range begins there
  bool setDevices(std::uint64_t begin, std::uint64_t devices);
  void setPeerAccess(int device, int peer, bool enabled);

  // The range around `address` as `device` may use it, or an empty one.
  Region find(int device, std::uint64_t address) const;

  std::size_t size() const { return count_.load(std::memory_order_relaxed); }
  // Views are told when something disappears. REQUIRES: the view outlives the table's use.
  void addView(AddressSpace& view);

 private:
  struct Slot {
    std::atomic<std::uint64_t> begin, end, devices;
    std::atomic<std::int64_t> ownerAndJoins;  // owner * 2 + joins
  };
  class Change;

  static MemoryRange load(const Slot& slot);
  static void store(Slot& slot, const MemoryRange& range);
  std::size_t upperBound(std::uint64_t address, std::size_t count) const;  // first slot that begins after it
  bool allows(int device, const MemoryRange& range) const;
  Region search(int device, std::uint64_t address) const;
  void expireViews();

  Slot* slots_;  // address space for many, memory for those in use
  std::atomic<std::size_t> count_{0};
  mutable std::atomic<std::uint64_t> sequence_{0};  // odd while a change is made
  std::vector<std::atomic<std::uint64_t>> peers_;   // per device: bits of devices whose memory it may touch
  std::mutex mutex_;                                // one change at a time
  std::vector<AddressSpace*> views_;
};

// What one device sees.
class DeviceView : public AddressSpace {
 public:
  DeviceView(RegionTable& table, int device) : table_(table), device_(device) { table.addView(*this); }
  Region find(std::uint64_t address) const override { return table_.find(device_, address); }

 private:
  RegionTable& table_;
  int device_;
};

}  // namespace hipr::softgpu
