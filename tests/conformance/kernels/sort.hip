// Bitonic sorting: within a block in LDS, and over global memory with one kernel per step.
#include "../support.h"

#include <algorithm>

template <class T>
__device__ void orderPair(T& a, T& b, bool ascending) {
  if ((a > b) == ascending) {
    const T t = a;
    a = b;
    b = t;
  }
}

template <class T>
__global__ void sortBlock(T* data) {
  __shared__ T local[512];
  const int t = threadIdx.x;
  local[t] = data[blockIdx.x * 512 + t];
  __syncthreads();
  for (int size = 2; size <= 512; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      const int other = t ^ stride;
      if (other > t) orderPair(local[t], local[other], (t & size) == 0);
      __syncthreads();
    }
  data[blockIdx.x * 512 + t] = local[t];
}

template <class T>
static void checkBlockSort() {
  const int blocks = 4;
  auto data = randomVector<T>(blocks * 512, 161, -1e9, 1e9);
  Buffer<T> d(data);
  sortBlock<T><<<blocks, 512>>>(d);
  KERNEL_OK();
  for (int b = 0; b < blocks; ++b) std::sort(data.begin() + b * 512, data.begin() + (b + 1) * 512);
  EXPECT_VEC(d.download(), data);
  check::result(data);
}

TEST(sort_block_int) {
  checkBlockSort<int>();
}
TEST(sort_block_float) {
  checkBlockSort<float>();
}
TEST(sort_block_long_long) {
  checkBlockSort<long long>();
}

__global__ void sortStep(unsigned* data, int size, int stride) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, other = t ^ stride;
  if (other > t) orderPair(data[t], data[other], (t & size) == 0);
}

TEST(sort_global) {  // 78 kernels, each depending on the one before
  const int n = 4096;
  Random r(162);
  std::vector<unsigned> data(n);
  for (auto& v : data) v = r.bits();
  Buffer<unsigned> d(data);
  for (int size = 2; size <= n; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) sortStep<<<n / 256, 256>>>(d, size, stride);
  KERNEL_OK();
  std::sort(data.begin(), data.end());
  EXPECT_VEC(d.download(), data);
  check::result(data);
}
