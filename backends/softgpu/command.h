// Command: one piece of work on a device, and the order it stands in.
//
// Streams, events, the null stream's rules and deferred frees are all the same thing here: a command may not start
// before some earlier ones are done. Edges are added while it is being submitted; whoever finishes the last command it
// waits for starts it. No thread ever waits on behalf of a stream, so blocked streams cost nothing and cannot block
// others.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace hipr::softgpu {

class Command;
using CommandPtr = std::shared_ptr<Command>;

// Who starts a command: the thread that submitted it (it was ready at once) or one that finished something else and
// should not be kept long.
enum class Starter { kSubmitter, kOther };

class Command : public std::enable_shared_from_this<Command> {
 public:
  virtual ~Command() = default;

  // REQUIRES: release() was not called yet.
  void after(Command& earlier);
  // Submission is complete: it starts as soon as everything before it is done, possibly now, on this thread.
  void release();

  bool done() const { return done_.load(std::memory_order_acquire) != 0; }
  void wait() const;

 protected:
  // Called once. Must lead to finish(), before or after it returns, on any thread.
  virtual void start(Starter starter) = 0;
  void finish();

 private:
  void startWhenFree(Starter starter);

  std::atomic<int> done_{0};
  std::atomic<int> pending_{1};  // earlier commands, plus one for the submission itself
  std::mutex mutex_;
  std::vector<CommandPtr> later_;
};

// A short function that runs on whatever thread gets there.
class Task : public Command {
 public:
  explicit Task(std::function<void()> work) : work_(std::move(work)) {}

 protected:
  void start(Starter) override {
    work_();
    work_ = nullptr;  // what it holds must not live as long as someone remembers this command
    finish();
  }

 private:
  std::function<void()> work_;
};

// A point in a stream. Remembers when it was reached.
class Marker : public Command {
 public:
  std::int64_t reachedAt() const { return reachedAt_; }  // nanoseconds of a steady clock. REQUIRES: done()

 protected:
  void start(Starter) override;

 private:
  std::int64_t reachedAt_ = 0;
};

}  // namespace hipr::softgpu
