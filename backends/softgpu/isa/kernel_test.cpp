// Whole kernels, from HIP source through the compiler to the executor.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "backends/softgpu/isa/test_module.h"

namespace hipr::softgpu {
namespace {

#define MODULE(name, source)                                                       \
  if (!TestModule::haveCompiler()) GTEST_SKIP() << "no HIP compiler is installed"; \
  TestModule name(source);                                                         \
  ASSERT_TRUE(name.ok()) << "it does not compile"

TEST(Kernel, Saxpy) {
  MODULE(module, R"(extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
  })");
  constexpr int n = 100003;
  std::vector<float> x(n), y(n);
  for (int k = 0; k < n; ++k) x[k] = static_cast<float>(k) * 0.5f, y[k] = static_cast<float>(n - k);
  std::vector<float> expected = y;
  for (int k = 0; k < n; ++k) expected[k] = std::fma(2.5f, x[k], y[k]);
  Arguments arguments;
  arguments.add(n).add(2.5f).add(x.data()).add(y.data());
  EXPECT_EQ(module.launch("saxpy", {{(n + 255) / 256, 1, 1}, {256, 1, 1}}, arguments), "");
  EXPECT_EQ(y, expected);
}

TEST(Kernel, TiledMatrixProduct) {
  MODULE(module, R"(extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n) {
    __shared__ float ta[16][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
      ta[y][x] = a[row * n + t + x];
      tb[y][x] = b[(t + y) * n + col];
      __syncthreads();
      for (int k = 0; k < 16; ++k) sum += ta[y][k] * tb[k][x];
      __syncthreads();
    }
    c[row * n + col] = sum;
  })");
  constexpr int n = 64;
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (int k = 0; k < n * n; ++k) a[k] = static_cast<float>(k % 7 - 3), b[k] = static_cast<float>(k % 5 - 2);
  Arguments arguments;
  arguments.add(a.data()).add(b.data()).add(c.data()).add(n);
  EXPECT_EQ(module.launch("matmul", {{n / 16, n / 16, 1}, {16, 16, 1}}, arguments), "");
  for (int row = 0; row < n; ++row)
    for (int col = 0; col < n; ++col) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
      ASSERT_EQ(c[row * n + col], sum) << row << "," << col;
    }
}

TEST(Kernel, ShuffleReductionAndAtomics) {
  MODULE(module, R"(extern "C" __global__ void reduce(const int* in, int n, int* out, unsigned long long* count) {
    int v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
    for (int o = 32; o > 0; o /= 2) v += __shfl_down(v, o);
    if ((threadIdx.x & 63) == 0) { atomicAdd(out, v); atomicAdd(count, 1ull); }
  })");
  std::vector<int> in(50000);
  std::iota(in.begin(), in.end(), -1000);
  int out = 0;
  unsigned long long count = 0;
  Arguments arguments;
  arguments.add(in.data()).add(static_cast<int>(in.size())).add(&out).add(&count);
  EXPECT_EQ(module.launch("reduce", {{8, 1, 1}, {256, 1, 1}}, arguments), "");
  EXPECT_EQ(out, std::accumulate(in.begin(), in.end(), 0));
  EXPECT_EQ(count, 32u);
}

TEST(Kernel, LdsHistogramWithDynamicMemory) {
  MODULE(module, R"(extern "C" __global__ void histogram(const unsigned char* in, int n, unsigned* out) {
    extern __shared__ unsigned bins[];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) bins[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[in[i]], 1u);
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x) atomicAdd(&out[k], bins[k]);
  })");
  std::vector<unsigned char> in(30000);
  for (std::size_t k = 0; k < in.size(); ++k) in[k] = static_cast<unsigned char>(k * k >> 3);
  std::vector<unsigned> out(256), expected(256);
  for (unsigned char c : in) ++expected[c];
  Arguments arguments;
  arguments.add(in.data()).add(static_cast<int>(in.size())).add(out.data());
  EXPECT_EQ(module.launch("histogram", {{4, 1, 1}, {192, 1, 1}, 1024}, arguments), "");
  EXPECT_EQ(out, expected);
}

// There is no barrier between the read and the write of `pivot`, yet on a GPU every wave has read it by then.
TEST(Kernel, WavesGoOnFromABarrierSideBySide) {
  MODULE(module, R"(extern "C" __global__ void roots(float* out, int n) {
    __shared__ float pivot;
    if (threadIdx.x == 0) pivot = 65536;
    __syncthreads();
    for (int k = 0; k < n; ++k) {
      float root = sqrtf(pivot);
      if (threadIdx.x == 0) pivot = root;
      __syncthreads();
      out[k * blockDim.x + threadIdx.x] = root;
    }
  })");
  std::vector<float> out(3 * 1024);
  Arguments arguments;
  arguments.add(out.data()).add(3);
  EXPECT_EQ(module.launch("roots", {{1, 1, 1}, {1024, 1, 1}}, arguments), "");
  for (int k = 0; k < 3 * 1024; ++k) ASSERT_EQ(out[k], k < 1024 ? 256.0f : k < 2048 ? 16.0f : 4.0f) << k;
}

