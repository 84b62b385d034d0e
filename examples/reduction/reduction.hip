// Sum of an array by wave shuffles.
// Threads add up a strided share, each wave reduces with __shfl_down, the waves of a block meet in LDS,
// and the blocks' sums are added with one atomic each.
#include <vector>

#include "../hip_check.h"

__device__ long long waveSum(long long v) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) v += __shfl_down(v, offset);
  return v;
}

__global__ void sum(const int* data, int n, unsigned long long* total) {
  __shared__ long long waves[1024 / 32];
  long long v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += data[i];
  v = waveSum(v);
  const int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize, count = blockDim.x / warpSize;
  if (lane == 0) waves[wave] = v;
  __syncthreads();
  if (wave == 0) {
    v = waveSum(lane < count ? waves[lane] : 0);
    if (lane == 0) atomicAdd(total, static_cast<unsigned long long>(v));
  }
}

int main() {
  const int n = 1000003;
  std::vector<int> data(n);
  long long expected = 0;
  for (int i = 0; i < n; ++i) expected += data[i] = (i * 7919) % 2001 - 1000;

  int* deviceData;
  unsigned long long* deviceTotal;
  HIP_CHECK(hipMalloc(&deviceData, n * sizeof(int)));
  HIP_CHECK(hipMalloc(&deviceTotal, sizeof(*deviceTotal)));
  HIP_CHECK(hipMemcpy(deviceData, data.data(), n * sizeof(int), hipMemcpyHostToDevice));
  HIP_CHECK(hipMemset(deviceTotal, 0, sizeof(*deviceTotal)));
  sum<<<64, 256>>>(deviceData, n, deviceTotal);
  HIP_CHECK(hipGetLastError());
  long long total = 0;
  HIP_CHECK(hipMemcpy(&total, deviceTotal, sizeof total, hipMemcpyDeviceToHost));

  std::printf("sum of %d numbers is %lld, %s\n", n, total, total == expected ? "correct" : "WRONG");
  HIP_CHECK(hipFree(deviceData));
  HIP_CHECK(hipFree(deviceTotal));
  return total != expected;
}
