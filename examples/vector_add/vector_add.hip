// Vector addition: the smallest useful HIP program.
// Copies two arrays to the GPU, adds them with one thread per element, copies the sum back
// and compares it with the CPU's.
#include <vector>

#include "../hip_check.h"

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main() {
  const int n = 1 << 20;
  const size_t bytes = n * sizeof(float);
  std::vector<float> a(n), b(n), c(n);
  for (int i = 0; i < n; ++i) a[i] = 0.5f * i, b[i] = 1000.0f - i;

  float *deviceA, *deviceB, *deviceC;
  HIP_CHECK(hipMalloc(&deviceA, bytes));
  HIP_CHECK(hipMalloc(&deviceB, bytes));
  HIP_CHECK(hipMalloc(&deviceC, bytes));
  HIP_CHECK(hipMemcpy(deviceA, a.data(), bytes, hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(deviceB, b.data(), bytes, hipMemcpyHostToDevice));

  add<<<(n + 255) / 256, 256>>>(deviceA, deviceB, deviceC, n);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(c.data(), deviceC, bytes, hipMemcpyDeviceToHost));

  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += c[i] != a[i] + b[i];
  std::printf("added %d elements, %s\n", n, wrong ? "WRONG" : "all correct");
  HIP_CHECK(hipFree(deviceA));
  HIP_CHECK(hipFree(deviceB));
  HIP_CHECK(hipFree(deviceC));
  return wrong != 0;
}
