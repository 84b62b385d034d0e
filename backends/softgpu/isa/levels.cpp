// Which of the compiled CPU levels runs here. HIPR_SOFTGPU_LEVEL=base|avx2|avx512 chooses a lower one, for tests.
#include <cstdlib>
#include <cstring>

#include "backends/softgpu/isa/impl.h"

namespace hipr::softgpu {

#define LEVEL(name)  \
  namespace name {   \
  ImplTable impls(); \
  }
HIPR_LEVELS
#undef LEVEL

namespace {

[[maybe_unused]] bool cpuHas_base() {
  return true;
}
#ifdef __x86_64__
[[maybe_unused]] bool cpuHas_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("f16c");
}
[[maybe_unused]] bool cpuHas_avx512() {
  return cpuHas_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
}
#endif

struct Choice {
  ImplTable impls = nullptr;
  const char* name = "";
};

// HIPR_LEVELS (from CMake) lists them from slowest to fastest.
Choice choose() {
  Choice choice;
  const char* wanted = std::getenv("HIPR_SOFTGPU_LEVEL");
  bool done = false;
#define LEVEL(level)                                                \
  if (!done && cpuHas_##level()) choice = {level::impls(), #level}; \
  if (wanted && std::strcmp(wanted, #level) == 0) done = true;
  HIPR_LEVELS
#undef LEVEL
  return choice;
}

const Choice& chosen() {
  static const Choice choice = choose();
  return choice;
}

}  // namespace

ImplTable chosenImpls() {
  return chosen().impls;
}
const char* chosenLevel() {
  return chosen().name;
}

}  // namespace hipr::softgpu
