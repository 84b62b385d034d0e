// Arena: small blocks cut from large mappings, best fit, neighbours joined again when freed. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "backends/softgpu/mapping.h"

namespace hipr::softgpu {

class Arena {
 public:
  // Blocks are multiples of `granule` in size and address. REQUIRES: a power of two, at most kPage.
  explicit Arena(std::size_t granule, Reach reach = Reach::kCpu) : granule_(granule), reach_(reach) {}

  static constexpr std::size_t kMaxBlock = std::size_t{1} << 20;
  std::size_t blockSize(std::size_t size) const { return roundUp(size, granule_); }

  struct Place {
    std::uint64_t address = 0;  // 0 when the system has no more
    std::uint64_t shift = 0;    // of its mapping
  };
  Place allocate(std::size_t size);  // REQUIRES: 0 < size <= kMaxBlock
  void free(std::uint64_t begin, std::size_t size);
  // Mapping::share() of what the block is a part of, and where in it the block begins. REQUIRES: likewise.
  const MemoryFile& share(std::uint64_t begin, std::size_t& offset);

 private:
  static constexpr std::size_t kChunk = std::size_t{32} << 20;

  void addFree(std::uint64_t address, std::size_t size);
  void removeFree(std::map<std::uint64_t, std::size_t>::iterator block);

  const std::size_t granule_;
  const Reach reach_;
  std::mutex mutex_;
  std::map<std::uint64_t, Mapping> chunks_;                 // by address
  std::map<std::uint64_t, std::size_t> free_;               // address, size; never two neighbours of one chunk
  std::set<std::pair<std::size_t, std::uint64_t>> bySize_;  // the same
};

}  // namespace hipr::softgpu
