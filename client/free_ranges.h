// FreeRanges: free pieces of an address range, found by address (to merge neighbours) and by size (to hand out the
// smallest that is big enough). Everything takes logarithmic time. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace hipr::client {

class FreeRanges {
 public:
  // Adds [begin, begin + size). It grows together with its free neighbours as far as [low, high) reaches: pieces of
  // different mappings stay apart even where they touch.
  void insert(std::uint64_t begin, std::uint64_t size, std::uint64_t low = 0, std::uint64_t high = ~std::uint64_t{0});
  std::uint64_t take(std::uint64_t size);                  // the start of a piece of this size; 0 if there is none
  void remove(std::uint64_t begin);                        // REQUIRES: a free piece begins there
  std::size_t count() const { return byAddress_.size(); }  // pieces

 private:
  using Position = std::map<std::uint64_t, std::uint64_t>::iterator;
  Position erase(Position piece);

  std::map<std::uint64_t, std::uint64_t> byAddress_;          // begin → size
  std::set<std::pair<std::uint64_t, std::uint64_t>> bySize_;  // size, begin
};

}  // namespace hipr::client
