#include "runtime/thread_state.h"

#include <memory>

#include "platform/exit.h"
#include "runtime/process.h"
#include "runtime/stream.h"

namespace hipr {

namespace {

// Destroys the thread's objects when it ends. Separate from ThreadState so that the hot part stays trivial.
struct ThreadObjectsOwner {
  std::unique_ptr<ThreadObjects> objects;
  ~ThreadObjectsOwner() { threadState().objects = nullptr; }
};

}  // namespace

ThreadObjects::~ThreadObjects() {
  // Not after exit and not in a forked child: the streams are no longer ours to destroy.
  if (owner == nullptr || owner != openedProcess() || platform::otherThreadsGone()) return;
  for (Stream* stream : perThreadStream)
    if (stream != nullptr) destroyStream(*owner, stream);
}

ThreadObjects& threadObjects() {
  ThreadState& state = threadState();
  if (state.objects == nullptr) {
    thread_local ThreadObjectsOwner owner;
    owner.objects = std::make_unique<ThreadObjects>();
    state.objects = owner.objects.get();
  }
  return *state.objects;
}

}  // namespace hipr
