// Launch throughput: the same loop on the same backend, used directly and through the network.
#include "bench/bench.h"

namespace hipr::bench {
namespace {

double launchesPerSecond(const Hip& hip, int count) {
  int argument = 0;
  void* arguments[] = {&argument};
  return count / timePerCall(7, 1, [&] {
           for (int i = 0; i < count; ++i) hip.launch(hip.empty, 1, 64, arguments);
           HIPR_CHECK(hip, hipStreamSynchronize(hip.stream));
         });
}

// Seconds for 100 kernels of real work and a synchronize.
double workLoop(const Hip& hip) {
  float* out = nullptr;
  int rounds = 200;
  HIPR_CHECK(hip, hipMalloc(reinterpret_cast<void**>(&out), 64 * 1024 * sizeof(float)));
  void* arguments[] = {&out, &rounds};
  const auto loop = [&] {
    for (int i = 0; i < 100; ++i) hip.launch(hip.work, 64, 64, arguments);
    HIPR_CHECK(hip, hipStreamSynchronize(hip.stream));
  };
  loop();
  const double time = timePerCall(5, 1, loop);
  HIPR_CHECK(hip, hipFree(out));
  return time;
}

}  // namespace

void measureLaunches(Report& report, const Hip& remote, const Hip& direct) {
  report.section("kernels, directly on softgpu and through the worker");
  report.add("empty launches per second, direct", launchesPerSecond(direct, 5000), "/s");
  report.add("empty launches per second, remoted", launchesPerSecond(remote, 5000), "/s");
  const double before = workLoop(direct), through = workLoop(remote), after = workLoop(direct);
  report.add("100 working kernels, direct", (before + after) / 2 * 1e3, "ms");
  report.add("100 working kernels, remoted", through * 1e3, "ms");
  report.add("remoted / direct", through / ((before + after) / 2), "");
}

}  // namespace hipr::bench
