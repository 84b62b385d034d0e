// Asks our own libamdhip64, as any program would; and each worker, how it is reached and how fast it is.
#include <cstdio>
#include <sstream>

#include "base/env.h"
#include "cli/commands.h"
#include "cli/doctor/checks.h"
#include "cli/names.h"
#include "hip_remote/hip.h"
#include "platform/library.h"
#include "platform/process.h"

namespace hipr::cli {
namespace {

// One HIP function of the library, typed by its declaration.
#define HIP_FUNCTION(library, name) (library).function<decltype(&::name)>(#name)

void print(int number, const hipDeviceProp_tR0600& p) {
  std::printf("GPU %d  %s\n", number, p.name);
  std::printf("       %s, %d compute units, %d MHz\n", p.gcnArchName, p.multiProcessorCount, p.clockRate / 1000);
  std::printf("       %.1f GiB memory, %zu KiB LDS per block, PCI %04x:%02x:%02x\n",
              static_cast<double>(p.totalGlobalMem) / (1 << 30), p.sharedMemPerBlock >> 10, p.pciDomainID, p.pciBusID,
              p.pciDeviceID);
}

std::string transportName(const std::string& kind) {
  if (kind == "shm") return "shared memory: ";
  return kind.empty() ? "" : kind + ": ";
}

// One of a list, or the only one: what it has, how it is reached and how fast; or why it does not serve.
void describe(const Target& target, const std::string& worker, int& firstGpu) {
  platform::setEnvironment("TF_WORKER_HOST", worker);
  const doctor::ProbeAnswer answer = doctor::askProbe(target);
  if (answer.measured.is_null()) {
    std::printf("worker %s: %s\n", worker.c_str(), answer.complaint.c_str());
    return;
  }
  const int gpus = static_cast<int>(answer.measured.value("gpus", nlohmann::json::array()).size());
  std::printf("worker %s: %d GPU%s", worker.c_str(), gpus, gpus == 1 ? "" : "s");
  if (gpus > 0) std::printf(" (%d%s)", firstGpu, gpus > 1 ? ("-" + std::to_string(firstGpu + gpus - 1)).c_str() : "");
  std::printf("\n       %s%s\n", transportName(answer.transport).c_str(), doctor::speedOf(answer.measured).c_str());
  firstGpu += gpus;
}

// The workers of the list, each asked by a process of its own; with several whose GPUs do not make one row, each counts
// its own.
void describeWorkers(const Target& target) {
  const std::string list = envText("TF_WORKER_HOST").value_or("localhost");
  const std::string how = envText("HIP_REMOTE_WORKERS").value_or("any");
  platform::setEnvironment("HIP_REMOTE_WORKERS", "any");
  std::istringstream names(list);
  int firstGpu = 0;
  for (std::string name; std::getline(names, name, ',');) {
    if (how != "all") firstGpu = 0;
    describe(target, name, firstGpu);
  }
}

}  // namespace

int info(Arguments arguments) {
  Target target;
  if (!takeNothingElse("info", targetOptions(target), arguments) || !applyTarget(target)) return 2;
  std::string why;
  const auto library = platform::Library::open(libraryFolder(target) + "/" + kHipLibrary, &why);
  if (!library) {
    std::fprintf(stderr, "hip-remote info: %s\n", why.c_str());
    return 1;
  }
  const auto getCount = HIP_FUNCTION(library, hipGetDeviceCount);
  const auto getProps = HIP_FUNCTION(library, hipGetDevicePropertiesR0600);
  const auto getDriver = HIP_FUNCTION(library, hipDriverGetVersion);
  const auto errorName = HIP_FUNCTION(library, hipGetErrorName);
  int count = 0, driver = 0;
  if (const hipError_t error = getCount(&count); error != hipSuccess) {
    std::fprintf(stderr, "hip-remote info: %s\n", errorName(error));
    return 1;
  }
  getDriver(&driver);
  std::printf("HIP driver %d.%d, %d GPU%s\n", driver / 10000000, driver / 100000 % 100, count, count == 1 ? "" : "s");
  for (int i = 0; i < count; ++i) {
    hipDeviceProp_tR0600 props;
    if (getProps(&props, i) == hipSuccess) print(i, props);
  }
  if (!target.softgpu) describeWorkers(target);
  return 0;
}

}  // namespace hipr::cli
