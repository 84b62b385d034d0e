// Large copies over a line on which each connection is slow, because a window goes over it once in a round trip: over
// one connection and over as many as the client likes, in the same run. Every measurement is a process of its own.
#include <cstdio>
#include <cstdlib>

#include "bench/bench.h"
#include "testing/line_relay.h"
#include "testing/worker_process.h"

namespace hipr::bench {
namespace {

constexpr double kOneWay = 0.015, kSpeed = 20e6;  // bytes per second of one connection

}  // namespace

void measureLanes(Report& report, std::size_t mebibytes) {
  report.section("copies of " + std::to_string(mebibytes) + " MiB with 30 ms and 20 MB/s for each connection");
  const testing::WorkerProcess worker({"--runtime", "softgpu", "--grace", "1"});
  const testing::LineRelay relay("127.0.0.1", worker.port(),
                                 {.oneWay = kOneWay, .window = static_cast<std::size_t>(2 * kOneWay * kSpeed)});
  const auto run = [&](const std::string& arguments, const char* lanes, double& first, double& second) {
    const std::string environment = std::string("HIP_REMOTE_LANES=") + lanes +
                                    " HIP_REMOTE_DATA_CACHE=off HIP_REMOTE_TRANSPORT=auto TF_WORKER_HOST=127.0.0.1"
                                    " TF_WORKER_PORT=" +
                                    std::to_string(relay.port()) + " ";
    return std::sscanf(runSelf(arguments, environment).c_str(), "%lf %lf", &first, &second);
  };
  const auto upload = [&](const char* lanes) {
    double time = 0, none = 0;
    if (run("--child-upload " + std::to_string(mebibytes) + " 1 0", lanes, time, none) != 1) std::exit(1);
    return time;
  };
  const auto download = [&](const char* lanes) {
    double there = 0, back = 0;
    if (run("--child-copy " + std::to_string(mebibytes) + " " + std::to_string(kNoise), lanes, there, back) != 2)
      std::exit(1);
    return back;
  };
  const double one = upload("off");
  const std::uint64_t before = relay.connections();
  const double several = upload("auto");
  report.add("an upload over one connection", one, "s");
  report.add("connections, where it may have more", static_cast<double>(relay.connections() - before), "");
  report.atMost("an upload over several / over one", several / one, "", 0.5);
  const double oneDown = download("off");
  report.add("downloads over one connection", oneDown, "s");
  report.atMost("downloads over several / over one", download("auto") / oneDown, "", 0.5);
}

}  // namespace hipr::bench
