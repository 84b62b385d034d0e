// The files under /sys/class/kfd that AMD's driver would show for these GPUs: where programs look whether there is one,
// and of which kind, before they load anything.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "types/gpu.h"

namespace hipr::cli {

inline constexpr char kKfdFolder[] = "/sys/class/kfd";

// By their paths below kKfdFolder. Node 0 is the CPU, as on every machine with a GPU.
std::map<std::string, std::string> kfdFiles(const std::vector<telemetry::Gpu>& gpus);

// 90010 for "gfx90a": version, minor version and stepping, the last two hexadecimal digits. 0 when it is no such name.
unsigned targetVersion(const std::string& target);

}  // namespace hipr::cli
