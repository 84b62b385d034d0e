// AdviceMap: what a program has said about ranges of managed memory. Nothing moves because of it; it is kept so that
// the program reads back what it set. Attributes belong to bytes, not to allocations, so ranges split where advice
// differs. Thread-safe.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <set>

#include "hip_remote/hip.h"

namespace hipr {

struct Advice {
  bool readMostly = false;
  bool coarseGrain = false;
  int preferredLocation = hipInvalidDeviceId;
  int lastPrefetch = hipInvalidDeviceId;
  std::set<int> accessedBy;
  bool operator==(const Advice&) const = default;
};

class AdviceMap {
 public:
  // Calls change(Advice&) for every piece of [address, address + size).
  template <class Change>
  void apply(const void* address, std::size_t size, Change&& change) {
    std::lock_guard lock(mutex_);
    any_.store(true, std::memory_order_relaxed);
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    split(begin);
    split(begin + size);
    std::uintptr_t at = begin;
    for (auto it = pieces_.lower_bound(begin); at < begin + size;) {
      if (it == pieces_.end() || it->first > at) {  // a gap: nothing was said yet
        const std::uintptr_t end = it == pieces_.end() ? begin + size : std::min(it->first, begin + size);
        it = pieces_.emplace_hint(it, at, Piece{end, {}});
      }
      change(it->second.advice);
      at = it->second.end;
      ++it;
    }
  }

  // Calls look(const Advice&) for every piece of the range, with the default where nothing was said.
  template <class Look>
  void inspect(const void* address, std::size_t size, Look&& look) const {
    std::lock_guard lock(mutex_);
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    std::uintptr_t at = begin;
    auto it = pieces_.upper_bound(begin);
    if (it != pieces_.begin() && std::prev(it)->second.end > begin) --it;
    while (at < begin + size) {
      if (it == pieces_.end() || it->first > at) {
        look(Advice{});
        if (it == pieces_.end()) return;
        at = it->first;
        continue;
      }
      look(it->second.advice);
      at = it->second.end;
      ++it;
    }
  }

  void forget(const void* address, std::size_t size) {
    if (!any_.load(std::memory_order_relaxed)) return;
    std::lock_guard lock(mutex_);
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    split(begin);
    split(begin + size);
    pieces_.erase(pieces_.lower_bound(begin), pieces_.lower_bound(begin + size));
  }

 private:
  struct Piece {
    std::uintptr_t end;
    Advice advice;
  };

  // Makes `at` a boundary. REQUIRES: mutex_ is held.
  void split(std::uintptr_t at) {
    auto it = pieces_.upper_bound(at);
    if (it == pieces_.begin()) return;
    --it;
    if (it->first == at || it->second.end <= at) return;
    Piece tail = it->second;
    it->second.end = at;
    pieces_.emplace(at, std::move(tail));
  }

  std::atomic<bool> any_{false};  // something was said, ever
  mutable std::mutex mutex_;
  std::map<std::uintptr_t, Piece> pieces_;
};

}  // namespace hipr
