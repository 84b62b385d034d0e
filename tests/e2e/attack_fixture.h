// For clients that misbehave: a worker as users start it, and raw connections to it.
#pragma once

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "access/challenge.h"
#include "access/token.h"
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

// Shows the worker that this client knows the token; Hello may follow.
inline void prove(TestClient& client, const std::string& token) {
  std::vector<std::byte> storage;
  const auto reply =
      client.call<wire::ChallengeReply, wire::Opcode::kChallenge>({access::tokenNumber(token), {}}, storage);
  client.send<wire::Opcode::kProof>({access::prove(access::Side::kClient, token, {}, reply.number)});
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

// The tests of this program that `filter` names, again, by an ordinary user. REQUIRES: root
inline void runAsNobody(const std::string& filter) {
  const std::string worker = (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "hip-worker").string();
  const std::string option = "--gtest_filter=" + filter;
  const pid_t child = fork();
  if (child == 0) {
    if (setgroups(0, nullptr) != 0 || setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0)
      _exit(3);
    if (::access(worker.c_str(), X_OK) != 0) _exit(77);
    execl("/proc/self/exe", "again", option.c_str(), nullptr);
    _exit(4);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "others cannot reach the folder of this build";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

inline void sendBytes(TestClient& client, std::size_t size) {
  (void)client.socket().send(std::vector<std::byte>(size));
}

}  // namespace hipr
