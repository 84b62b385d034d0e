// Callbacks of the program that run in stream order: the worker holds the stream and says when; they run here, one
// after the other, on a thread of their own, since they may call HIP.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "hip_remote/hip.h"

namespace hipr::client {

class HostFunctions {
 public:
  // `before` and `done` are called around each function.
  HostFunctions(std::function<void()> before, std::function<void(std::uint64_t id)> done)
      : before_(std::move(before)), done_(std::move(done)) {}
  ~HostFunctions();

  std::uint64_t add(hipHostFn_t function, void* userData);
  bool due(std::uint64_t id);  // the stream has come to it; false when there is none, or it was due already
  bool pending();              // one has not returned yet

 private:
  struct Function {
    hipHostFn_t function;
    void* userData;
    bool due = false;
  };
  void run();

  std::function<void()> before_;
  std::function<void(std::uint64_t id)> done_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::map<std::uint64_t, Function> functions_;
  std::deque<std::uint64_t> due_;
  std::uint64_t next_ = 1, finished_ = 0;
  bool stopping_ = false;
  std::thread thread_;  // started by the first add()
};

}  // namespace hipr::client
