// Systems for which there is no ROCm to stand in for.
#include <cstdio>

#include "cli/commands.h"

namespace hipr::cli {

int rocminfo(Arguments) {
  std::fputs("rocminfo is for Linux; `hip-remote info` lists the GPUs\n", stderr);
  return 2;
}
int agentEnumerator(Arguments arguments) {
  return rocminfo(arguments);
}

}  // namespace hipr::cli
