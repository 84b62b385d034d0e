// A histogram: bins per block in LDS, merged with global atomics; and one with far too few bins, all in conflict.
#include "../support.h"

__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
  __shared__ unsigned local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[data[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    if (local[i]) atomicAdd(&bins[i], local[i]);
}

static void checkHistogram(int n, int values, unsigned blocks, unsigned threads) {
  Random r(41);
  std::vector<unsigned char> data(n);
  std::vector<unsigned> want(256);
  for (auto& d : data) ++want[d = static_cast<unsigned char>(r.below(values))];
  Buffer<unsigned char> ddata(data);
  Buffer<unsigned> bins(256);
  bins.fill(0);
  histogram<<<blocks, threads>>>(ddata, n, bins);
  KERNEL_OK();
  const auto got = bins.download();
  EXPECT_VEC(got, want);
  check::result(got);
}

TEST(histogram_256) {
  checkHistogram(100000, 256, 8, 256);
}
TEST(histogram_conflicts) {
  checkHistogram(5000, 2, 3, 100);
}
