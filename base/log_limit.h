// LogLimit: for lines that strangers can cause: some at once, and then one now and then, so that nobody can fill a log.
// Used by one thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace hipr {

class LogLimit {
 public:
  using Clock = std::chrono::steady_clock;

  LogLimit(int atOnce, Clock::duration each) : most_(atOnce), each_(each), left_(atOnce) {}

  // Whether a line may be written now.
  bool allows(Clock::time_point now = Clock::now()) {
    const auto earned = (now - since_) / each_;
    if (earned > 0) {
      left_ = std::min<std::int64_t>(most_, left_ + earned);
      since_ = now;
    }
    if (left_ > 0) {
      --left_;
      return true;
    }
    ++suppressed_;
    return false;
  }
  std::uint64_t takeSuppressed() { return std::exchange(suppressed_, 0); }  // lines that were not, since asked last

 private:
  const std::int64_t most_;
  const Clock::duration each_;
  std::int64_t left_;
  Clock::time_point since_ = Clock::now();
  std::uint64_t suppressed_ = 0;
};

}  // namespace hipr
