// Spin: how long it pays to look again and again before going to sleep, learned from how it went.
//
// Waking a sleeping thread costs several microseconds, on both processors. Where the next thing usually comes sooner
// than that, looking for it meanwhile is cheaper; where it does not, looking is a waste. Machines with few processors
// never spin: whoever is waited for needs one. Used by one thread at a time.
#pragma once

#include <chrono>
#include <thread>

#include "base/pause.h"

namespace hipr {

inline bool manyProcessors() {
  static const bool many = std::thread::hardware_concurrency() >= 8;
  return many;
}

class Spin {
 public:
  explicit Spin(std::chrono::microseconds longest) : longest_(longest) {}

  // Calls look() until it returns true (and returns that), or it has not paid any longer.
  template <class Look>
  bool operator()(Look&& look) {
    if (look()) return true;
    if (!manyProcessors() || (failures_ >= kFailures && ++skipped_ % kRetry != 0)) return false;
    const auto end = std::chrono::steady_clock::now() + longest_;
    do {
      for (int i = 0; i < 8; ++i) cpuPause();
      if (look()) {
        failures_ = 0;
        return true;
      }
    } while (std::chrono::steady_clock::now() < end);
    if (failures_ < kFailures) ++failures_;
    return false;
  }

 private:
  static constexpr int kFailures = 8;  // in a row, and it is hardly tried any more
  static constexpr int kRetry = 64;

  const std::chrono::microseconds longest_;
  int failures_ = 0, skipped_ = 0;
};

}  // namespace hipr
