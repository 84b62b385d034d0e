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

  static std::uint64_t reserved(hipMemPool_t pool) {
    std::uint64_t value = ~0ull;
    EXPECT_EQ(api::hipMemPoolGetAttribute(pool, hipMemPoolAttrReservedMemCurrent, &value), hipSuccess);
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
  // What it keeps is used again, but it grows no further, even when it has given all of it back.
  EXPECT_EQ(api::hipFreeAsync(p, nullptr), hipSuccess);
  ASSERT_EQ(api::hipMallocFromPoolAsync(&p, 600, pool, nullptr), hipSuccess);
  EXPECT_EQ(api::hipFreeAsync(p, nullptr), hipSuccess);
  EXPECT_EQ(api::hipFree(q), hipSuccess);
  EXPECT_EQ(used(pool), 0u);
  ASSERT_EQ(api::hipMemPoolTrimTo(pool, 0), hipSuccess);
  EXPECT_EQ(fake().live, 0);
  EXPECT_EQ(api::hipMallocFromPoolAsync(&p, 1, pool, nullptr), hipErrorOutOfMemory);
  std::uint64_t anew = 0;
  ASSERT_EQ(api::hipMemPoolSetAttribute(pool, hipMemPoolAttrReservedMemHigh, &anew), hipSuccess);
  ASSERT_EQ(api::hipMallocFromPoolAsync(&p, 1000, pool, nullptr), hipSuccess);
  EXPECT_EQ(fake().live, 1);
  EXPECT_EQ(api::hipFree(p), hipSuccess);
  EXPECT_EQ(api::hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(fake().live, 0);
}

TEST_F(Pool, KeepsMemoryUntilTheProgramWaits) {
  const hipMemPool_t pool = make();
  std::uint64_t threshold = 100;
  void *p = nullptr, *q = nullptr;
  ASSERT_EQ(api::hipMallocFromPoolAsync(&p, 100, pool, nullptr), hipSuccess);
  ASSERT_EQ(api::hipFreeAsync(p, nullptr), hipSuccess);
  EXPECT_EQ(reserved(pool), 100u);
  ASSERT_EQ(api::hipMallocFromPoolAsync(&q, 60, pool, nullptr), hipSuccess);
  EXPECT_EQ(q, p);
  EXPECT_EQ(used(pool), 100u);  // it got the whole block
  ASSERT_EQ(api::hipFreeAsync(q, nullptr), hipSuccess);
  ASSERT_EQ(api::hipStreamSynchronize(nullptr), hipSuccess);
  EXPECT_EQ(reserved(pool), 0u);
  ASSERT_EQ(api::hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold), hipSuccess);
  ASSERT_EQ(api::hipMallocFromPoolAsync(&p, 100, pool, nullptr), hipSuccess);
  ASSERT_EQ(api::hipFreeAsync(p, nullptr), hipSuccess);
  ASSERT_EQ(api::hipStreamSynchronize(nullptr), hipSuccess);
  EXPECT_EQ(reserved(pool), 100u);
  ASSERT_EQ(api::hipMemPoolTrimTo(pool, 100), hipSuccess);
  EXPECT_EQ(reserved(pool), 100u);
  ASSERT_EQ(api::hipMemPoolTrimTo(pool, 99), hipSuccess);
  EXPECT_EQ(reserved(pool), 0u);
  EXPECT_EQ(fake().live, 0);
}

TEST_F(Pool, WhatWorkMayStillUseStays) {
  const hipMemPool_t pool = make();
  void* p = nullptr;
  ASSERT_EQ(api::hipMallocFromPoolAsync(&p, 100, pool, nullptr), hipSuccess);
  fake().queryAnswer = hipErrorNotReady;
  ASSERT_EQ(api::hipFreeAsync(p, nullptr), hipSuccess);
  ASSERT_EQ(api::hipMemPoolTrimTo(pool, 0), hipSuccess);
  EXPECT_EQ(reserved(pool), 100u);
  fake().queryAnswer = hipSuccess;
  ASSERT_EQ(api::hipMemPoolTrimTo(pool, 0), hipSuccess);
  EXPECT_EQ(reserved(pool), 0u);
}

// Memory freed on one stream while its work goes on, and who gets it.
class PoolOfTwoStreams : public Pool {
 protected:
  PoolOfTwoStreams() {
    EXPECT_EQ(api::hipStreamCreate(&first), hipSuccess);
    EXPECT_EQ(api::hipStreamCreate(&second), hipSuccess);
    EXPECT_EQ(api::hipEventCreate(&event), hipSuccess);
    EXPECT_EQ(api::hipMallocFromPoolAsync(&freed, 1000, pool, first), hipSuccess);
    fake().queryAnswer = hipErrorNotReady;
    EXPECT_EQ(api::hipFreeAsync(freed, first), hipSuccess);
  }
  void* allocate(hipStream_t stream, std::size_t size = 1000) {
    void* p = nullptr;
    EXPECT_EQ(api::hipMallocFromPoolAsync(&p, size, pool, stream), hipSuccess);
    return p;
  }
  void set(hipMemPoolAttr attribute, int value) {
    EXPECT_EQ(api::hipMemPoolSetAttribute(pool, attribute, &value), hipSuccess);
  }

