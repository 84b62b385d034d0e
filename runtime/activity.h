// What the GPU did and when, for a tracer (hipRegisterTracerCallback), the profiler and a trace. While one of them is
// active, every kernel is launched between two events, those of graphs too (graph/timed.h); a thread of its own waits
// for the events and reports. Times are the GPU's, converted to the clock of this machine by means of an event whose
// time here is known from the shortest of some round trips.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "runtime/process.h"

namespace hipr {

struct KernelTime {
  const char* name;  // is kept for good
  bool graph;        // a whole graph: a trace shows it, profilers count kernels
  std::uint64_t correlation;
  std::uint64_t launched;    // nanoseconds, CLOCK_MONOTONIC
  std::uint64_t begin, end;  // the same, on the GPU
  int device;
  std::uint64_t queue;
};

inline constinit std::atomic<int> kernelTimesWanted{0};  // how many ask

// Around a launch: before() makes the events, after() hands them over to be waited for.
class KernelWatch {
 public:
  KernelWatch(Process& p, Stream& stream) : p_(p), stream_(stream) {}
  KernelWatch(const KernelWatch&) = delete;
  KernelWatch& operator=(const KernelWatch&) = delete;
  ~KernelWatch();

  hipError_t before(Launch& launch);  // of one kernel, which records them
  void after(const Function& function);
  hipError_t beforeGraph();  // which does not
  hipError_t afterGraph(const std::string& name);

 private:
  hipError_t makeEvents();
  void report(const std::string& name, bool graph);

  Process& p_;
  Stream& stream_;
  Event* start_ = nullptr;
  Event* stop_ = nullptr;
};

// Everything launched so far has been reported, or that much time has passed.
void awaitKernelTimes();
void awaitKernelTimes(std::chrono::seconds atMost);

// The number under which calls and what they cause are known to tracers; of this thread, now.
std::uint64_t& correlationId();

}  // namespace hipr
