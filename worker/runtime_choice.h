// Which HIP runtime to load, for --runtime auto|softgpu|rocm|PATH.
#pragma once

#include <string>
#include <vector>

namespace hipr::worker {

struct RuntimeCandidate {
  std::string path;
  bool needsDevice = false;  // pass on to the next one when it finds no device
};

// In the order to try. `executable` is where this program lies.
std::vector<RuntimeCandidate> runtimeCandidates(const std::string& choice, const std::string& executable);

}  // namespace hipr::worker
