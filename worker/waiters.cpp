#include "worker/waiters.h"

namespace hipr::worker {

Waiters::~Waiters() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Waiters::run(std::function<void()> task) {
  std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  if (free_) {
    --free_;
    work_.notify_one();
  } else {
    threads_.emplace_back([this] { serve(); });
  }
}

void Waiters::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    while (tasks_.empty()) {
      if (ending_) return;
      work_.wait(lock);
    }
    auto task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
    ++free_;
  }
}

}  // namespace hipr::worker
