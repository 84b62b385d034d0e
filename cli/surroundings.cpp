#include "cli/surroundings.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "cli/doctor/checks.h"
#include "cli/kfd_view.h"
#include "platform/library.h"
#include "platform/process.h"
#include "platform/view.h"
#include "telemetry/remote.h"
#include "telemetry/target.h"

namespace hipr::cli {
namespace fs = std::filesystem;
namespace {

struct Standin {
  const char* folder;
  const char* library;
};
constexpr Standin kStandins[] = {
    {"rocm_smi", "librocm_smi64.so.1"},           {"rocm_smi_7", "librocm_smi64.so.7"},
    {"roctracer", "libroctracer64.so.4"},         {"rocprofiler_sdk", "librocprofiler-sdk.so.1"},
    {"sysdeps_drm", "librocm_sysdeps_drm.so.2"},  {"sysdeps_drm_amdgpu", "librocm_sysdeps_drm_amdgpu.so.1"},
    {"sysdeps_numa", "librocm_sysdeps_numa.so.1"}};
constexpr char kRocm[] = "/opt/rocm/lib/rocm_sysdeps/lib";  // which no search of the loader's would show
constexpr int kPatience = 5;  // seconds: a program must not wait long for what it may never look at

void addTo(const char* variable, const std::string& folder, bool inFront) {
  const char* before = std::getenv(variable);
  const std::string rest = before ? before : "";
  const std::string between = rest.empty() ? "" : std::string(1, platform::kPathSeparator);
  platform::setEnvironment(variable, inFront ? folder + between + rest : rest + between + folder);
}

// Next to our libraries; those of softgpu are one folder deeper.
fs::path standinsFolder(const Target& target, const fs::path& folder) {
  return (target.softgpu ? folder.parent_path() : folder) / "standins";
}

void addLibraries(const fs::path& standins, const std::string& program) {
  std::error_code error;
  const char* given = std::getenv(platform::kLibraryPathVariable);
  const std::string path = std::string(given ? given : "") + platform::kPathSeparator + kRocm;
  const auto packages = doctor::librariesInPackages(program);
  for (const Standin& standin : kStandins) {
    const fs::path file = standins / standin.folder / standin.library;
    const auto ours = doctor::readProgramFile(file);
    if (!ours || doctor::onSystem(standin.library, path, ours->machine)) continue;
    const bool carried =
        std::ranges::any_of(packages, [&](const fs::path& copy) { return copy.filename() == standin.library; });
    if (!carried) addTo(platform::kLibraryPathVariable, file.parent_path().string(), false);
  }
}

void addCommands(const fs::path& standins) {
  std::error_code error;
  if (!fs::exists(standins / "bin", error)) return;
  addTo("PATH", (standins / "bin").string(), true);  // those of ROCm would look for a driver
  platform::setEnvironment("HIP_REMOTE_PROGRAM", platform::programPath());
}

bool hasDriver() {
  std::error_code error;
  return fs::exists("/dev/kfd", error) || fs::exists(fs::path(kKfdFolder) / "kfd/topology/nodes/1", error);
}

Status openWithin(int seconds, telemetry::SourcePtr& source) {
  if (std::getenv(telemetry::kTargetVariable)) return telemetry::openTarget(source);
  telemetry::RemoteOptions options;
  if (Status status = telemetry::remoteOptionsFromEnvironment(options); !status.ok()) return status;
  options.connectTimeout = std::min(options.connectTimeout, seconds);
  options.ioTimeout = std::min(options.ioTimeout, seconds);
  return telemetry::openRemote(options, source);
}

void addDriver(bool python) {
  telemetry::SourcePtr source;
  if (!openWithin(kPatience, source).ok()) return;  // the program's first HIP call says what is wrong
  std::vector<telemetry::Gpu> gpus;
  for (const std::size_t i : telemetry::inOrderOfHip(source->gpus())) gpus.push_back(source->gpus()[i]);
  source.reset();
  const std::string why = platform::addToView(kKfdFolder, kfdFiles(gpus));
  if (!why.empty() && python)  // other programs look at HIP alone
    std::fprintf(stderr,
                 "hip-remote run: no %s for the program (%s), so that JAX will not believe in a GPU; as root it works "
                 "where this is allowed, and --plain leaves it out\n",
                 kKfdFolder, why.c_str());
}

}  // namespace

void surround(const Target& target, const std::string& program, const std::string& folder) {
  if (target.plain) return;
  if (target.softgpu) platform::setEnvironment(telemetry::kTargetVariable, "softgpu");
  const fs::path standins = standinsFolder(target, folder);
  addLibraries(standins, program);
  if (hasDriver()) return;
  addCommands(standins);
  addDriver(fs::path(program).filename().string().find("python") != std::string::npos);
}

}  // namespace hipr::cli
