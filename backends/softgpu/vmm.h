// Virtual memory management: reserved addresses, physical memory, and mappings of one onto the other.
//
// Physical memory that is mapped once and whole, as nearly all is, is private memory of the mapping itself: making it
// costs one system call and pages are zeroed when first touched, by huge pages where they fit. It is moved, not copied,
// when it is unmapped and mapped elsewhere. Only when a program maps the same memory twice, or a part of it, does it
// move to a memory file that several mappings can share.
//
// On a discrete device every reservation comes with a second one of the same size, where the bytes are. The addresses
// of the first stay untouchable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/softgpu/command.h"
#include "backends/softgpu/mapping.h"
#include "hip_remote/hip.h"

namespace hipr::softgpu {

class Device;
class RegionTable;

class Vmm {
 public:
  static constexpr std::size_t kGranularity = std::size_t{4} << 10;  // as AMD GPUs have it

  // Takes a range away from kernels and lets the command run once no kernel can touch it (State::retire).
  using Retire = std::function<void(std::uint64_t begin, const CommandPtr& reclaim)>;
  Vmm(RegionTable& regions, Reach reach, Retire retire);
  ~Vmm();

  hipError_t reserve(void** address, std::size_t size, std::size_t alignment, void* hint);
  hipError_t free(void* address, std::size_t size);
  hipError_t create(std::uint64_t* physical, std::size_t size, Device& device);
  hipError_t release(std::uint64_t physical);
  // Between processes. The first time, nobody may touch the memory meanwhile.
  hipError_t share(std::uint64_t physical, int* descriptor);
  hipError_t adopt(std::uint64_t* physical, MemoryFile file, Device& device);
  hipError_t map(void* address, std::size_t size, std::size_t offset, std::uint64_t physical);
  hipError_t unmap(void* address, std::size_t size);
  // `granted` and `changed` are bits per device.
  hipError_t setAccess(void* address, std::size_t size, std::uint64_t changed, std::uint64_t granted);

 private:
  struct Physical;
  struct Reserved {
    std::uint64_t end = 0;
    std::uint64_t shift = 0;  // from an address to where its bytes are, when something is mapped
  };
  struct Mapped {
    std::uint64_t end = 0;
    std::shared_ptr<Physical> physical;
    std::uint64_t devices = 0;
    std::uint64_t shift = 0;
  };
  struct Leaving {  // unmapped by the program, still in use by kernels
    std::uint64_t begin, end;
    CommandPtr gone;
  };
  using Mappings = std::map<std::uint64_t, Mapped>;

  const Reserved* reserved(std::uint64_t begin, std::uint64_t end) const;  // that contains it, or null
  bool covers(std::uint64_t begin, std::uint64_t end) const;               // whole mappings, without gaps
  void waitForLeaving(std::unique_lock<std::mutex>& lock, std::uint64_t begin, std::uint64_t end);
  void removePages(std::uint64_t begin, std::uint64_t end, Physical& physical);

  RegionTable& regions_;
  const Reach reach_;
  const Retire retire_;
  std::mutex mutex_;
  std::map<std::uint64_t, Reserved> reservations_;  // by begin
  Mappings mappings_;                               // by begin
  std::vector<Leaving> leaving_;
  std::map<std::uint64_t, std::shared_ptr<Physical>> handles_;
  std::uint64_t nextHandle_ = 1;
};

}  // namespace hipr::softgpu