  const hipMemPool_t pool = make();
  hipStream_t first = nullptr, second = nullptr;
  hipEvent_t event = nullptr;
  void* freed = nullptr;
};

TEST_F(PoolOfTwoStreams, ItsOwnStreamGetsItAtOnce) {
  EXPECT_EQ(allocate(first), freed);
}

TEST_F(PoolOfTwoStreams, AnotherGetsItWhenTheWorkIsDone) {
  EXPECT_NE(allocate(second), freed);
  set(hipMemPoolReuseAllowOpportunistic, 0);
  fake().queryAnswer = hipSuccess;
  EXPECT_NE(allocate(second), freed);
  set(hipMemPoolReuseAllowOpportunistic, 1);
  EXPECT_NE(allocate(second, 800), freed);  // it would waste too much
  EXPECT_EQ(allocate(second), freed);
}

TEST_F(PoolOfTwoStreams, AnotherGetsItBehindAnEvent) {
  ASSERT_EQ(api::hipEventRecord(event, first), hipSuccess);
  ASSERT_EQ(api::hipStreamWaitEvent(second, event, 0), hipSuccess);
  set(hipMemPoolReuseFollowEventDependencies, 0);
  EXPECT_NE(allocate(second), freed);
  set(hipMemPoolReuseFollowEventDependencies, 1);
  EXPECT_EQ(allocate(second), freed);
}

TEST_F(PoolOfTwoStreams, AnEventBeforeTheFreeSaysNothing) {
  void* p = allocate(first);
  ASSERT_EQ(p, freed);
  ASSERT_EQ(api::hipEventRecord(event, first), hipSuccess);
  ASSERT_EQ(api::hipStreamWaitEvent(second, event, 0), hipSuccess);
  ASSERT_EQ(api::hipFreeAsync(p, first), hipSuccess);
  EXPECT_NE(allocate(second), freed);
}

TEST_F(PoolOfTwoStreams, WhenMemoryIsShortTheOtherIsMadeToWait) {
  fake().failures["allocate"] = hipErrorOutOfMemory;
  EXPECT_EQ(allocate(second), freed);
  EXPECT_EQ(fake().count("wait"), 1);
}

TEST_F(PoolOfTwoStreams, OrTheHostWaits) {
  set(hipMemPoolReuseAllowInternalDependencies, 0);
  fake().failures["allocate"] = hipErrorOutOfMemory;
  void* p = nullptr;
  EXPECT_EQ(api::hipMallocFromPoolAsync(&p, 1000, pool, second), hipErrorOutOfMemory);
  EXPECT_EQ(fake().queryAnswer, hipSuccess);
  EXPECT_EQ(fake().live, 0);
}

TEST_F(PoolOfTwoStreams, PlainMemoryIsMadeOfWhatPoolsKeep) {
  fake().queryAnswer = hipSuccess;
  fake().failures["allocate"] = hipErrorOutOfMemory;
  void* p = nullptr;
  EXPECT_EQ(api::hipMalloc(&p, 1000), hipErrorOutOfMemory);
  EXPECT_EQ(fake().live, 0);
}

TEST_F(Pool, APeerIsToldOnce) {
  const hipMemPool_t pool = make();
  hipMemAccessDesc access{{hipMemLocationTypeDevice, 1}, hipMemAccessFlagsProtReadWrite};
  ASSERT_EQ(api::hipMemPoolSetAccess(pool, &access, 1), hipSuccess);
  ASSERT_EQ(api::hipMemPoolSetAccess(pool, &access, 1), hipSuccess);
  EXPECT_EQ(fake().count("setPeerAccess"), 1);
  ASSERT_EQ(api::hipSetDevice(1), hipSuccess);
  EXPECT_EQ(api::hipDeviceEnablePeerAccess(0, 0), hipSuccess);
  EXPECT_EQ(api::hipDeviceEnablePeerAccess(0, 0), hipErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(api::hipDeviceDisablePeerAccess(0), hipSuccess);
  EXPECT_EQ(fake().count("setPeerAccess"), 1);
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
  EXPECT_EQ(api::hipMemGetMemPool(&byLocation, &location, hipMemAllocationTypeManaged), hipErrorInvalidValue);
  location.type = hipMemLocationTypeHost;
  EXPECT_EQ(api::hipMemGetMemPool(&byLocation, &location, hipMemAllocationTypePinned), hipErrorInvalidValue);
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
