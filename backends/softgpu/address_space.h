// What memory exists and which device may touch it.
//
// One table for the whole process (device memory has the same address everywhere), one view of it per device. Lookups
// are many and come from all executor threads at once; changes are few. So the table is under a sequence lock: a reader
// takes no lock and writes no shared memory, and repeats its search when a change came between.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "backends/softgpu/isa/execute.h"
#include "backends/softgpu/range_array.h"

namespace hipr::softgpu {

inline constexpr std::uint64_t kEveryDevice = ~std::uint64_t{0};

class RegionTable {
 public:
  RegionTable();

  bool insert(const MemoryRange& range);  // false when it overlaps another one or the table is full
  void erase(std::uint64_t begin);        // REQUIRES: a range begins there
  bool setDevices(std::uint64_t begin, std::uint64_t devices);
  void setPeerAccess(int device, int peer, bool enabled);

  // The range around `address` as `device` may use it, or an empty one.
  Region find(int device, std::uint64_t address) const;
  // From `address` to where this process has its byte; 0 when no range is there.
  std::uint64_t shiftAt(std::uint64_t address) const;

  std::size_t size() const { return ranges_.size(); }
  std::uint64_t moves() const { return ranges_.moves(); }  // entries that changes have moved: what they cost
  // Views are told when something disappears. REQUIRES: the view outlives the table's use.
  void addView(AddressSpace& view);

 private:
  class Change;

  // What `search` finds between two changes.
  template <class Search>
  auto undisturbed(const Search& search) const;
  bool allows(int device, const MemoryRange& range) const;
  Region search(int device, std::uint64_t address) const;
  void expireViews();

  RangeArray ranges_;
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
