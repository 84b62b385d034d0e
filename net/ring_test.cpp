#include "net/ring.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

namespace hipr::net {
namespace {

std::vector<std::byte> pattern(std::size_t size, unsigned seed) {
  std::vector<std::byte> out(size);
  std::mt19937 random(seed);
  for (std::byte& byte : out) byte = static_cast<std::byte>(random());
  return out;
}

struct RingTest : testing::Test {
  RingWords words{};
  std::vector<std::byte> area = std::vector<std::byte>(64);
  RingWriter writer{words, area};
  RingReader reader{words, area};
};

TEST_F(RingTest, BytesComeInOrderAcrossTheEnd) {
  const std::vector<std::byte> sent = pattern(10'000, 1);
  std::vector<std::byte> got;
  std::mt19937 random(2);
  for (std::size_t at = 0; got.size() < sent.size();) {
    at += writer.write(std::span(sent).subspan(at, std::min<std::size_t>(random() % 70, sent.size() - at)));
    std::byte room[50];
    const std::size_t n = reader.read({room, random() % 50});
    got.insert(got.end(), room, room + n);
  }
  EXPECT_EQ(got, sent);
}

TEST_F(RingTest, AFullRingTakesNothing) {
  const std::vector<std::byte> sent = pattern(100, 3);
  EXPECT_EQ(writer.write(sent), 64u);
  EXPECT_EQ(writer.room(), 0u);
  EXPECT_EQ(writer.write(sent), 0u);
  std::byte one;
  EXPECT_EQ(reader.read({&one, 1}), 1u);
  EXPECT_EQ(writer.write(sent), 1u);
}

TEST_F(RingTest, AnImpossiblePositionIsALie) {
  std::byte room[64];
  words.written = 65;
  EXPECT_EQ(reader.available(), kRingLies);
  EXPECT_EQ(reader.read(room), kRingLies);
  words.written = UINT64_MAX;  // behind what was read
  EXPECT_EQ(reader.read(room), kRingLies);
  words.read = 1;  // more than was written
  EXPECT_EQ(writer.room(), kRingLies);
  EXPECT_EQ(writer.write(room), kRingLies);
}

// Whatever the other side puts into the words at any time, nothing outside the area and the caller's own memory is
// touched: sanitizers watch.
TEST_F(RingTest, ALiarReachesNothingElse) {
  std::mt19937_64 random(4);
  const std::vector<std::byte> bytes = pattern(128, 5);
  std::vector<std::byte> room(128);
  std::uint64_t lies = 0;
  for (int i = 0; i < 200'000; ++i) {
    switch (random() % 6) {
      case 0:
        words.written = random() >> (random() % 64);
        break;
      case 1:
        words.read = random() >> (random() % 64);
        break;
      case 2:
        words.readerSleeps = static_cast<std::uint32_t>(random());
        words.writerSleeps = static_cast<std::uint32_t>(random());
        break;
      case 3:
        lies += writer.write(std::span(bytes).first(random() % 129)) == kRingLies;
        break;
      case 4:
        lies += reader.read(std::span(room).first(random() % 129)) == kRingLies;
        break;
      default:
        (void)writer.prepareToSleep();
        (void)reader.prepareToSleep();
        (void)reader.writerWantsWaking();
        (void)writer.readerWantsWaking();
    }
  }
  EXPECT_GT(lies, 1000u);
}

TEST_F(RingTest, WhoeverSleepsIsNoticedOnce) {
  EXPECT_FALSE(writer.readerWantsWaking());
  EXPECT_TRUE(reader.prepareToSleep());
  const std::byte byte{7};
  EXPECT_EQ(writer.write({&byte, 1}), 1u);
  EXPECT_TRUE(writer.readerWantsWaking());
  EXPECT_FALSE(writer.readerWantsWaking());
  EXPECT_FALSE(reader.prepareToSleep());  // there is something
}

TEST_F(RingTest, AWriterIsWokenWhenHalfIsFree) {
  const std::vector<std::byte> sent = pattern(64, 6);
  ASSERT_EQ(writer.write(sent), 64u);
  ASSERT_TRUE(writer.prepareToSleep());
  std::byte room[31];
  ASSERT_EQ(reader.read(room), 31u);
  EXPECT_FALSE(reader.writerWantsWaking());
  ASSERT_EQ(reader.read({room, 1}), 1u);
  EXPECT_TRUE(reader.writerWantsWaking());
  EXPECT_FALSE(reader.writerWantsWaking());
  EXPECT_FALSE(writer.prepareToSleep());
}

// Neither side may sleep through what the other does: a thread that has announced its sleep is woken or finds
// something. Sleeping is waiting for a flag here, so a lost wake-up hangs this test.
TEST_F(RingTest, NobodySleepsForever) {
  constexpr std::size_t kBytes = 300'000;
  std::atomic<bool> readerAwake{true}, writerAwake{true};
  std::thread writing([&] {
    std::mt19937 random(7);
    std::byte bytes[64];
    for (std::size_t sent = 0; sent < kBytes;) {
      const std::size_t n = writer.write({bytes, std::min<std::size_t>(1 + random() % 63, kBytes - sent)});
      sent += n;
      if (writer.readerWantsWaking()) {
        readerAwake = true;
        readerAwake.notify_one();
      }
      if (n) continue;
      writerAwake = false;
      if (!writer.prepareToSleep()) continue;
      writerAwake.wait(false);
    }
  });
  std::mt19937 random(8);
  std::byte room[64];
  for (std::size_t got = 0; got < kBytes;) {
    const std::size_t n = reader.read({room, 1 + random() % 63});
    got += n;
    if (reader.writerWantsWaking()) {
      writerAwake = true;
      writerAwake.notify_one();
    }
    if (n) continue;
    readerAwake = false;
    if (!reader.prepareToSleep()) continue;
    readerAwake.wait(false);
  }
  writing.join();
}

}  // namespace
}  // namespace hipr::net
