// Small calls while bulk data travels: they must not wait behind it. Steps over a line of 30 ms with and without an
// upload in the background; and how much later they come beside large copies over a thin line.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "bench/bench.h"
#include "testing/line_relay.h"
#include "testing/worker_process.h"

namespace hipr::bench {
namespace {

constexpr int kSteps = 60, kLaunches = 20;
constexpr std::size_t kBackground = 64 << 20;

// Launches and one result read: its time.
double step(const Hip& hip, float* out, int launches) {
  int rounds = 200;
  void* arguments[] = {&out, &rounds};
  float result = 0;
  const double start = seconds();
  for (int i = 0; i < launches; ++i) hip.launch(hip.work, 4, 64, arguments);
  HIPR_CHECK(hip, hipMemcpyAsync(&result, out, sizeof result, hipMemcpyDeviceToHost, hip.stream));
  return seconds() - start;
}

}  // namespace

// Prints the time of a step alone, and while a copy of so many MiB is on its way again and again.
int runPacingChild(std::size_t mebibytes, int steps, hipMemcpyKind direction) {
  Hip hip;
  if (!hip.load(testing::remoteLibrary()).ok()) return 1;
  const std::size_t bytes = mebibytes << 20;
  const bool up = direction == hipMemcpyHostToDevice;
  float* out = nullptr;
  void *device = nullptr, *pinned = nullptr;
  hipStream_t other = nullptr;
  HIPR_CHECK(hip, hipMalloc(reinterpret_cast<void**>(&out), 1 << 20));
  HIPR_CHECK(hip, hipMalloc(&device, bytes));
  HIPR_CHECK(hip, hipHostMalloc(&pinned, bytes, 0));
  HIPR_CHECK(hip, hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < bytes / 8; ++i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    static_cast<std::uint64_t*>(pinned)[i] = state;
  }
  if (!up) HIPR_CHECK(hip, hipMemcpy(device, pinned, bytes, hipMemcpyHostToDevice));
  step(hip, out, kLaunches);
  std::vector<double> alone, beside;
  for (int i = 0; i < steps; ++i) alone.push_back(step(hip, out, kLaunches));
  for (int i = 0; i < 20 * steps && static_cast<int>(beside.size()) < steps; ++i) {
    if (hip.api.hipStreamQuery(other) == hipSuccess)
      HIPR_CHECK(hip, hipMemcpyAsync(up ? device : pinned, up ? pinned : device, bytes, direction, other));
    const double time = step(hip, out, kLaunches);
    if (hip.api.hipStreamQuery(other) != hipSuccess) beside.push_back(time);
  }
  HIPR_CHECK(hip, hipDeviceSynchronize());
  if (beside.empty()) {
    std::fprintf(stderr, "no step was beside a copy: there is nothing to compare\n");
    return 1;
  }
  std::printf("%.6f %.6f\n", median(alone), median(beside));
  return 0;
}

void measurePacing(Report& report, bool quick) {
  report.section("steps of 20 launches and one result read, while data travels in the background");
  const testing::WorkerProcess worker({"--runtime", "softgpu", "--grace", "1"});
  const auto measure = [&](const testing::LineRelay::Line& line, std::size_t mebibytes, hipMemcpyKind direction,
                           double& alone, double& beside) {
    const testing::LineRelay relay("127.0.0.1", worker.port(), line);
    const std::string environment =
        "HIP_REMOTE_DATA_CACHE=off HIP_REMOTE_TRANSPORT=auto TF_WORKER_HOST=127.0.0.1"
        " TF_WORKER_PORT=" +
        std::to_string(relay.port()) + " ";
    const std::string arguments =
        "--child-pacing " + std::to_string(mebibytes) + " " + std::to_string(kSteps) + " " + std::to_string(direction);
    if (std::sscanf(runSelf(arguments, environment).c_str(), "%lf %lf", &alone, &beside) != 2) std::exit(1);
  };
  const testing::LineRelay::Line gigabit{.oneWay = 0.005, .bandwidth = 125e6},
      thin{.oneWay = 0.015, .bandwidth = 12.5e6};
  double alone = 0, beside = 0;
  measure({.oneWay = 0.015}, kBackground >> 20, hipMemcpyHostToDevice, alone, beside);
  report.add("30 ms: a step", alone * 1e3, "ms");
  report.atMost("30 ms: a step beside uploads of 64 MiB / alone", beside / alone, "", 1.1);
  measure(gigabit, quick ? 256 : 1024, hipMemcpyHostToDevice, alone, beside);
  report.add("1 Gbit/s, 10 ms: a step", alone * 1e3, "ms");
  // A launch that reaches the worker one round trip after it was posted is answered half a round trip later.
  report.atMost("1 Gbit/s, 10 ms: a step beside an upload of 1 GiB, later than alone", (beside - alone) * 1e3, "ms", 5);
  measure(thin, kBackground >> 20, hipMemcpyHostToDevice, alone, beside);
  report.add("100 Mbit/s, 30 ms: a step", alone * 1e3, "ms");
  report.atMost("100 Mbit/s, 30 ms: a step beside uploads of 64 MiB, later than alone", (beside - alone) * 1e3, "ms",
                15);
  measure(gigabit, kBackground >> 20, hipMemcpyDeviceToHost, alone, beside);
  report.atMost("1 Gbit/s, 10 ms: a step beside downloads of 64 MiB, later than alone", (beside - alone) * 1e3, "ms",
                10);
  measure(thin, kBackground >> 20, hipMemcpyDeviceToHost, alone, beside);
  report.atMost("100 Mbit/s, 30 ms: a step beside downloads of 64 MiB, later than alone", (beside - alone) * 1e3, "ms",
                30);
}

}  // namespace hipr::bench
