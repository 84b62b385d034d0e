// Asks our own libamdhip64, as any program would.
#include <cstdio>

#include "cli/commands.h"
#include "cli/names.h"
#include "hip_remote/hip.h"
#include "platform/library.h"

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

}  // namespace

int info(Arguments arguments) {
  Target target;
  if (!takeTarget(arguments, target) || !applyTarget(target)) return 2;
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
  return 0;
}

}  // namespace hipr::cli
