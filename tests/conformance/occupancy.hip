// Occupancy: blocks per multiprocessor and best block sizes, and how they follow block size and LDS use.
#include "module_support.h"

__global__ void light(int* p) {
  p[threadIdx.x] = 1;
}
__global__ void __launch_bounds__(256) bounded(int* p) {
  p[threadIdx.x] = 2;
}

TEST(active_blocks) {
  hipDeviceProp_t prop;
  HIP(hipGetDeviceProperties(&prop, 0));
  int previous = 1 << 30;
  for (int block : {64, 128, 256, 512, 1024}) {
    int n = 0;
    HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&n, light, block, 0));
    EXPECT(n >= 1);
    EXPECT(n <= previous);
    EXPECT(n * block <= prop.maxThreadsPerMultiProcessor);
    previous = n;
    check::result(n);
  }
}

TEST(shared_memory_limits_blocks) {
  hipDeviceProp_t prop;
  HIP(hipGetDeviceProperties(&prop, 0));
  int none = 0, half = 0, all = 0;
  HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&none, light, 64, 0));
  HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&half, light, 64, prop.sharedMemPerBlock / 2));
  HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&all, light, 64, prop.sharedMemPerBlock));
  EXPECT(none >= half);
  EXPECT_EQ(half, 2);
  EXPECT_EQ(all, 1);
}

TEST(potential_block_size) {
  int grid = 0, block = 0;
  HIP(hipOccupancyMaxPotentialBlockSize(&grid, &block, light, 0, 0));
  hipDeviceProp_t prop;
  HIP(hipGetDeviceProperties(&prop, 0));
  EXPECT_EQ(block, 1024);  // the largest there is
  EXPECT_EQ(grid, 2 * prop.multiProcessorCount);
  HIP(hipOccupancyMaxPotentialBlockSize(&grid, &block, light, 0, 100));
  EXPECT_EQ(block, 128);  // whole waves
  HIP(hipOccupancyMaxPotentialBlockSize(&grid, &block, bounded, 0, 0));
  EXPECT(block <= 256);
  check::result(block);
}

TEST(module_functions) {
  Module m;
  const hipFunction_t f = m.function("small");
  int n = 0, grid = 0, block = 0;
  HIP(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, 128, 0));
  EXPECT(n >= 1);
  int flagged = 0;
  HIP(hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&flagged, f, 128, 0, hipOccupancyDefault));
  EXPECT_EQ(flagged, n);
  HIP(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, f, 0, 0));
  EXPECT(block >= 64 && block <= 128);
  HIP(hipModuleOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, f, 0, 0, hipOccupancyDefault));
  EXPECT(block >= 64 && block <= 128);
}

TEST(wrong_arguments) {
  int n = 0, grid = 0;
  HIP_ERR(hipOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, light, 64, 0), hipErrorInvalidValue);
  HIP_ERR(hipOccupancyMaxActiveBlocksPerMultiprocessor(&n, static_cast<const void*>(nullptr), 64, 0),
          hipErrorInvalidDeviceFunction);
  HIP_ERR(hipOccupancyMaxActiveBlocksPerMultiprocessor(&n, light, 0, 0), hipErrorInvalidValue);
  HIP_ERR(hipOccupancyMaxPotentialBlockSize(nullptr, &n, light, 0, 0), hipErrorInvalidValue);
  HIP_ERR(hipOccupancyMaxPotentialBlockSize(&grid, nullptr, light, 0, 0), hipErrorInvalidValue);
  HIP_ERR(hipOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, static_cast<const void*>(nullptr), 64, 0),
          hipErrorInvalidValue);
  HIP_ERR(hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, light, 64, 0, 99), hipErrorInvalidValue);
}
