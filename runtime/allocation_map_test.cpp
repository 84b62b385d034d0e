#include "runtime/allocation_map.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace hipr {
namespace {

void* pointer(std::uintptr_t address) {
  return reinterpret_cast<void*>(address);
}

Region region(std::uintptr_t device, std::size_t size, std::uintptr_t host = 0) {
  Region r;
  r.allocation.devicePointer = pointer(device);
  r.allocation.host = pointer(host);
  r.allocation.size = size;
  r.allocation.id = device;
  return r;
}

bool any(const Region&) {
  return true;
}

TEST(AllocationMap, FindsInsideAndNotOutside) {
  AllocationMap map;
  ASSERT_TRUE(map.insert(region(0x1000, 0x100)));
  ASSERT_TRUE(map.insert(region(0x1100, 0x100)));
  for (int round = 0; round < 2; ++round) {  // the second time from memory
    EXPECT_FALSE(map.find(pointer(0xfff)));
    EXPECT_EQ(map.find(pointer(0x1000))->allocation.id, 0x1000u);
    EXPECT_EQ(map.find(pointer(0x10ff))->allocation.id, 0x1000u);
    EXPECT_EQ(map.find(pointer(0x1100))->allocation.id, 0x1100u);
    EXPECT_FALSE(map.find(pointer(0x1200)));
  }
}

TEST(AllocationMap, RefusesOverlap) {
  AllocationMap map;
  ASSERT_TRUE(map.insert(region(0x1000, 0x100)));
  EXPECT_FALSE(map.insert(region(0x1000, 1)));
  EXPECT_FALSE(map.insert(region(0x10ff, 0x10)));
  EXPECT_FALSE(map.insert(region(0xf00, 0x101)));
  EXPECT_FALSE(map.insert(region(0x800, 0x10000)));
  EXPECT_FALSE(map.insert(region(0x9000, 0x10, 0x1050))) << "by its host address";
  EXPECT_TRUE(map.insert(region(0xf00, 0x100)));
}

TEST(AllocationMap, KnowsBothAddresses) {
  AllocationMap map;
  ASSERT_TRUE(map.insert(region(0x5000, 0x100, 0x9000)));
  EXPECT_EQ(map.find(pointer(0x5010))->offsetOf(pointer(0x5010)), 0x10u);
  EXPECT_EQ(map.find(pointer(0x9020))->offsetOf(pointer(0x9020)), 0x20u);
  ASSERT_TRUE(map.take(pointer(0x9000), any));
  EXPECT_FALSE(map.find(pointer(0x5010)));
  EXPECT_FALSE(map.find(pointer(0x9020)));
}

TEST(AllocationMap, TakesOnlyFromTheStartAndOnce) {
  AllocationMap map;
  map.insert(region(0x1000, 0x100));
  EXPECT_TRUE(map.find(pointer(0x1001)));
  EXPECT_FALSE(map.take(pointer(0x1001), any));
  EXPECT_FALSE(map.take(pointer(0x1000), [](const Region&) { return false; }));
  EXPECT_TRUE(map.take(pointer(0x1000), any));
  EXPECT_FALSE(map.take(pointer(0x1000), any));
  EXPECT_FALSE(map.find(pointer(0x1001))) << "a remembered hit must not survive";
}

TEST(AllocationMap, MapsDoNotShareMemories) {
  AllocationMap first, second;
  first.insert(region(0x1000, 0x100));
  EXPECT_TRUE(first.find(pointer(0x1000)));
  EXPECT_FALSE(second.find(pointer(0x1000)));
}

// Readers look up a region that is always there while others come and go.
TEST(AllocationMap, ConcurrentUse) {
  AllocationMap map;
  map.insert(region(0x100000, 0x1000));
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      const std::uintptr_t mine = 0x200000 + t * 0x100000;
      for (int i = 0; i < 3000; ++i) {
        if (!map.insert(region(mine, 0x1000))) ++wrong;
        if (!map.find(pointer(mine + 8))) ++wrong;
        if (!map.take(pointer(mine), any)) ++wrong;
        if (map.find(pointer(mine + 8))) ++wrong;
      }
      stop = true;
    });
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      while (!stop) {
        const auto hit = map.find(pointer(0x100800));
        if (!hit || hit->allocation.id != 0x100000) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace hipr
