// Wave votes: __ballot, __any, __all, lane numbers, and votes inside divergent code, where only active lanes count.
#include "../support.h"

using Mask = unsigned long long;

__global__ void votes(const int* in, Mask* ballots, int* flags) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = in[i];
  const Mask odd = __ballot(v & 1);
  const int any = __any(v > 90), all = __all(v > 5);
  if ((threadIdx.x & 63) == 0) {
    const int wave = i / 64;
    ballots[wave] = odd;
    flags[wave * 2] = any != 0;
    flags[wave * 2 + 1] = all != 0;
  }
}

TEST(votes) {
  const int n = 1024;
  auto in = randomVector<int>(n, 21, 0, 100);
  for (int i = 64; i < 128; ++i) in[i] = 50;  // a wave for which any is false and all is true
  std::vector<Mask> ballots(n / 64);
  std::vector<int> flags(n / 32);
  for (int w = 0; w < n / 64; ++w) {
    bool any = false, all = true;
    for (int l = 0; l < 64; ++l) {
      const int v = in[w * 64 + l];
      if (v & 1) ballots[w] |= Mask(1) << l;
      any |= v > 90;
      all &= v > 5;
    }
    flags[w * 2] = any;
    flags[w * 2 + 1] = all;
  }
  Buffer<int> din(in), dflags(flags.size());
  Buffer<Mask> dballots(ballots.size());
  votes<<<n / 256, 256>>>(din, dballots, dflags);
  KERNEL_OK();
  EXPECT_VEC(dballots.download(), ballots);
  EXPECT_VEC(dflags.download(), flags);
  check::result(ballots);
}

__global__ void divergentBallot(const int* in, Mask* out) {
  const int i = threadIdx.x;
  if (in[i] % 3 == 0)
    out[i] = __ballot(1);
  else if (in[i] % 3 == 1)
    out[i] = __ballot(in[i] & 2);
  else
    out[i] = 7;
}

TEST(ballot_in_divergent_code) {
  const auto in = randomVector<int>(64, 22, 0, 1000);
  Mask zero = 0, one = 0;
  for (int l = 0; l < 64; ++l) {
    if (in[l] % 3 == 0) zero |= Mask(1) << l;
    if (in[l] % 3 == 1 && in[l] & 2) one |= Mask(1) << l;
  }
  std::vector<Mask> want(64);
  for (int l = 0; l < 64; ++l) want[l] = in[l] % 3 == 0 ? zero : in[l] % 3 == 1 ? one : 7;
  Buffer<int> din(in);
  Buffer<Mask> dout(64);
  divergentBallot<<<1, 64>>>(din, dout);
  KERNEL_OK();
  EXPECT_VEC(dout.download(), want);
  check::result(want);
}

// Only 40 work-items exist: the other 24 lanes must not vote.
__global__ void partialWave(Mask* out) {
  const Mask m = __ballot(1);
  if (threadIdx.x == 0) out[0] = m, out[1] = __popcll(m);
}

TEST(ballot_of_a_partial_wave) {
  Buffer<Mask> out(2);
  partialWave<<<1, 40>>>(out);
  KERNEL_OK();
  const auto got = out.download();
  EXPECT_EQ(got[0], (Mask(1) << 40) - 1);
  EXPECT_EQ(got[1], Mask(40));
  check::result(got);
}

// Stream compaction by ballot and population count below the own lane.
__global__ void compact(const int* in, int n, int* out, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool keep = i < n && in[i] % 5 == 0;
  const Mask m = __ballot(keep);
  const int lane = __lane_id();
  int base = 0;
  if (lane == 0) base = atomicAdd(count, __popcll(m));
  base = __shfl(base, 0);
  if (keep) out[base + __popcll(m & ((Mask(1) << lane) - 1))] = in[i];
}

TEST(compaction) {
  const int n = 3000;
  const auto in = randomVector<int>(n, 23, 0, 100000);
  Buffer<int> din(in), out(n), count(1);
  count.fill(0);
  compact<<<blocksFor(n, 192), 192>>>(din, n, out, count);
  KERNEL_OK();
  long long sum = 0, wantSum = 0;
  int kept = 0;
  for (int v : in)
    if (v % 5 == 0) ++kept, wantSum += v;
  REQUIRE(count.download()[0] == kept);
  const auto got = out.download();
  for (int i = 0; i < kept; ++i) {
    EXPECT_EQ(got[i] % 5, 0);
    sum += got[i];
  }
  EXPECT_EQ(sum, wantSum);
  check::result(sum);
}
