// Wave-instructions per second of each family, on one core.
#include <cstdlib>
#include <cstring>

#include "bench/softgpu.h"

namespace hipr::bench {
namespace {

enum Goal { kNone, kPlain, kMemory };
constexpr unsigned kCopies = 64;  // of a family's instructions in a round
constexpr unsigned kWaves = 4;
constexpr unsigned kLds = 16 * 1024;

struct Family {
  const char* kernel;
  Goal goal;
  const char* what;
  unsigned count;
};
constexpr Family kFamilies[] = {
#define FAMILY(name, goal, what, instructions, count) {#name, goal, what, count},
#include "bench/softgpu_families.inc"
#undef FAMILY
};

// What plain vector instructions should reach depends on the vectors of this CPU, unless a lower level was asked for.
double plainGoal() {
  const char* level = std::getenv("HIP_REMOTE_SOFTGPU_LEVEL");
  const bool lower = level && std::strcmp(level, "avx512") != 0;
#ifdef __x86_64__
  if (!lower && __builtin_cpu_supports("avx512f")) return 150;
  if ((!level || std::strcmp(level, "base") != 0) && __builtin_cpu_supports("avx2")) return 80;
#endif
  return 0;
}

std::uint64_t lanesOf(const std::string& kernel) {
  return kernel.starts_with("half_") ? 0x5555555555555555 : kernel.starts_with("part_") ? 0x00ffffffffffffff : ~0ull;
}

}  // namespace

void measureFamilies(Report& report, const Softgpu& gpu, const std::string& pattern) {
  report.section("softgpu: millions of wave-instructions per second of one core");
  void* memory = gpu.allocate(1 << 16);
  for (const Family& family : kFamilies) {
    if (std::string(family.what).find(pattern) == std::string::npos) continue;
    const hipFunction_t kernel = gpu.kernel(family.kernel);
    std::uint64_t exec = lanesOf(family.kernel);
    const auto run = [&](int rounds) {
      gpu.launch(kernel, Groups{1}, 64 * kWaves, kLds, {&memory, &exec, &rounds});
      gpu.wait();
    };
    // As many rounds as take some milliseconds.
    run(16);
    const double one = costOf(2, [&] { run(64); }).cpu / 64;
    const int rounds = static_cast<int>(5e-3 / one) + 1;
    const double time = costOf(7, [&] { run(rounds); }).cpu;
    const double rate = 1e-6 * rounds * kCopies * family.count * kWaves / time;
    const double goal = family.goal == kPlain ? plainGoal() : family.goal == kMemory ? 40 : 0;
    if (goal > 0) {
      report.atLeast(family.what, rate, "M/s", goal);
    } else {
      report.add(family.what, rate, "M/s");
    }
  }
}

}  // namespace hipr::bench