TEST(Kernel, DivergentLoopsDoubleAndDivision) {
  MODULE(module, R"(extern "C" __global__ void work(double* d, int* steps, int* q) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned n = i + 1; int s = 0;
    while (n != 1) { n = n & 1 ? 3 * n + 1 : n / 2; ++s; }
    steps[i] = s;
    d[i] = sqrt((double)i) / (i + 3.0);
    q[i] = (1000003 * (i + 1)) / (7 * i + 3) + (1000003u % (i + 5u));
  })");
  constexpr int n = 512;
  std::vector<double> d(n);
  std::vector<int> steps(n), q(n);
  Arguments arguments;
  arguments.add(d.data()).add(steps.data()).add(q.data());
  EXPECT_EQ(module.launch("work", {{n / 128, 1, 1}, {128, 1, 1}}, arguments), "");
  for (int k = 0; k < n; ++k) {
    unsigned m = static_cast<unsigned>(k) + 1;
    int s = 0;
    while (m != 1) m = m & 1 ? 3 * m + 1 : m / 2, ++s;
    EXPECT_EQ(steps[k], s);
    EXPECT_EQ(d[k], std::sqrt(static_cast<double>(k)) / (k + 3.0));
    EXPECT_EQ(q[k], (1000003 * (k + 1)) / (7 * k + 3) + static_cast<int>(1000003u % (static_cast<unsigned>(k) + 5u)))
        << k;
  }
}

TEST(Kernel, RecursionUsesScratch) {
  MODULE(module, R"(
    __device__ __attribute__((noinline)) int depth(int n, int* path) {
      int mine[4] = {n, n * 2, n * 3, n * 5};
      if (n <= 0) return path[0];
      mine[n & 3] += path[n & 1];
      return depth(n - 1, mine) + mine[(n + 1) & 3];
    }
    extern "C" __global__ void recurse(int* out) { int p[2] = {1, (int)threadIdx.x}; out[threadIdx.x] = depth(threadIdx.x % 9, p); })");
  struct Host {
    static int depth(int n, const int* path) {
      int mine[4] = {n, n * 2, n * 3, n * 5};
      if (n <= 0) return path[0];
      mine[n & 3] += path[n & 1];
      return depth(n - 1, mine) + mine[(n + 1) & 3];
    }
  };
  std::vector<int> out(64);
  Arguments arguments;
  arguments.add(out.data());
  EXPECT_EQ(module.launch("recurse", {}, arguments), "");
  for (int k = 0; k < 64; ++k) {
    int p[2] = {1, k};
    EXPECT_EQ(out[k], Host::depth(k % 9, p)) << k;
  }
}

TEST(Kernel, WildPointerIsAFault) {
  MODULE(module, R"(extern "C" __global__ void wild(int* p) { if (threadIdx.x == 5) *p = 1; })");
  Arguments arguments;
  arguments.add(static_cast<int*>(nullptr));
  std::string text = module.launch("wild", {}, arguments);
  EXPECT_NE(text.find("memory access fault in wild"), std::string::npos) << text;
  EXPECT_NE(text.find("lane 5"), std::string::npos) << text;
}

TEST(Kernel, EndlessLoopEndsByWatchdog) {
  MODULE(module, R"(extern "C" __global__ void spin(volatile int* p) { while (!*p) {} })");
  int never = 0;
  Arguments arguments;
  arguments.add(&never);
  TestModule::Shape shape;
  shape.watchdogMilliseconds = 50;
  EXPECT_NE(module.launch("spin", shape, arguments).find("time limit"), std::string::npos);
}

TEST(Kernel, LaterWorkgroupsWaitForEarlierOnes) {
  MODULE(module, R"(extern "C" __global__ void chain(int* flags, int* out) {
    if (threadIdx.x) return;
    int b = blockIdx.x, before = 0;
    if (b) while ((before = __hip_atomic_load(&flags[b - 1], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT)) == 0) __builtin_amdgcn_s_sleep(1);
    __hip_atomic_store(&flags[b], before + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    out[b] = before + 1;
  })");
  constexpr int n = 200;
  std::vector<int> flags(n), out(n);
  Arguments arguments;
  arguments.add(flags.data()).add(out.data());
  EXPECT_EQ(module.launch("chain", {{n, 1, 1}, {64, 1, 1}}, arguments), "");
  for (int k = 0; k < n; ++k) EXPECT_EQ(out[k], k + 1);
}

}  // namespace
}  // namespace hipr::softgpu
