// The end of the process: posted work reaches its destination, later calls get hipErrorDeinitialized. A library
// destructor runs after every atexit handler and static destructor of the program, so those may still use HIP.
#include <atomic>

#include "runtime/process.h"

namespace hipr {

namespace {

std::atomic<bool> gone{false};
Process* last = nullptr;  // never destroyed: other threads may be inside

[[gnu::destructor]] void atExit() {
  gone.store(true);
  last = processPointer.exchange(nullptr);
  if (last == nullptr) return;
  for (Core* core : cores()) core->shutdown();
}

}  // namespace

bool exited() {
  return gone.load(std::memory_order_relaxed);
}

}  // namespace hipr
