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
namespace {

// Whether nothing is wrong; otherwise says what.
bool isFine(const char* command, const Status& status) {
  if (!status.ok())
    std::fprintf(stderr, "hip-remote %s: %s; see hip-remote --help\n", command, status.message().c_str());
  return status.ok();
}

}  // namespace

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
  const auto worker = [&out](const std::string& value) {
    out.worker = value;
    return out.softgpu ? Status::invalid("contradicts --softgpu") : Status();
  };
  const auto softgpu = [&out](const std::string&) {
    out.softgpu = true;
    return out.worker.empty() ? Status() : Status::invalid("contradicts --worker");
  };
  return {{"worker", 0, "HOST[:PORT]", worker, nullptr},
          {"softgpu", 0, nullptr, softgpu, nullptr},
          {"plain", 0, nullptr, flag(out.plain), nullptr}};
}

Option helpOption() {
  const auto help = [](const std::string&) -> Status {
    printHelp();
    std::exit(0);
  };
  return {"help", 'h', nullptr, help, nullptr};
}

bool takeInFront(const char* command, std::vector<Option> options, Arguments& arguments) {
  options.push_back(helpOption());
  return isFine(command, takeLeadingOptions(options, arguments));
}

bool takeNothingElse(const char* command, std::vector<Option> options, Arguments arguments) {
  if (!takeInFront(command, std::move(options), arguments)) return false;
  if (arguments.empty()) return true;
  return isFine(command, Status::invalid(std::string("unexpected argument \"") + arguments[0] + "\""));
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
