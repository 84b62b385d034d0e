// What the file of identities gives each of them: devices, memory, a place behind others (docs/security.md). Sessions
// at a time and memory together are in tls_test.cpp.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "telemetry/remote.h"
#include "testing/eventually.h"
#include "testing/hip.h"
#include "testing/worker_process.h"

namespace hipr {
namespace {

constexpr char kAll[] = "token-of-whoever-sees-all", kSome[] = "token-of-whoever-sees-some",
               kNone[] = "token-of-whoever-sees-none", kLow[] = "token-of-whoever-stands-back";
constexpr std::size_t kMiB = 1 << 20;

class IdentitiesFile : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("HIP_REMOTE_SOFTGPU", "gfx90a,gfx942,gfx90a", 1);
    setenv("HIP_REMOTE_SOFTGPU_MEMORY", "512", 1);
    setenv("HIP_REMOTE_SOFTGPU_USAGE", usage_.c_str(), 1);  // what others on this machine use is not counted
    std::ofstream(file_) << "all token=" << kAll << "\nsome devices=2,1 vram=256M token=" << kSome
                         << "\nnone devices=7 token=" << kNone << "\nlow priority=low token=" << kLow << "\n";
    worker_ = std::make_unique<testing::WorkerProcess>(
        std::vector<std::string>{"--runtime", "softgpu", "--grace", "1", "--cache", "", "--identities", file_});
    for (const char* name : {"HIP_REMOTE_SOFTGPU", "HIP_REMOTE_SOFTGPU_MEMORY", "HIP_REMOTE_SOFTGPU_USAGE"})
      unsetenv(name);
    worker_->use();
  }
  void TearDown() override {
    worker_.reset();
    unlink(file_.c_str());
    std::filesystem::remove_all(usage_);
  }

