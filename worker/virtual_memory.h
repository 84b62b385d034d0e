// VirtualMemory: physical memory that the client has made, and where it has mapped it. Used by the reader, except that
// an unmapping may be carried out by another thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>

#include "worker/device_memory.h"

namespace hipr::worker {

class VirtualMemory {
 public:
  VirtualMemory(
      const Backend& backend, DeviceMemory& memory, DeviceMemory::Ending ending = [](auto) {})
      : backend_(backend), memory_(memory), ending_(std::move(ending)) {}
  ~VirtualMemory();

  bool has(std::uint64_t number) const { return physical_.contains(number); }
  hipError_t create(std::uint64_t number, int device, std::uint64_t size);  // REQUIRES: not has(number)
  void release(std::uint64_t number);                                       // what is mapped stays
  // What another process shares. REQUIRES: not has(number).
  hipError_t adopt(std::uint64_t number, int device, std::uint64_t size, int descriptor);
  Lent lend(std::uint64_t number);
  hipError_t map(std::uint64_t number, std::uint64_t address, std::uint64_t size);
  // Null when nothing begins there.
  std::shared_ptr<Leaving> unmap(std::uint64_t address);
  hipError_t setAccess(std::uint64_t address, std::uint64_t size, const std::vector<hipMemAccessDesc>& who);

 private:
  struct Physical {
    Physical(int ofDevice, std::uint64_t bytes, hipMemGenericAllocationHandle_t its)
        : device(ofDevice), size(bytes), handle(its) {}
    const int device;
    const std::uint64_t size;
    const hipMemGenericAllocationHandle_t handle;
    std::atomic<int> users{1};  // the client that holds it, and mappings until they are gone
    bool lent = false;          // the CPU leaves it alone
  };
  struct Mapping {
    std::uint64_t size;
    std::shared_ptr<Physical> physical;
  };

  void letGo(Physical& physical);  // one user fewer; its memory is free with the last. Thread-safe

  const Backend& backend_;
  DeviceMemory& memory_;
  const DeviceMemory::Ending ending_;
  std::map<std::uint64_t, std::shared_ptr<Physical>> physical_;  // by number
  std::map<std::uint64_t, Mapping> mapped_;                      // by address
  LeavingList leaving_;
};

}  // namespace hipr::worker
