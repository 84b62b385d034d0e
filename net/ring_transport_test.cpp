#include "net/ring_transport.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <random>
#include <thread>
#include <vector>

#include "net/ring.h"
#include "net/socket_transport.h"

namespace hipr::net {
namespace {

using namespace std::chrono_literals;
using Patience = Transport::Patience;

struct Pair {
  TransportPtr first, second;
  RingWords* words = nullptr;  // of both directions, as a liar sees them
  platform::SharedMemory liars;
};

Pair makePair(int ioTimeoutSeconds = 10) {
  Pair pair;
  auto [one, other] = loopback();
  platform::SharedMemory memory, same;
  EXPECT_TRUE(makeRingMemory(memory).ok());
  for (platform::SharedMemory* also : {&same, &pair.liars})
    EXPECT_TRUE(platform::SharedMemory::take(dup(memory.descriptor()), ringMemorySize(), *also).ok());
  EXPECT_TRUE(pair.liars.map().ok());
  pair.words = reinterpret_cast<RingWords*>(pair.liars.bytes().data());
  EXPECT_TRUE(overRing(std::move(one), std::move(memory), RingSide::kFirst, ioTimeoutSeconds, pair.first).ok());
  EXPECT_TRUE(overRing(std::move(other), std::move(same), RingSide::kSecond, ioTimeoutSeconds, pair.second).ok());
  return pair;
}

std::vector<std::byte> bytes(std::size_t size, unsigned seed = 1) {
  std::vector<std::byte> out(size);
  std::mt19937 random(seed);
  for (std::byte& byte : out) byte = static_cast<std::byte>(random());
  return out;
}

Status receiveAll(Transport& from, std::span<std::byte> out) {
  while (!out.empty()) {
    std::size_t got = 0;
    if (Status status = from.receive({&out, 1}, Patience::kWait, &got); !status.ok()) return status;
    out = out.subspan(got);
  }
  return {};
}

TEST(RingTransport, BytesTravelBothWays) {
  Pair pair = makePair();
  const auto there = bytes(5 << 20, 1), back = bytes(3 << 20, 2);
  std::vector<std::byte> gotThere(there.size()), gotBack(back.size());
  std::thread second([&] {
    EXPECT_TRUE(receiveAll(*pair.second, gotThere).ok());
    EXPECT_TRUE(pair.second->send(back).ok());
  });
  EXPECT_TRUE(pair.first->send(there).ok());
  EXPECT_TRUE(receiveAll(*pair.first, gotBack).ok());
  second.join();
  EXPECT_EQ(there, gotThere);
  EXPECT_EQ(back, gotBack);
}

// Questions and answers of all sizes: each side sleeps and is woken thousands of times, at every possible moment.
TEST(RingTransport, NoWakeUpIsLost) {
  Pair pair = makePair();
  constexpr int kTurns = 20'000;
  std::thread second([&] {
    for (int i = 0; i < kTurns; ++i) {
      std::uint32_t number = 0;
      ASSERT_TRUE(receiveAll(*pair.second, std::as_writable_bytes(std::span(&number, 1))).ok());
      ASSERT_TRUE(pair.second->send(std::as_bytes(std::span(&number, 1))).ok());
    }
  });
  for (std::uint32_t i = 0; i < kTurns; ++i) {
    std::uint32_t answer = 0;
    ASSERT_TRUE(pair.first->send(std::as_bytes(std::span(&i, 1))).ok());
    ASSERT_TRUE(receiveAll(*pair.first, std::as_writable_bytes(std::span(&answer, 1))).ok());
    ASSERT_EQ(answer, i);
  }
  second.join();
}

// The same with a group of threads that await input, as a session has.
TEST(RingTransport, OneOfThoseWhoAwaitGetsTheInput) {
  Pair pair = makePair();
  constexpr int kTurns = 5'000;
  std::atomic<int> handled{0};
  std::mutex reading;
  const auto member = [&] {
    while (handled < kTurns) {
      const auto ready = pair.second->await(1000);
      if (ready != Transport::Ready::kInput) continue;
      std::lock_guard lock(reading);
      std::byte room[64];
      const Transport::Room rooms(room);
      std::size_t got = 0;
      do {
        while (pair.second->receive({&rooms, 1}, Patience::kNone, &got).ok() && got) {
          handled += static_cast<int>(got);
          EXPECT_TRUE(pair.second->send(Transport::Part(room).first(got)).ok());
        }
      } while (!pair.second->watchAgain());
      if (handled >= kTurns) pair.second->wake();
    }
    pair.second->wake();
  };
  EXPECT_EQ(pair.second->await(0), Transport::Ready::kTimeout);  // once, before two threads call it
  std::thread one(member), two(member);
  for (int i = 0; i < kTurns; ++i) {
    std::byte byte{1};
    ASSERT_TRUE(pair.first->send({&byte, 1}).ok());
    ASSERT_TRUE(receiveAll(*pair.first, {&byte, 1}).ok());
  }
  one.join();
  two.join();
  EXPECT_EQ(handled, kTurns);
}

TEST(RingTransport, WhatADeadPeerHasSaidIsHeardAndThenItsEnd) {
  Pair pair = makePair();
  const auto sent = bytes(1000);
  ASSERT_TRUE(pair.first->send(sent).ok());
  pair.first.reset();
  std::vector<std::byte> got(sent.size());
  EXPECT_TRUE(receiveAll(*pair.second, got).ok());
  EXPECT_EQ(got, sent);
  std::byte byte;
  EXPECT_EQ(receiveAll(*pair.second, {&byte, 1}).code(), Code::kUnavailable);
}

TEST(RingTransport, APeerThatDiesEndsAWait) {
  Pair pair = makePair();
  std::thread killer([&] {
    std::this_thread::sleep_for(50ms);
    pair.first.reset();
  });
  std::byte byte;
  EXPECT_EQ(receiveAll(*pair.second, {&byte, 1}).code(), Code::kUnavailable);
  killer.join();
}

TEST(RingTransport, APeerThatDiesEndsAWaitForRoom) {
  Pair pair = makePair();
  std::thread killer([&] {
    std::this_thread::sleep_for(50ms);
    pair.second.reset();
  });
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(pair.first->send(bytes(4 << 20)).away());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  killer.join();
}

TEST(RingTransport, SomebodyWhoTakesNothingIsGivenUp) {
  Pair pair = makePair(1);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(pair.first->send(bytes(4 << 20)).code(), Code::kUnavailable);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 1s);
}

TEST(RingTransport, ShutdownWakesEverybody) {
  Pair pair = makePair(60);
  std::thread receiving([&] {
    std::byte byte;
    EXPECT_FALSE(receiveAll(*pair.first, {&byte, 1}).ok());
  });
  std::thread sending([&] { EXPECT_FALSE(pair.first->send(bytes(4 << 20)).ok()); });
  std::this_thread::sleep_for(50ms);
  pair.first->shutdown();
  receiving.join();
  sending.join();
}

TEST(RingTransport, NothingInTimeIsNoFailure) {
  Pair pair = makePair();
  pair.first->setTimeout(20);
  std::byte byte;
  const Transport::Room room(&byte, 1);
  std::size_t got = 1;
  EXPECT_TRUE(pair.first->receive({&room, 1}, Patience::kWait, &got).ok());
  EXPECT_EQ(got, 0u);
}

TEST(RingTransport, BellsAreNoBytes) {
  auto [one, other] = loopback();
  platform::SharedMemory memory;
  ASSERT_TRUE(makeRingMemory(memory).ok());
  TransportPtr ring;
  ASSERT_TRUE(overRing(std::move(one), std::move(memory), RingSide::kFirst, 10, ring).ok());
  ring->setTimeout(100);
  std::atomic<bool> over{false};
  std::thread ringer([&] {
    const std::byte bell[16] = {};
    std::size_t taken = 0;
    while (!over && other->trySend(bell, &taken).ok()) std::this_thread::yield();
  });
  std::byte byte;
  const Transport::Room room(&byte, 1);
  std::size_t got = 1;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(ring->receive({&room, 1}, Patience::kWait, &got).ok());
  EXPECT_EQ(got, 0u);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  over = true;
  ringer.join();
}

TEST(RingTransport, ALiarIsFoundOut) {
  for (const int direction : {0, 1}) {
    Pair pair = makePair();
    pair.words[direction].written = 1ull << 40;
    std::byte byte;
    EXPECT_EQ(receiveAll(direction ? *pair.first : *pair.second, {&byte, 1}).code(), Code::kInvalid);
    pair.words[direction].read = 77;
    EXPECT_EQ((direction ? *pair.second : *pair.first).send({&byte, 1}).code(), Code::kInvalid);
  }
}

TEST(SharedMemory, OnlyMemoryOfFixedSizeIsTaken) {
  platform::SharedMemory made, taken;
  ASSERT_TRUE(platform::SharedMemory::make(8192, made).ok());
  EXPECT_FALSE(platform::SharedMemory::take(dup(made.descriptor()), 4096, taken).ok());
  EXPECT_TRUE(platform::SharedMemory::take(dup(made.descriptor()), 8192, taken).ok());
  EXPECT_NE(ftruncate(taken.descriptor(), 4096), 0);
  const int open = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(open, 8192), 0);
  EXPECT_FALSE(platform::SharedMemory::take(open, 8192, taken).ok());
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_FALSE(platform::SharedMemory::take(ends[0], 8192, taken).ok());
  close(ends[1]);
}

}  // namespace
}  // namespace hipr::net
