// Cooperative groups: blocks, tiles of each width, and a grid that synchronizes as a whole.
#include "../support.h"

#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

template <unsigned kWidth>
__device__ int tileSum(cg::thread_block_tile<kWidth> tile, int v) {
  for (unsigned shift = kWidth / 2; shift > 0; shift /= 2) v += tile.shfl_down(v, shift);
  return tile.shfl(v, 0);
}

template <unsigned kWidth>
__global__ void tileSums(const int* in, int* sums, int* ranks) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<kWidth>(block);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[i] = tileSum<kWidth>(tile, in[i]);
#if HIP_VERSION / 100000 == 507
  const cg::tiled_group& group = tile;  // its tiles have two of each
#else
  const auto& group = tile;
#endif
  ranks[i] = group.thread_rank() * 1000 + group.size();
}

template <unsigned kWidth>
static void checkTiles() {
  const int n = 512;
  const auto in = randomVector<int>(n, 131, -500, 500);
  std::vector<int> sums(n), ranks(n);
  for (int i = 0; i < n; ++i) {
    for (unsigned k = 0; k < kWidth; ++k) sums[i] += in[i / kWidth * kWidth + k];
    ranks[i] = i % kWidth * 1000 + kWidth;
  }
  Buffer<int> din(in), dsums(n), dranks(n);
  tileSums<kWidth><<<2, n / 2>>>(din, dsums, dranks);
  KERNEL_OK();
  EXPECT_VEC(dsums.download(), sums);
  EXPECT_VEC(dranks.download(), ranks);
  check::result(sums);
}

TEST(tiles) {
  checkTiles<2>();
  checkTiles<8>();
  checkTiles<16>();
  checkTiles<32>();
  checkTiles<64>();
}

__global__ void blockGroup(int* out) {
  __shared__ int local[128];
  auto block = cg::this_thread_block();
  local[block.thread_rank()] = block.group_index().x * 1000 + block.thread_rank();
  block.sync();
  out[blockIdx.x * 128 + block.thread_rank()] = local[127 - block.thread_rank()] * 2 + (block.size() == 128);
}

TEST(thread_block_group) {
  Buffer<int> out(3 * 128);
  blockGroup<<<3, dim3(16, 8)>>>(out);
  KERNEL_OK();
  std::vector<int> want(3 * 128);
  for (int b = 0; b < 3; ++b)
    for (int t = 0; t < 128; ++t) want[b * 128 + t] = (b * 1000 + 127 - t) * 2 + 1;
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

// Each step needs the values all other blocks wrote in the step before.
__global__ void gridSteps(int* a, int* b, int n, int steps) {
  auto grid = cg::this_grid();
  const int i = grid.thread_rank();
  for (int s = 0; s < steps; ++s) {
    if (i < n) b[i] = a[(i + 1) % n] + a[(i + n / 2) % n] + s;
    grid.sync();
    if (i < n) a[i] = b[(i + 7) % n];
    grid.sync();
  }
}

TEST(grid_synchronization) {
  const int blocks = 8, threads = 128, steps = 6;
  int n = blocks * threads;
  const auto start = randomVector<int>(n, 132, 0, 100);
  auto a = start;
  std::vector<int> b(n);
  for (int s = 0; s < steps; ++s) {
    for (int i = 0; i < n; ++i) b[i] = a[(i + 1) % n] + a[(i + n / 2) % n] + s;
    for (int i = 0; i < n; ++i) a[i] = b[(i + 7) % n];
  }
  Buffer<int> da(start), db(n);
  int *pa = da, *pb = db, count = steps;
  void* arguments[] = {&pa, &pb, &n, &count};
  HIP(hipLaunchCooperativeKernel(reinterpret_cast<const void*>(gridSteps), dim3(blocks), dim3(threads), arguments, 0,
                                 nullptr));
  HIP(hipDeviceSynchronize());
  const auto got = da.download();
  EXPECT_VEC(got, a);
  check::result(got);
}

TEST(cooperative_grid_too_large_is_refused) {
  int n = 1, steps = 0;
  int* null = nullptr;
  void* arguments[] = {&null, &null, &n, &steps};
  HIP_ERR(hipLaunchCooperativeKernel(reinterpret_cast<const void*>(gridSteps), dim3(100000), dim3(1024), arguments, 0,
                                     nullptr),
          hipErrorCooperativeLaunchTooLarge);
  (void)hipGetLastError();
}

__global__ void coalesced(const int* in, int* out, int n) {
  const int i = threadIdx.x;
  if (i >= n || in[i] % 3) return;
  auto group = cg::coalesced_threads();
  out[i] = group.thread_rank() * 100 + group.size();
}

TEST(coalesced_group) {
  const auto in = randomVector<int>(64, 133, 0, 1000);
  std::vector<int> want(64);
  int rank = 0, size = 0;
  for (int v : in) size += v % 3 == 0;
  for (int i = 0; i < 64; ++i) want[i] = in[i] % 3 ? 0 : rank++ * 100 + size;
  Buffer<int> din(in), out(64);
  out.fill(0);
  coalesced<<<1, 64>>>(din, out, 64);
  KERNEL_OK();
  EXPECT_VEC(out.download(), want);
  check::result(want);
}
