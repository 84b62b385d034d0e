// Waiting for what another process does a moment later, such as a supervisor closing what an ended session left.
#pragma once

#include <chrono>
#include <thread>

namespace hipr::testing {

template <class Condition>
bool eventually(Condition&& condition, std::chrono::seconds limit = std::chrono::seconds(20)) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace hipr::testing