  // A client in a process of its own; `program` says 0 when all is as it should be.
  static int run(const char* token, const std::function<int(const worker::HipTable& hip)>& program) {
    const pid_t child = fork();
    if (child == 0) {
      setenv("HIP_REMOTE_TOKEN", token, 1);
      worker::HipTable hip;
      _exit(loadHip(testing::remoteLibrary(), hip).ok() ? program(hip) : 99);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::unique_ptr<telemetry::Remote> telemetryOf(const char* token) const {
    setenv("HIP_REMOTE_TOKEN", token, 1);
    std::unique_ptr<telemetry::Remote> remote;
    const Status status =
        telemetry::Remote::connect({{"127.0.0.1", static_cast<std::uint16_t>(worker_->port())}, 10, 10}, remote);
    unsetenv("HIP_REMOTE_TOKEN");
    EXPECT_TRUE(status.ok()) << status.message();
    return remote;
  }

  const std::string file_ = ::testing::TempDir() + "hipr-identities-" + std::to_string(getpid());
  const std::string usage_ = ::testing::TempDir() + "hipr-usage-" + std::to_string(getpid());
  std::unique_ptr<testing::WorkerProcess> worker_;
};

std::string targetOf(const worker::HipTable& hip, int device) {
  hipDeviceProp_tR0600 props{};
  if (hip.hipGetDevicePropertiesR0600(&props, device) != hipSuccess) return "";
  return std::string(props.gcnArchName).substr(0, 6);
}

TEST_F(IdentitiesFile, WhoeverIsNotToldOtherwiseSeesAllDevices) {
  EXPECT_EQ(run(kAll,
                [](const worker::HipTable& hip) {
                  int count = 0;
                  if (hip.hipGetDeviceCount(&count) != hipSuccess || count != 3) return 1;
                  if (targetOf(hip, 0) != "gfx90a" || targetOf(hip, 1) != "gfx942") return 2;
                  return hip.hipSetDevice(2) == hipSuccess ? 0 : 3;
                }),
            0);
  EXPECT_EQ(telemetryOf(kAll)->gpus().size(), 3u);
}

TEST_F(IdentitiesFile, DevicesAreNumberedForWhoeverMayHaveThem) {
  EXPECT_EQ(run(kSome,
                [](const worker::HipTable& hip) {
                  int count = 0, access = 0;
                  if (hip.hipGetDeviceCount(&count) != hipSuccess || count != 2) return 1;
                  if (targetOf(hip, 0) != "gfx90a" || targetOf(hip, 1) != "gfx942") return 2;
                  if (hip.hipSetDevice(2) != hipErrorInvalidDevice) return 3;
                  if (hip.hipDeviceCanAccessPeer(&access, 0, 1) != hipSuccess || !access) return 4;
                  if (hip.hipDeviceCanAccessPeer(&access, 0, 2) != hipErrorInvalidDevice) return 5;
                  // A kernel on each, and a copy between them.
                  void* memory[2];
                  for (int device : {0, 1}) {
                    if (hip.hipSetDevice(device) != hipSuccess || hip.hipMalloc(&memory[device], kMiB) != hipSuccess)
                      return 6;
                    if (hip.hipMemset(memory[device], 40 + device, kMiB) != hipSuccess) return 7;
                  }
                  if (hip.hipMemcpyPeer(memory[0], 0, memory[1], 1, kMiB) != hipSuccess) return 8;
                  std::vector<char> back(kMiB);
                  if (hip.hipMemcpy(back.data(), memory[0], kMiB, hipMemcpyDeviceToHost) != hipSuccess) return 9;
                  return back.front() == 41 && back.back() == 41 ? 0 : 10;
                }),
            0);
}

TEST_F(IdentitiesFile, MemoryIsAsMuchAsOneMayHave) {
  EXPECT_EQ(run(kSome,
                [](const worker::HipTable& hip) {
                  hipDeviceProp_tR0600 props{};
                  std::size_t free = 0, total = 0;
                  if (hip.hipGetDevicePropertiesR0600(&props, 1) != hipSuccess) return 1;
                  if (props.totalGlobalMem != 256 * kMiB) return 2;
                  if (hip.hipMemGetInfo(&free, &total) != hipSuccess || total != 256 * kMiB || free > total) return 3;
                  void* memory = nullptr;  // of each device
                  for (int device : {0, 1})
                    if (hip.hipSetDevice(device) != hipSuccess || hip.hipMalloc(&memory, 192 * kMiB) != hipSuccess)
                      return 4;
                  return hip.hipMalloc(&memory, 128 * kMiB) == hipErrorOutOfMemory ? 0 : 5;
                }),
            0);
}

// Two sessions of different identities have the same device under different numbers: their memory adds up there.
TEST_F(IdentitiesFile, TelemetryShowsTheDevicesOfWhoeverAsks) {
  int ready[2], leave[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(leave), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(leave[1]);
    _exit(run(kSome, [&](const worker::HipTable& hip) {
      void* memory = nullptr;  // device 0 is the worker's 2
      if (hip.hipMalloc(&memory, 64 * kMiB) != hipSuccess || hip.hipMemset(memory, 1, kMiB) != hipSuccess) return 1;
      if (hip.hipDeviceSynchronize() != hipSuccess) return 3;
      char byte = 0;
      return write(ready[1], &byte, 1) == 1 && read(leave[0], &byte, 1) == 0 ? 0 : 2;
    }));
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  const auto some = telemetryOf(kSome), all = telemetryOf(kAll);
  ASSERT_EQ(some->gpus().size(), 2u);
  EXPECT_EQ(some->gpus()[0].uuid, all->gpus()[2].uuid);
  EXPECT_EQ(some->gpus()[1].uuid, all->gpus()[1].uuid);
  EXPECT_EQ(some->gpus()[0].hipDevice, 0u);
  EXPECT_EQ(some->links().size(), 2u);
  std::vector<telemetry::Reading> seen;
  const auto used = [](const telemetry::Reading& reading) { return reading.memoryUsedBytes.value_or(0); };
  EXPECT_TRUE(testing::eventually([&] {  // the worker looks now and then
    seen = some->read();
    return seen.size() == 2 && used(seen[0]) >= 64 * kMiB;
  }));
  EXPECT_LT(used(seen[1]), 64 * kMiB);
  EXPECT_GE(used(all->read()[2]), 64 * kMiB);
  for (const telemetry::Process& process : some->processes()) EXPECT_LT(process.gpu, 2u);
  for (const int fd : {leave[1], leave[0], ready[0], ready[1]}) close(fd);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(IdentitiesFile, DevicesThatAreNotThereServeNobody) {
  EXPECT_NE(run(kNone,
                [](const worker::HipTable& hip) {
                  int count = 0;
                  return hip.hipGetDeviceCount(&count) == hipSuccess && count > 0 ? 0 : 1;
                }),
            0);
}

TEST_F(IdentitiesFile, LowPriorityIsBehindOthers) {
  const auto niceOf = [](pid_t process) {  // of the process, and of its group as the system shares processors out
    std::string word;
    int group = 0;
    std::ifstream file("/proc/" + std::to_string(process) + "/autogroup");
    file >> word >> word >> group;
    return std::pair(getpriority(PRIO_PROCESS, static_cast<id_t>(process)),
                     file ? group : getpriority(PRIO_PROCESS, static_cast<id_t>(process)));
  };
  for (const bool low : {true, false}) {
    const int code = run(low ? kLow : kAll, [&](const worker::HipTable& hip) {
      void* memory = nullptr;
      if (hip.hipMalloc(&memory, kMiB) != hipSuccess || hip.hipMemset(memory, 1, kMiB) != hipSuccess) return 1;
      // The one before may be on its way out.
      if (!testing::eventually([&] { return worker_->sessions().size() == 1; })) return 2;
      const auto [own, group] = niceOf(worker_->sessions()[0]);
      const int ours = getpriority(PRIO_PROCESS, 0);
      return low ? (own >= 15 && group >= 15 ? 0 : 3) : (own == ours ? 0 : 4);
    });
    EXPECT_EQ(code, 0) << low;
  }
}

}  // namespace
}  // namespace hipr
