// Run while the build is configured: does this machine's CPU have the level HIPR_LEVEL?
#include "cpu_levels.h"

#define JOIN(a, b) a##b
#define CPU_HAS(level) JOIN(cpuHas_, level)

int main() {
  return hipr::softgpu::CPU_HAS(HIPR_LEVEL)() ? 0 : 1;
}
