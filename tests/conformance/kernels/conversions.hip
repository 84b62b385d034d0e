// Conversions between number types, loads and stores of each width, vector types, and memcpy/memset inside kernels.
#include "../support.h"

#include <cmath>

template <class From, class To>
__global__ void convert(const From* in, To* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = static_cast<To>(in[i]);
}

template <class From, class To>
static void checkConversion(double low, double high) {
  const int n = 300;
  const auto in = randomVector<From>(n, 171, low, high);
  std::vector<To> want(n);
  for (int i = 0; i < n; ++i) want[i] = static_cast<To>(in[i]);
  Buffer<From> din(in);
  Buffer<To> out(n);
  convert<From, To><<<blocksFor(n, 128), 128>>>(din, out, n);
  KERNEL_OK();
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

TEST(conversions) {
  checkConversion<float, int>(-2e9, 2e9);
  checkConversion<float, unsigned>(0, 4e9);
  checkConversion<float, long long>(-9e18, 9e18);
  checkConversion<float, unsigned long long>(0, 1.8e19);
  checkConversion<float, double>(-1e30, 1e30);
  checkConversion<float, signed char>(-127, 127);
  checkConversion<double, int>(-2e9, 2e9);
  checkConversion<double, unsigned>(0, 4e9);
  checkConversion<double, long long>(-9e18, 9e18);
  checkConversion<double, unsigned long long>(0, 1.8e19);
  checkConversion<double, float>(-1e30, 1e30);
  checkConversion<double, unsigned short>(0, 65535);
  checkConversion<int, float>(-2e9, 2e9);
  checkConversion<int, double>(-2e9, 2e9);
  checkConversion<unsigned, float>(0, 4e9);
  checkConversion<unsigned, double>(0, 4e9);
  checkConversion<long long, float>(-9e18, 9e18);
  checkConversion<long long, double>(-9e18, 9e18);
  checkConversion<unsigned long long, float>(0, 1.8e19);
  checkConversion<unsigned long long, double>(0, 1.8e19);
  checkConversion<signed char, long long>(-128, 127);
  checkConversion<short, unsigned>(-32768, 32767);
  checkConversion<unsigned char, float>(0, 255);
  checkConversion<long long, int>(-9e18, 9e18);
  checkConversion<int, signed char>(-2e9, 2e9);
}

template <class V>
__global__ void reverseVectors(const V* in, V* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[n - 1 - i] = in[i];
}

template <class V>
static void checkVectors() {
  const int n = 130;
  Random r(172);
  std::vector<unsigned char> in(n * sizeof(V)), want(in.size());
  for (auto& b : in) b = static_cast<unsigned char>(r.bits());
  for (int i = 0; i < n; ++i) std::memcpy(&want[(n - 1 - i) * sizeof(V)], &in[i * sizeof(V)], sizeof(V));
  Buffer<unsigned char> din(in), out(in.size());
  reverseVectors<V><<<blocksFor(n, 64), 64>>>(reinterpret_cast<V*>(din.get()), reinterpret_cast<V*>(out.get()), n);
  KERNEL_OK();
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

struct Odd {  // copied in pieces
  unsigned char c[7];
};
struct Big {
  int w[11];
};

TEST(loads_and_stores_of_each_width) {
  checkVectors<char>();
  checkVectors<short>();
  checkVectors<uchar4>();
  checkVectors<int2>();
  checkVectors<float3>();
  checkVectors<float4>();
  checkVectors<double2>();
  checkVectors<ulonglong4>();
  checkVectors<Odd>();
  checkVectors<Big>();
}

struct __attribute__((packed)) Packed {
  char c;
  int i;
  double d;
  short s;
};

__global__ void unaligned(const Packed* in, double* out) {
  const int i = threadIdx.x;
  out[i] = in[i].c + in[i].i + in[i].d + in[i].s;
}

TEST(unaligned_loads) {
  std::vector<Packed> in(64);
  std::vector<double> want(64);
  for (int i = 0; i < 64; ++i) {
    in[i] = {char(i), i * 100003, i * 0.25, short(-i * 99)};
    want[i] = i + i * 100003 + i * 0.25 - i * 99;
  }
  Buffer<Packed> din(in);
  Buffer<double> out(64);
  unaligned<<<1, 64>>>(din, out);
  KERNEL_OK();
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

__global__ void moveBytes(const unsigned char* in, unsigned char* out, int n) {
  __shared__ unsigned char local[512];
  const int t = threadIdx.x, each = n / blockDim.x;
  memcpy(local + t * each, in + t * each, each);
  memset(out + t * each, t, each);
  __syncthreads();
  if (t % 2) memcpy(out + t * each, local + (t - 1) * each, each);
}

TEST(memcpy_and_memset_in_a_kernel) {
  const int n = 512, threads = 32, each = n / threads;
  Random r(173);
  std::vector<unsigned char> in(n), want(n);
  for (auto& b : in) b = static_cast<unsigned char>(r.bits());
  for (int i = 0; i < n; ++i) want[i] = static_cast<unsigned char>(i / each % 2 ? in[i - each] : i / each);
  Buffer<unsigned char> din(in), out(n);
  moveBytes<<<1, threads>>>(din, out, n);
  KERNEL_OK();
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

// Out-of-range and NaN conversions are undefined in C++ but defined by the hardware: they saturate, and NaN becomes 0.
__global__ void saturate(const float* in, int* s, unsigned* u) {
  s[threadIdx.x] = __float2int_rz(in[threadIdx.x]);
  u[threadIdx.x] = __float2uint_rz(in[threadIdx.x]);
}

TEST(conversions_saturate) {
  const std::vector<float> in{3e9f, -3e9f, INFINITY, -INFINITY, NAN, -1.5f, 5e9f, 0.99f};
  Buffer<float> din(in);
  Buffer<int> s(8);
  Buffer<unsigned> u(8);
  saturate<<<1, 8>>>(din, s, u);
  KERNEL_OK();
  EXPECT_VEC(s.download(), (std::vector<int>{INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN, 0, -1, INT32_MAX, 0}));
  EXPECT_VEC(u.download(), (std::vector<unsigned>{3000000000u, 0, UINT32_MAX, 0, 0, 0, UINT32_MAX, 0}));
  check::result(s.download());
}
