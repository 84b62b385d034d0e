// The part about the software GPU itself (`hip-remote-bench softgpu`): how fast it executes instructions and kernels.
#pragma once

#include <algorithm>
#include <ctime>

#include "bench/bench.h"

namespace hipr::bench {

// Seconds on the clock, and of CPU time: other programs disturb the second one less.
struct Cost {
  double wall = 0;
  double cpu = 0;
};

inline double cpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Of `times` runs a quick one, since what others add is not the code's; not the quickest, as clocks have their moments.
template <class F>
Cost costOf(int times, F&& f) {
  std::vector<double> walls, cpus;
  for (int t = 0; t < times; ++t) {
    const double wall = seconds(), cpu = cpuSeconds();
    f();
    cpus.push_back(cpuSeconds() - cpu);
    walls.push_back(seconds() - wall);
  }
  const auto quick = [&](std::vector<double>& all) {
    std::sort(all.begin(), all.end());
    return all[all.size() / 4];
  };
  return {quick(walls), quick(cpus)};
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

void measureFamilies(Report& report, const Softgpu& gpu, const std::string& pattern);
void measureKernels(Report& report, const Softgpu& gpu);
void measureScaling(Report& report);

void measureSoftgpu(Report& report, const std::string& pattern);  // all of it, or some families
int runScalingChild(unsigned threads);                            // prints seconds and CPU seconds of a few kernels

}  // namespace hipr::bench
