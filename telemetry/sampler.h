// Sampler: one source for many readers. However many ask, and however often, the source is read at most once per
// interval, and not at all while nobody asks. Used by one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "telemetry/source.h"

namespace hipr::telemetry {

struct Sample {
  std::vector<Reading> readings;  // one for each GPU
  std::vector<Process> processes;
};

class Sampler {
 public:
  using Clock = std::chrono::steady_clock;

  Sampler(Source& source, std::chrono::milliseconds interval) : source_(source), interval_(interval) {}

  const Sample& sample(Clock::time_point now = Clock::now());
  std::uint64_t number() const { return number_; }  // of the last sample; 0: none yet

 private:
  Source& source_;
  const std::chrono::milliseconds interval_;
  Clock::time_point taken_{};
  std::uint64_t number_ = 0;
  Sample last_;
};

}  // namespace hipr::telemetry
