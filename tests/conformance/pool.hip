// Stream-ordered memory and its pools.
#include "support.h"

static hipMemPool_t makePool(int device = 0) {
  hipMemPoolProps props{};
  props.allocType = hipMemAllocationTypePinned;
  props.location.type = hipMemLocationTypeDevice;
  props.location.id = device;
  hipMemPool_t pool = nullptr;
  HIP(hipMemPoolCreate(&pool, &props));
  return pool;
}

static std::uint64_t ask(hipMemPool_t pool, hipMemPoolAttr attribute) {
  std::uint64_t value = ~0ull;
  HIP(hipMemPoolGetAttribute(pool, attribute, &value));
  return value;
}

__global__ void fillWith(int* to, int value) {
  to[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

TEST(devices_say_they_have_pools) {
  int supported = 0;
  HIP(hipDeviceGetAttribute(&supported, hipDeviceAttributeMemoryPoolsSupported, 0));
  EXPECT_EQ(supported, 1);
}

TEST(allocate_use_and_free_in_stream_order) {
  Stream stream(hipStreamNonBlocking);
  std::vector<int> last(256);
  for (int round = 0; round < 20; ++round) {
    int* p = nullptr;
    HIP(hipMallocAsync(reinterpret_cast<void**>(&p), 1024, stream));
    fillWith<<<4, 64, 0, stream>>>(p, round);
    HIP(hipMemcpyAsync(last.data(), p, 1024, hipMemcpyDeviceToHost, stream));
    HIP(hipFreeAsync(p, stream));
  }
  HIP(hipStreamSynchronize(stream));
  EXPECT_VEC(last, std::vector<int>(256, 19));
  check::result(last);
}

TEST(a_device_has_a_default_pool) {
  hipMemPool_t pool = nullptr, now = nullptr;
  HIP(hipDeviceGetDefaultMemPool(&pool, 0));
  EXPECT(pool != nullptr);
  HIP(hipDeviceGetMemPool(&now, 0));
  EXPECT_EQ(now, pool);
  const std::uint64_t before = ask(pool, hipMemPoolAttrUsedMemCurrent);
  void* p = nullptr;
  HIP(hipMallocAsync(&p, 1 << 20, nullptr));
  EXPECT_EQ(ask(pool, hipMemPoolAttrUsedMemCurrent), before + (1 << 20));
  HIP(hipFree(p));
  EXPECT_EQ(ask(pool, hipMemPoolAttrUsedMemCurrent), before);
  HIP_ERR(hipMemPoolDestroy(pool), hipErrorInvalidValue);
  HIP_ERR(hipDeviceGetDefaultMemPool(nullptr, 0), hipErrorInvalidValue);
  HIP_ERR(hipDeviceGetDefaultMemPool(&pool, 99), hipErrorInvalidDevice);
}

TEST(the_program_chooses_the_pool) {
  hipMemPool_t mine = makePool(), usual = nullptr, now = nullptr;
  HIP(hipDeviceGetDefaultMemPool(&usual, 0));
  HIP(hipDeviceSetMemPool(0, mine));
  HIP(hipDeviceGetMemPool(&now, 0));
  EXPECT_EQ(now, mine);
  void *p = nullptr, *q = nullptr;
  HIP(hipMallocAsync(&p, 5000, nullptr));
  HIP(hipMallocFromPoolAsync(&q, 3000, mine, nullptr));
  EXPECT_EQ(ask(mine, hipMemPoolAttrUsedMemCurrent), std::uint64_t(8000));
  EXPECT(ask(mine, hipMemPoolAttrReservedMemCurrent) >= 8000);
  HIP(hipFreeAsync(q, nullptr));
  HIP(hipStreamSynchronize(nullptr));
  EXPECT_EQ(ask(mine, hipMemPoolAttrUsedMemCurrent), std::uint64_t(5000));
  EXPECT_EQ(ask(mine, hipMemPoolAttrUsedMemHigh), std::uint64_t(8000));
  // A pool that is gone leaves its memory, and the device goes back to its own pool.
  HIP(hipMemPoolDestroy(mine));
  HIP_ERR(hipMemPoolDestroy(mine), hipErrorInvalidValue);
  HIP(hipDeviceGetMemPool(&now, 0));
  EXPECT_EQ(now, usual);
  HIP(hipMemset(p, 1, 5000));
  HIP(hipFreeAsync(p, nullptr));
}

TEST(attributes) {
  hipMemPool_t pool = makePool();
  for (auto policy : {hipMemPoolReuseFollowEventDependencies, hipMemPoolReuseAllowOpportunistic,
                      hipMemPoolReuseAllowInternalDependencies}) {
    int value = 5;
    HIP(hipMemPoolGetAttribute(pool, policy, &value));
    EXPECT_EQ(value, 1);
    value = 0;
    HIP(hipMemPoolSetAttribute(pool, policy, &value));
    value = 5;
    HIP(hipMemPoolGetAttribute(pool, policy, &value));
    EXPECT_EQ(value, 0);
  }
  std::uint64_t number = 1 << 30;
  EXPECT_EQ(ask(pool, hipMemPoolAttrReleaseThreshold), std::uint64_t(0));
  HIP(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &number));
  EXPECT_EQ(ask(pool, hipMemPoolAttrReleaseThreshold), number);
  HIP(hipMemPoolTrimTo(pool, 0));
  // High-water marks start anew from zero only; what is in use cannot be set.
  HIP_ERR(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &number), hipErrorInvalidValue);
  HIP_ERR(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &number), hipErrorInvalidValue);
  void* p = nullptr;
  HIP(hipMallocFromPoolAsync(&p, 4096, pool, nullptr));
  HIP(hipFreeAsync(p, nullptr));
  EXPECT_EQ(ask(pool, hipMemPoolAttrUsedMemHigh), std::uint64_t(4096));
  number = 0;
  HIP(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &number));
  EXPECT_EQ(ask(pool, hipMemPoolAttrUsedMemHigh), std::uint64_t(0));
  HIP_ERR(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemHigh, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipMemPoolGetAttribute(nullptr, hipMemPoolAttrUsedMemHigh, &number), hipErrorInvalidValue);
  HIP(hipMemPoolDestroy(pool));
}

