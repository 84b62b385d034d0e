// DeviceHeap: hands out addresses of one device's memory without asking the worker.
//
// It owns a slice of the address range that client and worker both reserved. Large blocks get a mapping of their own;
// small ones share 32 MiB mappings. A freed block rests until the work that could still touch it has finished, since
// nobody waited for that work when it was freed. Memory is bounded by the credit the worker granted, so running out is
// known here and now. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>

#include "client/streams.h"

namespace hipr::client {

class DeviceHeap {
 public:
  struct Calls {
    std::function<void(std::uint64_t address, std::uint64_t size)> map;  // posted
    std::function<void(std::uint64_t address)> unmap;                    // posted
    std::function<std::uint64_t(std::uint64_t bytes)> askCredit;         // waits; returns what was granted
    std::function<Moment()> now;
    std::function<void(const Moment&)> waitFor;
  };

  DeviceHeap(std::uint64_t base, std::uint64_t size, std::uint64_t granularity, std::uint64_t credit, Calls calls);

  std::uint64_t allocate(std::size_t size);  // 0 when out of memory
  void release(std::uint64_t address);       // REQUIRES: from allocate, not yet released
  std::uint64_t mappedFree();                // bytes mapped but not handed out

 private:
  struct Mapping {
    std::uint64_t size;
    std::map<std::uint64_t, std::uint64_t> free;  // begin → size, coalesced
    std::uint64_t freeBytes = 0;
    bool shared = false;
  };
  struct Resting {
    Moment until;
    std::uint64_t address, size;
  };

  std::uint64_t tryAllocate(std::uint64_t size);
  std::uint64_t fromShared(std::uint64_t size);
  std::uint64_t newMapping(std::uint64_t size, bool shared);  // 0 without credit or addresses
  std::uint64_t takeAddresses(std::uint64_t size);
  void dropMapping(std::map<std::uint64_t, Mapping>::iterator mapping);
  void reclaim(const Resting& block);
  void reclaimFinished();

  std::mutex mutex_;
  const std::uint64_t granularity_;
  std::uint64_t credit_;  // not yet mapped
  Calls calls_;
  std::map<std::uint64_t, std::uint64_t> addresses_;  // unmapped: begin → size, coalesced
  std::map<std::uint64_t, Mapping> mappings_;
  std::map<std::uint64_t, std::uint64_t> live_;  // handed out: address → rounded size
  std::deque<Resting> resting_;
};

// A map of free ranges: begin → size. Merges with its neighbours.
void insertFree(std::map<std::uint64_t, std::uint64_t>& free, std::uint64_t begin, std::uint64_t size);

}  // namespace hipr::client
