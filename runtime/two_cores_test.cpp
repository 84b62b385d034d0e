// Two cores in one process: one row of devices, each thing done by the core it belongs to, and what needs both.
#include <cstring>
#include <future>

#include "runtime/async_error.h"
#include "runtime/fake_core.h"
#include "runtime/process.h"

namespace hipr {
namespace {

using testing::fake;
using testing::secondFake;

class TwoCores : public testing::RuntimeTest {
 protected:
  TwoCores() : RuntimeTest(2) {
    secondFake().platform = testing::fakePlatform(3);
    snprintf(secondFake().platform.devices[1].props.name, 256, "Elsewhere");
  }
  static void* allocateOn(int device) {
    void* memory = nullptr;
    EXPECT_EQ(api::hipSetDevice(device), hipSuccess);
    EXPECT_EQ(api::hipMalloc(&memory, 64), hipSuccess);
    return memory;
  }
};

TEST_F(TwoCores, DevicesOfBothInOneRow) {
  int count = 0;
  ASSERT_EQ(api::hipGetDeviceCount(&count), hipSuccess);
  EXPECT_EQ(count, 5);
  hipDeviceProp_tR0600 props;
  ASSERT_EQ(api::hipGetDevicePropertiesR0600(&props, 3), hipSuccess);
  EXPECT_STREQ(props.name, "Elsewhere");
  EXPECT_EQ(openedProcess()->devices[3]->index, 1) << "as its core counts";
  int can = -1;
  ASSERT_EQ(api::hipDeviceCanAccessPeer(&can, 3, 4), hipSuccess);
  EXPECT_EQ(can, 1);
  ASSERT_EQ(api::hipDeviceCanAccessPeer(&can, 0, 3), hipSuccess);
  EXPECT_EQ(can, 0);
  EXPECT_EQ(api::hipDeviceEnablePeerAccess(3, 0), hipErrorInvalidDevice);
}

TEST_F(TwoCores, EachDoesItsOwnWork) {
  void *here = allocateOn(0), *there = allocateOn(3);
  EXPECT_EQ(fake().live, 1);
  EXPECT_EQ(secondFake().live, 1);
  hipStream_t first = nullptr, second = nullptr;
  ASSERT_EQ(api::hipStreamCreate(&second), hipSuccess);
  ASSERT_EQ(api::hipSetDevice(0), hipSuccess);
  ASSERT_EQ(api::hipStreamCreate(&first), hipSuccess);
  int device = -1;
  ASSERT_EQ(api::hipStreamGetDevice(second, &device), hipSuccess);
  EXPECT_EQ(device, 3);
  ASSERT_EQ(api::hipMemsetAsync(here, 1, 64, first), hipSuccess);
  ASSERT_EQ(api::hipMemsetAsync(there, 2, 64, second), hipSuccess);
  ASSERT_EQ(api::hipMemsetAsync(there, 3, 64, second), hipSuccess);
  EXPECT_EQ(fake().fills.size(), 1u);
  EXPECT_EQ(secondFake().fills.size(), 2u);
  ASSERT_EQ(api::hipStreamSynchronize(second), hipSuccess);
  EXPECT_EQ(fake().count("streamSynchronize"), 0);
  EXPECT_EQ(secondFake().count("streamSynchronize"), 1);
  ASSERT_EQ(api::hipFree(there), hipSuccess);
  EXPECT_EQ(fake().count("fence"), 0);
  EXPECT_EQ(secondFake().count("fence"), 1);
  ASSERT_EQ(api::hipFree(here), hipSuccess);
}

TEST_F(TwoCores, CopiesGoThroughThisProcess) {
  void *here = allocateOn(0), *there = allocateOn(3), *near = allocateOn(4);
  std::memset(there, 7, 64);
  EXPECT_EQ(api::hipMemcpyPeer(near, 4, there, 3, 64), hipSuccess) << "two devices of one core";
  EXPECT_EQ(secondFake().count("hold"), 0);
  EXPECT_EQ(api::hipMemcpyPeer(here, 0, there, 3, 64), hipSuccess);
  EXPECT_EQ(std::memcmp(here, there, 64), 0);
  // On the null stream it is in order with both devices.
  EXPECT_EQ(fake().count("hold"), 1);
  EXPECT_EQ(secondFake().count("hold"), 1);
  // One core gives, the other takes.
  EXPECT_EQ(fake().copies.size(), 1u);
  EXPECT_EQ(fake().copies[0].to.kind, MemoryKind::kDevice);
  EXPECT_EQ(secondFake().copies.back().from.kind, MemoryKind::kDevice);
  std::memset(here, 9, 64);
  EXPECT_EQ(api::hipMemcpy(there, here, 64, hipMemcpyDefault), hipSuccess);
  EXPECT_EQ(std::memcmp(here, there, 64), 0);
  EXPECT_EQ(api::hipMemset(here, 5, 64), hipSuccess) << "device 4 is current; the memory's own null stream does it";
  EXPECT_EQ(static_cast<char*>(here)[63], 5);
  EXPECT_EQ(fake().fills.size(), 1u);
}

TEST_F(TwoCores, AnAsynchronousCopyWaitsForItsStreamAlone) {
  void *here = allocateOn(0), *there = allocateOn(3);
  hipStream_t stream = nullptr;
  ASSERT_EQ(api::hipStreamCreate(&stream), hipSuccess);
  secondFake().keepArrivals = true;
  ASSERT_EQ(api::hipMemcpyAsync(here, there, 64, hipMemcpyDeviceToDevice, stream), hipSuccess);
  std::memset(there, 3, 64);
  EXPECT_EQ(fake().count("hold"), 0);
  ASSERT_EQ(secondFake().arrivals.size(), 1u);
  EXPECT_EQ(fake().count("copy"), 0) << "the stream has not come there";
  secondFake().arrivals[0](false, [] {});
  ASSERT_EQ(api::hipFree(here), hipSuccess) << "waits for the copy";
  EXPECT_EQ(fake().count("copy"), 1);
}

TEST_F(TwoCores, AStreamWaitsForAnEventOfTheOther) {
  hipEvent_t event = nullptr;
  ASSERT_EQ(api::hipSetDevice(3), hipSuccess);
  ASSERT_EQ(api::hipEventCreate(&event), hipSuccess);
  ASSERT_EQ(api::hipEventRecord(event, nullptr), hipSuccess);
  EXPECT_EQ(api::hipStreamWaitEvent(nullptr, event, 0), hipSuccess);
  EXPECT_EQ(secondFake().count("wait"), 1);
  fake().keepArrivals = secondFake().keepArrivals = true;
  ASSERT_EQ(api::hipSetDevice(0), hipSuccess);
  for (const bool lost : {false, true}) {
    const auto wentOn = std::make_shared<std::promise<void>>();
    EXPECT_EQ(api::hipStreamWaitEvent(nullptr, event, 0), hipSuccess);
    fake().arrivals.back()(false, [wentOn] { wentOn->set_value(); });
    auto future = wentOn->get_future();
    EXPECT_EQ(future.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
    secondFake().reachings.back()(lost);
    future.get();
    EXPECT_EQ(api::hipDeviceSynchronize(), lost ? hipErrorNotInitialized : hipSuccess) << "it is told, once";
    EXPECT_EQ(api::hipDeviceSynchronize(), hipSuccess);
  }
}

TEST_F(TwoCores, HostMemoryIsKnownToBoth) {
  void* memory = nullptr;
  ASSERT_EQ(api::hipSetDevice(3), hipSuccess);
  ASSERT_EQ(api::hipHostMalloc(&memory, 64, 0), hipSuccess);
  EXPECT_EQ(fake().count("admit"), 1);
  EXPECT_EQ(secondFake().count("admit"), 0);
  ASSERT_EQ(api::hipSetDevice(0), hipSuccess);
  EXPECT_EQ(api::hipMemset(memory, 1, 64), hipSuccess);
  EXPECT_EQ(fake().fills.size(), 1u) << "each works on it by itself";
  ASSERT_EQ(api::hipHostFree(memory), hipSuccess);
  EXPECT_EQ(fake().count("dismiss"), 1);
  EXPECT_EQ(fake().count("fence"), 2) << "kernels of any device may have used it";
  EXPECT_EQ(secondFake().count("fence"), 3);
  fake().failures["admit"] = hipErrorOutOfMemory;
  ASSERT_EQ(api::hipSetDevice(3), hipSuccess);
  EXPECT_EQ(api::hipHostMalloc(&memory, 64, 0), hipErrorOutOfMemory);
  EXPECT_EQ(secondFake().live, 0);
}

TEST_F(TwoCores, AGraphIsOfOneCore) {
  void *here = allocateOn(0), *there = allocateOn(3);
  ASSERT_EQ(api::hipSetDevice(0), hipSuccess);
  hipGraph_t graph = nullptr;
  hipGraphNode_t node = nullptr;
  hipGraphExec_t exec = nullptr;
  ASSERT_EQ(api::hipGraphCreate(&graph, 0), hipSuccess);
  ASSERT_EQ(api::hipGraphAddMemcpyNode1D(&node, graph, nullptr, 0, there, here, 64, hipMemcpyDefault), hipSuccess);
  EXPECT_EQ(api::hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0), hipErrorNotSupported);
  hipStream_t stream = nullptr;
  ASSERT_EQ(api::hipStreamCreate(&stream), hipSuccess);
  ASSERT_EQ(api::hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
  EXPECT_EQ(api::hipMemcpyAsync(there, here, 64, hipMemcpyDefault, stream), hipErrorNotSupported);
}

TEST_F(TwoCores, AFaultIsOfOneCore) {
  void *here = allocateOn(0), *there = allocateOn(3);
  raiseAsyncError(secondFake(), hipErrorLaunchFailure, "test");
  EXPECT_EQ(api::hipDeviceSynchronize(), hipErrorLaunchFailure);
  EXPECT_EQ(api::hipMemset(there, 0, 64), hipErrorLaunchFailure);
  EXPECT_EQ(api::hipGetLastError(), hipErrorLaunchFailure);
  ASSERT_EQ(api::hipSetDevice(0), hipSuccess);
  EXPECT_EQ(api::hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(api::hipMemset(here, 0, 64), hipSuccess);
  EXPECT_EQ(api::hipGetLastError(), hipSuccess);
}

TEST_F(TwoCores, OneMayBeLostWithoutTheOther) {
  void *here = allocateOn(0), *there = allocateOn(3);
  hipEvent_t event = nullptr;
  hipStream_t stream = nullptr;
  ASSERT_EQ(api::hipStreamCreate(&stream), hipSuccess);
  ASSERT_EQ(api::hipEventCreate(&event), hipSuccess);
  ASSERT_EQ(api::hipEventRecord(event, stream), hipSuccess);
  secondFake().lostError = hipErrorNotInitialized;
  secondFake().log.clear();
  std::size_t free = 0, total = 0;
  void* more = nullptr;
  float ms = 0;
  const hipError_t answers[] = {
      api::hipDeviceSetLimit(hipLimitStackSize, 1),
      api::hipDeviceEnablePeerAccess(4, 0),
      api::hipDeviceSynchronize(),
      api::hipMemGetInfo(&free, &total),
      api::hipMalloc(&more, 64),
      api::hipMallocAsync(&more, 64, stream),
      api::hipHostMalloc(&more, 64, 0),
      api::hipMemcpy(there, &ms, 4, hipMemcpyDefault),
      api::hipMemsetAsync(there, 0, 64, stream),
      api::hipStreamSynchronize(stream),
      api::hipStreamQuery(stream),
      api::hipStreamWaitEvent(stream, event, 0),
      api::hipStreamCreate(&stream),
      api::hipEventRecord(event, stream),
      api::hipEventSynchronize(event),
      api::hipEventQuery(event),
      api::hipEventElapsedTime(&ms, event, event),
      api::hipEventCreate(&event),
      api::hipLaunchHostFunc(
          stream, [](void*) { FAIL(); }, nullptr),
  };
  for (const hipError_t answer : answers) EXPECT_EQ(answer, hipErrorNotInitialized) << &answer - answers;
  EXPECT_TRUE(secondFake().log.empty()) << "nothing is asked of it: " << secondFake().log.front();

  ASSERT_EQ(api::hipSetDevice(0), hipSuccess) << "the other one works on";
  EXPECT_EQ(api::hipMemset(here, 0, 64), hipSuccess);
  ASSERT_EQ(api::hipSetDevice(3), hipSuccess);
  EXPECT_EQ(api::hipDeviceReset(), hipSuccess) << "that is how to get it back";
  EXPECT_EQ(secondFake().count("reset"), 1);
  EXPECT_EQ(fake().count("reset"), 0);
}

TEST_F(TwoCores, BothAreOpenedOrNone) {
  int count = 0;
  ASSERT_EQ(api::hipGetDeviceCount(&count), hipSuccess);
  EXPECT_EQ(fake().count("open"), 1);
  EXPECT_EQ(secondFake().count("open"), 1);
  secondFake().failures["open"] = hipErrorNotInitialized;
  processPointer = nullptr;
  EXPECT_EQ(api::hipGetDeviceCount(&count), hipErrorNotInitialized) << "a row with a gap would change every number";
}

}  // namespace
}  // namespace hipr
