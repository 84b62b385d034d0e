// Pools where a conformance program cannot go: properties newer than its headers, failing cores, resets.
#include "runtime/fake_core.h"

namespace hipr {
namespace {

using testing::fake;

class Pool : public testing::RuntimeTest {
 protected:
  static hipMemPool_t make(std::size_t maxSize = 0) {
    const hipMemPoolProps props{.allocType = hipMemAllocationTypePinned,
                                .handleTypes = hipMemHandleTypeNone,
                                .location = {hipMemLocationTypeDevice, 0},
                                .win32SecurityAttributes = nullptr,
                                .maxSize = maxSize,
                                .reserved = {}};
    hipMemPool_t pool = nullptr;
    EXPECT_EQ(api::hipMemPoolCreate(&pool, &props), hipSuccess);
    return pool;
  }

  static std::uint64_t used(hipMemPool_t pool) {
    std::uint64_t value = ~0ull;
    EXPECT_EQ(api::hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &value), hipSuccess);
    return value;
  }
};

TEST_F(Pool, GrowsToItsSizeOnly) {
  const hipMemPool_t pool = make(1000);
  void *p = nullptr, *q = nullptr;
  EXPECT_EQ(api::hipMallocFromPoolAsync(&p, 1001, pool, nullptr), hipErrorOutOfMemory);
  ASSERT_EQ(api::hipMallocFromPoolAsync(&p, 600, pool, nullptr), hipSuccess);
  EXPECT_EQ(api::hipMallocFromPoolAsync(&q, 401, pool, nullptr), hipErrorOutOfMemory);
  EXPECT_EQ(api::hipMallocFromPoolAsync(&q, ~std::size_t{0}, pool, nullptr), hipErrorOutOfMemory);
  ASSERT_EQ(api::hipMallocFromPoolAsync(&q, 400, pool, nullptr), hipSuccess);
  EXPECT_EQ(api::hipFreeAsync(p, nullptr), hipSuccess);
  EXPECT_EQ(api::hipFree(q), hipSuccess);
  EXPECT_EQ(used(pool), 0u);
  EXPECT_EQ(fake().live, 0);
}

TEST_F(Pool, AFailedAllocationIsNotInUse) {
  const hipMemPool_t pool = make();
  void* p = nullptr;
  fake().failures["allocate"] = hipErrorOutOfMemory;
  EXPECT_EQ(api::hipMallocFromPoolAsync(&p, 100, pool, nullptr), hipErrorOutOfMemory);
  EXPECT_EQ(used(pool), 0u);
}

TEST_F(Pool, MemoryOutlivesItsPool) {
  const hipMemPool_t pool = make();
  void* p = nullptr;
  ASSERT_EQ(api::hipMallocFromPoolAsync(&p, 100, pool, nullptr), hipSuccess);
  ASSERT_EQ(api::hipMemPoolDestroy(pool), hipSuccess);
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(api::hipMemPoolDestroy(make()), hipSuccess);  // every free slot is reused
  EXPECT_EQ(api::hipFreeAsync(p, nullptr), hipSuccess);
  EXPECT_EQ(fake().live, 0);
}

TEST_F(Pool, ByLocation) {
  hipMemLocation location{hipMemLocationTypeDevice, 0};
  hipMemPool_t byDevice = nullptr, byLocation = nullptr;
  const hipMemPool_t mine = make();
  ASSERT_EQ(api::hipMemSetMemPool(&location, hipMemAllocationTypePinned, mine), hipSuccess);
  ASSERT_EQ(api::hipMemGetMemPool(&byLocation, &location, hipMemAllocationTypePinned), hipSuccess);
  EXPECT_EQ(byLocation, mine);
  ASSERT_EQ(api::hipDeviceGetDefaultMemPool(&byDevice, 0), hipSuccess);
  ASSERT_EQ(api::hipMemGetDefaultMemPool(&byLocation, &location, hipMemAllocationTypePinned), hipSuccess);
  EXPECT_EQ(byLocation, byDevice);
  EXPECT_EQ(api::hipMemGetMemPool(&byLocation, &location, hipMemAllocationTypeManaged), hipErrorNotSupported);
  location.type = hipMemLocationTypeHost;
  EXPECT_EQ(api::hipMemGetMemPool(&byLocation, &location, hipMemAllocationTypePinned), hipErrorNotSupported);
  EXPECT_EQ(api::hipMemGetMemPool(&byLocation, nullptr, hipMemAllocationTypePinned), hipErrorInvalidValue);
}

TEST_F(Pool, PointersKnowTheirPool) {
  const hipMemPool_t pool = make();
  void *p = nullptr, *plain = nullptr;
  ASSERT_EQ(api::hipMallocFromPoolAsync(&p, 100, pool, nullptr), hipSuccess);
  ASSERT_EQ(api::hipMalloc(&plain, 100), hipSuccess);
  hipMemPool_t found = nullptr;
  EXPECT_EQ(api::hipPointerGetAttribute(&found, HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p), hipSuccess);
  EXPECT_EQ(found, pool);
  EXPECT_EQ(api::hipPointerGetAttribute(&found, HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, plain), hipErrorNotSupported);
}

TEST_F(Pool, ResetEndsPools) {
  const hipMemPool_t pool = make();
  hipMemPool_t standing = nullptr;
  void* p = nullptr;
  ASSERT_EQ(api::hipDeviceSetMemPool(0, pool), hipSuccess);
  ASSERT_EQ(api::hipMallocAsync(&p, 100, nullptr), hipSuccess);
  ASSERT_EQ(api::hipDeviceReset(), hipSuccess);
  EXPECT_EQ(fake().live, 0);
  EXPECT_EQ(api::hipMemPoolDestroy(pool), hipErrorInvalidValue);
  ASSERT_EQ(api::hipDeviceGetMemPool(&standing, 0), hipSuccess);
  EXPECT_NE(standing, pool);
  EXPECT_EQ(api::hipMallocAsync(&p, 100, nullptr), hipSuccess);
}

}  // namespace
}  // namespace hipr
