// Counts the waits of one call: shuts the gate before it, and lets one answer pass each time the call is found waiting.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <thread>

#include "tests/e2e/rows/gate.h"

namespace hipr::rows {

class WaitCounter {
 public:
  // Watches the calling thread until stop(). `expected` only says how patiently: a wait that is expected is found
  // after some milliseconds, one that is not only when it lasts so long that it cannot be anything else.
  WaitCounter(Gate& gate, int expected);
  ~WaitCounter() { stop(); }
  WaitCounter(const WaitCounter&) = delete;
  WaitCounter& operator=(const WaitCounter&) = delete;

  int stop();  // the number of waits

 private:
  void watch();
  bool asleep() const;

  Gate& gate_;
  const int expected_;
  const pid_t thread_;
  std::atomic<bool> over_{false};
  int waits_ = 0;
  std::thread watcher_;
};

}  // namespace hipr::rows
