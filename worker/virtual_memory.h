// VirtualMemory: physical memory that the client has made, and where it has mapped it. Used by the reader, except that
// an unmapping may be carried out by another thread.
#pragma once

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
    int device;
    std::uint64_t size;
    hipMemGenericAllocationHandle_t handle;
    int mappings = 0;
    bool held = true;   // by the client
    bool lent = false;  // the CPU leaves it alone
  };
  struct Mapping {
    std::uint64_t size;
    std::shared_ptr<Physical> physical;
  };

  void letGo(Physical& physical);  // if nobody needs it any more

  const Backend& backend_;
  DeviceMemory& memory_;
  const DeviceMemory::Ending ending_;
  std::map<std::uint64_t, std::shared_ptr<Physical>> physical_;  // by number
  std::map<std::uint64_t, Mapping> mapped_;                      // by address
  LeavingList leaving_;
};

}  // namespace hipr::worker
