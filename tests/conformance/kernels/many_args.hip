// Kernel arguments: dozens of mixed types with their padding, references to large structures, and a nearly full
// segment.
#include "../support.h"

__global__ void mixed(char a, double b, short c, long long d, float e, unsigned char f, int g, bool h, const int* i,
                      unsigned short j, double k, char l, char m, char n, float4 o, int p, double2 q,
                      unsigned long long r, short2 s, char3 t, float u, const float* v, int w, double x, char y, long z,
                      double* out) {
  const double sum = a + b + c + double(d) + e + f + g + (h ? 1000 : 0) + *i + j + k + l + m + n + o.x + o.y * 2 +
                     o.z * 3 + o.w * 4 + p + q.x + q.y + double(r) + s.x + s.y + t.x + t.y + t.z + u + *v + w + x + y +
                     double(z);
  out[threadIdx.x] = sum + threadIdx.x;
}

TEST(arguments_of_mixed_types) {
  Buffer<int> i(std::vector<int>{12345});
  Buffer<float> v(std::vector<float>{0.75f});
  Buffer<double> out(64);
  mixed<<<1, 64>>>('a', 1.5, short(-300), 1LL << 40, 0.5f, 200, -7, true, i, 65000, 2.25, 'b', 'c', 'd',
                   make_float4(1, 2, 3, 4), 99, make_double2(0.125, -0.125), 1ULL << 50, make_short2(-1, 5),
                   make_char3(1, 2, 3), 8.0f, v, -100000, 1e6, 'y', -5L, out);
  KERNEL_OK();
  const double base = 'a' + 1.5 - 300 + double(1LL << 40) + 0.5 + 200 - 7 + 1000 + 12345 + 65000 + 2.25 + 'b' + 'c' +
                      'd' + 30 + 99 + double(1ULL << 50) + 4 + 6 + 8 + 0.75 - 100000 + 1e6 + 'y' - 5;
  std::vector<double> want(64);
  for (int t = 0; t < 64; ++t) want[t] = base + t;
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

template <int kBytes>
struct Block {
  unsigned char data[kBytes];
};

template <int kBytes>
__global__ void sumBytes(Block<kBytes> block, unsigned* out) {
  unsigned s = 0;
  for (int i = threadIdx.x; i < kBytes; i += blockDim.x) s += block.data[i] * (i + 1);
  atomicAdd(out, s);
}

template <int kBytes>
static void checkBlock() {
  Block<kBytes> block;
  unsigned want = 0;
  for (int i = 0; i < kBytes; ++i) want += (block.data[i] = static_cast<unsigned char>(i * 13 + 5)) * (i + 1);
  Buffer<unsigned> out(1);
  out.fill(0);
  sumBytes<kBytes><<<1, 64>>>(block, out);
  KERNEL_OK();
  EXPECT_EQ(out.download()[0], want);
  check::result(want);
}

TEST(large_structures_by_value) {
  checkBlock<1>();
  checkBlock<13>();
  checkBlock<256>();
  checkBlock<1021>();
  checkBlock<4000>();
}

__global__ void noArguments() {}

TEST(no_arguments) {
  for (int i = 0; i < 100; ++i) noArguments<<<i % 7 + 1, i % 200 + 1>>>();
  KERNEL_OK();
  HIP(hipDeviceSynchronize());
}

// Arguments are copied at launch: changing them afterwards must not matter.
__global__ void addTo(int* out, int v) {
  atomicAdd(out, v);
}

TEST(arguments_are_copied_at_launch) {
  Buffer<int> out(1);
  out.fill(0);
  int* p = out;
  int v = 0;
  void* arguments[] = {&p, &v};
  for (int i = 1; i <= 100; ++i) {
    v = i;
    HIP(hipLaunchKernel(reinterpret_cast<const void*>(addTo), dim3(1), dim3(1), arguments, 0, nullptr));
    v = -1000000;
  }
  EXPECT_EQ(out.download()[0], 5050);
  check::result(out.download());
}
