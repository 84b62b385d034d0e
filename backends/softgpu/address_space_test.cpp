#include "backends/softgpu/address_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <thread>

namespace hipr::softgpu {
namespace {

constexpr std::uint64_t kOnlyFirst = 1;

TEST(RegionTable, FindsExactlyWhatIsThere) {
  RegionTable table;
  ASSERT_TRUE(table.insert({0x1000, 0x2000, kOnlyFirst}));
  EXPECT_EQ(table.find(0, 0xfff).end, 0u);
  EXPECT_EQ(table.find(0, 0x1000).begin, 0x1000u);
  EXPECT_EQ(table.find(0, 0x1fff).end, 0x2000u);
  EXPECT_EQ(table.find(0, 0x2000).end, 0u);
  EXPECT_EQ(table.find(1, 0x1000).end, 0u) << "another device's memory";
  EXPECT_FALSE(table.insert({0x1800, 0x2800, kOnlyFirst}));
  EXPECT_FALSE(table.insert({0x0800, 0x1001, kOnlyFirst}));
  EXPECT_FALSE(table.insert({0x0800, 0x3000, kOnlyFirst}));
  table.erase(0x1000);
  EXPECT_EQ(table.find(0, 0x1000).end, 0u);
}

TEST(RegionTable, PeersReachOnlyWhatTheyMay) {
  RegionTable table;
  DeviceView view(table, 1);
  ASSERT_TRUE(table.insert({0x1000, 0x2000, kOnlyFirst, 0}));
  ASSERT_TRUE(table.insert({0x3000, 0x4000, kEveryDevice}));
  EXPECT_EQ(view.find(0x1000).end, 0u);
  EXPECT_EQ(view.find(0x3000).end, 0x4000u);
  table.setPeerAccess(1, 0, true);
  EXPECT_EQ(view.find(0x1000).end, 0x2000u);
  const std::uint64_t before = view.generation();
  table.setPeerAccess(1, 0, false);
  EXPECT_EQ(view.find(0x1000).end, 0u);
  EXPECT_NE(view.generation(), before) << "cached regions must expire";
}

TEST(RegionTable, NeighboursJoinOnlyWhenBothSay) {
  RegionTable table;
  ASSERT_TRUE(table.insert({0x1000, 0x2000, kOnlyFirst, -1, true}));
  ASSERT_TRUE(table.insert({0x2000, 0x3000, kOnlyFirst, -1, true}));
  ASSERT_TRUE(table.insert({0x3000, 0x4000, kOnlyFirst, -1, false}));
  const Region joined = table.find(0, 0x2800);
  EXPECT_EQ(joined.begin, 0x1000u);
  EXPECT_EQ(joined.end, 0x3000u);
  table.setDevices(0x1000, 0);
  EXPECT_EQ(table.find(0, 0x2800).begin, 0x2000u);
}

TEST(RegionTable, AgreesWithAMapUnderRandomChanges) {
  RegionTable table;
  std::map<std::uint64_t, std::uint64_t> model;
  std::mt19937_64 random(1);
  for (int step = 0; step < 100000; ++step) {
    const std::uint64_t begin = 0x1000 + random() % 0x40000, end = begin + 1 + random() % 64;
    const auto next = model.lower_bound(begin);
    switch (random() % 3) {
      case 0: {
        const bool fits =
            (next == model.end() || next->first >= end) && (next == model.begin() || std::prev(next)->second <= begin);
        ASSERT_EQ(table.insert({begin, end, kOnlyFirst}), fits);
        if (fits) model.emplace(begin, end);
        break;
      }
      case 1:
        if (next != model.end()) {
          table.erase(next->first);
          model.erase(next);
        }
        break;
      default: {
        const auto after = model.upper_bound(begin);
        const bool inside = after != model.begin() && std::prev(after)->second > begin;
        const Region found = table.find(0, begin);
        ASSERT_EQ(found.begin != found.end, inside);
        if (inside) {
          ASSERT_EQ(found.begin, std::prev(after)->first);
        }
      }
    }
    ASSERT_EQ(table.size(), model.size());
  }
}

// Programs with many small blocks: 80,000 of them took seconds when every insertion moved half of the table.
TEST(RegionTable, ManyRangesCostLittleEach) {
  constexpr std::uint64_t kRanges = 80000;
  std::vector<std::uint64_t> up(kRanges);
  for (std::uint64_t i = 0; i < kRanges; ++i) up[i] = (i + 1) * 0x2000;
  std::vector<std::uint64_t> down(up.rbegin(), up.rend()), mixed = up;
  std::shuffle(mixed.begin(), mixed.end(), std::mt19937_64(7));
  for (const auto& [order, back] : {std::pair(&up, &up), std::pair(&down, &mixed), std::pair(&mixed, &down)}) {
    RegionTable table;
    for (const std::uint64_t begin : *order) ASSERT_TRUE(table.insert({begin, begin + 0x1000, kOnlyFirst}));
    EXPECT_LT(table.moves() / kRanges, RangeArray::kLeaf);
    for (const std::uint64_t begin : up) ASSERT_EQ(table.find(0, begin + 0xfff).begin, begin);
    for (const std::uint64_t begin : *back) table.erase(begin);
    EXPECT_LT(table.moves() / (2 * kRanges), RangeArray::kLeaf);
    EXPECT_EQ(table.size(), 0u);
    EXPECT_EQ(table.find(0, up[5]).end, 0u);
  }
}

TEST(RegionTable, TellsWhereTheBytesAre) {
  RegionTable table;
  constexpr std::uint64_t kNear = 0x100000, kFar = 0 - std::uint64_t{0x4000};
  ASSERT_TRUE(table.insert({0x10000, 0x11000, kOnlyFirst, -1, true, kNear}));
  ASSERT_TRUE(table.insert({0x11000, 0x12000, 0, -1, true, kNear}));
  ASSERT_TRUE(table.insert({0x12000, 0x13000, kOnlyFirst, -1, true, kFar}));
  EXPECT_EQ(table.shiftAt(0x10fff), kNear);
  EXPECT_EQ(table.shiftAt(0x11000), kNear) << "the copy engine asks for nobody in particular";
  EXPECT_EQ(table.shiftAt(0x12000), kFar);
  EXPECT_EQ(table.shiftAt(0x13000), 0u);
  EXPECT_EQ(table.find(0, 0x10800).shift, kNear);
  table.setDevices(0x11000, kOnlyFirst);
  EXPECT_EQ(table.find(0, 0x10800).end, 0x12000u) << "bytes that are not neighbours are not one region";
}

// A range that is always there must always be found, whatever else comes and goes around it.
TEST(RegionTable, ReadersNeverSeeAChangeHalfDone) {
  RegionTable table;
  ASSERT_TRUE(table.insert({0x8000, 0x9000, kOnlyFirst}));
  std::atomic<bool> stop{false};
  std::atomic<long> wrong{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i)
    readers.emplace_back([&] {
      while (!stop) {
        const Region found = table.find(0, 0x8800);
        if (found.begin != 0x8000 || found.end != 0x9000) ++wrong;
        const Region other = table.find(0, 0x1010);
        if (other.begin != other.end && (other.begin != 0x1000 || other.end != 0x2000)) ++wrong;
      }
    });
  for (int i = 0; i < 20000; ++i) {
    table.insert({0x1000, 0x2000, kOnlyFirst});
    table.insert({0x100, 0x200, kOnlyFirst});
    table.erase(0x100);
    table.erase(0x1000);
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace hipr::softgpu
