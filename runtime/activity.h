// What the GPU did and when, for those who ask: a tracer (hipRegisterTracerCallback) and the profiler. While somebody
// does, every kernel is launched between two events, and a thread of its own waits for them and reports. Times are the
// GPU's, put on the clock of this machine by an event whose time here is known: the shortest of some round trips tells
// when.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "runtime/process.h"

namespace hipr {

struct KernelTime {
  const char* name;  // is kept for good
  std::uint64_t correlation;
  std::uint64_t launched;    // nanoseconds, CLOCK_MONOTONIC
  std::uint64_t begin, end;  // the same, on the GPU
  int device;
  std::uint64_t queue;
};

inline constinit std::atomic<int> kernelTimesWanted{0};  // how many ask

// Around the launch of one kernel: before() makes its events, after() hands them over to be waited for.
class KernelWatch {
 public:
  KernelWatch(Process& p, Stream& stream, Function& function) : p_(p), stream_(stream), function_(function) {}
  KernelWatch(const KernelWatch&) = delete;
  KernelWatch& operator=(const KernelWatch&) = delete;
  ~KernelWatch();

  hipError_t before(Launch& launch);
  void after();

 private:
  Process& p_;
  Stream& stream_;
  Function& function_;
  Event* start_ = nullptr;
  Event* stop_ = nullptr;
};

// Everything launched so far has been reported, or that much time has passed.
void awaitKernelTimes();
void awaitKernelTimes(std::chrono::seconds atMost);

// The number under which calls and what they cause are known to tracers; of this thread, now.
std::uint64_t& correlationId();

}  // namespace hipr
