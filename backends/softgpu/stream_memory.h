// WordWaits: streams that wait for a word of memory to have some value. Whoever changes it, a kernel, a copy or the
// program itself, tells nobody; so one thread looks at all of them, often at first and then less often. Thread-safe.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace hipr::softgpu {

class WordWaits {
 public:
  ~WordWaits();

  // `done` is called, on the thread that looks, once `over` says yes.
  void add(std::function<bool()> over, std::function<void()> done);
  bool any() const { return count_.load(std::memory_order_acquire) != 0; }

 private:
  struct Wait {
    std::function<bool()> over;
    std::function<void()> done;
  };

  void look();

  std::atomic<int> count_{0};
  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::vector<Wait> fresh_;  // not yet seen by the thread
  std::thread thread_;       // from the first wait on
  bool ending_ = false;
};

}  // namespace hipr::softgpu
