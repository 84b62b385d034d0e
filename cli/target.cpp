#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/commands.h"

namespace hipr::cli {
namespace fs = std::filesystem;

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
  const fs::path bin = fs::read_symlink("/proc/self/exe", error).parent_path();
  // In a build tree, and installed.
  for (const char* place : {"../lib", "../lib/hip-remote", "../lib/x86_64-linux-gnu/hip-remote"}) {
    const fs::path folder = (bin / place / (target.softgpu ? "softgpu" : "")).lexically_normal();
    if (fs::exists(folder / "libamdhip64.so.7", error)) return folder.string();
  }
  return "";
}

bool applyTarget(const Target& target) {
  std::string folder = libraryFolder(target);
  if (folder.empty()) {
    std::fprintf(
        stderr,
        "hip-remote: our libamdhip64.so.7 is not next to this program (looked in ../lib and ../lib/hip-remote)\n");
    return false;
  }
  if (const char* rest = std::getenv("LD_LIBRARY_PATH"); rest && *rest) folder += std::string(":") + rest;
  setenv("LD_LIBRARY_PATH", folder.c_str(), 1);
  if (!target.worker.empty()) setenv("TF_WORKER_HOST", target.worker.c_str(), 1);
  return true;
}

}  // namespace hipr::cli
