// Stream-ordered memory and its pools.
#include <thread>

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

TEST(freed_memory_is_used_again_in_its_stream) {
  hipMemPool_t pool = makePool();
  Stream stream(hipStreamNonBlocking);
  Gate busy(stream);
  void *p = nullptr, *q = nullptr, *r = nullptr;
  HIP(hipMallocFromPoolAsync(&p, 3 << 20, pool, stream));
  HIP(hipFreeAsync(p, stream));
  EXPECT_EQ(ask(pool, hipMemPoolAttrUsedMemCurrent), std::uint64_t(0));
  EXPECT_EQ(ask(pool, hipMemPoolAttrReservedMemCurrent), std::uint64_t(3 << 20));
  HIP(hipMemPoolTrimTo(pool, 0));  // it is still in use
  EXPECT_EQ(ask(pool, hipMemPoolAttrReservedMemCurrent), std::uint64_t(3 << 20));
  HIP(hipMallocFromPoolAsync(&q, 3 << 20, pool, stream));
  EXPECT_EQ(q, p);
  HIP(hipMallocFromPoolAsync(&r, 3 << 20, pool, stream));
  EXPECT(r != p);
  HIP(hipFreeAsync(q, stream));
  HIP(hipFreeAsync(r, stream));
  EXPECT_EQ(ask(pool, hipMemPoolAttrReservedMemHigh), std::uint64_t(6 << 20));
  busy.open();
  HIP(hipStreamSynchronize(stream));
  EXPECT_EQ(ask(pool, hipMemPoolAttrReservedMemCurrent), std::uint64_t(0));
  EXPECT_EQ(ask(pool, hipMemPoolAttrReservedMemHigh), std::uint64_t(6 << 20));
  HIP(hipMemPoolDestroy(pool));
}

TEST(a_pool_keeps_what_its_threshold_says) {
  hipMemPool_t pool = makePool();
  Stream stream;
  std::uint64_t threshold = 5 << 20;
  HIP(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold));
  void* p[3] = {};
  for (void*& each : p) HIP(hipMallocFromPoolAsync(&each, 2 << 20, pool, stream));
  for (void* each : p) HIP(hipFreeAsync(each, stream));
  HIP(hipStreamSynchronize(stream));
  EXPECT_EQ(ask(pool, hipMemPoolAttrReservedMemCurrent), std::uint64_t(4 << 20));
  HIP(hipMemPoolTrimTo(pool, 2 << 20));
  EXPECT_EQ(ask(pool, hipMemPoolAttrReservedMemCurrent), std::uint64_t(2 << 20));
  HIP(hipMemPoolDestroy(pool));
}

TEST(other_streams_use_it_as_the_attributes_say) {
  hipMemPool_t pool = makePool();
  Stream first(hipStreamNonBlocking), second(hipStreamNonBlocking);
  const auto set = [&](hipMemPoolAttr attribute, int value) { HIP(hipMemPoolSetAttribute(pool, attribute, &value)); };
  void *p = nullptr, *q = nullptr;
  hipEvent_t event;
  HIP(hipEventCreate(&event));
  {
    Gate busy(first);
    HIP(hipMallocFromPoolAsync(&p, 1 << 20, pool, first));
    HIP(hipFreeAsync(p, first));
    HIP(hipMallocFromPoolAsync(&q, 1 << 20, pool, second));  // the first still uses it
    EXPECT(q != p);
    HIP(hipFreeAsync(q, second));
    HIP(hipMemPoolTrimTo(pool, 0));
    // Behind an event that is recorded behind the free, it is safe at once.
    HIP(hipEventRecord(event, first));
    HIP(hipStreamWaitEvent(second, event, 0));
    HIP(hipMallocFromPoolAsync(&q, 1 << 20, pool, second));
    EXPECT_EQ(q, p);
    HIP(hipFreeAsync(q, second));
  }
  HIP(hipStreamSynchronize(second));
  set(hipMemPoolReuseFollowEventDependencies, 0);
  set(hipMemPoolReuseAllowInternalDependencies, 0);
  HIP(hipMallocFromPoolAsync(&p, 1 << 20, pool, first));
  HIP(hipFreeAsync(p, first));
  HIP(hipEventRecord(event, first));
  HIP(hipEventSynchronize(event));  // gives it back
  EXPECT_EQ(ask(pool, hipMemPoolAttrReservedMemCurrent), std::uint64_t(0));
  HIP(hipEventDestroy(event));
  HIP(hipMemPoolDestroy(pool));
}

// Threads of one program, each with a stream: allocate, upload more than a message holds, compute, read, free.
TEST(many_threads_use_one_pool) {
  hipMemPool_t pool = makePool();
  constexpr int kThreads = 6, kRounds = 12;
  std::vector<std::vector<int>> last(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Stream stream(t % 2 != 0 ? hipStreamNonBlocking : hipStreamDefault);
      for (int round = 0; round < kRounds; ++round) {
        const std::size_t count = std::size_t(64 << 10) << (t + round) % 5;
        std::vector<int> in(count, t * 1000 + round);
        int *p = nullptr, *q = nullptr;
        HIP(hipMallocFromPoolAsync(reinterpret_cast<void**>(&p), count * 4, pool, stream));
        HIP(hipMallocAsync(reinterpret_cast<void**>(&q), count * 4, stream));
        HIP(hipMemcpyAsync(p, in.data(), count * 4, hipMemcpyHostToDevice, stream));
        HIP(hipMemcpyAsync(q, p, count * 4, hipMemcpyDeviceToDevice, stream));
        fillWith<<<1, 64, 0, stream>>>(p, -1);
        HIP(hipFreeAsync(p, stream));
        last[t].assign(256, 0);
        HIP(hipMemcpyAsync(last[t].data(), q + count - 256, 1024, hipMemcpyDeviceToHost, stream));
        HIP(hipFreeAsync(q, stream));
        HIP(hipStreamSynchronize(stream));
        EXPECT_VEC(last[t], std::vector<int>(256, t * 1000 + round));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ask(pool, hipMemPoolAttrUsedMemCurrent), std::uint64_t(0));
  HIP(hipMemPoolDestroy(pool));
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
  HIP(hipMemPoolSetAccess(pool, &access, 1));  // once more changes nothing
  HIP(hipMemPoolSetAccess(pool, &access, 0));  // nor does an empty list
  HIP_ERR(hipMemPoolSetAccess(pool, nullptr, 0), hipErrorInvalidValue);
  HIP(hipDeviceSynchronize());
  access.location.id = 0;
  access.flags = hipMemAccessFlagsProtNone;
  HIP_ERR(hipMemPoolSetAccess(pool, &access, 1), hipErrorInvalidDevice);
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

TEST(wrong_streams) {
  const auto none = reinterpret_cast<hipStream_t>(-1);
  void* p = nullptr;
  HIP_ERR(hipMallocAsync(&p, 100, none), hipErrorInvalidHandle);
  hipMemPool_t pool = makePool();
  HIP_ERR(hipMallocFromPoolAsync(&p, 100, pool, none), hipErrorInvalidHandle);
  HIP(hipMemPoolDestroy(pool));
  HIP(hipMallocAsync(&p, 100, nullptr));
  HIP_ERR(hipFreeAsync(p, none), hipErrorInvalidHandle);
  HIP(hipFreeAsync(p, nullptr));
}
