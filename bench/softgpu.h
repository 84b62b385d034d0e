// The part about the software GPU itself (`hip-remote-bench softgpu`): how fast it executes instructions and kernels.
#pragma once

#include <ctime>

#include "bench/bench.h"

namespace hipr::bench {

// Seconds on the clock, and of CPU time: other programs disturb the second one less.
struct Cost {
  double wall = 1e9;
  double cpu = 1e9;
};

inline double cpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// The least of `times` runs: what is added by others is not the code's.
template <class F>
Cost costOf(int times, F&& f) {
  Cost best;
  for (int t = 0; t < times; ++t) {
    const double wall = seconds(), cpu = cpuSeconds();
    f();
    best.cpu = std::min(best.cpu, cpuSeconds() - cpu);
    best.wall = std::min(best.wall, seconds() - wall);
  }
  return best;
}

struct Groups {
  unsigned x = 1;
  unsigned y = 1;
};

// softgpu with the kernels of this part.
class Softgpu {
 public:
  explicit Softgpu(unsigned threads);  // that execute kernels; ends the program when the library does not load
  hipFunction_t kernel(const char* name) const;
  void launch(hipFunction_t kernel, Groups groups, unsigned items, unsigned lds,
              std::initializer_list<void*> arguments) const;
  void wait() const { HIPR_CHECK(hip_, hipStreamSynchronize(hip_.stream)); }
  // Memory both sides use.
  void* allocate(std::size_t bytes) const;

 private:
  Hip hip_;
  hipModule_t module_ = nullptr;
};

void measureFamilies(Report& report, const Softgpu& gpu);
void measureKernels(Report& report, const Softgpu& gpu);
void measureScaling(Report& report);

void measureSoftgpu(Report& report);    // all of it
int runScalingChild(unsigned threads);  // prints seconds and CPU seconds of a few kernels

}  // namespace hipr::bench
