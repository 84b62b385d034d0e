// What the runtime says of a kernel: registers, LDS, private memory, largest block; and the per-kernel settings.
#include "module_support.h"

__global__ void plain(int* p) {
  *p = 1;
}

__global__ void __launch_bounds__(256) bounded(int* p) {
  __shared__ int local[512];
  local[threadIdx.x] = *p;
  __syncthreads();
  *p = local[(threadIdx.x + 1) % 512];
}

__global__ void privateArray(int* p, int n) {
  int local[200];
  for (int i = 0; i < 200; ++i) local[i] = p[i];
  for (int i = 0; i < n; ++i) local[p[i] % 200] += i;
  *p = local[n % 200];
}

TEST(attributes_of_program_kernels) {
  hipFuncAttributes a = {};
  HIP(hipFuncGetAttributes(&a, reinterpret_cast<const void*>(plain)));
  EXPECT_EQ(a.sharedSizeBytes, std::size_t(0));
  EXPECT_EQ(a.localSizeBytes, std::size_t(0));
  EXPECT_EQ(a.maxThreadsPerBlock, 1024);
  EXPECT(a.numRegs > 0);
  EXPECT(a.maxDynamicSharedSizeBytes > 0);
  HIP(hipFuncGetAttributes(&a, reinterpret_cast<const void*>(bounded)));
  EXPECT_EQ(a.sharedSizeBytes, std::size_t(512) * sizeof(int));
  EXPECT_EQ(a.maxThreadsPerBlock, 256);
  HIP(hipFuncGetAttributes(&a, reinterpret_cast<const void*>(privateArray)));
  EXPECT(a.localSizeBytes >= 200 * sizeof(int));
  check::result(a.numRegs);
}

TEST(attributes_of_module_functions) {
  Module m;
  const hipFunction_t f = m.function("small");
  int v = -1;
  HIP(hipFuncGetAttribute(&v, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
  EXPECT_EQ(v, 128);
  HIP(hipFuncGetAttribute(&v, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f));
  EXPECT_EQ(v, 4000);
  HIP(hipFuncGetAttribute(&v, HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, f));
  EXPECT_EQ(v, 0);
  HIP(hipFuncGetAttribute(&v, HIP_FUNC_ATTRIBUTE_NUM_REGS, f));
  EXPECT(v > 0);
  HIP(hipFuncGetAttribute(&v, HIP_FUNC_ATTRIBUTE_BINARY_VERSION, f));
  EXPECT(v > 0);
  HIP(hipFuncGetAttribute(&v, HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f));
  EXPECT(v >= 0);
  HIP_ERR(hipFuncGetAttribute(nullptr, HIP_FUNC_ATTRIBUTE_NUM_REGS, f), hipErrorInvalidValue);
  HIP_ERR(hipFuncGetAttribute(&v, static_cast<hipFunction_attribute>(-1), f), hipErrorInvalidValue);
  HIP_ERR(hipFuncGetAttribute(&v, HIP_FUNC_ATTRIBUTE_NUM_REGS, nullptr), hipErrorInvalidHandle);
}

TEST(settings) {
  HIP(hipFuncSetCacheConfig(reinterpret_cast<const void*>(plain), hipFuncCachePreferL1));
  HIP(hipFuncSetSharedMemConfig(reinterpret_cast<const void*>(plain), hipSharedMemBankSizeFourByte));
  hipFuncAttributes a;
  const auto set = [](hipFuncAttribute which, int value) {
    return hipFuncSetAttribute(reinterpret_cast<const void*>(plain), which, value);
  };
  HIP(set(hipFuncAttributeMaxDynamicSharedMemorySize, 1024));
  HIP(hipFuncGetAttributes(&a, reinterpret_cast<const void*>(plain)));
  EXPECT_EQ(a.maxDynamicSharedSizeBytes, 1024);
  HIP(set(hipFuncAttributePreferredSharedMemoryCarveout, 50));
  HIP_ERR(set(hipFuncAttributePreferredSharedMemoryCarveout, 101), hipErrorInvalidValue);
  HIP_ERR(set(hipFuncAttributeMaxDynamicSharedMemorySize, -1), hipErrorInvalidValue);
  HIP_ERR(set(hipFuncAttributeMaxDynamicSharedMemorySize, 1 << 20), hipErrorInvalidValue);
  HIP_ERR(set(static_cast<hipFuncAttribute>(-1), 0), hipErrorInvalidValue);
}

TEST(wrong_functions) {
  hipFuncAttributes a;
  static int notAKernel;
  HIP_ERR(hipFuncGetAttributes(nullptr, reinterpret_cast<const void*>(plain)), hipErrorInvalidValue);
  HIP_ERR(hipFuncGetAttributes(&a, static_cast<const void*>(nullptr)), hipErrorInvalidDeviceFunction);
  HIP_ERR(hipFuncGetAttributes(&a, &notAKernel), hipErrorInvalidDeviceFunction);
  HIP_ERR(hipFuncSetAttribute(static_cast<const void*>(nullptr), hipFuncAttributeMaxDynamicSharedMemorySize, 1),
          hipErrorInvalidDeviceFunction);
  HIP_ERR(hipFuncSetCacheConfig(nullptr, hipFuncCachePreferNone), hipErrorInvalidDeviceFunction);
  HIP_ERR(hipFuncSetSharedMemConfig(nullptr, hipSharedMemBankSizeFourByte), hipErrorInvalidDeviceFunction);
  HIP_ERR(hipFuncSetCacheConfig(reinterpret_cast<const void*>(plain), static_cast<hipFuncCache_t>(-1)),
          hipErrorInvalidValue);
}
