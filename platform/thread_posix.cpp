#include "platform/thread.h"

#include <pthread.h>
#ifndef __APPLE__
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace hipr::platform {

void nameThisThread(const char* name) {
#ifdef __APPLE__
  pthread_setname_np(name);
#else
  pthread_setname_np(pthread_self(), name);
#endif
}

std::uint64_t threadId() {
#ifdef __APPLE__
  std::uint64_t id = 0;
  pthread_threadid_np(nullptr, &id);
  return id;
#else
  return static_cast<std::uint64_t>(syscall(SYS_gettid));
#endif
}

void waitWhile(const std::atomic<int>& word, int value) {
  word.wait(value, std::memory_order_acquire);
}

void wakeOne(std::atomic<int>& word) {
  word.notify_one();
}

}  // namespace hipr::platform
