// Counters of one client process, for `hip-remote`, the demo and the round-trip tests.
#pragma once

#include <atomic>
#include <cstdint>

namespace hipr::client {

struct Stats {
  std::atomic<std::uint64_t> posted{0};    // sent without waiting; changed under the lock that orders messages
  std::atomic<std::uint64_t> waited{0};    // round trips
  std::atomic<std::uint64_t> joined{0};    // of them, those that waited for the answer to what was posted before
  std::atomic<std::uint64_t> received{0};  // bytes
  std::atomic<std::uint64_t> unpacked{0};  // bytes that came packed, as they are

  void countPosted() { posted.store(posted.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
};

}  // namespace hipr::client
