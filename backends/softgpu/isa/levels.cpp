// Which of the compiled CPU levels runs here. HIP_REMOTE_SOFTGPU_LEVEL=base|avx2|avx512 chooses a lower one, for tests.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "backends/softgpu/isa/cpu_levels.h"
#include "backends/softgpu/isa/impl.h"

namespace hipr::softgpu {

#define LEVEL(name)  \
  namespace name {   \
  ImplTable impls(); \
  }
HIPR_LEVELS
#undef LEVEL

namespace {

struct Choice {
  ImplTable impls = nullptr;
  const char* name = "";
};

// HIPR_LEVELS (from CMake) lists them from slowest to fastest.
Choice choose() {
  Choice choice;
  const char* wanted = std::getenv("HIP_REMOTE_SOFTGPU_LEVEL");
  bool done = false;
#define LEVEL(level)                                                \
  if (!done && cpuHas_##level()) choice = {level::impls(), #level}; \
  if (wanted && std::strcmp(wanted, #level) == 0) done = true;
  HIPR_LEVELS
#undef LEVEL
  if (!choice.impls) {
    std::fputs("softgpu was built for another CPU than this one; configure with -DHIPR_SOFTGPU_LEVELS=all\n", stderr);
    std::abort();
  }
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
