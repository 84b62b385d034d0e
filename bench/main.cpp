// hip-remote-bench: what remoting costs, as ratios measured side by side in one run, or how fast the software GPU is.
// Prints a table; --json FILE writes the numbers.
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "base/options.h"
#include "bench/bench.h"
#include "bench/remoting.h"
#include "bench/smi.h"
#include "bench/softgpu.h"
#include "testing/worker_process.h"

namespace {

using namespace hipr::bench;

constexpr std::size_t kModel = 256, kCopied = 128, kLong = 256;  // MiB

constexpr std::string_view kOthers[] = {"uploads", "compression", "lanes", "pacing", "smi", "softgpu"};  // than lines

constexpr char kHelp[] =
    "hip-remote-bench [LINE... | uploads [MIB] | compression [MIB] | lanes [MIB] | pacing | smi | softgpu [PATTERN]] "
    "[OPTION]...\n"
    "\n"
    "Starts a worker on a free loopback port and measures what remoting costs, against the same calls made directly "
    "and\n"
    "against raw sockets, in turns. With LINEs (keys of bench/lines.cpp) only those.\n";

constexpr char kWhat[] =
    "\n"
    "uploads: only the uploads over a thin line, of a model of so many MiB (default 256; 2048 takes two minutes).\n"
    "compression: copies over a thin line of so many MiB (default 128), compressed and not.\n"
    "lanes: copies of so many MiB (default 256) over a long line, over one connection and over several.\n"
    "pacing: how long small calls take beside large copies.\n"
    "smi: measures what telemetry costs the worker instead.\n"
    "softgpu: measures the software GPU instead: instructions per second by family, and kernels next to the same\n"
    "compiled for the CPU; with a PATTERN only the families whose line contains it.\n";

struct Options {
  std::string json, runtime = "softgpu", transport = "tcp";
  bool quick = false, delay = true, check = false;
  std::vector<std::string> what;
};

nlohmann::json machine() {
  utsname system{};
  uname(&system);
  std::string model;
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; model.empty() && std::getline(cpus, line);) {
    if (line.starts_with("model name")) model = line.substr(line.find(':') + 2);
  }
  double load = 0;
  getloadavg(&load, 1);
  return {{"processors", sysconf(_SC_NPROCESSORS_ONLN)}, {"model", model}, {"kernel", system.release}, {"load", load}};
}

// Runs the lines and the sections that are not lines; true when every target is met.
bool measureRemoting(const Options& options, nlohmann::json& out) {
  const auto wanted = [&](const char* key) {
    return options.what.empty() || std::find(options.what.begin(), options.what.end(), key) != options.what.end();
  };
  for (const std::string& key : options.what) {
    if (findLine(key)) continue;
    std::fprintf(stderr, "no line is called %s\n", key.c_str());
    std::exit(2);
  }
  out = {
      {"machine", machine()}, {"runtime", options.runtime}, {"quick", options.quick}, {"transport", options.transport}};
  out["lines"] = nlohmann::json::array();

  const hipr::testing::WorkerProcess worker({"--runtime", options.runtime, "--grace", "1"});
  worker.use();
  setenv("HIP_REMOTE_TRANSPORT", options.transport.c_str(), 1);
  unsetenv("HIP_REMOTE_STATS");  // counting is a part of what a call costs
  const Runtime remote{hipr::testing::remoteLibrary(), worker.pid()};
  const Runtime direct{options.runtime == "softgpu" ? hipr::testing::softgpuLibrary() : options.runtime};
  const bool near = options.transport == "shm";
  bool met = true;
  for (const Line& line : lines()) {
    if (!wanted(line.key)) continue;
    const Result result = measureLine(line, direct, remote, near, options.quick);
    result.print();
    out["lines"].push_back(result.json());
    for (const Verdict& verdict : result.verdicts) met = met && verdict.met();
  }
  if (!options.what.empty()) return met;

  Report report;
  measureStartup(report, "127.0.0.1", worker.port());
  if (options.delay && !options.quick && !near) {  // these are about the line
    measureDelay(report, "127.0.0.1", worker.port(), direct.library);
    measureUploads(report, kModel);
    measureCompression(report, kCopied);
    measureLanes(report, kLong);
    measurePacing(report, true);
  }
  report.print();
  out["rows"] = report.json();
  return met && report.allMet();
}

