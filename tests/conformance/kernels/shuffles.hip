// __shfl, _up, _down and _xor for each width and element size, and the wave reduction built from them.
#include "../support.h"

constexpr int kWave = 64;

template <class T>
__global__ void shuffle(const T* in, T* out, int width, int shift) {
  const int lane = threadIdx.x;
  const T v = in[lane];
  out[0 * kWave + lane] = __shfl(v, shift % width, width);
  out[1 * kWave + lane] = __shfl_up(v, shift, width);
  out[2 * kWave + lane] = __shfl_down(v, shift, width);
  out[3 * kWave + lane] = __shfl_xor(v, shift, width);
}

template <class T>
static void checkShuffles() {
  Random r(11);
  std::vector<T> in(kWave);
  for (T& v : in) v = T(r.next() >> 8);
  Buffer<T> din(in), dout(4 * kWave);
  for (int width = 2; width <= kWave; width *= 2)
    for (int shift : {0, 1, 2, 3, 5, 16, 31, 33}) {
      if (shift >= width) continue;
      shuffle<T><<<1, kWave>>>(din, dout, width, shift);
      KERNEL_OK();
      std::vector<T> want(4 * kWave);
      for (int lane = 0; lane < kWave; ++lane) {
        const int base = lane & ~(width - 1), place = lane & (width - 1);
        want[lane] = in[base + shift % width];
        want[kWave + lane] = place < shift ? in[lane] : in[lane - shift];
        want[2 * kWave + lane] = place + shift >= width ? in[lane] : in[lane + shift];
        want[3 * kWave + lane] = in[base + (place ^ shift)];
      }
      const auto got = dout.download();
      if (!EXPECT_VEC(got, want)) return;
      check::result(got);
    }
}

TEST(shuffle_int) {
  checkShuffles<int>();
}
TEST(shuffle_unsigned) {
  checkShuffles<unsigned>();
}
TEST(shuffle_float) {
  checkShuffles<float>();
}
TEST(shuffle_double) {
  checkShuffles<double>();
}
TEST(shuffle_long_long) {
  checkShuffles<long long>();
}

__global__ void waveSums(const int* in, int* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  for (int shift = warpSize / 2; shift > 0; shift /= 2) v += __shfl_down(v, shift);
  if ((threadIdx.x & (warpSize - 1)) == 0) atomicAdd(sums, v);
}

TEST(shuffle_reduction) {
  const int n = 10007;
  const auto in = randomVector<int>(n, 12, -1000, 1000);
  int want = 0;
  for (int v : in) want += v;
  Buffer<int> din(in), sum(1);
  sum.fill(0);
  waveSums<<<blocksFor(n, 256), 256>>>(din, sum, n);
  KERNEL_OK();
  EXPECT_EQ(sum.download()[0], want);
  check::result(want);
}

// A lane's source may be computed: a permutation through __shfl with a different lane number in each lane.
__global__ void permute(const int* from, const float* in, float* out) {
  out[threadIdx.x] = __shfl(in[threadIdx.x], from[threadIdx.x]);
}

TEST(shuffle_permutation) {
  std::vector<int> from(kWave);
  for (int i = 0; i < kWave; ++i) from[i] = (i * 37 + 11) % kWave;
  const auto in = randomVector<float>(kWave, 13, -1, 1);
  std::vector<float> want(kWave);
  for (int i = 0; i < kWave; ++i) want[i] = in[from[i]];
  Buffer<int> dfrom(from);
  Buffer<float> din(in), dout(kWave);
  permute<<<1, kWave>>>(dfrom, din, dout);
  KERNEL_OK();
  EXPECT_VEC(dout.download(), want);
  check::result(want);
}
