// Deliveries: bytes for the client that the GPU has copied, or is copying, and that have not been sent to it yet.
//
// The client must have them before it learns, by whatever answer, that the work behind them is done. So a thread that
// is about to send such an answer first sends all complete deliveries. It does not wait for the thread that would send
// them later, because that one may stand behind it in its series (crew.h). Thread-safe.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>

namespace hipr::worker {

class Delivery {
 public:
  virtual ~Delivery() = default;
  virtual bool complete() = 0;  // the GPU has copied all of it
  virtual void send() = 0;      // REQUIRES: complete. Idempotent; returns when it has been sent, by whomever
};

class Deliveries {
 public:
  void add(std::shared_ptr<Delivery> delivery) {
    std::lock_guard lock(mutex_);
    list_.push_back(std::move(delivery));
    ++count_;
  }
  void remove(const Delivery& delivery) {
    std::lock_guard lock(mutex_);
    count_ -= static_cast<int>(list_.remove_if([&](const auto& other) { return other.get() == &delivery; }));
  }
  bool none() const { return count_.load() == 0; }
  void sendComplete() {
    if (none()) return;
    std::list<std::shared_ptr<Delivery>> all;
    {
      std::lock_guard lock(mutex_);
      all = list_;
    }
    for (const auto& delivery : all)
      if (delivery->complete()) delivery->send();
  }

 private:
  std::mutex mutex_;
  std::list<std::shared_ptr<Delivery>> list_;
  std::atomic<int> count_{0};
};

}  // namespace hipr::worker
