// Telemetry that strangers cannot take away from others, nor use to find out who works here.
#include <sys/resource.h>

#include "tests/e2e/attack_fixture.h"

namespace hipr {
namespace {

using wire::Opcode;

class Telemetry : public ::testing::Test {
 protected:
  Telemetry() {
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  std::string page() {
    net::Socket socket;
    EXPECT_TRUE(net::connectTo({"127.0.0.1", static_cast<std::uint16_t>(worker_.metricsPort())}, 5, socket).ok());
    const std::string request = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
    EXPECT_TRUE(socket.send(std::as_bytes(std::span(request))).ok());
    socket.setReceiveTimeout(std::chrono::seconds(10));
    std::string out;
    char text[4096];
    for (std::size_t got = 0; socket.receiveSome(text, sizeof text, &got).ok() && got;) out.append(text, got);
    return out;
  }
  bool answers() {
    TestClient client = connectTo(worker_);
    std::vector<std::byte> storage;
    return client.call<wire::SmiOpenReply, Opcode::kSmiOpen>({}, storage).gpus.size() == 1;
  }
  testing::WorkerProcess worker_{{"--runtime", "softgpu", "--grace", "1", "--cache", "", "--metrics", "0"}};
};

TEST_F(Telemetry, IdleConnectionsKeepNobodyOut) {
  std::vector<TestClient> idle;
  for (int i = 0; i < 530; ++i) {
    idle.push_back(connectTo(worker_));
    std::vector<std::byte> storage;
    ASSERT_EQ((idle.back().call<wire::SmiOpenReply, Opcode::kSmiOpen>({}, storage).status), 0) << i;
  }
  EXPECT_TRUE(answers());
  EXPECT_TRUE(page().starts_with("HTTP/1.1 200 "));
}

TEST_F(Telemetry, SilentScrapersKeepNobodyOut) {
  std::vector<net::Socket> silent(530);
  for (net::Socket& socket : silent)
    ASSERT_TRUE(net::connectTo({"127.0.0.1", static_cast<std::uint16_t>(worker_.metricsPort())}, 5, socket).ok());
  EXPECT_TRUE(answers());
  EXPECT_TRUE(page().starts_with("HTTP/1.1 200 "));
}

}  // namespace
}  // namespace hipr
