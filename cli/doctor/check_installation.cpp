// What is on this machine, before any worker is asked: our libraries, room for addresses, AMD's compiler.
#include <algorithm>
#include <filesystem>

#include "cli/doctor/checks.h"
#include "cli/names.h"
#include "platform/address_range.h"
#include "platform/library.h"
#include "rtc/installed.h"

namespace hipr::doctor {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
// The smallest of what a client is content with (client/session_begin.cpp).
constexpr std::uint64_t kDeviceAddresses = 64 * kGiB, kHostAddresses = 16 * kGiB;

bool addressesFree() {
  platform::AddressRange device, host;
  return device.reserveAnywhere(std::min(kDeviceAddresses, platform::kMostReserved)) &&
         host.reserveAnywhere(std::min(kHostAddresses, platform::kMostReserved / 8));
}

}  // namespace

bool checkInstallation(Patient& patient, Report& report) {
  patient.folder = cli::libraryFolder(patient.target);
  if (patient.folder.empty()) {
    report.problem("library", "library-missing",
                   std::string("our ") + cli::kHipLibrary + " is not next to this program",
                   patient.target.softgpu ? "install the package hip-remote-softgpu, or build it: ninja -C build demo"
                                          : "install the package hip-remote-client, or build it: ninja -C build demo");
    return false;
  }
  std::string why;
  if (!platform::Library::open(patient.folder + "/" + cli::kHipLibrary, &why)) {
    report.problem("library", "library-broken", "our library cannot be loaded: " + why,
                   "install it again; `ldd " + patient.folder + "/" + cli::kHipLibrary + "` shows what it misses");
    return false;
  }
  report.ok("library", "ours are in " + patient.folder);
  if (!addressesFree()) {
    report.problem("addresses", "address-space-limited",
                   "this process may not reserve the 80 GiB of addresses that a client puts GPU memory into",
                   "ulimit -v unlimited  (it costs no memory; a container or batch system may set the limit)");
    return false;
  }
  report.ok("addresses", "there is room for the GPU's memory");
  return true;
}

// What a program that compiles would find is asked of the code that looks for it.
void checkCompilers(Report& report) {
  std::string comgr;  // which does the work
  for (const char* name : {"libamd_comgr.so.3", "libamd_comgr.so.2", "/opt/rocm/lib/libamd_comgr.so"})
    if (comgr.empty() && platform::Library::open(name)) comgr = name;
  if (const std::string& hiprtc = rtc::installed().place; !hiprtc.empty()) {
    const std::string both = hiprtc + (comgr.empty() ? "" : " and " + comgr);
    return report.ok("compiler", both + " for programs that compile while they run");
  }
  report.note(
      "compiler", "no-hiprtc",
      "no hiprtc of AMD's here" + (comgr.empty() ? std::string() : " (" + comgr + " is)") +
          "; only programs that compile kernels while they run need it",
      "apt install libamdhip64-5 (Debian 12) or libhiprtc6 (Debian 13), AMD's package hip-runtime-amd, or start "
      "the worker with --compile");
}

}  // namespace hipr::doctor
