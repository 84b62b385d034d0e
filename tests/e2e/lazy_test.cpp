// HIP_REMOTE_SYNC=lazy: a synchronization that nobody could tell from none is none; every other one still waits.
#include "testing/worker_process.h"
#include "tests/e2e/checked_program.h"
#include "tests/e2e/count_waits.h"

namespace hipr {
namespace {

class Lazy : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    worker_ = new testing::WorkerProcess;
    worker_->use();
    setenv("HIP_REMOTE_TRANSPORT", "tcp", 1);
    setenv("HIP_REMOTE_SYNC", "lazy", 1);
  }
  static void TearDownTestSuite() {
    delete worker_;
    unsetenv("HIP_REMOTE_SYNC");
  }
  static inline testing::WorkerProcess* worker_ = nullptr;
};

void work(Scene& s, void* memory, int rounds) {
  void* arguments[] = {&memory, &rounds};
  s.hip.launch(s.hip.work, 2, 64, arguments);
}

TEST_F(Lazy, NobodyLooks) {
  const auto step = [](Scene& s) {
    hipEvent_t untimed = nullptr;
    HIPR_CHECK(s.hip, hipEventCreateWithFlags(&untimed, hipEventDisableTiming));
    work(s, s.device, 3);
    HIPR_CHECK(s.hip, hipStreamSynchronize(s.hip.stream));
    HIPR_CHECK(s.hip, hipMemcpyAsync(s.other, s.device, 4096, hipMemcpyDeviceToDevice, s.hip.stream));
    HIPR_CHECK(s.hip, hipDeviceSynchronize());
    work(s, s.device, 4);
    HIPR_CHECK(s.hip, hipEventRecord(untimed, s.hip.stream));
    HIPR_CHECK(s.hip, hipEventSynchronize(untimed));
    HIPR_CHECK(s.hip, hipEventDestroy(untimed));
  };
  EXPECT_EQ(tripsPerCall(step), 0);
  // One result, one wait.
  EXPECT_EQ(tripsPerCall([&](Scene& s) {
              step(s);
              HIPR_CHECK(s.hip, hipMemcpy(s.host.data(), s.device, 512, hipMemcpyDeviceToHost));
            }),
            1);
  setenv("HIP_LAUNCH_BLOCKING", "1", 1);
  EXPECT_GT(tripsPerCall(step), 0) << "whoever asks for waits gets them";
  unsetenv("HIP_LAUNCH_BLOCKING");
}

// Each looks at something that is only right when the synchronization waited.
TEST_F(Lazy, SomebodyLooks) {
  EXPECT_EQ(inChild([] {
              Scene s;
              s.prepare();
              constexpr int kLong = 20000;
              const auto right = [](const void* results, int rounds) {
                for (int i = 0; i < 128; ++i)
                  if (static_cast<const float*>(results)[i] != testing::workResult(i, rounds)) return false;
                return true;
              };
              for (int i = 0; i < 5; ++i) {  // a copy to the host
                work(s, s.device, kLong + i);
                HIPR_CHECK(s.hip, hipMemcpyAsync(s.pinned, s.device, 512, hipMemcpyDeviceToHost, s.hip.stream));
                HIPR_CHECK(s.hip, hipStreamSynchronize(s.hip.stream));
                if (!right(s.pinned, kLong + i)) return 1;
              }
              int called = 0;  // a function of the host
              work(s, s.device, kLong);
              HIPR_CHECK(s.hip, hipLaunchHostFunc(s.hip.stream, [](void* n) { ++*static_cast<int*>(n); }, &called));
              HIPR_CHECK(s.hip, hipDeviceSynchronize());
              if (called != 1) return 2;
              hipEvent_t start = nullptr, stop = nullptr;  // the time
              HIPR_CHECK(s.hip, hipEventCreate(&start));
              HIPR_CHECK(s.hip, hipEventCreate(&stop));
              HIPR_CHECK(s.hip, hipEventRecord(start, s.hip.stream));
              work(s, s.device, kLong);
              HIPR_CHECK(s.hip, hipEventRecord(stop, s.hip.stream));
              HIPR_CHECK(s.hip, hipEventSynchronize(stop));
              float milliseconds = -1;
              if (s.hip.api.hipEventElapsedTime(&milliseconds, start, stop) != hipSuccess || milliseconds < 0) return 3;
              // Memory being sent, which the program may change once it has waited.
              std::fill_n(static_cast<char*>(s.pinned), 1 << 20, 5);
              work(s, s.other, kLong);
              HIPR_CHECK(s.hip, hipMemcpyAsync(s.device, s.pinned, 1 << 20, hipMemcpyHostToDevice, s.hip.stream));
              HIPR_CHECK(s.hip, hipStreamSynchronize(s.hip.stream));
              std::fill_n(static_cast<char*>(s.pinned), 1 << 20, 6);
              HIPR_CHECK(s.hip, hipMemcpy(s.host.data(), s.device, 1 << 20, hipMemcpyDeviceToHost));
              for (const char byte : s.host)
                if (byte != 5) return 4;
              for (int i = 0; i < 5; ++i) {  // memory that kernels and host share
                work(s, s.pinned, kLong + i);
                HIPR_CHECK(s.hip, hipStreamSynchronize(s.hip.stream));
                if (!right(s.pinned, kLong + i)) return 5;
              }
              return 0;
            }),
            0);
}

TEST_F(Lazy, AQueryAfterwardsSaysThatItIsDone) {
  EXPECT_EQ(inChild([] {
              Scene s;
              s.prepare();
              work(s, s.device, 200000);
              HIPR_CHECK(s.hip, hipStreamSynchronize(s.hip.stream));
              return s.hip.api.hipStreamQuery(s.hip.stream) == hipSuccess ? 0 : 1;
            }),
            0);
}

TEST_F(Lazy, AFaultIsReportedByTheNextCallThatWaits) {
  EXPECT_EQ(inChild([] {
              Scene s;
              s.prepare();
              work(s, nullptr, 3);
              static_cast<void>(s.hip.api.hipStreamSynchronize(s.hip.stream));  // may know of it already, or not
              return s.hip.api.hipMemcpy(s.host.data(), s.device, 64, hipMemcpyDeviceToHost) != hipSuccess ? 0 : 1;
            }),
            0);
}

TEST_F(Lazy, ProgramsGetTheSameResults) {
  EXPECT_EQ(inChild([] {
              CheckedProgram program;
              for (unsigned seed = 1; seed <= 10; ++seed)
                if (!program.round(seed)) return static_cast<int>(seed);
              return 0;
            }),
            0);
}

}  // namespace
}  // namespace hipr
