// DeviceMemory: the device memory of one client, placed at the addresses it chose, and everything else its copies may
// name. Used by the reader thread, except that an unmapping may be carried out by another one.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "worker/backend.h"
#include "worker/leaving.h"

namespace hipr::worker {

// Physical memory that is to be shared with other processes.
struct Lent {
  hipMemGenericAllocationHandle_t handle = nullptr;  // null: there is none
  std::uint64_t size = 0;
};

class DeviceMemory {
 public:
  // `ending` is called with physical memory that is about to go.
  using Ending = std::function<void(hipMemGenericAllocationHandle_t)>;
  explicit DeviceMemory(
      const Backend& backend, Ending ending = [](auto) {})
      : backend_(backend), ending_(std::move(ending)) {}
  ~DeviceMemory();

  // True when the runtime can place memory at a given address.
  bool placeable();
  std::uint64_t granularity();

  // Reserves the range, or another one of that size where the runtime does not follow the hint. Gives back an earlier
  // one.
  hipError_t reserve(std::uint64_t& base, std::uint64_t size);

  hipError_t map(int device, std::uint64_t address, std::uint64_t size);
  hipError_t allocate(int device, std::uint64_t size, std::uint64_t& address);
  static std::uint64_t costOf(std::uint64_t size);  // what it counts as: whole pages

  // Something that is already there: a variable of a module.
  void adopt(int device, std::uint64_t address, std::uint64_t size);
  void disown(std::uint64_t address);
  void leaveAlone(std::uint64_t address);  // the CPU, from now on. REQUIRES: adopted

  // Gives it up; null when nothing begins there.
  std::shared_ptr<Leaving> release(std::uint64_t address);
  std::vector<std::uint64_t> ofDevice(int device) const;

  // The physical memory that this address is in, and where that begins. From now on the CPU leaves it alone.
  Lent lend(std::uint64_t address, std::uint64_t& begin);

  struct Span {
    int device = -1;
    bool direct = false;  // the CPU can reach it
  };
  // What [address, address + size) is; false when any part of it is not known.
  bool find(std::uint64_t address, std::uint64_t size, Span& span) const;
  // Free addresses of the reserved range.
  bool vacant(std::uint64_t address, std::uint64_t size) const {
    return address >= base_ && size <= size_ && address - base_ <= size_ - size && !overlaps(address, size);
  }
  // Memory that is made some other way counts too.
  void charge(int device, std::uint64_t size) { mapped_[static_cast<std::size_t>(device)] += size; }
  void refund(int device, std::uint64_t size) { mapped_[static_cast<std::size_t>(device)] -= size; }
  std::uint64_t mapped(int device) const {  // with what is leaving, until it is gone
    return mapped_[static_cast<std::size_t>(device)].load(std::memory_order_relaxed);
  }

 private:
  enum class Kind { kMapped, kAllocated, kAdopted };
  struct Range {
    std::uint64_t size = 0;
    int device = 0;
    Kind kind = Kind::kMapped;
    bool direct = false;
    hipMemGenericAllocationHandle_t handle = nullptr;
  };

  bool overlaps(std::uint64_t address, std::uint64_t size) const;
  bool direct(int device) const;
  hipError_t place(int device, std::uint64_t address, std::uint64_t size, hipMemGenericAllocationHandle_t handle);
  std::vector<hipMemAccessDesc> access(int device) const;

  const Backend& backend_;
  const Ending ending_;
  int placeable_ = -1;
  std::uint64_t granularity_ = 0;
  std::uint64_t base_ = 0, size_ = 0;
  std::map<std::uint64_t, Range> ranges_;
  LeavingList leaving_;
  std::vector<std::atomic<std::uint64_t>> mapped_ =
      std::vector<std::atomic<std::uint64_t>>(static_cast<std::size_t>(backend_.devices()));
};

}  // namespace hipr::worker
