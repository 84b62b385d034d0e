// Compiled with -O3 whatever the build type (CMakeLists.txt).
#include "bench/softgpu_cpu.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

namespace hipr::bench {

void saxpyCpu(float* y, const float* x, float a, int n) {
  for (int i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}

void matmulCpu(float* c, const float* a, const float* b, int n) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int k = 0; k < n; ++k) {
      const float x = a[i * n + k];
      for (int j = 0; j < n; ++j) c[i * n + j] += x * b[k * n + j];
    }
  }
}

std::uint32_t reduceCpu(const std::uint32_t* values, int n) {
  std::uint32_t sum = 0;
  for (int i = 0; i < n; ++i) sum += values[i];
  return sum;
}

void sortCpu(std::uint32_t* keys, int n) {
  std::sort(keys, keys + n);
}

bool matmulBlas(float* c, const float* a, const float* b, int n) {
  using Gemm = void(int order, int transA, int transB, int m, int n, int k, float alpha, const float* a, int lda,
                    const float* b, int ldb, float beta, float* c, int ldc);
  // While it is loaded it starts a thread for each core, and they spin for a tenth of a second, which would count as
  // CPU time of the kernels measured next; openblas_set_num_threads() comes too late for that.
  static void* library = setenv("OPENBLAS_NUM_THREADS", "1", 1) == 0 ? dlopen("libopenblas.so.0", RTLD_NOW) : nullptr;
  if (!library) return false;
  static auto* gemm = reinterpret_cast<Gemm*>(dlsym(library, "cblas_sgemm"));
  static auto* threads = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"));
  if (!gemm || !threads) return false;
  constexpr int kRowMajor = 101, kNoTranspose = 111;
  threads(1);
  gemm(kRowMajor, kNoTranspose, kNoTranspose, n, n, n, 1, a, n, b, n, 0, c, n);
  return true;
}

}  // namespace hipr::bench
