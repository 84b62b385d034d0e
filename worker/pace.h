// Pace: how often somebody may ask for something: so many times at once, and so many times a second. A value; costs
// nothing while nobody asks.
#pragma once

#include <algorithm>
#include <chrono>

namespace hipr::worker {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr int kAtOnce = 2000, kEachSecond = 10'000;

  void count(Clock::time_point now) { paidUntil_ = std::max(paidUntil_, now) + kEach; }
  Clock::time_point opens() const { return paidUntil_ - kAtOnce * kEach; }  // when one may ask again
  bool open(Clock::time_point now) const { return now >= opens(); }

 private:
  static constexpr std::chrono::nanoseconds kEach{1'000'000'000 / kEachSecond};
  Clock::time_point paidUntil_{};  // each question takes up a little time, which may lie ahead
};

}  // namespace hipr::worker
