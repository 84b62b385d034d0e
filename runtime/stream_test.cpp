// Streams and events: handles, flags, callbacks, and the rules about what was recorded.
#include "runtime/async_error.h"
#include "runtime/fake_core.h"
#include "runtime/process.h"

#include <thread>

namespace hipr {
namespace {

using testing::fake;
class StreamTest : public testing::RuntimeTest {};

TEST_F(StreamTest, BadHandles) {
  hipStream_t stream = nullptr;
  ASSERT_EQ(api::hipStreamCreate(&stream), hipSuccess);
  ASSERT_EQ(api::hipStreamDestroy(stream), hipSuccess);
  EXPECT_EQ(api::hipStreamDestroy(stream), hipErrorContextIsDestroyed);
  EXPECT_EQ(api::hipStreamSynchronize(stream), hipErrorContextIsDestroyed);
  EXPECT_EQ(api::hipStreamQuery(reinterpret_cast<hipStream_t>(0x10)), hipErrorContextIsDestroyed);
  EXPECT_EQ(api::hipStreamDestroy(nullptr), hipErrorInvalidHandle);
  EXPECT_EQ(api::hipStreamDestroy(hipStreamLegacy), hipErrorInvalidHandle);
  EXPECT_EQ(api::hipStreamDestroy(hipStreamPerThread), hipErrorInvalidHandle);
  EXPECT_EQ(api::hipStreamCreate(nullptr), hipErrorInvalidValue);
  EXPECT_EQ(api::hipStreamCreateWithFlags(&stream, 0x80), hipErrorInvalidValue);
}

TEST_F(StreamTest, FlagsAndPriorities) {
  hipStream_t stream = nullptr;
  ASSERT_EQ(api::hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, -100), hipSuccess);
  unsigned flags = 0;
  int priority = 0;
  ASSERT_EQ(api::hipStreamGetFlags(stream, &flags), hipSuccess);
  ASSERT_EQ(api::hipStreamGetPriority(stream, &priority), hipSuccess);
  EXPECT_EQ(flags, hipStreamNonBlocking);
  EXPECT_EQ(priority, -1) << "clamped to the device's range";
  const std::uint32_t mask[4] = {0xf, 0, 0, 0};
  ASSERT_EQ(api::hipExtStreamCreateWithCUMask(&stream, 4, mask), hipSuccess);
  std::uint32_t got[4] = {};
  ASSERT_EQ(api::hipExtStreamGetCUMask(stream, 4, got), hipSuccess);
  EXPECT_EQ(got[0], 0xfu);
  EXPECT_EQ(api::hipExtStreamGetCUMask(stream, 2, got), hipErrorInvalidValue) << "104 units need 4 words";
}

TEST_F(StreamTest, NullStreamIsOnePerDevice) {
  unsigned long long first = 0, second = 0;
  ASSERT_EQ(api::hipStreamGetId(nullptr, &first), hipSuccess);
  ASSERT_EQ(api::hipStreamGetId(hipStreamLegacy, &second), hipSuccess);
  EXPECT_EQ(first, second);
  ASSERT_EQ(api::hipSetDevice(1), hipSuccess);
  ASSERT_EQ(api::hipStreamGetId(nullptr, &second), hipSuccess);
  EXPECT_NE(first, second);
  EXPECT_EQ(api::hipGetStreamDeviceId(nullptr), 1);
}

TEST_F(StreamTest, PerThreadStreamsEndWithTheirThread) {
  unsigned long long mine = 0, theirs = 0;
  ASSERT_EQ(api::hipStreamGetId(hipStreamPerThread, &mine), hipSuccess);
  std::thread([&] { api::hipStreamGetId(hipStreamPerThread, &theirs); }).join();
  EXPECT_NE(mine, theirs);
  EXPECT_EQ(fake().count("streamCreate"), 2);
  EXPECT_EQ(fake().count("streamDestroy"), 1);
}

TEST_F(StreamTest, Callbacks) {
  struct Seen {
    hipStream_t stream = nullptr;
    hipError_t status = hipErrorUnknown;
    int calls = 0;
  } seen;
  hipStream_t stream = nullptr;
  ASSERT_EQ(api::hipStreamCreate(&stream), hipSuccess);
  const hipStreamCallback_t callback = [](hipStream_t s, hipError_t status, void* data) {
    *static_cast<Seen*>(data) = {s, status, static_cast<Seen*>(data)->calls + 1};
  };
  ASSERT_EQ(api::hipStreamAddCallback(stream, callback, &seen, 0), hipSuccess);
  EXPECT_EQ(seen.stream, stream);
  EXPECT_EQ(seen.status, hipSuccess);
  EXPECT_EQ(api::hipStreamAddCallback(stream, callback, &seen, 1), hipErrorInvalidValue);
  EXPECT_EQ(api::hipStreamAddCallback(stream, nullptr, &seen, 0), hipErrorInvalidValue);
  ASSERT_EQ(api::hipLaunchHostFunc(stream, [](void* data) { ++static_cast<Seen*>(data)->calls; }, &seen), hipSuccess);
  EXPECT_EQ(seen.calls, 2);
}

TEST_F(StreamTest, EventsThatWereNeverRecorded) {
  hipEvent_t a = nullptr, b = nullptr;
  ASSERT_EQ(api::hipEventCreate(&a), hipSuccess);
  ASSERT_EQ(api::hipEventCreate(&b), hipSuccess);
  float ms = 0;
  EXPECT_EQ(api::hipEventQuery(a), hipSuccess);
  EXPECT_EQ(api::hipEventSynchronize(a), hipSuccess);
  EXPECT_EQ(api::hipStreamWaitEvent(nullptr, a, 0), hipSuccess);
  EXPECT_EQ(fake().count("eventQuery") + fake().count("eventSynchronize") + fake().count("wait"), 0);
  EXPECT_EQ(api::hipEventElapsedTime(&ms, a, b), hipErrorInvalidHandle);
  ASSERT_EQ(api::hipEventRecord(a, nullptr), hipSuccess);
  EXPECT_EQ(api::hipEventElapsedTime(&ms, a, b), hipErrorInvalidHandle);
  ASSERT_EQ(api::hipEventRecord(b, nullptr), hipSuccess);
  EXPECT_EQ(api::hipEventElapsedTime(&ms, a, b), hipSuccess);
  EXPECT_EQ(ms, 1.5F);
  EXPECT_EQ(api::hipEventElapsedTime(nullptr, a, b), hipErrorInvalidValue);
  fake().queryAnswer = hipErrorNotReady;
  EXPECT_EQ(api::hipEventQuery(a), hipErrorNotReady);
  ASSERT_EQ(api::hipEventDestroy(a), hipSuccess);
  EXPECT_EQ(api::hipEventDestroy(a), hipErrorContextIsDestroyed);
  EXPECT_EQ(api::hipEventRecord(a, nullptr), hipErrorInvalidHandle);
}

TEST_F(StreamTest, AttributesAreKept) {
  hipStream_t a = nullptr, b = nullptr;
  ASSERT_EQ(api::hipStreamCreateWithPriority(&a, hipStreamDefault, -1), hipSuccess);
  ASSERT_EQ(api::hipStreamCreate(&b), hipSuccess);
  constexpr auto kPolicy = hipLaunchAttributeSynchronizationPolicy;
  hipLaunchAttributeValue value{};
  ASSERT_EQ(api::hipStreamGetAttribute(a, kPolicy, &value), hipSuccess);
  EXPECT_EQ(value.syncPolicy, hipSyncPolicyAuto);
  value.syncPolicy = hipSyncPolicyYield;
  ASSERT_EQ(api::hipStreamSetAttribute(a, kPolicy, &value), hipSuccess);
  ASSERT_EQ(api::hipStreamCopyAttributes(b, a), hipSuccess);
  value = {};
  ASSERT_EQ(api::hipStreamGetAttribute(b, kPolicy, &value), hipSuccess);
  EXPECT_EQ(value.syncPolicy, hipSyncPolicyYield);
  ASSERT_EQ(api::hipStreamGetAttribute(a, hipLaunchAttributePriority, &value), hipSuccess);
  EXPECT_EQ(value.priority, -1);
  value.syncPolicy = static_cast<hipSynchronizationPolicy>(5);
  EXPECT_EQ(api::hipStreamSetAttribute(a, kPolicy, &value), hipErrorInvalidValue);
  EXPECT_EQ(api::hipStreamSetAttribute(a, kPolicy, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(api::hipStreamGetAttribute(a, static_cast<hipLaunchAttributeID>(-1), &value), hipErrorInvalidValue);
  const auto nobody = reinterpret_cast<hipStream_t>(-1);
  EXPECT_EQ(api::hipStreamSetAttribute(nobody, kPolicy, &value), hipErrorInvalidHandle);
  EXPECT_EQ(api::hipStreamCopyAttributes(a, nobody), hipErrorInvalidHandle);
}

TEST_F(StreamTest, EventsBelongToTheirDevice) {
  hipEvent_t event = nullptr, untimed = nullptr;
  ASSERT_EQ(api::hipEventCreate(&event), hipSuccess);
  ASSERT_EQ(api::hipEventCreateWithFlags(&untimed, hipEventDisableTiming), hipSuccess);
  ASSERT_EQ(api::hipEventRecord(untimed, nullptr), hipSuccess);
  float ms = 0;
  EXPECT_EQ(api::hipEventElapsedTime(&ms, untimed, untimed), hipErrorInvalidHandle);
  ASSERT_EQ(api::hipSetDevice(1), hipSuccess);
  EXPECT_EQ(api::hipEventRecord(event, nullptr), hipErrorInvalidHandle);
  EXPECT_EQ(api::hipEventCreateWithFlags(&event, 0x100), hipErrorInvalidValue);
  EXPECT_EQ(api::hipEventCreateWithFlags(&event, hipEventInterprocess), hipErrorInvalidValue);
  EXPECT_EQ(api::hipEventCreateWithFlags(&event, hipEventDisableSystemFence | hipEventReleaseToDevice),
            hipErrorInvalidValue)
      << "one kind of fence at a time";
}

TEST_F(StreamTest, BatchesOfWords) {
  void* p = nullptr;
  ASSERT_EQ(api::hipMalloc(&p, 64), hipSuccess);
  hipStreamBatchMemOpParams steps[3] = {};
  steps[0].writeValue.operation = hipStreamMemOpWriteValue64;
  steps[0].writeValue.address = p;
  steps[1].waitValue.operation = hipStreamMemOpWaitValue32;
  steps[1].waitValue.address = p;
  steps[2].memoryBarrier.operation = hipStreamMemOpBarrier;
  EXPECT_EQ(api::hipStreamBatchMemOp(nullptr, 2, steps, 0), hipSuccess);
  EXPECT_EQ(fake().count("words"), 1);
  EXPECT_EQ(api::hipStreamBatchMemOp(nullptr, 3, steps, 0), hipErrorInvalidValue) << "a barrier";
  EXPECT_EQ(api::hipStreamBatchMemOp(nullptr, 2, steps, 1), hipErrorInvalidValue);
  EXPECT_EQ(api::hipStreamBatchMemOp(nullptr, 0, steps, 0), hipErrorInvalidValue);
  EXPECT_EQ(api::hipStreamBatchMemOp(nullptr, 257, steps, 0), hipErrorInvalidValue);
  EXPECT_EQ(api::hipStreamBatchMemOp(nullptr, 2, nullptr, 0), hipErrorInvalidValue);
  steps[1].waitValue.address = static_cast<std::byte*>(p) + 62;
  EXPECT_EQ(api::hipStreamBatchMemOp(nullptr, 2, steps, 0), hipErrorInvalidValue) << "half outside";
  EXPECT_EQ(fake().count("words"), 1);
}

}  // namespace
}  // namespace hipr
