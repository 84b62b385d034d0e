#include "backends/softgpu/command.h"

#include <chrono>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hipr::softgpu {
namespace {

void relax() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// A short kernel ends before a thread could fall asleep and be woken again.
constexpr auto kSpin = std::chrono::microseconds(20);

struct Ready {
  CommandPtr command;
  Starter starter;
};

// Commands that became ready while this thread is starting another one. Starting them from a loop instead of from
// within each other keeps a chain of a million markers from using a million stack frames.
thread_local std::vector<Ready>* readyHere = nullptr;

}  // namespace

void Command::after(Command& earlier) {
  if (earlier.done()) return;
  const std::lock_guard lock(earlier.mutex_);
  if (earlier.done()) return;
  pending_.fetch_add(1, std::memory_order_relaxed);
  earlier.later_.push_back(shared_from_this());
}

void Command::release() {
  if (pending_.fetch_sub(1, std::memory_order_acq_rel) == 1) startWhenFree(Starter::kSubmitter);
}

void Command::startWhenFree(Starter starter) {
  if (readyHere != nullptr) {
    readyHere->push_back({shared_from_this(), starter});
    return;
  }
  std::vector<Ready> ready;
  readyHere = &ready;
  const CommandPtr self = shared_from_this();  // finishing may drop the last other reference
  start(starter);
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const Ready next = std::move(ready[i]);
    next.command->start(next.starter);
    if (i == 1024) {  // long chains: give the memory of those already started back
      ready.erase(ready.begin(), ready.begin() + 1025);
      i = static_cast<std::size_t>(-1);
    }
  }
  readyHere = nullptr;
}

void Command::finish() {
  std::vector<CommandPtr> later;
  {
    const std::lock_guard lock(mutex_);
    later.swap(later_);
    done_.store(1, std::memory_order_release);
  }
  done_.notify_all();
  for (const CommandPtr& next : later)
    if (next->pending_.fetch_sub(1, std::memory_order_acq_rel) == 1) next->startWhenFree(Starter::kOther);
}

void Command::wait() const {
  if (done()) return;
  const auto until = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < 32; ++i) {
      if (done()) return;
      relax();
    }
    std::this_thread::yield();  // on a busy machine what we wait for may need this CPU
  } while (std::chrono::steady_clock::now() < until);
  while (!done()) done_.wait(0, std::memory_order_acquire);
}

void Marker::start(Starter) {
  reachedAt_ =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
  finish();
}

}  // namespace hipr::softgpu
