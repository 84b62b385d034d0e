// Ways to launch that others have taken the place of: a configuration, its arguments one by one, then the kernel; and a
// module's function by the number of its work-items, under the name it had first.
#include "module_support.h"

#include <thread>

#pragma clang diagnostic ignored "-Wdeprecated-declarations"

__global__ void mix(char a, double b, short c, int* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = static_cast<int>(a + b * 10 + c * 100 + blockIdx.x * 10000);
}
__global__ void reversed(unsigned* out) {
  extern __shared__ unsigned part[];
  part[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = part[blockDim.x - 1 - threadIdx.x];
}

static const void* const kMix = reinterpret_cast<const void*>(mix);

static void setUp(char a, double b, short c, int* out) {
  HIP(hipSetupArgument(&out, sizeof out, 24));  // in any order: each has its place
  HIP(hipSetupArgument(&a, sizeof a, 0));
  HIP(hipSetupArgument(&c, sizeof c, 16));
  HIP(hipSetupArgument(&b, sizeof b, 8));
}

TEST(arguments_one_by_one) {
  Buffer<int> out(6);
  Stream s;
  HIP(hipConfigureCall(dim3(2), dim3(3), 0, s));
  setUp(3, 4.5, -2, out);
  HIP(hipLaunchByPtr(kMix));
  HIP(hipStreamSynchronize(s));
  const int first = 3 + 45 - 200;
  EXPECT_VEC(out.download(), (std::vector<int>{first, first, first, first + 10000, first + 10000, first + 10000}));
  check::result(out.download());
}

TEST(memory_of_the_group) {
  Buffer<unsigned> out(64);
  unsigned* p = out;
  HIP(hipConfigureCall(dim3(1), dim3(64), 64 * sizeof(unsigned), nullptr));
  HIP(hipSetupArgument(&p, sizeof p, 0));
  HIP(hipLaunchByPtr(reinterpret_cast<const void*>(reversed)));
  std::vector<unsigned> want(64);
  for (unsigned i = 0; i < 64; ++i) want[i] = 63 - i;
  EXPECT_VEC(out.download(), want);
}

TEST(configurations_are_a_stack) {
  Buffer<int> outer(4), inner(1);
  HIP(hipConfigureCall(dim3(2), dim3(2), 0, nullptr));
  setUp(1, 0, 0, outer);
  HIP(hipConfigureCall(dim3(1), dim3(1), 0, nullptr));
  setUp(2, 0, 0, inner);
  HIP(hipLaunchByPtr(kMix));  // the inner one
  HIP(hipLaunchByPtr(kMix));
  EXPECT_VEC(inner.download(), (std::vector<int>{2}));
  EXPECT_VEC(outer.download(), (std::vector<int>{1, 1, 10001, 10001}));
}

TEST(one_stack_per_thread) {
  Buffer<int> out(1);
  HIP(hipConfigureCall(dim3(1), dim3(1), 0, nullptr));
  setUp(9, 0, 0, out);
  Buffer<int> other(2);
  std::thread([&] {
    HIP(hipConfigureCall(dim3(1), dim3(2), 0, nullptr));
    setUp(5, 0, 0, other);
    HIP(hipLaunchByPtr(kMix));
    HIP(hipStreamSynchronize(nullptr));
  }).join();
  HIP(hipLaunchByPtr(kMix));
  EXPECT_VEC(out.download(), (std::vector<int>{9}));
  EXPECT_VEC(other.download(), (std::vector<int>{5, 5}));
}

// A launch takes its configuration with it, also one that fails.
TEST(what_such_a_launch_refuses) {
  int not_a_kernel = 0;
  HIP(hipConfigureCall(dim3(1), dim3(1), 0, nullptr));
  HIP_ERR(hipLaunchByPtr(&not_a_kernel), hipErrorInvalidDeviceFunction);
  Buffer<int> out(1);
  out.fill(0);
  HIP(hipConfigureCall(dim3(1), dim3(4096), 0, nullptr));
  setUp(1, 0, 0, out);
  HIP_FAILS(hipLaunchByPtr(kMix));
  EXPECT_EQ(out.download()[0], 0);
}

TEST(work_items_of_a_module_function) {
  Module m;
  Buffer<unsigned> count(1), largest(1);
  count.fill(0);
  largest.fill(0);
  HIP(hipDeviceSynchronize());
  unsigned *p = count, *q = largest;
  void* arguments[] = {&p, &q};
  Event start, stop;
  Stream s;
  HIP(hipHccModuleLaunchKernel(m.function("countThreads"), 192, 2, 1, 64, 1, 1, 0, s, arguments, nullptr, start, stop));
  HIP(hipEventSynchronize(stop));
  HIP(hipEventQuery(start));
  EXPECT_EQ(count.download()[0], 384u);
  EXPECT_EQ(largest.download()[0], 191u);
  HIP_FAILS(hipHccModuleLaunchKernel(nullptr, 64, 1, 1, 64, 1, 1, 0, s, arguments, nullptr, nullptr, nullptr));
}
