// VirtualMemory: what hipMemAddressReserve and its relatives need on this side. Addresses are taken from a part of the
// range that both sides have reserved, so reserving some sends nothing. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "client/free_ranges.h"
#include "client/streams.h"

namespace hipr::client {

class VirtualMemory {
 public:
  VirtualMemory(std::uint64_t base, std::uint64_t size, std::uint64_t granularity);

  std::uint64_t granularity() const { return granularity_; }
  std::uint64_t reserve(std::uint64_t size, std::uint64_t alignment);  // 0 when there is no room
  void free(std::uint64_t address, std::uint64_t size);                // REQUIRES: reserved like that

  std::uint64_t create(int device, std::uint64_t size);  // the number of new physical memory
  // Each of these says what has come to its end with it, if anything has.
  struct Physical {
    int device = 0;
    std::uint64_t size = 0;
    int mappings = 0;
    bool held = true;  // by the program
  };
  std::optional<Physical> release(std::uint64_t number);
  void map(std::uint64_t address, std::uint64_t size, std::uint64_t number);
  std::optional<Physical> unmap(std::uint64_t address, Moment inUse);

  // What may still use memory that was unmapped there.
  std::vector<Moment> usersOf(std::uint64_t address, std::uint64_t size);

 private:
  struct Left {  // unmapped while work that could use it was unfinished
    std::uint64_t address, size;
    Moment until;
  };
  struct Mapping {
    std::uint64_t size, number;
  };

  std::optional<Physical> endIfUnused(std::uint64_t number);  // REQUIRES: mutex_ held

  const std::uint64_t granularity_;
  std::mutex mutex_;
  FreeRanges addresses_;
  std::uint64_t lastNumber_ = 0;
  std::map<std::uint64_t, Physical> physical_;  // by number
  std::map<std::uint64_t, Mapping> mapped_;     // by address
  std::vector<Left> left_;
};

}  // namespace hipr::client
