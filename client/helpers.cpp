#include "client/helpers.h"

#include <algorithm>
#include <system_error>

#include "platform/thread.h"

namespace hipr::client {
namespace {

constexpr unsigned kMost = 8;

// The other half of the processors is for the program.
std::size_t mostThreads() {
  return std::clamp(std::thread::hardware_concurrency() / 2, 1U, kMost);
}

}  // namespace

bool Helpers::add(std::function<void()> job) {
  std::lock_guard lock(mutex_);
  if (stopping_) return true;
  if (jobs_.size() >= idle_ && threads_.size() < mostThreads()) {
    try {
      threads_.emplace_back([this] { run(); });
    } catch (const std::system_error&) {
      if (threads_.empty()) return false;  // others see to it, when they can
    }
  }
  jobs_.push_back(std::move(job));
  changed_.notify_one();
  return true;
}

void Helpers::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    jobs_.clear();
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Helpers::run() {
  platform::nameThisThread("hip-helper");
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    changed_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    --idle_;
    if (stopping_) return;
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

}  // namespace hipr::client
