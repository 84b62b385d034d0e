// hip-remote smi: AMD's own amd-smi, looking at the GPUs of the worker.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/smi_launcher.h"
#include "platform/library.h"
#include "platform/process.h"

namespace hipr::cli {
namespace {
namespace fs = std::filesystem;

constexpr int kFailed = 1, kNoProgram = 3;  // 3: no amd-smi here, or one that we have no library for

// What amd-smi is installed as: on the PATH, or where ROCm puts it.
fs::path findProgram() {
  std::vector<fs::path> candidates;
  std::istringstream path(std::getenv("PATH") ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(path, folder, platform::kPathSeparator);)
    candidates.push_back(fs::path(folder) / "amd-smi");
  if (const char* rocm = std::getenv("ROCM_PATH")) candidates.push_back(fs::path(rocm) / "bin/amd-smi");
  candidates.push_back("/opt/rocm/bin/amd-smi");
  candidates.push_back("/usr/libexec/amdsmi_cli/amdsmi_cli.py");
  std::error_code error;
  for (const fs::path& candidate : candidates) {
    const fs::path program = fs::canonical(candidate, error);
    if (!error && program.filename() == "amdsmi_cli.py") return program;
  }
  return {};
}

// Its version is that of the library it is made for.
struct Version {
  int major = 0, minor = 0;
};
Version versionOf(const fs::path& program) {
  std::ifstream file(program.parent_path() / "_version.py");
  Version version;
  for (std::string line; std::getline(file, line);)
    if (std::sscanf(line.c_str(), "__version__ = \"%d.%d", &version.major, &version.minor) >= 1) break;
  return version;
}

// Our library for it; empty when there is none. The structures of 24 changed from one minor version to the next.
std::string libraryFor(const Version& version, const std::string& folder) {
  if (version.major < 24 || (version.major == 24 && version.minor != 5)) return "";
  const std::string library = folder + "/libamd_smi.so." + std::to_string(version.major);
  std::error_code error;
  return fs::exists(library, error) ? library : "";
}

// What would change this machine instead of the worker's, or reads this machine past the library.
bool refused(const char* argument) {
  return std::ranges::any_of(std::initializer_list<const char*>{"set", "reset", "--rocm-smi"},
                             [&](const char* word) { return !std::strcmp(argument, word); });
}

int fail(const std::string& text, int code = kFailed) {
  std::fprintf(stderr, "hip-remote smi: %s\n", text.c_str());
  return code;
}

}  // namespace

int smi(Arguments arguments) {
  Target target;
  if (!takeInFront("smi", targetOptions(target), arguments)) return 2;
  if (target.softgpu) return fail("there is no worker to ask with --softgpu");
  if (!arguments.empty() && refused(arguments[0]))
    return fail(std::string("\"") + arguments[0] + "\" acts on the machine it runs on, not on the worker's GPUs");
  const fs::path program = findProgram();
  if (program.empty())
    return fail("amd-smi is not installed (Debian and Ubuntu: package amd-smi); smi-remote needs no installation",
                kNoProgram);
  const Version version = versionOf(program);
  const std::string library = libraryFor(version, libraryFolder(target));
  if (library.empty())
    return fail(program.string() + " is made for libamd_smi " + std::to_string(version.major) + "." +
                    std::to_string(version.minor) +
                    "; ours are 24.5 (ROCm 6.1, Debian 13), 26 (7.0 to 7.2) and 27 (10)",
                kNoProgram);
  if (!target.worker.empty()) platform::setEnvironment("TF_WORKER_HOST", target.worker);
  useKeptToken();

  std::vector<std::string> command = {"python3", "-c", kSmiLauncher, program.string(), library};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return fail("cannot start python3: " + platform::becomeProgram(command));
}

}  // namespace hipr::cli
