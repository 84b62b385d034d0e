// The time since some moment that stays the same, in nanoseconds.
#pragma once

#include <chrono>
#include <cstdint>

namespace hipr {

inline std::uint64_t monotonicNs() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace hipr
