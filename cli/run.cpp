#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "cli/commands.h"

namespace hipr::cli {

int run(Arguments arguments) {
  Target target;
  if (!takeTarget(arguments, target)) return 2;
  if (arguments.empty()) {
    std::fputs("hip-remote run: which program?\n", stderr);
    return 2;
  }
  if (!applyTarget(target)) return 1;
  std::vector<char*> argv(arguments.begin(), arguments.end());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  std::fprintf(stderr, "hip-remote run: cannot start %s: %s\n", argv[0], std::strerror(errno));
  return 127;
}

int env(Arguments arguments) {
  Target target;
  if (!takeTarget(arguments, target) || !applyTarget(target)) return 2;
  for (const char* name : {"LD_LIBRARY_PATH", "TF_WORKER_HOST", "TF_WORKER_PORT"}) {
    if (const char* value = std::getenv(name)) std::printf("export %s='%s'\n", name, value);
  }
  return 0;
}

}  // namespace hipr::cli
