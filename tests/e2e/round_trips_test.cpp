// How often each call waits for the worker, counted, not timed. A child process makes the call a number of times; the
// library's own counter, written when the process ends, tells how often it waited.
#include "testing/worker_process.h"
#include "tests/e2e/count_waits.h"

namespace hipr {
namespace {

using testing::Hip;

class RoundTrips : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    worker_ = new testing::WorkerProcess;
    worker_->use();
    setenv("HIP_REMOTE_TRANSPORT", "tcp", 1);
  }
  static void TearDownTestSuite() { delete worker_; }

  static inline testing::WorkerProcess* worker_ = nullptr;
};

struct Case {
  const char* name;
  int trips;
  std::function<void(Scene&)> call;
};

const Case kCases[] = {
    {"launch", 0,
     [](Scene& s) {
       int value = 0;
       void* arguments[] = {&value};
       s.hip.launch(s.hip.empty, 1, 64, arguments);
     }},
    {"hipMemset", 0, [](Scene& s) { HIPR_CHECK(s.hip, hipMemset(s.device, 1, 4096)); }},
    {"hipMemsetAsync", 0, [](Scene& s) { HIPR_CHECK(s.hip, hipMemsetAsync(s.device, 1, 4096, s.hip.stream)); }},
    {"host to device, small", 0,
     [](Scene& s) { HIPR_CHECK(s.hip, hipMemcpy(s.device, s.host.data(), 4096, hipMemcpyHostToDevice)); }},
    {"host to device, large", 0,
     [](Scene& s) { HIPR_CHECK(s.hip, hipMemcpy(s.device, s.host.data(), 1 << 20, hipMemcpyHostToDevice)); }},
    {"host to device, pinned and asynchronous", 0,
     [](Scene& s) {
       HIPR_CHECK(s.hip, hipMemcpyAsync(s.device, s.pinned, 1 << 20, hipMemcpyHostToDevice, s.hip.stream));
     }},
    {"device to device", 0,
     [](Scene& s) { HIPR_CHECK(s.hip, hipMemcpy(s.device, s.other, 1 << 20, hipMemcpyDeviceToDevice)); }},
    {"hipMalloc and hipFree", 0,
     [](Scene& s) {
       void* p = nullptr;
       HIPR_CHECK(s.hip, hipMalloc(&p, 3 << 20));
       HIPR_CHECK(s.hip, hipFree(p));
     }},
    {"stream create and destroy", 0,
     [](Scene& s) {
       hipStream_t stream;
       HIPR_CHECK(s.hip, hipStreamCreate(&stream));
       HIPR_CHECK(s.hip, hipStreamDestroy(stream));
     }},
    {"event create, record, destroy", 0,
     [](Scene& s) {
       hipEvent_t event;
       HIPR_CHECK(s.hip, hipEventCreate(&event));
       HIPR_CHECK(s.hip, hipEventRecord(event, s.hip.stream));
       HIPR_CHECK(s.hip, hipEventDestroy(event));
     }},
    {"stream wait event", 0, [](Scene& s) { HIPR_CHECK(s.hip, hipStreamWaitEvent(s.hip.stream, s.event, 0)); }},
    {"event query", 0, [](Scene& s) { (void)s.hip.api.hipEventQuery(s.event); }},
    {"stream query", 0, [](Scene& s) { (void)s.hip.api.hipStreamQuery(s.hip.stream); }},
    {"module load of known code", 0,
     [](Scene& s) {
       hipModule_t module;
       hipFunction_t function;
       HIPR_CHECK(s.hip, hipModuleLoadData(&module, testing::kernelImage()));
       HIPR_CHECK(s.hip, hipModuleGetFunction(&function, module, "empty"));
       HIPR_CHECK(s.hip, hipModuleUnload(module));
     }},
    {"properties", 0,
     [](Scene& s) {
       hipDeviceProp_tR0600 props;
       HIPR_CHECK(s.hip, hipGetDevicePropertiesR0600(&props, 0));
     }},
    {"attributes", 0,
     [](Scene& s) {
       int value;
       HIPR_CHECK(s.hip, hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0));
     }},
    {"pointer attributes", 0,
     [](Scene& s) {
       hipPointerAttribute_t attributes;
       HIPR_CHECK(s.hip, hipPointerGetAttributes(&attributes, s.device));
     }},
    {"occupancy", 0,
     [](Scene& s) {
       int blocks;
       HIPR_CHECK(s.hip, hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, s.hip.work, 64, 0));
     }},
    {"device to host", 1,
     [](Scene& s) { HIPR_CHECK(s.hip, hipMemcpy(s.host.data(), s.device, 4096, hipMemcpyDeviceToHost)); }},
    {"device to host, pinned and asynchronous", 0,
     [](Scene& s) {
       HIPR_CHECK(s.hip, hipMemcpyAsync(s.pinned, s.device, 1 << 20, hipMemcpyDeviceToHost, s.hip.stream));
     }},
    {"launch and stream synchronize", 1,
     [](Scene& s) {
       int value = 0;
       void* arguments[] = {&value};
       s.hip.launch(s.hip.empty, 1, 64, arguments);
       HIPR_CHECK(s.hip, hipStreamSynchronize(s.hip.stream));
     }},
    {"device synchronize", 1, [](Scene& s) { HIPR_CHECK(s.hip, hipDeviceSynchronize()); }},
};

