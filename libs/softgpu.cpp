// libamdhip64 for GPUs that this machine's CPU plays.
#include "backends/softgpu/core.h"

const std::vector<hipr::Core*>& hipr::cores() {
  static const auto* row = new std::vector<Core*>{new softgpu::SoftgpuCore};  // never destroyed: calls may come at exit
  return *row;
}
