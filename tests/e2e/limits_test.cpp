// A program that wants more than its session may have: it is told so by HIP's own error, goes on with what it has, and
// the worker's metrics page tells who has what.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "testing/eventually.h"
#include "testing/hip.h"
#include "testing/worker_process.h"
#include "tests/e2e/metrics.h"

namespace hipr {
namespace {

constexpr std::size_t kMiB = 1 << 20;

// One worker and one session for all tests, as a process connects once.
class Limits : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::vector<std::string> arguments{"--runtime", "softgpu", "--grace", "1", "--cache", "", "--metrics", "0"};
    for (const char* limit : {"streams=4", "events=4", "modules=3", "device-memory=64M", "host-memory=4M",
                              "operations=512", "held-memory=1M", "waits=64", "threads=4"})
      arguments.insert(arguments.end(), {"--limit", limit});
    worker_ = new testing::WorkerProcess(arguments);
    worker_->use();
    ASSERT_TRUE(hip_.load(testing::remoteLibrary()).ok());  // a module and a stream
  }
  static void TearDownTestSuite() { delete worker_; }

  // Whatever was refused, the session computes.
  void TearDown() override {
    constexpr int kItems = 64, kRounds = 5;
    void* out = nullptr;
    HIPR_CHECK(hip_, hipMalloc(&out, kItems * sizeof(float)));
    int rounds = kRounds;
    void* arguments[] = {&out, &rounds};
    hip_.launch(hip_.work, 1, kItems, arguments);
    float back[kItems];
    HIPR_CHECK(hip_, hipMemcpyAsync(back, out, sizeof back, hipMemcpyDeviceToHost, hip_.stream));
    HIPR_CHECK(hip_, hipStreamSynchronize(hip_.stream));
    for (int i = 0; i < kItems; ++i) ASSERT_EQ(back[i], testing::workResult(i, kRounds));
    HIPR_CHECK(hip_, hipFree(out));
  }

  static double metric(const std::string& name, const std::string& limit) {
    return metricOfLimit(*worker_, name, limit);
  }

  // Makes things until one is refused; how many there are then.
  template <class Thing>
  static std::size_t fill(std::vector<Thing>& things, const std::function<hipError_t(Thing*)>& make) {
    for (Thing thing{}; things.size() < 100;) {
      const hipError_t error = make(&thing);
      if (error == hipSuccess) {
        things.push_back(thing);
        continue;
      }
      EXPECT_EQ(error, hipErrorOutOfMemory);
      break;
    }
    return things.size();
  }

  // For a while, by a function of the program: what follows waits at the worker.
  static void holdStream() {
    HIPR_CHECK(hip_,
               hipLaunchHostFunc(
                   hip_.stream, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(300)); }, nullptr));
  }

  static testing::WorkerProcess* worker_;
  static testing::Hip hip_;
};
testing::WorkerProcess* Limits::worker_ = nullptr;
testing::Hip Limits::hip_;

TEST_F(Limits, OfStreams) {
  std::vector<hipStream_t> streams;
  EXPECT_EQ(fill<hipStream_t>(streams, [](auto* out) { return hip_.api.hipStreamCreate(out); }), 3u);
  HIPR_CHECK(hip_, hipDeviceSynchronize());
  EXPECT_EQ(metric("hip_worker_session_used", "streams"), 4);
  EXPECT_EQ(metric("hip_worker_session_limit", "streams"), 4);
  for (hipStream_t stream : streams) HIPR_CHECK(hip_, hipStreamDestroy(stream));
  // One that has been given up makes room at once, however busy it was.
  for (int i = 0; i < 200; ++i) {
    hipStream_t stream = nullptr;
    HIPR_CHECK(hip_, hipStreamCreate(&stream));
    int nothing = 0;
    void* arguments[] = {&nothing};
    HIPR_CHECK(hip_, hipModuleLaunchKernel(hip_.empty, 1, 1, 1, 64, 1, 1, 0, stream, arguments, nullptr));
    HIPR_CHECK(hip_, hipStreamDestroy(stream));
  }
}

// Destroyed events are kept for the next ones, and the worker remembers where they were recorded.
TEST_F(Limits, StreamsThatAreGoneDoNotCountForTheirEvents) {
  for (int round = 0; round < 3; ++round) {
    hipStream_t streams[3];
    hipEvent_t events[3];
    for (int i = 0; i < 3; ++i) {
      HIPR_CHECK(hip_, hipStreamCreate(&streams[i]));
      HIPR_CHECK(hip_, hipEventCreate(&events[i]));
      HIPR_CHECK(hip_, hipEventRecord(events[i], streams[i]));
    }
    for (int i = 0; i < 3; ++i) {
      HIPR_CHECK(hip_, hipStreamSynchronize(streams[i]));
      HIPR_CHECK(hip_, hipEventDestroy(events[i]));
      HIPR_CHECK(hip_, hipStreamDestroy(streams[i]));
    }
  }
}

