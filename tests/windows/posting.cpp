// How long posting a launch keeps the caller: batches of launches, each batch waited for, the waiting not counted.
// Built for Linux too; both must make as many round trips (HIP_REMOTE_STATS counts them).
//   posting [BATCHES]
#include <hip/hip_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "vector_add_co.h"

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  constexpr int kLaunches = 2000;
  const int batches = argc > 1 ? std::atoi(argv[1]) : 15;
  hipModule_t module;
  hipFunction_t kernel;
  hipStream_t stream;
  void* memory = nullptr;
  int none = 0;
  if (hipModuleLoadData(&module, vector_add_co) != hipSuccess) return 1;
  if (hipModuleGetFunction(&kernel, module, "vector_add") != hipSuccess) return 2;
  if (hipStreamCreate(&stream) != hipSuccess || hipMalloc(&memory, 4096) != hipSuccess) return 3;
  void* arguments[] = {&memory, &memory, &memory, &none};
  std::vector<double> times;
  for (int batch = 0; batch <= batches; ++batch) {
    const auto start = Clock::now();
    for (int i = 0; i < kLaunches; ++i)
      if (hipModuleLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, stream, arguments, nullptr) != hipSuccess) return 4;
    const std::chrono::duration<double, std::nano> spent = Clock::now() - start;
    if (hipStreamSynchronize(stream) != hipSuccess) return 5;
    if (batch > 0) times.push_back(spent.count() / kLaunches);  // the first one warms up
  }
  std::sort(times.begin(), times.end());
  std::printf("a launch is posted in %.0f ns (fastest batch %.0f ns)\n", times[times.size() / 2], times[0]);
  return 0;
}
