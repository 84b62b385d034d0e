#include "client/host_functions.h"

#include <utility>
#include <vector>

#include "base/monotonic.h"
#include "base/trace.h"
#include "platform/thread.h"

namespace hipr::client {

HostFunctions::~HostFunctions() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::uint64_t HostFunctions::keep(Function function) {
  if (function.does == Does::kWrite) ++writers_;
  functions_[next_] = std::move(function);
  return next_++;
}

std::uint64_t HostFunctions::add(hipHostFn_t function, void* userData) {
  std::lock_guard lock(mutex_);
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  return keep({.function = function, .userData = userData});
}

std::uint64_t HostFunctions::add(Does does, Action action) {
  std::lock_guard lock(mutex_);
  return keep({.does = does, .action = std::move(action)});
}

// Until its stream goes on, what others do may still change host memory that is to be read behind it.
std::uint64_t HostFunctions::add(Arrived arrived) {
  std::unique_lock lock(mutex_);
  if (!lost_) return keep({.arrived = std::move(arrived)});
  lock.unlock();
  arrived(true, {});
  return 0;
}

void HostFunctions::loseHolds() {
  std::vector<Arrived> holds;
  {
    std::lock_guard lock(mutex_);
    lost_ = true;
    for (auto& [id, function] : functions_)
      if (function.arrived) holds.push_back(std::exchange(function.arrived, nullptr));
  }
  for (const Arrived& arrived : holds) arrived(true, {});
}

bool HostFunctions::due(std::uint64_t id) {
  Function ours;
  {
    std::lock_guard lock(mutex_);
    if (lost_) return true;
    const auto found = functions_.find(id);
    if (found == functions_.end() || std::exchange(found->second.due, true)) return false;
    if (found->second.action || found->second.arrived) {
      ours = std::move(found->second);
      functions_.erase(found);
      if (ours.action) ++acting_;
    } else {
      due_.push_back(id);
    }
  }
  if (ours.action) {
    ours.action();
    {
      std::lock_guard lock(mutex_);
      if (--acting_ == 0) rested_.notify_all();
    }
    finish(id, ours);
  } else if (ours.arrived) {
    ours.arrived(false, [weak = weak_from_this(), id] {
      if (const auto self = weak.lock()) self->finish(id, {});
    });
  } else {
    wake_.notify_one();
  }
  return true;
}

bool HostFunctions::pending() {
  std::lock_guard lock(mutex_);
  return finished_ + 1 != next_;
}

void HostFunctions::rest() {
  std::unique_lock lock(mutex_);
  lost_ = true;  // somebody may be about to say what had come before the loss
  rested_.wait(lock, [this] { return acting_ == 0; });
}

void HostFunctions::finish(std::uint64_t id, const Function& function) {
  if (function.does == Does::kWrite) --writers_;
  done_(id);
  std::lock_guard lock(mutex_);
  ++finished_;
}

void HostFunctions::run() {
  platform::nameThisThread("hip-callbacks");
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || !due_.empty(); });
    if (stopping_) return;
    const std::uint64_t id = due_.front();
    due_.pop_front();
    const auto node = functions_.extract(id);
    if (node.empty()) continue;
    lock.unlock();
    before_();
    inFunction_ = true;
    const std::uint64_t begin = trace::enabled() ? monotonicNs() : 0;
    node.mapped().function(node.mapped().userData);
    if (begin != 0) [[unlikely]]
      trace::hostFunction(
          {.name = "host function", .begin = begin, .end = monotonicNs(), .thread = platform::threadId()});
    inFunction_ = false;
    finish(id, node.mapped());
    lock.lock();
  }
}

}  // namespace hipr::client
