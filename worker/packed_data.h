// Downloads that are packed for their way, if the client has said that it takes them, where it pays. Thread-safe.
#pragma once

#include <chrono>
#include <mutex>
#include <span>
#include <vector>

#include "net/packing.h"
#include "net/packing_choice.h"
#include "worker/outbox.h"

namespace hipr::worker {

class DownloadPacking {
 public:
  explicit DownloadPacking(Outbox& outbox) : outbox_(outbox) {}

  void start(net::When mode) {
    std::lock_guard lock(mutex_);
    choice_.start(mode);
  }

  // A piece that is about to be sent. False: as it is.
  bool pack(std::span<const std::byte> bytes, std::vector<std::byte>& out) {
    {
      std::lock_guard lock(mutex_);
      choice_.lineIs(outbox_.lineSpeed());
      if (!choice_.next()) return false;
    }
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    const bool smaller = packer_.pack(bytes, out);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    std::lock_guard lock(mutex_);
    if (smaller) {
      choice_.shrank(bytes.size(), seconds);
    } else {
      choice_.stayedLarge();
    }
    return smaller;
  }

 private:
  Outbox& outbox_;
  net::Packer packer_;
  std::mutex mutex_;
  net::PackingChoice choice_;
};

}  // namespace hipr::worker
