// Helpers: a few threads for work on bulk data that must not hold up those who send. They begin when there is
// something to do. Thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace hipr::client {

class Helpers {
 public:
  ~Helpers() { stop(); }
  bool add(std::function<void()> job);  // false: nobody will do it, since there is no room for a thread
  void stop();                          // what has not begun is forgotten

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool stopping_ = false;
};

}  // namespace hipr::client
