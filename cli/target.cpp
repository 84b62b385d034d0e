#include <cstdio>
#include <cstdlib>
#include <cstring>
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

bool takeTarget(Arguments& arguments, Target& out) {
  while (!arguments.empty() && arguments[0][0] == '-') {
    const char* option = arguments[0];
    if (!std::strcmp(option, "--")) {
      arguments = arguments.subspan(1);
      return true;
    }
    if (!std::strcmp(option, "--softgpu")) {
      out.softgpu = true;
      arguments = arguments.subspan(1);
    } else if (!std::strcmp(option, "--plain")) {
      out.plain = true;
      arguments = arguments.subspan(1);
    } else if (!std::strcmp(option, "--worker") && arguments.size() > 1) {
      out.worker = arguments[1];
      arguments = arguments.subspan(2);
    } else {
      std::fprintf(stderr, "hip-remote: \"%s\" is not an option here (or lacks its value); see hip-remote --help\n",
                   option);
      return false;
    }
  }
  return true;
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