TEST_F(Limits, OfEvents) {
  std::vector<hipEvent_t> events;
  EXPECT_EQ(fill<hipEvent_t>(events, [](auto* out) { return hip_.api.hipEventCreate(out); }), 4u);
  HIPR_CHECK(hip_, hipDeviceSynchronize());
  EXPECT_EQ(metric("hip_worker_session_used", "events"), 4);
  for (hipEvent_t event : events) HIPR_CHECK(hip_, hipEventDestroy(event));
  for (int i = 0; i < 1000; ++i) {
    hipEvent_t event = nullptr;
    HIPR_CHECK(hip_, hipEventCreate(&event));
    HIPR_CHECK(hip_, hipEventRecord(event, hip_.stream));
    HIPR_CHECK(hip_, hipEventDestroy(event));
  }
  HIPR_CHECK(hip_, hipStreamSynchronize(hip_.stream));
}

TEST_F(Limits, OfModules) {
  std::vector<hipModule_t> modules;
  EXPECT_EQ(
      fill<hipModule_t>(modules, [](auto* out) { return hip_.api.hipModuleLoadData(out, testing::kernelImage()); }),
      2u);
  for (hipModule_t module : modules) HIPR_CHECK(hip_, hipModuleUnload(module));
  HIPR_CHECK(hip_, hipModuleLoadData(&modules[0], testing::kernelImage()));
  HIPR_CHECK(hip_, hipModuleUnload(modules[0]));
}

TEST_F(Limits, OfDeviceMemory) {
  void* memory = nullptr;
  EXPECT_EQ(hip_.api.hipMalloc(&memory, 65 * kMiB), hipErrorOutOfMemory);
  std::vector<void*> blocks;
  const std::size_t got = fill<void*>(blocks, [](auto* out) { return hip_.api.hipMalloc(out, 4 * kMiB); });
  EXPECT_LE(got, 16u);
  EXPECT_GE(got, 7u);  // small blocks share a mapping of 32 MiB
  HIPR_CHECK(hip_, hipDeviceSynchronize());
  EXPECT_LE(metric("hip_worker_session_used", "device-memory"), 64 * kMiB);
  EXPECT_GE(metric("hip_worker_session_used", "device-memory"), 28 * kMiB);
  for (void* block : blocks) HIPR_CHECK(hip_, hipFree(block));
}

// The worker unmaps memory when the work sent before is done, so it counts until then: the program waits for it, as a
// local hipFree would have made it wait, instead of hearing of it later.
TEST_F(Limits, DeviceMemoryIsWaitedForWhileItIsUnmapped) {
  for (int i = 0; i < 5; ++i) {
    void *before = nullptr, *after = nullptr;
    HIPR_CHECK(hip_, hipMalloc(&before, 30 * kMiB));
    HIPR_CHECK(hip_, hipDeviceSynchronize());
    HIPR_CHECK(hip_, hipFree(before));
    holdStream();
    HIPR_CHECK(hip_, hipMalloc(&after, 50 * kMiB));
    HIPR_CHECK(hip_, hipMemset(after, 1, 50 * kMiB));
    HIPR_CHECK(hip_, hipDeviceSynchronize());
    HIPR_CHECK(hip_, hipFree(after));
  }
}

TEST_F(Limits, VirtualMemoryIsWaitedForWhileItIsUnmapped) {
  hipMemAllocationProp prop{};
  prop.type = hipMemAllocationTypePinned;
  prop.location.type = hipMemLocationTypeDevice;
  const hipMemAccessDesc access{prop.location, hipMemAccessFlagsProtReadWrite};
  for (int i = 0; i < 5; ++i) {
    constexpr std::size_t kSize = 40 * kMiB;
    void* range = nullptr;
    HIPR_CHECK(hip_, hipMemAddressReserve(&range, 2 * kSize, 0, nullptr, 0));
    void* const places[] = {range, static_cast<char*>(range) + kSize};
    for (void* place : places) {
      hipMemGenericAllocationHandle_t handle = nullptr;
      HIPR_CHECK(hip_, hipMemCreate(&handle, kSize, &prop, 0));
      HIPR_CHECK(hip_, hipMemMap(place, kSize, 0, handle, 0));
      HIPR_CHECK(hip_, hipMemRelease(handle));
      HIPR_CHECK(hip_, hipMemSetAccess(place, kSize, &access, 1));
      HIPR_CHECK(hip_, hipMemset(place, 1, kSize));
      holdStream();
      HIPR_CHECK(hip_, hipMemUnmap(place, kSize));
    }
    HIPR_CHECK(hip_, hipDeviceSynchronize());
    HIPR_CHECK(hip_, hipMemAddressFree(range, 2 * kSize));
  }
}

