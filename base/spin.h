// Spin: how long it pays to look again and again before going to sleep, learned from how it went.
//
// Waking a sleeping thread costs several microseconds, on both processors. Where the next thing usually comes sooner
// than that, looking for it meanwhile is cheaper; where it does not, looking is a waste. On machines with few
// processors, which others need too, nobody looks for longer than a wake-up takes; with only one, whoever is waited for
// needs that. Used by one thread at a time.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "base/env.h"
#include "base/pause.h"

namespace hipr {

enum class Processors { kOne, kFew, kMany };

// HIP_REMOTE_SPIN=on or off says so instead, where a container has less than its machine, and for tests.
inline Processors processors() {
  static const Processors here = [] {
    const std::optional<std::string> said = envText("HIP_REMOTE_SPIN");
    if (said && *said != "auto") return envFlag("HIP_REMOTE_SPIN") ? Processors::kMany : Processors::kOne;
    const unsigned count = std::thread::hardware_concurrency();
    return count >= 8 ? Processors::kMany : count > 1 ? Processors::kFew : Processors::kOne;
  }();
  return here;
}

// Enough that one may be kept busy for a moment.
inline bool manyProcessors() {
  return processors() == Processors::kMany;
}

class Spin {
 public:
  explicit Spin(std::chrono::microseconds longest) : longest_(manyProcessors() ? longest : std::min(longest, kShort)) {}

  // Calls look() until it returns true (and returns that), or it has not paid any longer.
  template <class Look>
  bool operator()(Look&& look) {
    if (look()) return true;
    if (processors() == Processors::kOne || (failures_ >= kFailures && ++skipped_ % kRetry != 0)) return false;
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
  static constexpr std::chrono::microseconds kShort{30};

  const std::chrono::microseconds longest_;
  int failures_ = 0, skipped_ = 0;
};

}  // namespace hipr
