// atomicInc and atomicDec wrap around at a limit. (Compilers newer than the 5.2 headers cannot build these two.)
#include "../support.h"

#include <algorithm>

__global__ void wrapAround(unsigned* up, unsigned* down, unsigned* local, unsigned* seen) {
  __shared__ unsigned counter;
  if (threadIdx.x == 0) counter = 0;
  __syncthreads();
  seen[blockIdx.x * blockDim.x + threadIdx.x] = atomicInc(up, 6);
  atomicDec(down, 9);
  atomicInc(&counter, 4);
  __syncthreads();
  if (threadIdx.x == 0) local[blockIdx.x] = counter;
}

TEST(atomic_inc_dec) {
  constexpr int kThreads = 4 * 250;
  Buffer<unsigned> up(1), down(1), local(4), seen(kThreads);
  up.fill(0);
  down.fill(0);
  wrapAround<<<4, 250>>>(up, down, local, seen);
  KERNEL_OK();
  unsigned wantDown = 0;
  for (int i = 0; i < kThreads; ++i) wantDown = wantDown == 0 || wantDown > 9 ? 9 : wantDown - 1;
  EXPECT_EQ(up.download()[0], unsigned(kThreads % 7));
  EXPECT_EQ(down.download()[0], wantDown);
  EXPECT_VEC(local.download(), std::vector<unsigned>(4, 250 % 5));
  auto old = seen.download();
  std::sort(old.begin(), old.end());
  EXPECT_EQ(old.front(), 0u);
  EXPECT_EQ(old.back(), 6u);
  EXPECT_EQ(std::count(old.begin(), old.end(), 0u), (kThreads + 6) / 7);
  check::result(old);
}
