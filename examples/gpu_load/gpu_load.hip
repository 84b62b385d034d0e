// Keeps a GPU at work for a while: gpu_load [SECONDS [MIB]], so that there is something to see in smi-remote.
// Holds MIB of device memory, runs kernel after kernel over it and checks what they computed.
#include <chrono>
#include <cstdlib>
#include <vector>

#include "../hip_check.h"

// Steps of a generator of random numbers; each element goes its own way.
__global__ void advance(unsigned* numbers, int n, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = numbers[i];
  for (int s = 0; s < steps; ++s) x = x * 1664525u + 1013904223u;
  numbers[i] = x;
}

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
  const size_t mib = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 64;
  const int n = 1 << 14, steps = 1000;

  unsigned* numbers;
  HIP_CHECK(hipMalloc(&numbers, mib << 20));
  HIP_CHECK(hipMemset(numbers, 0, mib << 20));
  long rounds = 0;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  do {
    for (int k = 0; k < 8; ++k, ++rounds) advance<<<n / 256, 256>>>(numbers, n, steps);
    HIP_CHECK(hipDeviceSynchronize());
  } while (Clock::now() < end);

  std::vector<unsigned> result(n);
  HIP_CHECK(hipMemcpy(result.data(), numbers, n * sizeof(unsigned), hipMemcpyDeviceToHost));
  unsigned expected = 0;
  for (long s = 0; s < rounds * steps; ++s) expected = expected * 1664525u + 1013904223u;
  int wrong = 0;
  for (unsigned x : result) wrong += x != expected;
  std::printf("held %zu MiB and worked for %g s, %s\n", mib, seconds, wrong ? "WRONG" : "all correct");
  HIP_CHECK(hipFree(numbers));
  return wrong != 0;
}
