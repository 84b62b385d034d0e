// Two ends of a protected connection, over a pair of sockets.
#include "tls/tls_transport.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "net/socket_transport.h"
#include "tls/record.h"

namespace hipr::tls {
namespace {

using net::Transport;

class OverTls : public ::testing::Test {
 protected:
  OverTls() {
    auto [one, two] = net::loopback();
    Shield shield;
    shield.sending.secret.fill(1);
    shield.receiving.secret.fill(2);
    one_ = overTls(std::move(one), shield);
    std::swap(shield.sending, shield.receiving);
    two_ = overTls(std::move(two), shield);
  }

  static std::vector<std::byte> noise(std::size_t size, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::byte> out(size);
    for (std::byte& byte : out) byte = static_cast<std::byte>(random());
    return out;
  }
  static std::vector<std::byte> readAll(Transport& from, std::size_t size, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::byte> out(size);
    for (std::size_t at = 0; at < size;) {
      const std::size_t most = std::min<std::size_t>(size - at, 1 + random() % 50000), half = most / 2;
      const Transport::Room rooms[] = {{out.data() + at, half}, {out.data() + at + half, most - half}};
      std::size_t got = 0;
      const Status status = from.receive(rooms, Transport::Patience::kWait, &got);
      if (!status.ok() || got == 0) {
        ADD_FAILURE() << status.message();
        break;
      }
      at += got;
    }
    return out;
  }

  net::TransportPtr one_, two_;
};

TEST_F(OverTls, BothDirectionsAtOnce) {
  const std::vector<std::byte> there = noise(8 << 20, 1), back = noise(8 << 20, 2);
  const auto send = [](Transport& to, const std::vector<std::byte>& bytes, unsigned seed) {
    std::mt19937 random(seed);
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t n = std::min<std::size_t>(bytes.size() - at, 1 + random() % 300000), third = n / 3;
      const Transport::Part part(bytes.data() + at, n);
      const Transport::Part parts[] = {part.first(third), {}, part.subspan(third)};
      ASSERT_TRUE(to.send(parts).ok());
      at += n;
    }
  };
  std::thread sendThere([&] { send(*one_, there, 3); }), sendBack([&] { send(*two_, back, 4); });
  std::vector<std::byte> gotBack;
  std::thread readBack([&] { gotBack = readAll(*one_, back.size(), 5); });
  EXPECT_EQ(readAll(*two_, there.size(), 6), there);
  sendThere.join();
  sendBack.join();
  readBack.join();
  EXPECT_EQ(gotBack, back);
}

// What was not taken is sent again, by either call, and arrives once.
TEST_F(OverTls, WhatDoesNotFitAtOnceArrivesOnce) {
  const std::vector<std::byte> bytes = noise(6 << 20, 7);
  std::vector<std::byte> got;
  std::thread reader;
  std::mt19937 random(8);
  int refused = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const Transport::Part part(bytes.data() + at, std::min<std::size_t>(bytes.size() - at, 1 + random() % 100000));
    std::size_t taken = 0;
    ASSERT_TRUE(one_->trySend(part, &taken).ok());
    at += taken;
    if (taken == part.size()) continue;
    ++refused;
    if (!reader.joinable()) reader = std::thread([&] { got = readAll(*two_, bytes.size(), 9); });
    if (random() % 2) {
      ASSERT_TRUE(one_->send(part.subspan(taken)).ok());
      at += part.size() - taken;
    } else {
      std::this_thread::yield();
    }
  }
  reader.join();
  EXPECT_GT(refused, 0);
  EXPECT_EQ(got, bytes);
}

TEST_F(OverTls, ReceivingTakesAllThereIs) {
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(one_->send(Transport::Part(noise(10, 1))).ok());
  std::vector<std::byte> out(2000);
  const Transport::Room room(out);
  std::size_t got = 0;
  ASSERT_TRUE(two_->receive({&room, 1}, Transport::Patience::kWait, &got).ok());
  EXPECT_EQ(got, 1000u);
  ASSERT_TRUE(two_->receive({&room, 1}, Transport::Patience::kNone, &got).ok());
  EXPECT_EQ(got, 0u);
}

TEST_F(OverTls, InputThatIsHereAlreadyIsInput) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(one_->send(Transport::Part(noise(10, 1))).ok());
  std::byte byte{};
  const Transport::Room room(&byte, 1);
  std::size_t got = 0;
  bool here = false;
  for (int i = 0; i < 30; ++i) {  // the socket is empty after the first
    EXPECT_EQ(here, i > 0);
    if (!here) {
      ASSERT_EQ(two_->await(5000), Transport::Ready::kInput) << i;
    }
    ASSERT_TRUE(two_->receive({&room, 1}, Transport::Patience::kNone, &got).ok());
    ASSERT_EQ(got, 1u);
    here = !two_->watchAgain();
  }
  EXPECT_FALSE(here);
  EXPECT_EQ(two_->await(20), Transport::Ready::kTimeout);
  two_->wake();
  EXPECT_EQ(two_->await(5000), Transport::Ready::kWoken);
}

TEST_F(OverTls, SlowBytesDoNotStretchTheTimeout) {
  auto [below, peer] = net::loopback();
  const net::TransportPtr ours = overTls(std::move(below), {});
  std::atomic<bool> stop = false;
  std::thread slow([&, peer = std::move(peer)] {
    const std::byte record[] = {std::byte{23}, std::byte{3}, std::byte{3}, std::byte{8}, std::byte{0}};
    for (std::size_t i = 0; !stop; ++i) {
      (void)peer->send(Transport::Part(&record[std::min<std::size_t>(i, 4)], 1));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  ours->setTimeout(200);
  std::byte byte;
  const Transport::Room room(&byte, 1);
  std::size_t got = 1;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(ours->receive({&room, 1}, Transport::Patience::kWait, &got).ok());
  EXPECT_EQ(got, 0u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  stop = true;
  slow.join();
}

// Once something is wrong nothing more is believed, not even the genuine record behind it.
TEST_F(OverTls, AForgedRecordEndsIt) {
  auto [below, peer] = net::loopback();
  const net::TransportPtr ours = overTls(std::move(below), {});
  Sealer sealer(Cipher::kAes128Gcm, {});
  std::vector<std::byte> bytes;
  for (int i = 0; i < 3; ++i) sealer.seal(Sealer::Part(noise(100, 1)), bytes);
  bytes[(100 + kSealCost) + 50] ^= std::byte{1};
  ASSERT_TRUE(peer->send(Transport::Part(bytes)).ok());
  std::vector<std::byte> out(1000);
  const Transport::Room room(out);
  std::size_t got = 0;
  EXPECT_TRUE(ours->receive({&room, 1}, Transport::Patience::kWait, &got).ok());
  EXPECT_EQ(got, 100u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ours->receive({&room, 1}, Transport::Patience::kWait, &got).code(), Code::kInvalid);
    EXPECT_EQ(got, 0u);
  }
}

}  // namespace
}  // namespace hipr::tls
