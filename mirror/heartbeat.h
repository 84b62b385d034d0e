// Heartbeat: a thread that does something every so often while it is wanted, and sleeps otherwise. It exists from the
// first start() on.
//
// It is meant for Mirror::exchange(): `wanted` says that memory is exposed and work that may use it is unfinished. The
// first step comes a pause after start(), so work that is over by then is not disturbed at all. A pause is short after
// a step that found something and grows while nothing happens; a step that takes long is followed by a longer pause, so
// that comparing much memory never takes more than a tenth of a processor.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace hipr::mirror {

class Heartbeat {
 public:
  Heartbeat(std::function<bool()> wanted, std::function<bool()> step);  // step: true when it found something to do
  ~Heartbeat() { stop(); }

  void start();  // it may be wanted now. Cheap; thread-safe
  void stop();   // for good. REQUIRES: a step that waits will return

 private:
  void run();

  const std::function<bool()> wanted_, step_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> started_{false};  // the thread is up, and has not yet found that it is not wanted
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace hipr::mirror
