// Grid and block shapes: partial waves, three dimensions, the largest block, many blocks, and what the built-ins say.
#include "../support.h"

struct Place {
  unsigned bx, by, bz, tx, ty, tz;
};

__global__ void places(Place* out) {
  const unsigned blockNumber = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned inBlock = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[blockNumber * (blockDim.x * blockDim.y * blockDim.z) + inBlock] = {blockIdx.x,  blockIdx.y,  blockIdx.z,
                                                                         threadIdx.x, threadIdx.y, threadIdx.z};
}

static void checkShape(dim3 grid, dim3 block) {
  const unsigned threads = block.x * block.y * block.z, n = grid.x * grid.y * grid.z * threads;
  Buffer<Place> out(n);
  out.fill(0xff);
  places<<<grid, block>>>(out);
  KERNEL_OK();
  const auto got = out.download();
  for (unsigned k = 0; k < n; ++k) {
    const unsigned b = k / threads, t = k % threads;
    const Place want{b % grid.x,  b / grid.x % grid.y,   b / (grid.x * grid.y),
                     t % block.x, t / block.x % block.y, t / (block.x * block.y)};
    if (std::memcmp(&want, &got[k], sizeof want) != 0) {
      check::fail(__FILE__, __LINE__, "work-item " + check::show(k) + " is somewhere else");
      return;
    }
  }
  check::result(got);
}

TEST(shapes) {
  checkShape(dim3(1), dim3(1));
  checkShape(dim3(3), dim3(65));
  checkShape(dim3(2, 3), dim3(7, 5));
  checkShape(dim3(2, 3, 4), dim3(3, 4, 5));
  checkShape(dim3(1, 1, 5), dim3(1, 1, 64));
  checkShape(dim3(2), dim3(1024));
  checkShape(dim3(2), dim3(32, 32));
  checkShape(dim3(1, 7), dim3(1, 1000));
}

__global__ void builtins(unsigned* out) {
  if (threadIdx.x == 1 && blockIdx.y == 2) {
    const unsigned v[] = {gridDim.x, gridDim.y, gridDim.z, blockDim.x, blockDim.y, blockDim.z, unsigned(warpSize)};
    for (int i = 0; i < 7; ++i) out[i] = v[i];
  }
}

TEST(built_in_variables) {
  Buffer<unsigned> out(7);
  builtins<<<dim3(3, 4, 2), dim3(10, 6, 2)>>>(out);
  KERNEL_OK();
  const std::vector<unsigned> want{3, 4, 2, 10, 6, 2, 64};
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

__global__ void countBlocks(unsigned* counters) {
  if (threadIdx.x == 0) atomicAdd(&counters[(blockIdx.x + blockIdx.y + blockIdx.z) % 16], 1u);
}

TEST(many_blocks) {
  for (dim3 grid : {dim3(40000), dim3(3, 5000), dim3(2, 2, 4000)}) {
    Buffer<unsigned> counters(16);
    counters.fill(0);
    countBlocks<<<grid, 64>>>(counters);
    KERNEL_OK();
    std::vector<unsigned> want(16);
    for (unsigned z = 0; z < grid.z; ++z)
      for (unsigned y = 0; y < grid.y; ++y)
        for (unsigned x = 0; x < grid.x; ++x) ++want[(x + y + z) % 16];
    EXPECT_VEC(counters.download(), want);
    check::result(want);
  }
}

// All sixteen waves of a full block meet at barriers many times.
__global__ void rotate(int* out) {
  __shared__ int ring[1024];
  const int t = threadIdx.x;
  ring[t] = t;
  for (int step = 0; step < 20; ++step) {
    __syncthreads();
    const int v = ring[(t + 37) % 1024];
    __syncthreads();
    ring[t] = v + 1;
  }
  out[t] = ring[t];
}

TEST(barriers_in_a_full_block) {
  Buffer<int> out(1024);
  rotate<<<1, 1024>>>(out);
  KERNEL_OK();
  std::vector<int> want(1024);
  for (int t = 0; t < 1024; ++t) want[t] = (t + 37 * 20) % 1024 + 20;
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

__global__ void ticks(long long* out) {
  const long long a = clock64(), b = (long long)__builtin_amdgcn_s_memrealtime();
  for (int i = 0; i < 100; ++i) __builtin_amdgcn_s_sleep(1);
  out[0] = clock64() - a;
  out[1] = (long long)__builtin_amdgcn_s_memrealtime() - b;
}

TEST(clocks_move_forward) {
  Buffer<long long> out(2);
  ticks<<<1, 1>>>(out);
  KERNEL_OK();
  const auto got = out.download();
  EXPECT(got[0] > 0);
  EXPECT(got[1] >= 0);
}
