// Functions that run in stream order: the worker holds the stream and says when the function is due. There are three
// kinds. Callbacks of the program run one after the other, on a thread of their own, since they may call HIP. Actions
// of ours wait for nobody, and run on the thread that receives the message, because a callback of the program may be
// waiting for what they do. A hold is an action after which the stream stays held until somebody lets it go on.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "hip_remote/hip.h"

namespace hipr::client {

class HostFunctions : public std::enable_shared_from_this<HostFunctions> {
 public:
  using Action = std::function<void()>;
  using Arrived = std::function<void(bool lost, Action goOn)>;  // Core::Arrived
  enum class Does { kRead, kWrite };                            // host memory

  // `before` and `done` are called around each function.
  HostFunctions(std::function<void()> before, std::function<void(std::uint64_t id)> done)
      : before_(std::move(before)), done_(std::move(done)) {}
  ~HostFunctions();

  std::uint64_t add(hipHostFn_t function, void* userData);
  std::uint64_t add(Does does, Action action);
  std::uint64_t add(Arrived arrived);
  void loseHolds();  // no stream will come to them any more, nor to those that are added later
  // The stream has come to it. False when there is none, or it was due already. After a loss nothing runs any more.
  bool due(std::uint64_t id);
  bool pending();  // one has not returned yet
  void rest();     // returns when no action of ours runs, nor will. REQUIRES: the worker is lost
  // One that may write host memory has not returned yet, other than the one that asks.
  bool writing() const { return writers_.load(std::memory_order_acquire) > (inFunction_ ? 1 : 0); }

 private:
  struct Function {
    hipHostFn_t function = nullptr;
    void* userData = nullptr;
    Does does = Does::kWrite;
    Action action{};    // instead of the function
    Arrived arrived{};  // the same, of a hold
    bool due = false;
  };
  std::uint64_t keep(Function function);  // REQUIRES: mutex_
  void run();
  void finish(std::uint64_t id, const Function& function);

  static inline thread_local bool inFunction_ = false;

  std::function<void()> before_;
  std::function<void(std::uint64_t id)> done_;
  std::atomic<int> writers_{0};
  std::mutex mutex_;
  std::condition_variable wake_, rested_;
  std::map<std::uint64_t, Function> functions_;
  std::deque<std::uint64_t> due_;
  std::uint64_t next_ = 1, finished_ = 0;
  int acting_ = 0;  // actions that run
  bool stopping_ = false, lost_ = false;
  std::thread thread_;  // started by the first callback
};

}  // namespace hipr::client
