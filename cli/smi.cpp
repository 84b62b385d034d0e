// hip-remote smi: AMD's own amd-smi, looking at the GPUs of the worker.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
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

namespace hipr::cli {
namespace {
namespace fs = std::filesystem;

// What amd-smi is installed as: on the PATH, or where ROCm puts it.
fs::path findProgram() {
  std::vector<fs::path> candidates;
  std::istringstream path(std::getenv("PATH") ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(path, folder, ':');) candidates.push_back(fs::path(folder) / "amd-smi");
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

// The first number of its version is that of the library it is made for.
int abiOf(const fs::path& program) {
  std::ifstream file(program.parent_path() / "_version.py");
  for (std::string line; std::getline(file, line);) {
    const std::size_t quote = line.find('"');
    if (line.starts_with("__version__") && quote != std::string::npos) return std::atoi(line.c_str() + quote + 1);
  }
  return 0;
}

// What would change this machine instead of the worker's, or reads this machine past the library.
bool refused(const char* argument) {
  return std::ranges::any_of(std::initializer_list<const char*>{"set", "reset", "--rocm-smi"},
                             [&](const char* word) { return !std::strcmp(argument, word); });
}

int fail(const std::string& text) {
  std::fprintf(stderr, "hip-remote smi: %s\n", text.c_str());
  return 1;
}

}  // namespace

int smi(Arguments arguments) {
  Target target;
  if (!takeTarget(arguments, target)) return 2;
  if (target.softgpu) return fail("there is no worker to ask with --softgpu");
  if (!arguments.empty() && refused(arguments[0]))
    return fail(std::string("\"") + arguments[0] + "\" acts on the machine it runs on, not on the worker's GPUs");
  const fs::path program = findProgram();
  if (program.empty())
    return fail("amd-smi is not installed (Debian and Ubuntu: package amd-smi); smi-remote needs no installation");
  const int abi = abiOf(program);
  const std::string library = libraryFolder(target) + "/libamd_smi.so." + std::to_string(abi);
  std::error_code error;
  if (!fs::exists(library, error))
    return fail(program.string() + " is made for libamd_smi " + std::to_string(abi) +
                "; ours is 26 or 27 (ROCm 7.0 and newer)");
  if (!target.worker.empty()) setenv("TF_WORKER_HOST", target.worker.c_str(), 1);

  const std::string programName = program.string();
  std::vector<char*> argv;
  for (const char* word : {"python3", "-c", kSmiLauncher, programName.c_str(), library.c_str()})
    argv.push_back(const_cast<char*>(word));
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  return fail(std::string("cannot start python3: ") + std::strerror(errno));
}

}  // namespace hipr::cli
