// Streams as the worker sees them: a native stream, and how many operations were given to it and are finished.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "hip_remote/hip.h"

namespace hipr::worker {

struct Transfer;  // transfers.h

struct Stream {
  std::uint64_t id = 0;
  int device = 0;
  bool blocking = true;  // takes part in the null stream's rules
  hipStream_t native = nullptr;
  hipError_t broken = hipSuccess;  // it could not be made: everything given to it fails with this

  std::atomic<std::uint64_t> finished{0};
  std::atomic<std::uint64_t> lastWriter{0};  // the last operation that can write host memory

  // --- the reader's
  std::uint64_t issued = 0;
  std::uint64_t watched = 0;  // somebody waits for the first `watched` operations
  bool inUnwatched = false;
  std::uint64_t barrier = 0;  // the number of the last barrier it waits for

  // --- under Progress::mutex_
  struct Watch {
    hipEvent_t event;
    std::uint64_t position;
  };
  std::uint64_t reported = 0;  // what the client knows
  std::uint64_t synced = 0;    // host memory written by the first `synced` operations has been sent
  std::deque<Watch> watches;
  bool watching = false;
  std::vector<std::shared_ptr<Transfer>> transfers;  // whose place in the stream has not been reached
  struct Cleanup {
    std::uint64_t position;
    std::function<void()> action;
  };
  std::deque<Cleanup> cleanups;  // in order of position
};

// A function of the client that holds a stream until the client has run it.
class HostCall {
 public:
  void finish() {
    std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return done_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
};

}  // namespace hipr::worker
