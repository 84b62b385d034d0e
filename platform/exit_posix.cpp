#include "platform/exit.h"

namespace hipr::platform {
namespace {

ExitFunction atExit = nullptr;

[[gnu::destructor]] void last() {
  if (atExit) atExit(Ending::kLast);
}

}  // namespace

AtExit::AtExit(ExitFunction function) {
  atExit = function;
}

bool otherThreadsGone() {
  return false;
}

void stayUntilExit() {}  // -z nodelete and its like have seen to it

}  // namespace hipr::platform