TEST(peers_get_access) {
  int count = 0;
  HIP(hipGetDeviceCount(&count));
  if (count < 2) SKIP("one device");
  hipMemPool_t pool = makePool(0);
  hipMemAccessDesc access{};
  access.location = {hipMemLocationTypeDevice, 1};
  hipMemAccessFlags flags = hipMemAccessFlagsProtRead;
  HIP(hipMemPoolGetAccess(&flags, pool, &access.location));
  EXPECT_EQ(flags, hipMemAccessFlagsProtNone);
  access.flags = hipMemAccessFlagsProtReadWrite;
  HIP(hipMemPoolSetAccess(pool, &access, 1));
  HIP(hipMemPoolGetAccess(&flags, pool, &access.location));
  EXPECT_EQ(flags, hipMemAccessFlagsProtReadWrite);
  int* p = nullptr;
  HIP(hipMallocFromPoolAsync(reinterpret_cast<void**>(&p), 1024, pool, nullptr));
  HIP(hipStreamSynchronize(nullptr));
  HIP(hipSetDevice(1));
  fillWith<<<4, 64>>>(p, 7);
  HIP(hipDeviceSynchronize());
  HIP(hipSetDevice(0));
  std::vector<int> out(256);
  HIP(hipMemcpy(out.data(), p, 1024, hipMemcpyDeviceToHost));
  EXPECT_VEC(out, std::vector<int>(256, 7));
  access.location.id = 0;
  access.flags = hipMemAccessFlagsProtNone;
  HIP_FAILS(hipMemPoolSetAccess(pool, &access, 1));
  HIP_FAILS(hipDeviceSetMemPool(1, pool));
  HIP(hipFree(p));
  HIP(hipMemPoolDestroy(pool));
}

TEST(wrong_pools) {
  hipMemPool_t pool = nullptr;
  hipMemPoolProps props{};
  HIP_ERR(hipMemPoolCreate(&pool, &props), hipErrorInvalidValue);
  HIP_ERR(hipMemPoolCreate(nullptr, &props), hipErrorInvalidValue);
  props.allocType = hipMemAllocationTypePinned;
  props.location = {hipMemLocationTypeDevice, 99};
  HIP_ERR(hipMemPoolCreate(&pool, &props), hipErrorInvalidValue);
  void* p = nullptr;
  HIP_ERR(hipMallocFromPoolAsync(&p, 100, nullptr, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipMemPoolTrimTo(nullptr, 0), hipErrorInvalidValue);
}
