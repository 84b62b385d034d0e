// The end of the process: posted work reaches its destination, later calls get hipErrorDeinitialized.
#include <atomic>

#include "platform/exit.h"
#include "runtime/process.h"
#include "runtime/trace.h"

namespace hipr {

namespace {

std::atomic<bool> gone{false};
std::atomic<Process*> last{nullptr};  // never destroyed: other threads may be inside

// Taking the pointer away sends every call to openProcess(), where how far the end has come is looked at.
void leave(platform::Ending ending) {
  if (ending != platform::Ending::kThreadsGone) endTrace();
  if (Process* opened = processPointer.exchange(nullptr)) last = opened;
  if (ending != platform::Ending::kComing) gone = true;
  if (last == nullptr) return;
  for (Core* core : cores()) core->leave(ending);
}

const platform::AtExit atExit(leave);
[[maybe_unused]] const bool traced = startTrace();

}  // namespace

bool exited() {
  return gone.load(std::memory_order_relaxed) || (last.load() != nullptr && platform::otherThreadsGone());
}

Process* endingProcess() {
  return last.load();
}

}  // namespace hipr
