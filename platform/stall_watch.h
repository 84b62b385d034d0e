// StallWatch: ends the process when a stretch of code that must not wait does, asleep or spinning. For checkers of
// rules that would otherwise show as a hang, and only on other machines. Being kept off a busy processor is not
// waiting.
#pragma once

#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace hipr {

class StallWatch {
 public:
  StallWatch(std::chrono::milliseconds patience, std::string complaint);
  ~StallWatch();
  StallWatch(const StallWatch&) = delete;
  StallWatch& operator=(const StallWatch&) = delete;

  // Around the stretch, on the thread that runs it; one at a time.
  void begin();
  void end();

 private:
  void look();
  bool waits() const;

  const std::chrono::milliseconds patience_;
  const std::string complaint_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool running_ = false, ending_ = false;
  std::uint64_t stretch_ = 0;  // the number of the last one
  pthread_t watched_{};
  int watchedId_ = 0;
  std::chrono::nanoseconds spentBefore_{};
  std::thread thread_;
};

}  // namespace hipr
