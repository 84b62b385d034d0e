// hip-remote-bench: what remoting costs, as ratios measured side by side in one run, or how fast the software GPU is.
// Prints a table; --json FILE writes the numbers.
#include <getopt.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "bench/bench.h"
#include "bench/smi.h"
#include "bench/softgpu.h"
#include "testing/worker_process.h"

namespace {

using namespace hipr::bench;

constexpr char kHelp[] =
    "hip-remote-bench [smi | softgpu [PATTERN]] [--json FILE] [--no-delay] [--strict]\n"
    "\n"
    "Starts a worker on softgpu on a free loopback port and measures what remoting costs, against baselines taken in "
    "the\n"
    "same run. --no-delay leaves out the long-line section (about a minute). --strict: exit 1 when a target is "
    "missed.\n"
    "\n"
    "smi: measures what telemetry costs the worker instead.\n"
    "softgpu: measures the software GPU instead: instructions per second by family, and kernels next to the same "
    "compiled\n"
    "for the CPU; with a PATTERN only the families whose line contains it.\n";

void must(const hipr::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  std::exit(1);
}

void measureRemoting(Report& report, bool delay) {
  const hipr::testing::WorkerProcess worker;
  worker.use();
  Hip remote, direct;
  must(remote.load(hipr::testing::remoteLibrary()));
  must(direct.load(hipr::testing::softgpuLibrary()));
  measureCalls(report, remote);
  measureCopies(report, remote);
  measureLaunches(report, remote, direct);
  measureStartup(report, "127.0.0.1", worker.port());
  if (delay) measureDelay(report, "127.0.0.1", worker.port(), direct);
}

}  // namespace

int main(int argc, char** argv) {
  std::string json;
  bool delay = true, strict = false;
  const option options[] = {{"json", required_argument, nullptr, 'j'},
                            {"no-delay", no_argument, nullptr, 'n'},
                            {"strict", no_argument, nullptr, 's'},
                            {"help", no_argument, nullptr, 'h'},
                            {"child-startup", no_argument, nullptr, 'a'},
                            {"child-steps", required_argument, nullptr, 'b'},
                            {"child-scaling", required_argument, nullptr, 'c'},
                            {nullptr, 0, nullptr, 0}};
  for (int c; (c = getopt_long(argc, argv, "h", options, nullptr)) != -1;) {
    switch (c) {
      case 'a':
        return runStartupChild();
      case 'b':
        return runStepChild(std::atoi(optarg));
      case 'c':
        return runScalingChild(static_cast<unsigned>(std::atoi(optarg)));
      case 'j':
        json = optarg;
        break;
      case 'n':
        delay = false;
        break;
      case 's':
        strict = true;
        break;
      default:
        std::fputs(kHelp, c == 'h' ? stdout : stderr);
        return c == 'h' ? 0 : 2;
    }
  }

  Report report;
  if (optind < argc && std::string(argv[optind]) == "softgpu") {
    measureSoftgpu(report, optind + 1 < argc ? argv[optind + 1] : "");
  } else if (optind < argc && std::string(argv[optind]) == "smi") {
    measureSmi(report);
  } else {
    measureRemoting(report, delay);
  }
  report.print();
  if (!json.empty()) std::ofstream(json) << report.json().dump(2) << "\n";
  return strict && !report.allMet() ? 1 : 0;
}