bool measureOther(const Options& options, nlohmann::json& out) {
  Report report;
  const auto mebibytes = [&](std::size_t unlessSaid) {
    return options.what.size() > 1 ? std::strtoul(options.what[1].c_str(), nullptr, 10) : unlessSaid;
  };
  if (options.what[0] == "smi") {
    measureSmi(report);
  } else if (options.what[0] == "uploads") {
    measureUploads(report, mebibytes(kModel));
  } else if (options.what[0] == "compression") {
    measureCompression(report, mebibytes(kCopied));
  } else if (options.what[0] == "lanes") {
    measureLanes(report, mebibytes(kLong));
  } else if (options.what[0] == "pacing") {
    measurePacing(report, options.quick);
  } else {
    measureSoftgpu(report, options.what.size() > 1 ? options.what[1] : "");
  }
  report.print();
  out = report.json();
  return report.allMet();
}

// The modes this program starts itself in: true when it is one of them.
bool runAsChild(int argc, char** argv, int& code) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const auto number = [&](int at) { return at < argc ? std::atoi(argv[at]) : 0; };
  if (mode == "--child-startup") {
    code = runStartupChild();
  } else if (mode == "--child-steps") {
    code = runStepChild(number(2));
  } else if (mode == "--child-upload" && argc == 5) {
    code = runUploadChild(static_cast<std::size_t>(number(2)), static_cast<unsigned>(number(3)),
                          static_cast<unsigned>(number(4)));
  } else if (mode == "--child-copy" && argc == 4) {
    code = runCopyChild(static_cast<std::size_t>(number(2)), number(3));
  } else if (mode == "--child-pacing" && argc == 5) {
    code = runPacingChild(static_cast<std::size_t>(number(2)), number(3), static_cast<hipMemcpyKind>(number(4)));
  } else if (mode == "--child-scaling") {
    code = runScalingChild(static_cast<unsigned>(number(2)));
  } else if (mode == "--child-line" && argc == 5) {
    code = runLineChild(*findLine(argv[2]), {argv[3], number(4)});
  } else if (mode == "--child-count" && argc == 5) {
    runCountChild(*findLine(argv[2]), argv[3], number(4));
  } else {
    return false;
  }
  return true;
}

Options readOptions(int argc, char** argv) {
  Options o;
  bool help = false;
  const hipr::Option options[] = {
      {"runtime", 0, "LIBRARY", hipr::text(o.runtime), "the HIP runtime underneath (default: softgpu of this build)"},
      {"transport", 0, "WAY", hipr::text(o.transport),
       "tcp (default), or shm: memory that program and worker share, against raw memory"},
      {"quick", 0, nullptr, hipr::flag(o.quick),
       "a few operations each: whether everything runs, and how often it waits"},
      {"no-delay", 0, nullptr, hipr::flag(o.delay, false), "leave out the lines over slow networks"},
      {"json", 0, "FILE", hipr::text(o.json), "write the numbers; bench/table.py makes a table of them"},
      {"check", 0, nullptr, hipr::flag(o.check), "exit 1 when a target is missed"},
      {"help", 'h', nullptr, hipr::flag(help), "print this"},
  };
  const hipr::Status status = hipr::takeOptions(options, {argv + 1, static_cast<std::size_t>(argc - 1)}, o.what);
  if (help) std::printf("%s%s%s", kHelp, hipr::describe(options).c_str(), kWhat);
  if (!status.ok()) std::fprintf(stderr, "hip-remote-bench: %s; see --help\n", status.message().c_str());
  if (help || !status.ok()) std::exit(help ? 0 : 2);
  return o;
}

}  // namespace

int main(int argc, char** argv) {
  int code = 0;
  if (runAsChild(argc, argv, code)) return code;
  const Options options = readOptions(argc, argv);
  nlohmann::json out;
  const bool other = !options.what.empty() && std::ranges::count(kOthers, options.what[0]) != 0;
  const bool met = other ? measureOther(options, out) : measureRemoting(options, out);
  if (!options.json.empty() && !(std::ofstream(options.json) << out.dump(2) << "\n")) {
    std::fprintf(stderr, "cannot write %s\n", options.json.c_str());
    return 1;
  }
  return options.check && !met ? 1 : 0;
}
