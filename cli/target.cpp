#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "access/kept_token.h"
#include "base/env.h"
#include "cli/commands.h"
#include "cli/names.h"
#include "platform/library.h"
#include "platform/process.h"
#include "telemetry/remote.h"

namespace hipr::cli {
namespace fs = std::filesystem;

void useKeptToken() {
  telemetry::RemoteOptions options;
  if (envText("HIP_REMOTE_TOKEN") || envText("HIP_REMOTE_TOKEN_FILE") ||
      !telemetry::remoteOptionsFromEnvironment(options).ok())
    return;
  const std::string file = access::keptTokenFile(options.worker);
  std::error_code error;
  if (!file.empty() && fs::exists(file, error)) platform::setEnvironment("HIP_REMOTE_TOKEN_FILE", file);
}

std::vector<Option> targetOptions(Target& out) {
  return {{"worker", 0, "HOST[:PORT]", text(out.worker), nullptr},
          {"softgpu", 0, nullptr, flag(out.softgpu), nullptr},
          {"plain", 0, nullptr, flag(out.plain), nullptr}};
}

bool takeInFront(const char* command, const std::vector<Option>& options, Arguments& arguments) {
  const Status status = takeLeadingOptions(options, arguments);
  if (!status.ok())
    std::fprintf(stderr, "hip-remote %s: %s; see hip-remote --help\n", command, status.message().c_str());
  return status.ok();
}

std::string libraryFolder(const Target& target) {
  std::error_code error;
  const fs::path bin = fs::path(platform::programPath()).parent_path();
  for (const char* place : kLibraryFolders) {
    const fs::path folder = (target.softgpu ? bin / place / "softgpu" : bin / place).lexically_normal();
    if (fs::exists(folder / kHipLibrary, error)) return folder.string();
  }
  return "";
}

bool applyTarget(const Target& target) {
  std::string folder = libraryFolder(target);
  if (folder.empty()) {
    std::string looked;
    for (const char* place : kLibraryFolders) looked += std::string(looked.empty() ? "" : ", ") + place;
    std::fprintf(stderr, "hip-remote: our %s is not next to this program (looked in %s)\n", kHipLibrary,
                 looked.c_str());
    return false;
  }
  if (const char* rest = std::getenv(platform::kLibraryPathVariable); rest && *rest)
    folder += platform::kPathSeparator + std::string(rest);
  platform::setEnvironment(platform::kLibraryPathVariable, folder);
  if (!target.worker.empty()) platform::setEnvironment("TF_WORKER_HOST", target.worker);
  useKeptToken();
  return true;
}

}  // namespace hipr::cli
