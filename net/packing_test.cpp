#include "net/packing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <thread>

#include "net/packing_choice.h"

namespace hipr::net {
namespace {

using Bytes = std::vector<std::byte>;
constexpr std::size_t kPiece = 1 << 20;

Bytes zeros(std::size_t size) {
  return Bytes(size);
}

Bytes randomBytes(std::size_t size, unsigned seed = 1) {
  std::mt19937 random(seed);
  Bytes out(size);
  for (std::byte& byte : out) byte = static_cast<std::byte>(random());
  return out;
}

Bytes text(std::size_t size) {
  std::mt19937 random(2);
  const std::string words[] = {"stream ", "event ", "kernel ", "copies ", "memory ", "the ", "of "};
  std::string all;
  while (all.size() < size) all += words[random() % std::size(words)];
  Bytes out(size);
  std::memcpy(out.data(), all.data(), size);
  return out;
}

// Upper halves of floats, as 16-bit weights are.
Bytes weights(std::size_t size) {
  std::mt19937 random(3);
  std::normal_distribution<float> values(0, 0.02f);
  Bytes out(size);
  for (std::size_t i = 0; i + 2 <= size; i += 2) {
    const float value = values(random);
    std::memcpy(out.data() + i, reinterpret_cast<const std::byte*>(&value) + 2, 2);
  }
  return out;
}

Bytes halfAndHalf(std::size_t size) {
  Bytes out = randomBytes(size);
  std::fill(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(size / 2), std::byte{7});
  return out;
}

TEST(Packing, GivesBackWhatItWasGiven) {
  Packer packer;
  Unpacker unpacker;
  for (Bytes (*make)(std::size_t) : {zeros, text, weights, halfAndHalf}) {
    for (const std::size_t size : {std::size_t{1000}, kPiece / 2 + 13, kPiece - 1, kPiece}) {
      const Bytes plain = make(size);
      Bytes packed, back(size);
      ASSERT_TRUE(packer.pack(plain, packed)) << size;
      EXPECT_LT(packed.size(), size);
      EXPECT_TRUE(unpacker.unpack(packed, back));
      EXPECT_EQ(back, plain);
    }
  }
}

TEST(Packing, LeavesAloneWhatDoesNotShrink) {
  Packer packer;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{15}, std::size_t{100}, kPiece}) {
    Bytes packed;
    EXPECT_FALSE(packer.pack(randomBytes(size), packed)) << size;
    EXPECT_TRUE(packed.empty());
  }
}

TEST(Packing, SeveralThreadsAtATime) {
  Packer packer;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) {
    threads.emplace_back([&packer, i] {
      Unpacker unpacker;
      for (int round = 0; round < 20; ++round) {
        Bytes plain = text(100'000 + i), packed, back(plain.size());
        plain[static_cast<std::size_t>(round)] = static_cast<std::byte>(i);
        EXPECT_TRUE(packer.pack(plain, packed) && unpacker.unpack(packed, back) && back == plain);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// --- every byte may be a lie

TEST(Packing, TakesNothingElse) {
  Packer packer;
  Unpacker unpacker;
  const Bytes plain = text(50'000);
  Bytes packed;
  ASSERT_TRUE(packer.pack(plain, packed));
  const auto refuses = [&](const Bytes& bytes, std::size_t size) {
    Bytes out(size);
    return !unpacker.unpack(bytes, out);
  };
  EXPECT_FALSE(refuses(packed, plain.size()));
  for (const std::size_t size : {plain.size() - 1, plain.size() + 1, std::size_t{1}})
    EXPECT_TRUE(refuses(packed, size));
  for (std::size_t cut = 0; cut < packed.size(); cut += cut < 40 ? 1 : 97)
    EXPECT_TRUE(refuses(Bytes(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(cut)), plain.size())) << cut;
  Bytes longer = packed;
  longer.push_back(std::byte{0});
  EXPECT_TRUE(refuses(longer, plain.size()));
  Bytes twice = packed;  // zstd itself takes several frames for one
  twice.insert(twice.end(), packed.begin(), packed.end());
  EXPECT_TRUE(refuses(twice, 2 * plain.size()));
  const std::uint32_t skipped[] = {0x184D2A50, 4, 0};  // and some that mean nothing
  Bytes behind(sizeof skipped);
  std::memcpy(behind.data(), skipped, sizeof skipped);
  behind.insert(behind.end(), packed.begin(), packed.end());
  EXPECT_TRUE(refuses(behind, plain.size()));
  EXPECT_TRUE(refuses(plain, plain.size()));
  EXPECT_TRUE(refuses({}, plain.size()));
}

TEST(Packing, OfDamagedDataNothingBreaks) {
  Packer packer;
  Unpacker unpacker;
  const Bytes plain = halfAndHalf(20'000);
  Bytes packed, out(plain.size());
  ASSERT_TRUE(packer.pack(plain, packed));
  std::mt19937 random(4);
  for (int i = 0; i < 20'000; ++i) {
    Bytes damaged = packed;
    for (unsigned n = 0; n < 1 + random() % 3; ++n)
      damaged[random() % damaged.size()] = static_cast<std::byte>(random());
    (void)unpacker.unpack(damaged, out);  // the sanitizers look on
  }
  EXPECT_TRUE(unpacker.unpack(packed, out));
  EXPECT_EQ(out, plain);
}

// --- when it pays

TEST(PackingChoice, PaysWhereTheLineIsSlower) {
  PackingChoice choice;
  EXPECT_TRUE(choice.off());
  EXPECT_FALSE(choice.next());
  choice.start(When::kWhereItPays);
  EXPECT_TRUE(choice.undecided());
  EXPECT_FALSE(choice.next());
  choice.lineIs(2e9);
  EXPECT_FALSE(choice.undecided() || choice.next());
  choice.lineIs(125e6);
  EXPECT_TRUE(choice.next());
  choice.start(When::kAlways);
  choice.lineIs(2e9);
  EXPECT_TRUE(choice.next());
}

TEST(PackingChoice, MeasuresHowFastItIs) {
  PackingChoice choice;
  choice.start(When::kWhereItPays);
  choice.lineIs(100e6);
  EXPECT_TRUE(choice.pays());
  for (int i = 0; i < 30; ++i) choice.shrank(kPiece, kPiece / 150e6);  // a slow processor
  EXPECT_FALSE(choice.pays());
  for (int i = 0; i < 30; ++i) choice.shrank(kPiece, kPiece / 800e6);
  EXPECT_TRUE(choice.pays());
  choice.lineIs(600e6);
  for (int i = 0; i < 100; ++i) choice.shrank(kPiece, kPiece / 20e9);  // zeros take no time
  EXPECT_FALSE(choice.pays());
}

TEST(PackingChoice, TriesFewerAndFewerThatStayLarge) {
  PackingChoice choice;
  choice.start(When::kAlways);
  int tried = 0;
  for (int i = 0; i < 1000; ++i) {
    if (!choice.next()) continue;
    ++tried;
    choice.stayedLarge();
  }
  EXPECT_LT(tried, 30);
  EXPECT_GT(tried, 10);
  while (!choice.next()) continue;
  choice.shrank(kPiece, 0.002);  // one shrinks: all are tried again
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(choice.next());
}

}  // namespace
}  // namespace hipr::net
