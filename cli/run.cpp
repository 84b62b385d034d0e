#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/names.h"
#include "platform/library.h"
#include "platform/process.h"

namespace hipr::cli {

int run(Arguments arguments) {
  Target target;
  if (!takeTarget(arguments, target)) return 2;
  if (arguments.empty()) {
    std::fputs("hip-remote run: which program?\n", stderr);
    return 2;
  }
  if (!applyTarget(target)) return 1;
  const std::string why = platform::becomeProgram({arguments.begin(), arguments.end()});
  std::fprintf(stderr, "hip-remote run: cannot start %s: %s\n", arguments[0], why.c_str());
  return 127;
}

int env(Arguments arguments) {
  Target target;
  if (!takeTarget(arguments, target) || !applyTarget(target)) return 2;
  for (const char* name : {platform::kLibraryPathVariable, "TF_WORKER_HOST", "TF_WORKER_PORT"}) {
    if (const char* value = std::getenv(name)) std::printf(kSetVariable, name, value);
  }
  return 0;
}

}  // namespace hipr::cli
