// Matrix multiplication with tiles in LDS.
// Each block computes one 16x16 tile of C; its threads load tiles of A and B together, so that every
// element is read from memory once per tile instead of once per product.
#include <cmath>
#include <vector>

#include "../hip_check.h"

constexpr int kTile = 16;

__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tileA[kTile][kTile], tileB[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int start = 0; start < k; start += kTile) {
    const int ka = start + threadIdx.x, kb = start + threadIdx.y;
    tileA[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[row * k + ka] : 0;
    tileB[threadIdx.y][threadIdx.x] = column < n && kb < k ? b[kb * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tileA[threadIdx.y][i] * tileB[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

int main() {
  const int m = 200, n = 150, k = 180;  // not multiples of the tile
  std::vector<float> a(m * k), b(k * n), c(m * n);
  for (size_t i = 0; i < a.size(); ++i) a[i] = float(i % 17) - 8;
  for (size_t i = 0; i < b.size(); ++i) b[i] = float(i % 13) / 4;

  float *deviceA, *deviceB, *deviceC;
  HIP_CHECK(hipMalloc(&deviceA, a.size() * sizeof(float)));
  HIP_CHECK(hipMalloc(&deviceB, b.size() * sizeof(float)));
  HIP_CHECK(hipMalloc(&deviceC, c.size() * sizeof(float)));
  HIP_CHECK(hipMemcpy(deviceA, a.data(), a.size() * sizeof(float), hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(deviceB, b.data(), b.size() * sizeof(float), hipMemcpyHostToDevice));

  hipEvent_t start, stop;
  HIP_CHECK(hipEventCreate(&start));
  HIP_CHECK(hipEventCreate(&stop));
  const dim3 block(kTile, kTile), grid((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  HIP_CHECK(hipEventRecord(start, nullptr));
  matmul<<<grid, block>>>(deviceA, deviceB, deviceC, m, n, k);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipEventRecord(stop, nullptr));
  HIP_CHECK(hipMemcpy(c.data(), deviceC, c.size() * sizeof(float), hipMemcpyDeviceToHost));
  float milliseconds = 0;
  HIP_CHECK(hipEventElapsedTime(&milliseconds, start, stop));

  double worst = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l) sum += double(a[i * k + l]) * b[l * n + j];
      worst = std::fmax(worst, std::fabs(sum - c[i * n + j]));
    }
  const bool correct = worst < 1e-2;
  std::printf("%dx%dx%d in %.2f ms on the device, largest error %.1e, %s\n", m, n, k, milliseconds, worst,
              correct ? "correct" : "WRONG");
  HIP_CHECK(hipEventDestroy(start));
  HIP_CHECK(hipEventDestroy(stop));
  HIP_CHECK(hipFree(deviceA));
  HIP_CHECK(hipFree(deviceB));
  HIP_CHECK(hipFree(deviceC));
  return !correct;
}
