// Memory of one machine: a copy from one place to another, and two processes that wake each other through words that
// both have.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/raw.h"

namespace hipr::bench {

class RawCopy : public Raw {
 public:
  explicit RawCopy(std::size_t size) : from_(size, 1), to_(size, 2) {}
  double time(int count, double pause) override;

 private:
  std::vector<char> from_, to_;
};

// A question and its answer, a futex each way: whoever waits sleeps.
class RawFutex : public Raw {
 public:
  RawFutex();
  ~RawFutex() override;
  RawFutex(const RawFutex&) = delete;
  RawFutex& operator=(const RawFutex&) = delete;
  double time(int count, double pause) override;

 private:
  struct Words {
    alignas(64) std::atomic<std::uint32_t> asked, answered;
  };
  Words* words_ = nullptr;
  pid_t peer_ = -1;
};

}  // namespace hipr::bench
