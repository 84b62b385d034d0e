#include "client/free_ranges.h"

namespace hipr::client {

FreeRanges::Position FreeRanges::erase(Position piece) {
  bySize_.erase({piece->second, piece->first});
  return byAddress_.erase(piece);
}

void FreeRanges::insert(std::uint64_t begin, std::uint64_t size, std::uint64_t low, std::uint64_t high) {
  auto next = byAddress_.lower_bound(begin);
  if (next != byAddress_.end() && next->first == begin + size && next->first < high) {
    size += next->second;
    next = erase(next);
  }
  if (next != byAddress_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == begin && previous->first >= low) {
      begin = previous->first;
      size += previous->second;
      erase(previous);
    }
  }
  byAddress_.emplace(begin, size);
  bySize_.emplace(size, begin);
}

std::uint64_t FreeRanges::take(std::uint64_t size) {
  const auto best = bySize_.lower_bound({size, 0});
  if (best == bySize_.end()) return 0;
  const auto [whole, begin] = *best;
  erase(byAddress_.find(begin));
  if (whole > size) {
    byAddress_.emplace(begin + size, whole - size);
    bySize_.emplace(whole - size, begin + size);
  }
  return begin;
}

void FreeRanges::remove(std::uint64_t begin) {
  erase(byAddress_.find(begin));
}

}  // namespace hipr::client
