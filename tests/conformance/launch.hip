// Launching: kernelParams and extra, the extended launches with events, cooperative launches, the old configure-call
// way, and what a launch refuses.
#include "module_support.h"

#include <hip/hip_cooperative_groups.h>

#include <algorithm>

TEST(kernel_params_with_padding) {
  Module m;
  Buffer<int> out(1);
  char a = 3;
  double b = 4.5;
  short c = -2;
  int* p = out;
  float d = 1.5f;
  void* arguments[] = {&a, &b, &c, &p, &d};
  HIP(hipModuleLaunchKernel(m.function("mixedArguments"), 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  EXPECT_EQ(out.download()[0], 3 + 45 - 200 + 1500);
  check::result(out.download());
}

TEST(extra_buffer) {
  Module m;
  Buffer<int> out(1);
  struct {
    char a = 1;
    double b = 2.5;
    short c = 3;
    int* out;
    float d = 0.5f;
  } packed;
  packed.out = out;
  std::size_t size = sizeof packed;
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  HIP(hipModuleLaunchKernel(m.function("mixedArguments"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
  EXPECT_EQ(out.download()[0], 1 + 25 + 300 + 500);
  check::result(out.download());
}

TEST(no_arguments) {
  Module m;
  HIP(hipModuleLaunchKernel(m.function("noArguments"), 3, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr));
  hipDeviceptr_t counter = nullptr;
  HIP(hipModuleGetGlobal(&counter, nullptr, m, "counter"));
  int v = 0;
  HIP(hipMemcpyDtoH(&v, counter, sizeof v));
  EXPECT_EQ(v, 5 + 3 * 64);
}

TEST(dynamic_shared_memory) {
  Module m;
  Buffer<unsigned> out(2 * 128);
  unsigned* p = out;
  void* arguments[] = {&p};
  HIP(hipModuleLaunchKernel(m.function("whoAmI"), 2, 1, 1, 128, 1, 1, 128 * sizeof(unsigned), nullptr, arguments,
                            nullptr));
  std::vector<unsigned> want(256);
  for (unsigned i = 0; i < 256; ++i) want[i] = i / 128 * 128 + 127 - i % 128;
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

// Global sizes are in work-items and need not be a multiple of the block: the last block is smaller.
TEST(extended_module_launch_counts_work_items) {
  Module m;
  Buffer<unsigned> count(1), largest(1);
  count.fill(0);
  largest.fill(0);
  HIP(hipDeviceSynchronize());
  unsigned *p = count, *q = largest;
  void* arguments[] = {&p, &q};
  Event start, stop;
  Stream s;
  HIP(hipExtModuleLaunchKernel(m.function("countThreads"), 256, 2, 1, 64, 1, 1, 0, s, arguments, nullptr, start, stop,
                               0));
  HIP(hipEventSynchronize(stop));
  EXPECT_EQ(count.download()[0], 512u);
  EXPECT_EQ(largest.download()[0], 255u);
  float ms = -1;
  HIP(hipEventElapsedTime(&ms, start, stop));
  EXPECT(ms >= 0);
  check::result(count.download());
}

TEST(extended_module_launch_with_a_partial_block) {
  Module m;
  Buffer<unsigned> count(1), largest(1);
  count.fill(0);
  largest.fill(0);
  unsigned *p = count, *q = largest;
  void* arguments[] = {&p, &q};
  int compiler = 0;
  hipDeviceptr_t symbol = nullptr;
  HIP(hipModuleGetGlobal(&symbol, nullptr, m, "compiler"));
  HIP(hipMemcpyDtoH(&compiler, symbol, sizeof compiler));
  if (compiler >= 18) SKIP("this compiler makes code for blocks of one size only");
  HIP(hipExtModuleLaunchKernel(m.function("countThreads"), 1000, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr,
                               nullptr, nullptr, 0));
  EXPECT_EQ(count.download()[0], 1000u);
  // In the last block blockDim.x is 1000 - 3 * 256; since clang 17 compilers take all blocks for equal, and make it 256.
  EXPECT_EQ(largest.download()[0], 3 * (compiler < 17 ? 232u : 256u) + 231);
}

// Newer compilers take it that there is no partial block, and say so in the code.
TEST(extended_module_launch_of_blocks_of_one_size) {
  Module m("scale.elf");
  const hipFunction_t f = m.function("countThreads");
  Buffer<unsigned> count(1), largest(1);
  count.fill(0);
  largest.fill(0);
  unsigned *p = count, *q = largest;
  void* arguments[] = {&p, &q};
  const auto launch = [&](unsigned x, unsigned y, unsigned blockX, unsigned blockY) {
    return hipExtModuleLaunchKernel(f, x, y, 1, blockX, blockY, 1, 0, nullptr, arguments, nullptr, nullptr, nullptr, 0);
  };
  HIP_ERR(launch(1000, 1, 256, 1), hipErrorInvalidValue);
  HIP_ERR(launch(64, 3, 64, 2), hipErrorInvalidValue);
  EXPECT_EQ(count.download()[0], 0u);
  HIP(launch(1000, 1, 250, 1));
  EXPECT_EQ(count.download()[0], 1000u);
  HIP(launch(100, 2, 256, 1));  // no block is larger than the whole
  EXPECT_EQ(count.download()[0], 1200u);
  EXPECT_EQ(largest.download()[0], 999u);
}

__global__ void work(unsigned* out, int rounds) {
  unsigned x = threadIdx.x;
  for (int i = 0; i < rounds; ++i) x = x * 1664525u + 1013904223u;
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

TEST(extended_launch_with_events) {
  Buffer<unsigned> out(64);
  Event start, stop;
  unsigned* p = out;
  int rounds = 30000;
  void* arguments[] = {&p, &rounds};
  HIP(hipExtLaunchKernel(reinterpret_cast<const void*>(work), dim3(1), dim3(64), arguments, 0, nullptr, start, stop,
                         0));
  HIP(hipEventSynchronize(stop));
  HIP(hipEventQuery(start));
  float ms = -1;
  HIP(hipEventElapsedTime(&ms, start, stop));
  EXPECT(ms > 0);
  hipExtLaunchKernelGGL(work, dim3(1), dim3(64), 0, nullptr, start, stop, 0, p, rounds);
  KERNEL_OK();
  HIP(hipEventSynchronize(stop));
  check::result(out.download());
}

TEST(launch_macros) {
  Buffer<unsigned> a(64), b(64);
  hipLaunchKernelGGL(work, dim3(1), dim3(64), 0, nullptr, a.get(), 10);
  KERNEL_OK();
  work<<<1, 64>>>(b, 10);
  KERNEL_OK();
  EXPECT_VEC(a.download(), b.download());
}

TEST(cooperative_launch_of_a_program_kernel) {
  int blocks = 0;
  HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reinterpret_cast<const void*>(work), 256, 0));
  EXPECT(blocks >= 1);
  Buffer<unsigned> out(4 * 256);
  unsigned* p = out;
  int rounds = 5;
  void* arguments[] = {&p, &rounds};
  Stream s;
  HIP(hipLaunchCooperativeKernel(reinterpret_cast<const void*>(work), dim3(4), dim3(256), arguments, 0, s));
  HIP(hipStreamSynchronize(s));
  const auto got = out.download();
  EXPECT_EQ(got[0], got[256]);
  HIP_ERR(hipLaunchCooperativeKernel(static_cast<const void*>(nullptr), dim3(1), dim3(1), arguments, 0, s),
          hipErrorInvalidDeviceFunction);
  HIP_FAILS(hipLaunchCooperativeKernel(reinterpret_cast<const void*>(work), dim3(1), dim3(4096), arguments, 0, s));
  check::result(got);
}

__global__ void gridTotal(int* data, int* total, int n) {
  auto grid = cooperative_groups::this_grid();
  const int i = grid.thread_rank();
  if (i < n) data[i] *= 2;
  grid.sync();
  if (i == n - 1) {
    int s = 0;
    for (int k = 0; k < n; ++k) s += data[k];
    *total = s;
  }
}

TEST(cooperative_launch_synchronizes_the_grid) {
  int n = 600;
  std::vector<int> in(n);
  int want = 0;
  for (int i = 0; i < n; ++i) want += 2 * (in[i] = i % 50);
  Buffer<int> data(in), total(1);
  total.fill(0);
  int *p = data, *q = total;
  void* arguments[] = {&p, &q, &n};
  for (int repeat = 0; repeat < 3; ++repeat) {
    data.upload(in);
    HIP(hipLaunchCooperativeKernel(reinterpret_cast<const void*>(gridTotal), dim3(6), dim3(100), arguments, 0,
                                   nullptr));
    EXPECT_EQ(total.download()[0], want);
  }
  check::result(want);
}

TEST(launch_list) {
  Buffer<unsigned> out(64);
  unsigned* p = out;
  int rounds = 7;
  void* arguments[] = {&p, &rounds};
  Stream s;
  hipLaunchParams launches[1] = {};
  launches[0].func = reinterpret_cast<void*>(work);
  launches[0].gridDim = dim3(1);
  launches[0].blockDim = dim3(64);
  launches[0].args = arguments;
  launches[0].stream = s;
  HIP(hipExtLaunchMultiKernelMultiDevice(launches, 1, 0));
  HIP(hipStreamSynchronize(s));
  check::result(out.download());
  HIP_ERR(hipExtLaunchMultiKernelMultiDevice(nullptr, 1, 0), hipErrorInvalidValue);
}

TEST(wrong_launches) {
  Module m;
  Buffer<int> out(1);
  int* p = out;
  void* arguments[] = {&p};
  std::size_t size = sizeof p;
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &p, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  const hipFunction_t f = m.function("count");
  auto launch = [&](hipFunction_t fn, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                    unsigned shared, void** params, void** more) {
    return hipModuleLaunchKernel(fn, gx, gy, gz, bx, by, bz, shared, nullptr, params, more);
  };
  HIP_ERR(launch(nullptr, 1, 1, 1, 1, 1, 1, 0, arguments, nullptr), hipErrorInvalidHandle);
  HIP_ERR(launch(f, 1, 1, 1, 1, 1, 1, 0, arguments, extra), hipErrorInvalidValue);
  HIP_ERR(launch(f, 0, 1, 1, 1, 1, 1, 0, arguments, nullptr), hipErrorInvalidValue);
  HIP_ERR(launch(f, 1, 1, 0, 1, 1, 1, 0, arguments, nullptr), hipErrorInvalidValue);
  HIP_ERR(launch(f, 1, 1, 1, 0, 1, 1, 0, arguments, nullptr), hipErrorInvalidValue);
  HIP_ERR(launch(f, 1, 1, 1, 1025, 1, 1, 0, arguments, nullptr), hipErrorInvalidValue);
  HIP_ERR(launch(f, 1, 1, 1, 64, 64, 1, 0, arguments, nullptr), hipErrorInvalidValue);
  HIP_ERR(launch(f, 1, 1, 1, 1, 1, 1, 1 << 20, arguments, nullptr), hipErrorInvalidValue);
  HIP_ERR(launch(f, 1, 65537, 1, 1, 1, 1, 0, arguments, nullptr), hipErrorInvalidValue);
  HIP_ERR(launch(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr), hipErrorInvalidValue);  // it has an argument
  hipStream_t gone = nullptr;
  HIP(hipStreamCreate(&gone));
  HIP(hipStreamDestroy(gone));
  HIP_ERR(hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, gone, arguments, nullptr), hipErrorInvalidValue);
  HIP_FAILS(launch(m.function("small"), 1, 1, 1, 256, 1, 1, 0, arguments, nullptr));  // its launch bound is 128
  HIP(launch(f, 1, 1, 1, 1, 1, 1, 0, arguments, nullptr));
  EXPECT_EQ(out.download()[0], 6);
}

__global__ void nothing() {}

TEST(the_largest_grids) {
  hipDeviceProp_t p;
  HIP(hipGetDeviceProperties(&p, 0));
  const void* f = reinterpret_cast<const void*>(nothing);
  for (int d = 0; d < 3; ++d) {
    dim3 grid(1);
    (d == 0 ? grid.x : d == 1 ? grid.y : grid.z) = p.maxGridSize[d];
    HIP(hipLaunchKernel(f, grid, dim3(1), nullptr, 0, nullptr));
  }
  HIP(hipDeviceSynchronize());
}

TEST(wrong_launches_of_program_kernels) {
  Buffer<unsigned> out(64);
  unsigned* p = out;
  int rounds = 1;
  void* arguments[] = {&p, &rounds};
  const void* f = reinterpret_cast<const void*>(work);
  hipStream_t gone = nullptr;
  HIP(hipStreamCreate(&gone));
  HIP(hipStreamDestroy(gone));
  hipEvent_t ended = nullptr;
  HIP(hipEventCreate(&ended));
  HIP(hipEventDestroy(ended));
  HIP_FAILS(hipLaunchKernel(f, dim3(0), dim3(1), arguments, 0, nullptr));
  HIP_FAILS(hipLaunchKernel(f, dim3(1), dim3(1025), arguments, 0, nullptr));
  HIP_ERR(hipLaunchKernel(f, dim3(1), dim3(1), arguments, 1 << 20, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipLaunchKernel(f, dim3(1), dim3(1), arguments, 0, gone), hipErrorInvalidValue);
  HIP_ERR(hipExtLaunchKernel(f, dim3(1), dim3(1), arguments, 0, nullptr, ended, nullptr, 0), hipErrorInvalidValue);
  HIP_ERR(hipExtLaunchKernel(f, dim3(1), dim3(1), arguments, 0, nullptr, nullptr, ended, 0), hipErrorInvalidValue);
  HIP_ERR(hipLaunchCooperativeKernel(f, dim3(1), dim3(1), arguments, 1 << 20, nullptr),
          hipErrorCooperativeLaunchTooLarge);
  HIP(hipLaunchKernel(f, dim3(1), dim3(64), arguments, 0, nullptr));
  HIP(hipDeviceSynchronize());
}

TEST(launch_lists_that_do_not_agree) {
  int devices = 0;
  HIP(hipGetDeviceCount(&devices));
  if (devices < 2) SKIP("needs two devices");
  Buffer<unsigned> out(64);
  unsigned* p = out;
  int rounds = 1;
  void* arguments[] = {&p, &rounds};
  hipLaunchParams launches[3] = {};
  hipStream_t streams[2] = {};
  for (int d = 0; d < 2; ++d) {
    HIP(hipSetDevice(d));
    HIP(hipStreamCreate(&streams[d]));
    launches[d].func = reinterpret_cast<void*>(work);
    launches[d].gridDim = dim3(1);
    launches[d].blockDim = dim3(64);
    launches[d].args = arguments;
    launches[d].stream = streams[d];
  }
  HIP(hipSetDevice(0));
  const auto with = [&](auto&& change) {
    hipLaunchParams other[2] = {launches[0], launches[1]};
    change(other[1]);
    return hipExtLaunchMultiKernelMultiDevice(other, 2, 0);
  };
  HIP_ERR(with([](hipLaunchParams& l) { l.gridDim = dim3(2); }), hipErrorInvalidValue);
  HIP_ERR(with([](hipLaunchParams& l) { l.blockDim = dim3(32); }), hipErrorInvalidValue);
  HIP_ERR(with([](hipLaunchParams& l) { l.sharedMem = 64; }), hipErrorInvalidValue);
  HIP_ERR(with([](hipLaunchParams& l) { l.func = reinterpret_cast<void*>(gridTotal); }), hipErrorInvalidValue);
  HIP_ERR(with([&](hipLaunchParams& l) { l.stream = streams[0]; }), hipErrorInvalidDevice);
  HIP_ERR(hipExtLaunchMultiKernelMultiDevice(launches, devices + 1, 0), hipErrorInvalidValue);
  HIP_ERR(hipExtLaunchMultiKernelMultiDevice(launches, 2, 999), hipErrorInvalidValue);
  for (hipStream_t s : streams) HIP(hipStreamDestroy(s));
}

TEST(configure_call_is_a_stack_per_thread) {
  HIP(__hipPushCallConfiguration(dim3(2, 3, 4), dim3(5, 6, 7), 8, nullptr));
  HIP(__hipPushCallConfiguration(dim3(1), dim3(2), 3, nullptr));
  dim3 grid, block;
  std::size_t shared = 0;
  hipStream_t s = nullptr;
  HIP(__hipPopCallConfiguration(&grid, &block, &shared, &s));
  EXPECT_EQ(grid.x, 1u);
  EXPECT_EQ(block.x, 2u);
  EXPECT_EQ(shared, std::size_t(3));
  HIP(__hipPopCallConfiguration(&grid, &block, &shared, &s));
  EXPECT_EQ(grid.z, 4u);
  EXPECT_EQ(block.y, 6u);
  EXPECT_EQ(shared, std::size_t(8));
}
