// Small calls do not wait behind bulk data: while an upload fills a thin line, launches and reads come through at once.
// What is counted are the bytes that the line carries meanwhile, which on a busy machine are more, but never all.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <random>
#include <vector>

#include "testing/hip.h"
#include "testing/line_relay.h"
#include "testing/worker_process.h"
#include "tests/e2e/checked_program.h"

namespace hipr {
namespace {

using testing::LineRelay;
using testing::WorkerProcess;

constexpr std::size_t kMiB = 1 << 20, kUpload = 48 * kMiB;
constexpr int kSteps = 9;

// Steps of launches and one result read beside an upload; the bytes that travelled up while the middle one of them by
// that measure lasted.
int stepsBesideUpload(const LineRelay& relay, std::uint64_t most) {
  testing::Hip hip;
  if (!hip.load(testing::remoteLibrary()).ok()) return 2;
  float* out = nullptr;
  void *device = nullptr, *pinned = nullptr;
  hipStream_t other = nullptr;
  HIPR_CHECK(hip, hipMalloc(reinterpret_cast<void**>(&out), kMiB));
  HIPR_CHECK(hip, hipMalloc(&device, kUpload));
  HIPR_CHECK(hip, hipHostMalloc(&pinned, kUpload, 0));
  HIPR_CHECK(hip, hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
  std::mt19937 random(1);
  for (std::size_t i = 0; i < kUpload; ++i) static_cast<unsigned char*>(pinned)[i] = 1 + random() % 255;
  int rounds = 10;
  void* arguments[] = {&out, &rounds};
  const auto step = [&] {
    float result = 0;
    for (int i = 0; i < 10; ++i) hip.launch(hip.work, 1, 64, arguments);
    HIPR_CHECK(hip, hipMemcpyAsync(&result, out, sizeof result, hipMemcpyDeviceToHost, hip.stream));
    return result == testing::workResult(0, rounds);
  };
  if (!step()) return 3;
  HIPR_CHECK(hip, hipMemcpyAsync(device, pinned, kUpload, hipMemcpyHostToDevice, other));
  const std::uint64_t begin = relay.up();
  while (relay.up() - begin < 8 * kMiB) usleep(1000);  // the line is measured by now
  std::vector<std::uint64_t> carried;
  for (int i = 0; i < kSteps; ++i) {
    const std::uint64_t before = relay.up();
    if (!step()) return 4;
    carried.push_back(relay.up() - before);
  }
  std::sort(carried.begin(), carried.end());
  if (carried[kSteps / 2] > most) {
    std::fprintf(stderr, "%zu bytes\n", static_cast<std::size_t>(carried[kSteps / 2]));
    return 5;
  }
  return 0;
}

TEST(Pacing, LaunchesAndReadsPassAnUpload) {
  const WorkerProcess worker;
  const LineRelay relay("127.0.0.1", worker.port(), {.oneWay = 0.005, .bandwidth = 12.5e6});
  EXPECT_EQ(inChild([&] {
              use(relay.port());
              setenv("HIP_REMOTE_DATA_CACHE", "off", 1);
              return stepsBesideUpload(relay, kMiB);
            }),
            0);
}

// The same where every piece is kept by the worker. Those that are named in vain follow over the session's connection.
TEST(Pacing, LaunchesAndReadsPassAnUploadThatIsKept) {
  const std::string folder = ::testing::TempDir() + "hipr-pacing-" + std::to_string(getpid());
  {
    const WorkerProcess worker({"--runtime", "softgpu", "--grace", "1", "--data-cache", folder});
    const LineRelay relay("127.0.0.1", worker.port(), {.oneWay = 0.005, .bandwidth = 12.5e6});
    EXPECT_EQ(inChild([&] {
                use(relay.port());
                return stepsBesideUpload(relay, 3 * kMiB);
              }),
              0);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace hipr
