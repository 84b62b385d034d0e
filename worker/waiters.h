// Waiters: threads for work that waits. A thread is made when none is free, so a task never waits for another one.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace hipr::worker {

class Waiters {
 public:
  Waiters() = default;
  ~Waiters();  // runs what is queued, then ends. REQUIRES: whatever the tasks wait for will come
  Waiters(const Waiters&) = delete;
  Waiters& operator=(const Waiters&) = delete;

  void run(std::function<void()> task);  // thread-safe

 private:
  void serve();

  std::mutex mutex_;
  std::condition_variable work_;
  std::deque<std::function<void()>> tasks_;
  std::size_t free_ = 0;  // threads waiting for a task, less tasks already on their way to one
  std::vector<std::thread> threads_;
  bool ending_ = false;
};

}  // namespace hipr::worker
