#include "mirror/mirror.h"

#include <gtest/gtest.h>

#include <cstring>

#include "mirror/pointers.h"
#include "mirror/test_side.h"

namespace hipr::mirror {
namespace {

struct Pair {
  std::vector<Parcel> sent;  // by `here`
  TestSide here{[this](Parcel parcel) { sent.push_back(std::move(parcel)); }};
  TestSide there{[](Parcel) { FAIL() << "it was the other side that wrote"; }};
  std::byte *a = nullptr, *b = nullptr;

  explicit Pair(std::size_t size) : a(here.add(1, size)), b(there.add(1, size)) {}
  void deliver() {
    for (const Parcel& parcel : sent) EXPECT_TRUE(there.mirror.apply(parcel.message()));
    sent.clear();
  }
  std::size_t bytesSent() const {
    std::size_t n = 0;
    for (const Parcel& parcel : sent) n += parcel.bytes.size();
    return n;
  }
};

TEST(Mirror, OnlyChangedBytesTravel) {
  Pair pair(100000);
  for (const std::size_t at : {0, 1, 7, 9, 70, 4095, 4096, 99999}) pair.a[at] = std::byte{1};
  pair.here.mirror.send();
  EXPECT_EQ(pair.bytesSent(), 8u);
  pair.deliver();
  EXPECT_EQ(std::memcmp(pair.a, pair.b, 100000), 0);
  pair.here.mirror.send();
  EXPECT_TRUE(pair.sent.empty());
  pair.there.mirror.send();  // nothing goes back
}

TEST(Mirror, BytesBetweenTwoRunsBelongToWhoeverWroteThem) {
  Pair pair(64);
  pair.a[0] = pair.a[2] = std::byte{1};
  pair.here.mirror.send();
  pair.b[1] = pair.b[3] = std::byte{2};  // unknown here
  pair.deliver();
  const std::byte expected[4] = {std::byte{1}, std::byte{2}, std::byte{1}, std::byte{2}};
  EXPECT_EQ(std::memcmp(pair.b, expected, 4), 0);
}

TEST(Mirror, AMessageIsNoLongerThanAMebibyte) {
  Pair pair(5 << 20);
  std::memset(pair.a, 1, 5 << 20);
  pair.here.mirror.send();
  EXPECT_GE(pair.sent.size(), 5u);
  for (const Parcel& parcel : pair.sent) EXPECT_LE(parcel.bytes.size() + parcel.runs.size(), (1u << 20) + (64u << 10));
  pair.deliver();
  EXPECT_EQ(std::memcmp(pair.a, pair.b, 5 << 20), 0);
}

TEST(Mirror, ManyLoneWordsAreAllSent) {
  Pair pair(8 << 20);
  for (std::size_t at = 0; at < 8 << 20; at += 160) pair.a[at] = std::byte{3};
  pair.here.mirror.send();
  pair.deliver();
  EXPECT_EQ(std::memcmp(pair.a, pair.b, 8 << 20), 0);
}

TEST(Mirror, APossibleFlagTravelsBehindItsData) {
  Pair pair(1 << 20);
  TestSide& here = pair.here;
  std::byte* flags = here.add(2, 64);
  pair.there.add(2, 64);
  std::memset(pair.a + 1000, 7, 500000);  // behind a flag in front of it,
  const std::uint64_t one = 1, many = 0x3ff0000000000000;
  std::memcpy(pair.a + 992, &one, 8);
  std::memcpy(flags + 8, &one, 8);         // one elsewhere,
  std::memcpy(pair.a + 800000, &many, 8);  // and a lone word that is data
  here.mirror.send();
  std::vector<std::pair<std::uint64_t, std::uint64_t>> order;
  for (const Parcel& parcel : pair.sent) {
    ChangeReader reader(parcel.message());
    for (ChangeReader::Run run; reader.next(run);) order.emplace_back(run.region, run.offset);
  }
  const auto place = [&](std::uint64_t region, std::uint64_t offset) {
    return std::find(order.begin(), order.end(), std::pair(region, offset)) - order.begin();
  };
  EXPECT_EQ(place(1, 1000), 0);
  EXPECT_LT(place(1, 800006), place(1, 992));
  EXPECT_LT(place(1, 800006), place(2, 8));
  EXPECT_EQ(order.size(), 5u) << "data, the word behind it, the lone word, two flags";
}

TEST(Mirror, WhatIsSaidOfForgottenRegionsIsIgnored) {
  Pair pair(64);
  pair.a[5] = std::byte{1};
  pair.here.mirror.send();
  const Parcel late = pair.sent.front();
  pair.there.mirror.remove(1);
  EXPECT_TRUE(pair.there.mirror.apply(late.message()));
  EXPECT_EQ(pair.b[5], std::byte{0});
  EXPECT_FALSE(TestSide([](Parcel) {}).mirror.apply(late.message())) << "never heard of it";
}

TEST(Mirror, AMessageThatLeavesItsRegionChangesNothing) {
  Pair pair(64);
  ChangeWriter writer;
  writer.put(1, 0, "x", 1);
  writer.put(1, 60, "12345", 5);
  EXPECT_FALSE(pair.there.mirror.apply(writer.message()));
  EXPECT_EQ(pair.b[0], std::byte{0});
}

TEST(Mirror, AddressesAreToldBeforeTheyTravel) {
  std::vector<std::string> log;
  std::byte memory[64]{};
  Mirror mirror({.send = [&](const wire::HostBytes&) { log.push_back("bytes"); },
                 .base = 0x1000,
                 .size = 0x1000,
                 .addresses =
                     [&](const std::vector<std::uint64_t>& words) {
                       for (const std::uint64_t word : words) log.push_back("address " + std::to_string(word));
                     }});
  mirror.add(1, memory, sizeof memory);
  const std::uint64_t words[3] = {0xfff, 0x1800, 0x2000};
  std::memcpy(memory + 8, words, sizeof words);
  mirror.send();
  EXPECT_EQ(log, (std::vector<std::string>{"address 6144", "bytes", "bytes"}))
      << "the middle one is data, the others may be flags";
}

TEST(Pointers, AreFoundWhereverTheyAre) {
  std::vector<std::uint64_t> words(1000, 0x2fffffffffff);
  words[0] = 0x300000000000;
  words[500] = 0x3000deadbeef;
  words[999] = 0x30ffffffffff;
  words[998] = 0x310000000000;
  const auto bytes = std::as_bytes(std::span(words));
  EXPECT_EQ(addressesIn(bytes, 0x300000000000, 1ull << 40),
            (std::vector<std::uint64_t>{0x300000000000, 0x3000deadbeef, 0x30ffffffffff}));
  EXPECT_TRUE(addressesIn(bytes.first(7), 0x300000000000, 1ull << 40).empty());
}

}  // namespace
}  // namespace hipr::mirror
