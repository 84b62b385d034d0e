// HIP_REMOTE_WORKERS=all: the devices of two workers are one row of four. What programs do with several devices is
// compared with one machine that has four in tests/conformance; here it is about the workers: what the loss of one
// means, and how often a start waits.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "testing/eventually.h"
#include "testing/worker_process.h"
#include "tests/e2e/checked_program.h"
#include "tests/e2e/two_workers.h"

namespace hipr {
namespace {

using testing::Hip;

constexpr unsigned kEqual = 1;  // hipStreamWaitValueEq

class SeveralWorkers : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("HIP_REMOTE_SOFTGPU", "gfx90ax2", 1); }
  void SetUp() override {
    setenv("TF_IO_TIMEOUT", "20", 1);
    setenv("HIP_REMOTE_RESUME", "0", 1);
  }
};

TEST_F(SeveralWorkers, TheLossOfOneIsNoLossOfTheOther) {
  const WorkerProcess first, second;
  EXPECT_EQ(inChild([&] {
              Row row(first, second);
              for (int d = 0; d < kDevices; ++d)
                if (!row.works(d)) return 1;
              end(second);
              if (!testing::eventually([&] { return row.fails(2) && row.fails(3); })) return 2;
              if (!row.works(0) || !row.works(1)) return 3;
              // What needs both says so, once, and leaves nothing behind.
              if (row.hip.api.hipMemcpyPeer(row.memory[0], 0, row.memory[2], 2, kSize) == hipSuccess) return 4;
              if (!row.works(0) || !row.works(1)) return 5;
              int count = 0;
              return row.hip.api.hipGetDeviceCount(&count) == hipSuccess && count == kDevices ? 0 : 6;
            }),
            0);
}

// A stream of one worker waits for an event of another, which will never come; a copy from there neither.
TEST_F(SeveralWorkers, WhoWaitsForALostWorkerGoesOnAndIsTold) {
  const WorkerProcess first, second;
  EXPECT_EQ(inChild([&] {
              Row row(first, second);
              const worker::HipTable& api = row.hip.api;
              // A word that nobody ever writes holds the stream there.
              if (api.hipSetDevice(2) != hipSuccess || api.hipMemset(row.memory[2], 0, 64) != hipSuccess) return 1;
              if (api.hipStreamWaitValue32(row.stream[2], row.memory[2], 1, kEqual, ~0u) != hipSuccess) return 2;
              if (api.hipEventRecord(row.event[2], row.stream[2]) != hipSuccess) return 3;
              if (api.hipSetDevice(0) != hipSuccess) return 4;
              if (api.hipStreamWaitEvent(row.stream[0], row.event[2], 0) != hipSuccess) return 5;
              if (api.hipMemcpyAsync(row.memory[1], row.memory[2], kSize, hipMemcpyDeviceToDevice, row.stream[1]) !=
                  hipSuccess)
                return 6;
              if (api.hipStreamSynchronize(row.stream[1]) != hipSuccess) return 7;  // the memory itself is free
              if (api.hipStreamQuery(row.stream[0]) != hipErrorNotReady) return 8;
              auto waits = std::async([&] { return api.hipStreamSynchronize(row.stream[0]); });
              end(second);
              if (waits.wait_for(std::chrono::seconds(60)) != std::future_status::ready) _exit(9);
              if (waits.get() == hipSuccess) return 10;  // it was told
              return row.works(0) && row.works(1) ? 0 : 11;
            }),
            0);
}

TEST_F(SeveralWorkers, ALostOneIsBackAfterAReset) {
  const WorkerProcess first;
  WorkerProcess second;
  EXPECT_EQ(inChild([&] {
              Row row(first, second);
              void* pinned = nullptr;
              if (!row.works(3)) return 1;
              if (row.hip.api.hipSetDevice(0) != hipSuccess) return 2;
              if (row.hip.api.hipHostMalloc(&pinned, 256, 0) != hipSuccess) return 3;
              for (const pid_t session : second.sessions()) kill(session, SIGKILL);
              if (!testing::eventually([&] { return row.fails(2); })) return 4;
              // A new session serves both its devices; so it begins when nothing is left of the second one either.
              hipError_t reset = hipSuccess;
              for (const int d : {2, 3})
                if (row.hip.api.hipSetDevice(d) == hipSuccess) reset = row.hip.api.hipDeviceReset();
              if (reset != hipSuccess) return 5;
              for (const int d : {2, 3}) {
                if (row.hip.api.hipSetDevice(d) != hipSuccess) return 6;
                if (row.hip.api.hipMalloc(&row.memory[d], kSize) != hipSuccess) return 7;
                if (row.hip.api.hipStreamCreate(&row.stream[d]) != hipSuccess) return 8;
                if (!row.works(d)) return 9;
              }
              // Its kernels know of the other's host memory again.
              hipModule_t module = nullptr;
              hipFunction_t work = nullptr;
              if (row.hip.api.hipModuleLoadData(&module, testing::kernelImage()) != hipSuccess) return 10;
              if (row.hip.api.hipModuleGetFunction(&work, module, "work") != hipSuccess) return 11;
              int rounds = 7;
              void* arguments[] = {&pinned, &rounds};
              if (row.hip.api.hipModuleLaunchKernel(work, 1, 1, 1, 64, 1, 1, 0, row.stream[3], arguments, nullptr) !=
                  hipSuccess)
                return 12;
              if (row.hip.api.hipStreamSynchronize(row.stream[3]) != hipSuccess) return 13;
              for (int i = 0; i < 64; ++i)
                if (static_cast<float*>(pinned)[i] != testing::workResult(i, rounds)) return 14;
              return row.works(0) ? 0 : 15;
            }),
            0);
}

TEST_F(SeveralWorkers, OneThatIsNotThereIsNamed) {
  const WorkerProcess first;
  EXPECT_EQ(inChild([&] {
              setenv("TF_WORKER_HOST", ("127.0.0.1:" + std::to_string(first.port()) + ",127.0.0.1:1").c_str(), 1);
              setenv("HIP_REMOTE_WORKERS", "all", 1);
              Hip hip;
              if (hip.load(testing::remoteLibrary()).ok()) return 1;  // it makes a stream
              int count = 7;
              return hip.api.hipGetDeviceCount(&count) == hipErrorNotInitialized && count == 0 ? 0 : 2;
            }),
            0);
}

// The library writes a line of counters for each session.
std::vector<int> waitsAtStart(const WorkerProcess& first, const WorkerProcess& second) {
  const auto file = std::filesystem::temp_directory_path() / ("hip-remote-row-" + std::to_string(getpid()));
  std::filesystem::remove(file);
  EXPECT_EQ(inChild([&] {
              setenv("HIP_REMOTE_STATS", file.c_str(), 1);
              Row row(first, second);
              std::exit(0);
              return 1;
            }),
            0);
  std::vector<int> waits;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) waits.push_back(std::atoi(line.c_str() + line.find("waited=") + 7));
  std::filesystem::remove(file);
  return waits;
}

TEST_F(SeveralWorkers, EachStartsWithOneExchange) {
  const WorkerProcess first, second;
  EXPECT_EQ(waitsAtStart(first, second), (std::vector<int>{1, 1}));
}

}  // namespace
}  // namespace hipr