class RoundTripsOf : public RoundTrips, public ::testing::WithParamInterface<Case> {};

TEST_P(RoundTripsOf, AreAsFewAsTheTableSays) {
  // A synchronize may find its work already done and then needs no trip: fewer is fine.
  EXPECT_LE(tripsPerCall(GetParam().call), GetParam().trips) << GetParam().name;
}

INSTANTIATE_TEST_SUITE_P(Calls, RoundTripsOf, ::testing::ValuesIn(kCases), [](const auto& info) {
  std::string name;
  for (const char c : std::string(info.param.name)) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

TEST_F(RoundTrips, AProgramNeedsAtMostTwoUntilItsFirstLaunch) {
  const long waited = Counters::of([] {
    Hip hip;
    if (!hip.load(testing::remoteLibrary()).ok()) _exit(2);
    int value = 0;
    void* arguments[] = {&value};
    hip.launch(hip.empty, 1, 64, arguments);
  })["waited"];
  EXPECT_GE(waited, 1);  // the counter works
  EXPECT_LE(waited, 2);
}

TEST_F(RoundTrips, AWaitBehindACopyToPinnedMemoryIsAWaitForItsAnswer) {
  constexpr int kCopies = 50, kOthers = 10;  // those of the preparation, and where the answer was just coming in
  const Counters counted = Counters::of([] {
    Scene s;
    s.prepare();
    for (int i = 0; i < kCopies; ++i) {
      HIPR_CHECK(s.hip, hipMemcpyAsync(s.pinned, s.device, 1 << 20, hipMemcpyDeviceToHost, s.hip.stream));
      HIPR_CHECK(s.hip, hipStreamSynchronize(s.hip.stream));
    }
  });
  EXPECT_GT(counted["joined"], kCopies / 2);
  EXPECT_LE(counted["waited"] - counted["joined"], kOthers);
}

TEST_F(RoundTrips, AnEventThatIsMadeRecordedAndDestroyedIsOneMessage) {
  constexpr int kEvents = 1000;
  const auto posted = [](int events) {
    return Counters::of([&] {
      Scene s;
      s.prepare();
      for (int i = 0; i < events; ++i) {
        hipEvent_t event;
        HIPR_CHECK(s.hip, hipEventCreate(&event));
        HIPR_CHECK(s.hip, hipEventRecord(event, s.hip.stream));
        HIPR_CHECK(s.hip, hipEventDestroy(event));
      }
    })["posted"];
  };
  const long some = posted(kEvents) - posted(0);
  EXPECT_GE(some, kEvents);
  EXPECT_LE(some, kEvents + kEvents / 10);
}

}  // namespace
}  // namespace hipr
