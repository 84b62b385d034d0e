// Measurements that need a fresh client process: start-up, and steps over a slow line. The parent starts this program
// again in a child mode with the worker's address in the environment and reads one line of its output.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "bench/bench.h"
#include "testing/line_relay.h"

namespace hipr::bench {
namespace {

// Runs this program again against the worker and returns what it printed.
std::string runChild(const std::string& arguments, const std::string& host, int port) {
  return runSelf(arguments, "TF_WORKER_HOST=" + host + " TF_WORKER_PORT=" + std::to_string(port) + " ");
}

// One training-like step: some kernels of real work; every tenth the host reads a result.
double stepTime(const Hip& hip, int rounds, int steps) {
  float* out = nullptr;
  float result = 0;
  HIPR_CHECK(hip, hipMalloc(reinterpret_cast<void**>(&out), 64 * 1024 * sizeof(float)));
  void* arguments[] = {&out, &rounds};
  const auto run = [&](int count) {
    for (int i = 0; i < count; ++i) {
      for (int k = 0; k < 10; ++k) hip.launch(hip.work, 32, 64, arguments);
    }
    HIPR_CHECK(hip, hipMemcpyAsync(&result, out, sizeof result, hipMemcpyDeviceToHost, hip.stream));
  };
  run(1);
  const double start = seconds();
  run(steps);
  const double time = (seconds() - start) / steps;
  HIPR_CHECK(hip, hipFree(out));
  return time;
}

constexpr int kSteps = 20;

}  // namespace

std::string runSelf(const std::string& arguments, const std::string& environment) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = environment + "'" + self + "' " + arguments;
  FILE* pipe = popen(command.c_str(), "r");
  char text[512] = "";
  if (!pipe || !fgets(text, sizeof text, pipe)) {
    std::fprintf(stderr, "no result from: %s\n", command.c_str());
    std::exit(1);
  }
  pclose(pipe);
  return text;
}

// The counters come from the library itself, which writes them when a process ends; so the work is done in a process
// that does nothing else.
int runStartupChild() {
  char stats[] = "/tmp/hip-remote-bench-XXXXXX";
  close(mkstemp(stats));
  setenv("HIP_REMOTE_STATS", stats, 1);
  const pid_t child = fork();
  if (child == 0) {
    const double start = seconds();
    Hip hip;
    if (!hip.load(testing::remoteLibrary()).ok()) _exit(1);
    int argument = 0;
    void* arguments[] = {&argument};
    hip.launch(hip.empty, 1, 64, arguments);
    std::printf("%.6f ", seconds() - start);
    std::exit(0);
  }
  waitpid(child, nullptr, 0);
  std::string line;
  std::ifstream file(stats);
  std::getline(file, line);
  std::printf("%s\n", line.c_str());
  std::filesystem::remove(stats);
  return 0;
}

int runStepChild(int rounds) {
  Hip hip;
  if (!hip.load(testing::remoteLibrary()).ok()) return 1;
  std::printf("%.9f\n", stepTime(hip, rounds, kSteps));
  return 0;
}

void measureStartup(Report& report, const std::string& host, int port) {
  report.section("start of a program until its first launch");
  const std::string line = runChild("--child-startup", host, port);
  double time = 0;
  unsigned long waited = 0;
  const std::size_t at = line.find("waited=");
  if (at == std::string::npos || std::sscanf(line.c_str(), "%lf", &time) != 1) std::exit(1);
  waited = std::strtoul(line.c_str() + at + 7, nullptr, 10);
  report.atMost("round trips", static_cast<double>(waited), "", 2);
  report.add("time until the launch call returned", time * 1e3, "ms");
}

void measureDelay(Report& report, const std::string& host, int port, const std::string& directLibrary) {
  Hip direct;
  if (!direct.load(directLibrary).ok()) std::exit(1);
  report.section("a training-like step over a long line (10 kernels a step, result read after 20 steps)");
  // Choose the work so that a step lasts some 40 ms here.
  int rounds = 2000;
  const double probe = stepTime(direct, rounds, 3);
  rounds = static_cast<int>(rounds * 0.04 / probe) + 1;
  const double local = stepTime(direct, rounds, kSteps);
  report.add("step time, directly on softgpu", local * 1e3, "ms");
  for (const double roundTrip : {0.0, 0.001, 0.010, 0.030}) {
    const testing::LineRelay relay(host, port, {.oneWay = roundTrip / 2});
    const double step =
        std::atof(runChild("--child-steps " + std::to_string(rounds), "127.0.0.1", relay.port()).c_str());
    char what[64];
    std::snprintf(what, sizeof what, "step time / direct, %.0f ms round trip", roundTrip * 1e3);
    // The one read at the end costs one round trip, spread over the steps.
    report.atMost(what, step / local, "", 1.02 + roundTrip / (kSteps * local));
  }
}

}  // namespace hipr::bench
