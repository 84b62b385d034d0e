// FakeHip's own rules: what the worker is tested with must be as strict as it says.
#include "worker/fake_hip.h"

#include <gtest/gtest.h>

#include <chrono>

namespace hipr::worker {
namespace {

using std::chrono::milliseconds;

FakeHip::Settings strict() {
  FakeHip::Settings settings;
  settings.cpuReachesMemory = false;
  settings.strictCallbacks = true;
  return settings;
}

const HipTable* table;  // for host functions

void runHostFunction(hipHostFn_t function) {
  FakeHip fake(strict());
  const HipTable hip = fake.table();
  table = &hip;
  hip.hipLaunchHostFunc(nullptr, function, nullptr);
  hip.hipStreamSynchronize(nullptr);
}

TEST(FakeHip, TheCpuCannotTouchDeviceMemory) {
  FakeHip fake(strict());
  const HipTable hip = fake.table();
  void *memory = nullptr, *reserved = nullptr;
  ASSERT_EQ(hip.hipMalloc(&memory, 8192), hipSuccess);
  ASSERT_EQ(hip.hipMemAddressReserve(&reserved, 1 << 20, 0, reinterpret_cast<void*>(std::uintptr_t{0x260000000000}), 0),
            hipSuccess);
  ASSERT_EQ(hip.hipMemMap(reserved, 1 << 16, 0, nullptr, 0), hipSuccess);
  for (void* device : {memory, reserved}) {
    const std::vector<char> from(8192, 7);
    std::vector<char> to(8192);
    ASSERT_EQ(hip.hipMemcpyAsync(device, from.data(), from.size(), hipMemcpyHostToDevice, nullptr), hipSuccess);
    ASSERT_EQ(hip.hipMemcpyAsync(to.data(), device, to.size(), hipMemcpyDeviceToHost, nullptr), hipSuccess);
    EXPECT_EQ(to, from);
    EXPECT_DEATH(*static_cast<volatile char*>(device) = 1, "");
  }
  EXPECT_EQ(hip.hipMemUnmap(reserved, 1 << 16), hipSuccess);
  EXPECT_EQ(hip.hipMemAddressFree(reserved, 1 << 20), hipSuccess);
  EXPECT_EQ(hip.hipFree(memory), hipSuccess);
  EXPECT_EQ(fake.liveObjects(), 0);
}

// The fuzzer's clients free what work still uses, which is theirs to answer for; with a GPU it would be a fault.
TEST(FakeHip, OnlyAForgivingOneLetsWorkUseMemoryThatIsGone) {
  for (const bool cpuReaches : {true, false}) {
    const auto useAfterUnmap = [cpuReaches](bool forgiving) {
      FakeHip::Settings settings;
      settings.cpuReachesMemory = cpuReaches;
      settings.forgiving = forgiving;
      FakeHip fake(settings);
      const HipTable hip = fake.table();
      void* place = nullptr;
      std::vector<char> bytes(8192, 7);
      ASSERT_EQ(
          hip.hipMemAddressReserve(&place, 1 << 20, 0, reinterpret_cast<void*>(std::uintptr_t{0x260000000000}), 0),
          hipSuccess);
      ASSERT_EQ(hip.hipMemMap(place, 1 << 16, 0, nullptr, 0), hipSuccess);
      ASSERT_EQ(hip.hipMemcpyAsync(place, bytes.data(), bytes.size(), hipMemcpyHostToDevice, nullptr), hipSuccess);
      ASSERT_EQ(hip.hipStreamSynchronize(nullptr), hipSuccess);
      ASSERT_EQ(hip.hipMemUnmap(place, 1 << 16), hipSuccess);
      ASSERT_EQ(hip.hipMemcpyAsync(bytes.data(), place, bytes.size(), hipMemcpyDeviceToHost, nullptr), hipSuccess);
      ASSERT_EQ(hip.hipStreamSynchronize(nullptr), hipSuccess);
      EXPECT_EQ(bytes, std::vector<char>(8192));  // nothing of what was there
      EXPECT_EQ(hip.hipMemAddressFree(place, 1 << 20), hipSuccess);
      EXPECT_EQ(fake.liveObjects(), 0);
    };
    useAfterUnmap(true);
    EXPECT_DEATH(useAfterUnmap(false), "");
  }
}

TEST(FakeHip, ArraysAreNotUsedWhenTheyAreGoneNorDoTheyGoWhileATextureShowsThem) {
  const auto play = [](bool shown, bool gone) {
    FakeHip fake(strict());
    const HipTable hip = fake.table();
    const HIP_ARRAY3D_DESCRIPTOR bytes{64, 0, 0, HIP_AD_FORMAT_UNSIGNED_INT8, 1, 0};
    hipMemcpy3DParms copy{};
    hipResourceDesc source{};
    hipTextureObject_t texture = nullptr;
    hipArray_t other = nullptr;
    ASSERT_EQ(hip.hipArray3DCreate(&copy.srcArray, &bytes), hipSuccess);
    ASSERT_EQ(hip.hipArray3DCreate(&other, &bytes), hipSuccess);
    copy.dstArray = other;
    copy.extent = {65, 1, 1};
    EXPECT_EQ(hip.hipMemcpy3DAsync(&copy, nullptr), hipErrorInvalidValue);
    copy.extent.width = 64;
    source.res.array.array = copy.srcArray;
    ASSERT_EQ(hip.hipCreateTextureObject(&texture, &source, nullptr, nullptr), hipSuccess);
    fake.hold();
    ASSERT_EQ(hip.hipMemcpy3DAsync(&copy, nullptr), hipSuccess);
    if (!shown) {
      ASSERT_EQ(hip.hipDestroyTextureObject(texture), hipSuccess);
    }
    if (shown || gone) {
      ASSERT_EQ(hip.hipArrayDestroy(copy.srcArray), hipSuccess);
    }
    fake.release();
    ASSERT_EQ(hip.hipStreamSynchronize(nullptr), hipSuccess);
    for (hipArray_t array : {copy.srcArray, other}) ASSERT_EQ(hip.hipArrayDestroy(array), hipSuccess);
    EXPECT_EQ(fake.liveObjects(), 0);
  };
  play(false, false);
  EXPECT_DEATH(play(true, false), "an array that a texture shows");
  EXPECT_DEATH(play(false, true), "an array that is gone");
}

TEST(FakeHip, AHostFunctionThatCallsHipOrWaitsEndsTheTest) {
  EXPECT_DEATH(runHostFunction([](void*) { table->hipStreamQuery(nullptr); }),
               "hipStreamQuery was called by a host function");
  EXPECT_DEATH(runHostFunction([](void*) { std::this_thread::sleep_for(std::chrono::seconds(20)); }),
               "must not wait.*has not returned for 300 ms");
  runHostFunction([](void*) { table->hipGetErrorName(hipSuccess); });
}

TEST(FakeHip, HostFunctionsShareOneThread) {
  FakeHip fake(strict());
  const HipTable hip = fake.table();
  static std::mutex mutex;
  static std::set<std::thread::id> threads;
  threads.clear();
  hipStream_t streams[3];
  for (hipStream_t& stream : streams) {
    ASSERT_EQ(hip.hipStreamCreateWithFlags(&stream, 0), hipSuccess);
    const auto remember = [](void*) {
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    };
    for (int i = 0; i < 5; ++i) ASSERT_EQ(hip.hipLaunchHostFunc(stream, remember, nullptr), hipSuccess);
  }
  for (hipStream_t stream : streams) ASSERT_EQ(hip.hipStreamDestroy(stream), hipSuccess);
  EXPECT_EQ(threads.size(), 1u);
}

TEST(FakeHip, OnlyCopiesOfPinnedMemoryReturnAtOnce) {
  FakeHip fake(strict());
  const HipTable hip = fake.table();
  void *device = nullptr, *pinned = nullptr;
  std::vector<char> pageable(64);
  ASSERT_EQ(hip.hipMalloc(&device, 64), hipSuccess);
  ASSERT_EQ(hip.hipHostMalloc(&pinned, 64, 0), hipSuccess);
  const auto waits = [&](const void* from) {
    fake.hold();
    std::atomic<bool> released{false};
    std::thread releaser([&] {
      std::this_thread::sleep_for(milliseconds(50));
      released = true;
      fake.release();
    });
    EXPECT_EQ(hip.hipMemcpyAsync(device, from, 64, hipMemcpyHostToDevice, nullptr), hipSuccess);
    const bool waited = released;
    releaser.join();
    return waited;
  };
  EXPECT_FALSE(waits(pinned));
  EXPECT_TRUE(waits(pageable.data()));
  ASSERT_EQ(hip.hipHostRegister(pageable.data(), 64, 0), hipSuccess);
  EXPECT_FALSE(waits(pageable.data()));
  ASSERT_EQ(hip.hipStreamSynchronize(nullptr), hipSuccess);
  ASSERT_EQ(hip.hipHostUnregister(pageable.data()), hipSuccess);
  EXPECT_EQ(hip.hipHostFree(pinned), hipSuccess);
  EXPECT_EQ(hip.hipFree(device), hipSuccess);
}

}  // namespace
}  // namespace hipr::worker
