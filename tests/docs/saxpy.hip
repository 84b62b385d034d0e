// The program that docs/ calls saxpy: y = a * x + y, checked.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

__global__ void saxpy(float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = a * x[i] + y[i];
}

int main() {
  constexpr int kCount = 1 << 16;
  constexpr size_t kBytes = kCount * sizeof(float);
  std::vector<float> x(kCount), y(kCount, 1);
  for (int i = 0; i < kCount; ++i) x[i] = static_cast<float>(i % 1000);
  float *dx = nullptr, *dy = nullptr;
  bool ok = hipMalloc(&dx, kBytes) == hipSuccess && hipMalloc(&dy, kBytes) == hipSuccess;
  ok = ok && hipMemcpy(dx, x.data(), kBytes, hipMemcpyHostToDevice) == hipSuccess;
  ok = ok && hipMemcpy(dy, y.data(), kBytes, hipMemcpyHostToDevice) == hipSuccess;
  if (ok) saxpy<<<kCount / 256, 256>>>(2, dx, dy);
  ok = ok && hipMemcpy(y.data(), dy, kBytes, hipMemcpyDeviceToHost) == hipSuccess;
  for (int i = 0; i < kCount; ++i) ok = ok && y[i] == 2 * x[i] + 1;
  std::printf("saxpy: %s\n", ok ? "correct" : "WRONG");
  return !ok;
}
