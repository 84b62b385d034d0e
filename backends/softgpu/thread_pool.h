// Threads made when work comes and none is free, up to a limit; they sleep between jobs.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace hipr::softgpu {

class ThreadPool {
 public:
  explicit ThreadPool(std::size_t maxThreads) : maxThreads_(maxThreads) {}
  ~ThreadPool();  // finishes what was given, then joins
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  void run(std::function<void()> job);

  // Calls body(0) … body(count - 1), on this thread and on idle ones of the pool, and returns when all are done. Needs
  // no free thread, so it may be called from a job of this pool.
  void forEach(std::size_t count, const std::function<void(std::size_t)>& body);

 private:
  void work();

  const std::size_t maxThreads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool stopping_ = false;
};

}  // namespace hipr::softgpu
