#include "runtime/fork.h"

#include <new>

#include "platform/fork.h"
#include "runtime/process.h"

namespace hipr {

namespace {

alignas(std::mutex) std::byte openMutexStorage[sizeof(std::mutex)];
std::mutex* const theOpenMutex = new (openMutexStorage) std::mutex;

void inChild() {
  registryMutex().unlock();
  new (openMutexStorage) std::mutex;  // the parent's may be held by a thread that does not exist here
  processPointer.store(nullptr);
  threadState() = {.objects = threadState().objects};
  if (ThreadObjects* mine = threadState().objects) {
    mine->owner = nullptr;
    mine->perThreadStream.clear();
    mine->contexts.clear();
  }
  for (Core* core : cores()) {
    core->asyncError.clear();
    core->forgetAfterFork();
  }
}

}  // namespace

std::mutex& openMutex() {
  return *theOpenMutex;
}

std::mutex& registryMutex() {
  static std::mutex mutex;
  return mutex;
}

void watchForks() {
  static const bool watching = [] {
    platform::onFork([] { registryMutex().lock(); }, [] { registryMutex().unlock(); }, inChild);
    return true;
  }();
  static_cast<void>(watching);
}

}  // namespace hipr
