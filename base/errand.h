// Errand: a job that is done once, by whoever has time for it first: another thread, or the one that gave it and needs
// it done. So nobody waits for a thread that is slow to wake. Thread-safe; share it with those who may do it.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>

namespace hipr {

class Errand {
 public:
  explicit Errand(std::function<void()> job) : job_(std::move(job)) {}

  void help() {  // does it, unless somebody has begun
    std::unique_lock lock(mutex_);
    if (state_ == State::kOpen) perform(lock);
  }
  void finish() {  // it is done when this returns
    std::unique_lock lock(mutex_);
    if (state_ == State::kOpen) return perform(lock);
    done_.wait(lock, [this] { return state_ == State::kDone; });
  }

 private:
  enum class State { kOpen, kBegun, kDone };

  void perform(std::unique_lock<std::mutex>& lock) {
    state_ = State::kBegun;
    lock.unlock();
    job_();
    lock.lock();
    state_ = State::kDone;
    done_.notify_all();
  }

  const std::function<void()> job_;
  std::mutex mutex_;
  std::condition_variable done_;
  State state_ = State::kOpen;
};

}  // namespace hipr