TEST_F(Limits, OfHostMemoryThatKernelsReach) {
  void* host = nullptr;
  EXPECT_EQ(hip_.api.hipHostMalloc(&host, 8 * kMiB, 0), hipErrorOutOfMemory);
  std::vector<void*> blocks;
  EXPECT_EQ(fill<void*>(blocks, [](auto* out) { return hip_.api.hipHostMalloc(out, kMiB, 0); }), 4u);
  int rounds = 1;
  for (void*& block : blocks) {  // the address travels with the launch, and so its memory gets to the worker
    void* arguments[] = {&block, &rounds};
    hip_.launch(hip_.work, 1, 64, arguments);
  }
  HIPR_CHECK(hip_, hipStreamSynchronize(hip_.stream));
  for (void* block : blocks) EXPECT_EQ(static_cast<float*>(block)[7], testing::workResult(7, rounds));
  EXPECT_EQ(metric("hip_worker_session_used", "host-memory"), 4 * kMiB);
  for (void* block : blocks) HIPR_CHECK(hip_, hipHostFree(block));
}

// A program may be far ahead of its GPU: it waits then, and nothing is lost.
TEST_F(Limits, OfOperationsMakeAProgramWait) {
  void* out = nullptr;
  HIPR_CHECK(hip_, hipMalloc(&out, kMiB));
  holdStream();
  for (int i = 0; i < 3000; ++i) HIPR_CHECK(hip_, hipMemsetAsync(out, i & 0xff, 1000, hip_.stream));
  HIPR_CHECK(hip_, hipStreamSynchronize(hip_.stream));
  unsigned char last = 0;
  HIPR_CHECK(hip_, hipMemcpy(&last, out, 1, hipMemcpyDeviceToHost));
  EXPECT_EQ(last, 2999 & 0xff);
  EXPECT_EQ(metric("hip_worker_limit_refusals_total", "operations"), 0);
  HIPR_CHECK(hip_, hipFree(out));
}

// Bytes of uploads travel at once and wait at the worker, behind the function.
TEST_F(Limits, OfHeldBytesMakeAProgramWait) {
  void* out = nullptr;
  HIPR_CHECK(hip_, hipMalloc(&out, kMiB));
  holdStream();
  std::vector<char> bytes(32 << 10);
  for (int i = 0; i < 200; ++i) {
    bytes.assign(bytes.size(), static_cast<char>(i));
    HIPR_CHECK(hip_, hipMemcpyAsync(out, bytes.data(), bytes.size(), hipMemcpyHostToDevice, hip_.stream));
  }
  HIPR_CHECK(hip_, hipStreamSynchronize(hip_.stream));
  std::vector<char> back(bytes.size());
  HIPR_CHECK(hip_, hipMemcpy(back.data(), out, back.size(), hipMemcpyDeviceToHost));
  EXPECT_EQ(back, bytes);
  EXPECT_EQ(metric("hip_worker_limit_refusals_total", "held-memory"), 0);
  HIPR_CHECK(hip_, hipFree(out));
}

// Who is told that too many wait has not heard that anything is done; nor have the others.
TEST_F(Limits, OfWaitsAreNoAnswer) {
  constexpr int kThreads = 80;
  static std::atomic<bool> goOn{false};
  std::atomic<int> refused{0}, early{0};
  HIPR_CHECK(hip_, hipLaunchHostFunc(hip_.stream, [](void*) { goOn.wait(false); }, nullptr));
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      const hipError_t error = hip_.api.hipStreamSynchronize(hip_.stream);
      early += error == hipSuccess && !goOn;
      if (error == hipSuccess) return;
      EXPECT_EQ(error, hipErrorOutOfMemory);
      early += hip_.api.hipStreamSynchronize(hip_.stream) == hipSuccess && !goOn;
      ++refused;
    });
  }
  EXPECT_TRUE(testing::eventually([&] { return refused >= kThreads - 64; }));
  goOn = true;
  goOn.notify_all();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(early, 0);
}

TEST_F(Limits, OfThreadsAreMetByNobody) {
  constexpr int kThreads = 24;
  void* out[kThreads] = {};
  for (void*& o : out) HIPR_CHECK(hip_, hipMalloc(&o, 64 * sizeof(float)));
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      int rounds = 2000 + t;
      void* arguments[] = {&out[t], &rounds};
      HIPR_CHECK(hip_, hipModuleLaunchKernel(hip_.work, 1, 1, 1, 64, 1, 1, 0, hip_.stream, arguments, nullptr));
      HIPR_CHECK(hip_, hipStreamSynchronize(hip_.stream));
      float first = 0;
      HIPR_CHECK(hip_, hipMemcpy(&first, out[t], sizeof first, hipMemcpyDeviceToHost));
      right += first == testing::workResult(0, rounds);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, kThreads);
  for (void* o : out) HIPR_CHECK(hip_, hipFree(o));
}

}  // namespace
}  // namespace hipr
