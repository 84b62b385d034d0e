// For clients that misbehave: a worker as users start it, and raw connections to it.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "net/socket.h"
#include "testing/worker_process.h"
#include "worker/test_client.h"

namespace hipr {

using namespace std::chrono_literals;
using worker::TestClient;

inline TestClient connectTo(const testing::WorkerProcess& worker) {
  net::Socket socket;
  const Status status = net::connectTo({"127.0.0.1", static_cast<std::uint16_t>(worker.port())}, 5, socket);
  EXPECT_TRUE(status.ok()) << status.message();
  return TestClient(std::move(socket));
}

// Seconds until it is so; infinite when that takes longer than `limit`.
template <class Condition>
double secondsUntil(std::chrono::seconds limit, Condition&& condition) {
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    if (condition()) return passed.count();
    if (passed > limit) return std::numeric_limits<double>::infinity();
    std::this_thread::sleep_for(20ms);
  }
}

inline void sendBytes(TestClient& client, std::size_t size) {
  (void)client.socket().send(std::vector<std::byte>(size));
}

}  // namespace hipr
