#include "backends/softgpu/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <system_error>

namespace hipr::softgpu {

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::run(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    if (idle_ < jobs_.size() && threads_.size() < maxThreads_) {
      try {
        threads_.emplace_back([this] { work(); });
        ++idle_;
      } catch (const std::system_error&) {
        if (threads_.empty()) throw;  // otherwise those that exist will do it, later
      }
    }
  }
  wake_.notify_one();
}

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    --idle_;
    lock.unlock();
    job();
    job = nullptr;  // what it holds is let go before the lock is taken again
    lock.lock();
    ++idle_;
  }
}

void ThreadPool::forEach(std::size_t count, const std::function<void(std::size_t)>& body) {
  struct Progress {
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> left;
    const std::function<void(std::size_t)>* body;
  };
  const auto progress = std::make_shared<Progress>();
  progress->left = count;
  progress->body = &body;
  // A helper that comes too late finds next >= count and never looks at `body`, which may be gone by then.
  const auto help = [progress, count] {
    for (std::size_t i; (i = progress->next.fetch_add(1)) < count;) {
      (*progress->body)(i);
      if (progress->left.fetch_sub(1, std::memory_order_acq_rel) == 1) progress->left.notify_all();
    }
  };
  for (std::size_t i = 1; i < std::min(count, maxThreads_); ++i) run(help);
  help();
  for (std::size_t left; (left = progress->left.load(std::memory_order_acquire)) != 0;) progress->left.wait(left);
}

}  // namespace hipr::softgpu
