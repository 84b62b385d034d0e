#include "client/host_functions.h"

#include <utility>

namespace hipr::client {

HostFunctions::~HostFunctions() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::uint64_t HostFunctions::add(hipHostFn_t function, void* userData) {
  std::lock_guard lock(mutex_);
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  functions_[next_] = {function, userData, false};
  return next_++;
}

bool HostFunctions::due(std::uint64_t id) {
  {
    std::lock_guard lock(mutex_);
    const auto found = functions_.find(id);
    if (found == functions_.end() || std::exchange(found->second.due, true)) return false;
    due_.push_back(id);
  }
  wake_.notify_one();
  return true;
}

bool HostFunctions::pending() {
  std::lock_guard lock(mutex_);
  return finished_ + 1 != next_;
}

void HostFunctions::run() {
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
    node.mapped().function(node.mapped().userData);
    done_(id);
    lock.lock();
    ++finished_;
  }
}

}  // namespace hipr::client
