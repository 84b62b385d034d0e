#include "net/socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <cstring>
#include <thread>

namespace hipr::net {
namespace {

TEST(ParseEndpoint, AcceptsEveryForm) {
  const struct {
    const char *text, *host;
    std::uint16_t port;
  } cases[] = {
      {"gpu", "gpu", 18515},           {"gpu:99", "gpu", 99},
      {"10.1.2.3", "10.1.2.3", 18515}, {"10.1.2.3:65535", "10.1.2.3", 65535},
      {"::1", "::1", 18515},           {"[::1]", "::1", 18515},
      {"[fe80::1]:7", "fe80::1", 7},   {"", "localhost", 18515},
      {":80", "localhost", 80},        {"[::1]:", "::1", 18515},
  };
  for (const auto& c : cases) {
    Endpoint endpoint;
    const Status status = parseEndpoint(c.text, 18515, endpoint);
    ASSERT_TRUE(status.ok()) << c.text << ": " << status.message();
    EXPECT_EQ(endpoint.host, c.host) << c.text;
    EXPECT_EQ(endpoint.port, c.port) << c.text;
  }
}

TEST(ParseEndpoint, RefusesNonsense) {
  for (const char* text : {"gpu:0", "gpu:65536", "gpu:x", "gpu:-1", "[::1", "[::1]x", "[::1]:0", "gpu: 80"}) {
    Endpoint endpoint;
    const Status status = parseEndpoint(text, 18515, endpoint);
    EXPECT_EQ(status.code(), Code::kInvalid) << text;
    EXPECT_FALSE(status.message().empty()) << text;
  }
}

struct Pair {
  Socket client, server;
};

Pair connectPair(const std::string& address) {
  Socket listener;
  std::uint16_t port = 0;
  Pair pair;
  Status status = listenOn(address, 0, listener, &port);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_NE(port, 0);
  status = connectTo({address, port}, 5, pair.client);
  EXPECT_TRUE(status.ok()) << status.message();
  pair.server = Socket(::accept(listener.fd(), nullptr, nullptr));
  return pair;
}

void exchange(Pair& pair) {
  const char sent[] = "hello";
  char got[sizeof sent] = {};
  ASSERT_TRUE(pair.client.send(std::as_bytes(std::span(sent))).ok());
  ASSERT_TRUE(pair.server.receive(got, sizeof got).ok());
  EXPECT_STREQ(got, sent);
}

bool hasIpv6() {
  Socket listener;
  std::uint16_t port = 0;
  return listenOn("::1", 0, listener, &port).ok();
}

TEST(Socket, Ipv4) {
  Pair pair = connectPair("127.0.0.1");
  exchange(pair);
  EXPECT_EQ(peerName(pair.server).rfind("127.0.0.1:", 0), 0u);
}

TEST(Socket, Ipv6) {
  if (!hasIpv6()) GTEST_SKIP() << "this machine has no IPv6 loopback";
  Pair pair = connectPair("::1");
  exchange(pair);
  EXPECT_EQ(peerName(pair.server).rfind("[::1]:", 0), 0u);
}

TEST(Socket, AnIpv6WildcardServesIpv4Too) {
  if (!hasIpv6()) GTEST_SKIP() << "this machine has no IPv6 loopback";
  Socket listener, client;
  std::uint16_t port = 0;
  ASSERT_TRUE(listenOn("::", 0, listener, &port).ok());
  EXPECT_TRUE(connectTo({"127.0.0.1", port}, 5, client).ok());
}

TEST(Socket, ARefusedConnectionNamesTheAddressTried) {
  Socket listener, client;
  std::uint16_t port = 0;
  ASSERT_TRUE(listenOn("127.0.0.1", 0, listener, &port).ok());
  listener.close();
  const Status status = connectTo({"127.0.0.1", port}, 5, client);
  EXPECT_EQ(status.code(), Code::kUnavailable);
  EXPECT_NE(status.message().find("127.0.0.1:" + std::to_string(port)), std::string::npos) << status.message();
}

TEST(Socket, AnUnknownHostIsNamed) {
  Socket client;
  const Status status = connectTo({"no-such-host.invalid", 1}, 5, client);
  EXPECT_EQ(status.code(), Code::kUnavailable);
  EXPECT_NE(status.message().find("no-such-host.invalid"), std::string::npos);
}

TEST(Socket, ListeningTwiceOnOnePortFails) {
  Socket first, second;
  std::uint16_t port = 0;
  ASSERT_TRUE(listenOn("127.0.0.1", 0, first, &port).ok());
  std::uint16_t again = 0;
  EXPECT_FALSE(listenOn("127.0.0.1", port, second, &again).ok());
}

TEST(Socket, SendingToAPeerThatDoesNotReadTimesOut) {
  Pair pair = connectPair("127.0.0.1");
  pair.client.tune(1);
  const std::vector<std::byte> megabyte(1 << 20);
  const auto start = std::chrono::steady_clock::now();
  Status status;
  for (int i = 0; i < 64 && status.ok(); ++i) status = pair.client.send(megabyte);
  EXPECT_TRUE(status.away());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(Socket, ReceivingAfterThePeerClosedSaysSo) {
  Pair pair = connectPair("127.0.0.1");
  pair.client.close();
  char byte;
  const Status status = pair.server.receive(&byte, 1);
  EXPECT_EQ(status.code(), Code::kCut);
  EXPECT_NE(status.message().find("closed"), std::string::npos);
  std::size_t got = 1;
  EXPECT_TRUE(pair.server.receiveSome(&byte, 1, &got).ok());
  EXPECT_EQ(got, 0u);
}

TEST(Socket, ShutdownWakesAReader) {
  Pair pair = connectPair("127.0.0.1");
  std::thread waker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    pair.server.shutdown();
  });
  char byte;
  EXPECT_FALSE(pair.server.receive(&byte, 1).ok());
  waker.join();
}

TEST(Socket, ReadableOnlyWhenThereIsSomething) {
  Pair pair = connectPair("127.0.0.1");
  EXPECT_FALSE(pair.server.readable());
  exchange(pair);
  EXPECT_FALSE(pair.server.readable());
  ASSERT_TRUE(pair.client.send(std::as_bytes(std::span("x"))).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(pair.server.readable());
}

TEST(Socket, GatheredSendKeepsOrderAcrossPartialWrites) {
  Pair pair = connectPair("127.0.0.1");
  std::vector<std::byte> a(3 << 20, std::byte{1}), b(5 << 20, std::byte{2});
  std::thread sender([&] {
    std::span<const std::byte> parts[] = {a, {}, b};
    EXPECT_TRUE(pair.client.send(parts).ok());
  });
  std::vector<std::byte> got(a.size() + b.size());
  ASSERT_TRUE(pair.server.receive(got.data(), got.size()).ok());
  sender.join();
  a.insert(a.end(), b.begin(), b.end());
  EXPECT_EQ(got, a);
}

}  // namespace
}  // namespace hipr::net
