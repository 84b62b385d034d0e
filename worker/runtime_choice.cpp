#include "worker/runtime_choice.h"

#include <filesystem>

namespace hipr::worker {
namespace {

namespace fs = std::filesystem;

// The build tree keeps it in lib/softgpu, an installation in lib/hip-remote/softgpu (also lib64, lib/<triplet>).
std::string softgpuPath(const std::string& executable) {
  const fs::path root = fs::path(executable).parent_path().parent_path();
  const std::string file = "libamdhip64.so.7";
  std::vector<fs::path> places = {root / "lib/softgpu", root / "lib/hip-remote/softgpu",
                                  root / "lib64/hip-remote/softgpu"};
  std::error_code error;
  for (fs::directory_iterator it(root / "lib", error), end; !error && it != end; it.increment(error)) {
    if (it->is_directory(error)) places.push_back(it->path() / "hip-remote/softgpu");
  }
  for (const fs::path& place : places) {
    if (fs::exists(place / file, error)) return place / file;
  }
  return places.front() / file;  // the error will name it
}

}  // namespace

std::vector<RuntimeCandidate> runtimeCandidates(const std::string& choice, const std::string& executable) {
  if (choice == "softgpu") return {{softgpuPath(executable)}};
  if (choice != "auto" && choice != "rocm") return {{choice}};
  const bool automatic = choice == "auto";
  std::vector<RuntimeCandidate> out;
  for (const char* version : {"7", "6", "5"}) {
    const std::string file = std::string("libamdhip64.so.") + version;
    out.push_back({file, automatic});
    out.push_back({"/opt/rocm/lib/" + file, automatic});
  }
  if (automatic) out.push_back({softgpuPath(executable)});
  return out;
}

}  // namespace hipr::worker
