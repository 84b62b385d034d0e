// Primary contexts and the deprecated context calls: one context per device, a stack per thread, and device state
// through it.
#include "later.h"
#include "support.h"

#include <thread>

#pragma clang diagnostic ignored "-Wdeprecated-declarations"

TEST(primary_context) {
  hipCtx_t c = nullptr;
  HIP(hipDevicePrimaryCtxRetain(&c, 0));
  EXPECT(c != nullptr);
  unsigned flags = 99;
  int active = -1;
  HIP(hipDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT_EQ(active, 1);
  HIP(hipDevicePrimaryCtxGetState(0, nullptr, nullptr));
  HIP(hipDevicePrimaryCtxRelease(0));
  HIP_ERR(hipDevicePrimaryCtxRetain(nullptr, 0), hipErrorInvalidValue);
  HIP_ERR(hipDevicePrimaryCtxRetain(&c, 999), hipErrorInvalidDevice);
  HIP_ERR(hipDevicePrimaryCtxGetState(999, &flags, &active), hipErrorInvalidDevice);
  // It exists from the start, which is too late for other flags.
  HIP_ERR(hipDevicePrimaryCtxSetFlags(0, hipDeviceScheduleSpin), hipErrorContextAlreadyInUse);
  HIP_ERR(hipDevicePrimaryCtxSetFlags(999, 0), hipErrorInvalidDevice);
}

TEST(current_context_follows_the_device) {
  HIP(hipSetDevice(0));
  hipCtx_t c = nullptr;
  HIP(hipCtxGetCurrent(&c));
  EXPECT(c != nullptr);
  hipDevice_t d = -1;
  HIP(hipCtxGetDevice(&d));
  EXPECT_EQ(d, 0);
  HIP_ERR(hipCtxGetCurrent(nullptr), hipErrorInvalidValue);
  HIP_ERR(hipCtxGetDevice(nullptr), hipErrorInvalidValue);
}

TEST(push_and_pop) {
  hipCtx_t c = nullptr, top = nullptr;
  HIP(hipCtxCreate(&c, 0, 0));
  EXPECT(c != nullptr);
  HIP(hipCtxGetCurrent(&top));
  EXPECT_EQ(top, c);
  HIP(hipCtxPopCurrent(&top));
  EXPECT_EQ(top, c);
  HIP(hipCtxPushCurrent(c));
  HIP(hipCtxGetCurrent(&top));
  EXPECT_EQ(top, c);
  HIP(hipCtxSetCurrent(c));
  HIP(hipCtxPopCurrent(nullptr));
  HIP(hipCtxDestroy(c));
  HIP_ERR(hipCtxCreate(&c, 0, 999), hipErrorInvalidValue);
}

// The calls AMD's HIP has for the sake of their names.
TEST(what_contexts_do_not_do) {
  unsigned flags = 99;
  HIP_ERR(hipCtxGetFlags(&flags), hipErrorNotSupported);
  EXPECT_EQ(flags, 99u);
  hipFuncCache_t cache;
  HIP_ERR(hipCtxGetCacheConfig(&cache), hipErrorNotSupported);
  HIP_ERR(hipCtxSetCacheConfig(hipFuncCachePreferNone), hipErrorNotSupported);
  HIP_ERR(hipCtxSetCacheConfig(static_cast<hipFuncCache_t>(100)), hipErrorInvalidValue);
  hipSharedMemConfig shared = hipSharedMemBankSizeEightByte;
  HIP_ERR(hipCtxSetSharedMemConfig(shared), hipErrorNotSupported);
  HIP(hipCtxGetSharedMemConfig(&shared));
  EXPECT_EQ(shared, hipSharedMemBankSizeFourByte);
  HIP_ERR(hipCtxSynchronize(), hipErrorNotSupported);
  hipCtx_t current = nullptr;
  HIP(hipCtxGetCurrent(&current));
  // Its number has become unsigned since HIP 5.2.
  const auto getVersion = later::find<hipError_t(hipCtx_t, unsigned*)>("hipCtxGetApiVersion");
  HIP_ERR(getVersion(current, &flags), hipErrorNotSupported);
  EXPECT_EQ(flags, 99u);
  HIP(hipCtxEnablePeerAccess(nullptr, 0));
  HIP(hipCtxDisablePeerAccess(nullptr));
}

__global__ void put(int* p) {
  *p = 4;
}

TEST(work_goes_on_under_a_created_context) {
  hipCtx_t c = nullptr;
  HIP(hipCtxCreate(&c, 0, 0));
  {
    Buffer<int> d(1);
    put<<<1, 1>>>(d);
    KERNEL_OK();
    EXPECT_EQ(d.download()[0], 4);
  }
  HIP(hipCtxDestroy(c));
}

TEST(a_reset_of_the_primary_context_leaves_everything_as_it_is) {
  Buffer<int> d(1);
  put<<<1, 1>>>(d);
  HIP(hipDevicePrimaryCtxReset(0));
  KERNEL_OK();
  EXPECT_EQ(d.download()[0], 4);
  HIP(hipDevicePrimaryCtxReset(999));
}

TEST(each_thread_has_its_own) {
  int devices = 0;
  HIP(hipGetDeviceCount(&devices));
  if (devices < 2) SKIP("needs two devices");
  HIP(hipSetDevice(1));
  hipDevice_t here = -1, there = -1;
  HIP(hipCtxGetDevice(&here));
  hipError_t e = hipErrorUnknown;
  std::thread([&] {
    if ((e = hipSetDevice(0)) == hipSuccess) e = hipCtxGetDevice(&there);
  }).join();
  EXPECT_EQ(e, hipSuccess);
  EXPECT_EQ(here, 1);
  EXPECT_EQ(there, 0);
  HIP(hipSetDevice(0));
}
