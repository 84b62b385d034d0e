// Reductions and prefix sums over blocks and over the whole grid, including one that waits for its left neighbour
// block.
#include "../support.h"

#include <algorithm>
#include <numeric>

template <class T>
__device__ T blockScan(T v, T* shared) {  // inclusive, Hillis-Steele
  const int t = threadIdx.x;
  shared[t] = v;
  __syncthreads();
  for (unsigned shift = 1; shift < blockDim.x; shift *= 2) {
    const T left = t >= int(shift) ? shared[t - shift] : T(0);
    __syncthreads();
    shared[t] += left;
    __syncthreads();
  }
  return shared[t];
}

template <class T>
__global__ void scanBlocks(const T* in, T* out, T* totals, int n) {
  __shared__ T shared[1024];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const T v = blockScan(i < n ? in[i] : T(0), shared);
  if (i < n) out[i] = v;
  if (threadIdx.x == blockDim.x - 1) totals[blockIdx.x] = v;
}
template <class T>
__global__ void addOffsets(T* out, const T* totals, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && blockIdx.x > 0) out[i] += totals[blockIdx.x - 1];
}

template <class T>
static void checkScan(int n, int block) {
  const auto in = randomVector<T>(n, 151, 0, 100);
  std::vector<T> whole(n);
  for (int i = 0; i < n; ++i) whole[i] = T(int(in[i]));  // integers: any order of addition is exact
  const int blocks = blocksFor(n, block);
  Buffer<T> din(whole), out(n), totals(blocks), scanned(blocks), grand(1);
  scanBlocks<T><<<blocks, block>>>(din, out, totals, n);
  scanBlocks<T><<<1, 1024>>>(totals, scanned, grand, blocks);
  addOffsets<T><<<blocks, block>>>(out, scanned, n);
  KERNEL_OK();
  std::partial_sum(whole.begin(), whole.end(), whole.begin());
  EXPECT_VEC(out.download(), whole);
  EXPECT_EQ(grand.download()[0], whole.back());
  check::result(whole);
}

TEST(scan_int) {
  checkScan<int>(10000, 256);
  checkScan<int>(77, 64);
  checkScan<int>(1000, 1000);
}
TEST(scan_double) {
  checkScan<double>(5000, 512);
}
TEST(scan_long_long) {
  checkScan<long long>(3000, 96);
}

template <class T>
__global__ void reduceBlock(const T* in, T* sum, T* largest, int n) {
  __shared__ T sums[256], maxima[256];
  const int t = threadIdx.x;
  T s = 0, m = in[0];
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
    s += in[i];
    m = in[i] > m ? in[i] : m;
  }
  sums[t] = s;
  maxima[t] = m;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) {
      sums[t] += sums[t + half];
      maxima[t] = maxima[t] > maxima[t + half] ? maxima[t] : maxima[t + half];
    }
    __syncthreads();
  }
  if (t == 0) sum[blockIdx.x] = sums[0], largest[blockIdx.x] = maxima[0];
}

TEST(block_reduction) {
  const int n = 20011, blocks = 6;
  const auto in = randomVector<int>(n, 152, -10000, 10000);
  Buffer<int> din(in), sum(blocks), largest(blocks);
  reduceBlock<int><<<blocks, 256>>>(din, sum, largest, n);
  KERNEL_OK();
  const auto s = sum.download(), m = largest.download();
  EXPECT_EQ(std::accumulate(s.begin(), s.end(), 0), std::accumulate(in.begin(), in.end(), 0));
  EXPECT_EQ(*std::max_element(m.begin(), m.end()), *std::max_element(in.begin(), in.end()));
  check::result(s);
}

// The last block to finish adds up what all others wrote: needs fences that work.
__device__ unsigned finished = 0;
__global__ void lastBlockSums(const int* in, volatile long long* partial, long long* total, int n) {
  __shared__ long long local[128];
  __shared__ bool last;
  long long s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += in[i];
  local[threadIdx.x] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int t = 1; t < 128; ++t) s += local[t];
    partial[blockIdx.x] = s;
    __threadfence();
    last = atomicAdd(&finished, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    long long all = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) all += partial[b];
    *total = all;
    finished = 0;
  }
}

TEST(last_block_reduction) {
  const int n = 30000, blocks = 24;
  const auto in = randomVector<int>(n, 153, -1e6, 1e6);
  Buffer<int> din(in);
  Buffer<long long> partial(blocks), total(1);
  const long long want = std::accumulate(in.begin(), in.end(), 0LL);
  for (int repeat = 0; repeat < 3; ++repeat) {
    total.fill(0);
    lastBlockSums<<<blocks, 128>>>(din, partial, total, n);
    KERNEL_OK();
    EXPECT_EQ(total.download()[0], want);
  }
  check::result(want);
}

// Each block waits for the one before it: works because blocks start in order and running ones make progress.
__global__ void chain(const int* in, int* out, int* flags, int* prefix) {
  __shared__ int before;
  __shared__ int shared[64];
  const int b = blockIdx.x, t = threadIdx.x;
  const int v = blockScan(in[b * 64 + t], shared);
  if (t == 63) {
    int left = 0;
    if (b > 0) {
      while (__hip_atomic_load(&flags[b - 1], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0)
        __builtin_amdgcn_s_sleep(1);
      left = prefix[b - 1];
    }
    before = left;
    prefix[b] = left + v;
    __hip_atomic_store(&flags[b], 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  }
  __syncthreads();
  out[b * 64 + t] = before + v;
}

TEST(chained_scan) {
  const int blocks = 200;
  auto in = randomVector<int>(blocks * 64, 154, -100, 100);
  Buffer<int> din(in), out(in.size()), flags(blocks), prefix(blocks);
  flags.fill(0);
  chain<<<blocks, 64>>>(din, out, flags, prefix);
  KERNEL_OK();
  std::partial_sum(in.begin(), in.end(), in.begin());
  EXPECT_VEC(out.download(), in);
  check::result(in);
}
