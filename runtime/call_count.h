// How many HIP calls the program made. Counted only when somebody wants to know: contended counters are not free.
#pragma once

#include <atomic>
#include <cstdint>

namespace hipr {

struct CallCount {
  std::atomic<bool> wanted{false};
  std::atomic<std::uint64_t> calls{0};
};
inline constinit CallCount callCount;

inline void countCall() {
  if (callCount.wanted.load(std::memory_order_relaxed)) [[unlikely]]
    callCount.calls.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace hipr
