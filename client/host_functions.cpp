#include "client/host_functions.h"

#include <utility>

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
  return keep({function, userData, Does::kWrite, {}});
}

std::uint64_t HostFunctions::add(Does does, Action action) {
  std::lock_guard lock(mutex_);
  return keep({nullptr, nullptr, does, std::move(action)});
}

bool HostFunctions::due(std::uint64_t id) {
  Function ours;
  {
    std::lock_guard lock(mutex_);
    const auto found = functions_.find(id);
    if (found == functions_.end() || std::exchange(found->second.due, true)) return false;
    if (found->second.action) {
      ours = std::move(found->second);
      functions_.erase(found);
    } else {
      due_.push_back(id);
    }
  }
  if (ours.action) {
    ours.action();
    finish(id, ours);
  } else {
    wake_.notify_one();
  }
  return true;
}

bool HostFunctions::pending() {
  std::lock_guard lock(mutex_);
  return finished_ + 1 != next_;
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
    node.mapped().function(node.mapped().userData);
    inFunction_ = false;
    finish(id, node.mapped());
    lock.lock();
  }
}

}  // namespace hipr::client
