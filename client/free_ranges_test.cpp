#include "client/free_ranges.h"

#include <gtest/gtest.h>

namespace hipr::client {
namespace {

TEST(FreeRanges, HandsOutTheSmallestPieceThatIsBigEnough) {
  FreeRanges free;
  free.insert(1000, 100);
  free.insert(2000, 30);
  free.insert(3000, 50);
  EXPECT_EQ(free.take(40), 3000u);
  EXPECT_EQ(free.take(30), 2000u);
  EXPECT_EQ(free.take(10), 3040u) << "what was left of a piece";
  EXPECT_EQ(free.take(101), 0u);
  EXPECT_EQ(free.take(100), 1000u);
  EXPECT_EQ(free.count(), 0u);
}

TEST(FreeRanges, NeighboursGrowTogether) {
  FreeRanges free;
  free.insert(1000, 10);
  free.insert(1020, 10);
  EXPECT_EQ(free.count(), 2u);
  free.insert(1010, 10);
  EXPECT_EQ(free.count(), 1u);
  EXPECT_EQ(free.take(30), 1000u);
}

TEST(FreeRanges, NeighboursBeyondTheBoundsStayApart) {
  FreeRanges free;
  free.insert(1000, 10, 1000, 1010);
  free.insert(1020, 10, 1020, 1030);
  free.insert(1010, 10, 1010, 1020);
  EXPECT_EQ(free.count(), 3u);
  EXPECT_EQ(free.take(11), 0u);
  free.remove(1010);
  EXPECT_EQ(free.count(), 2u);
}

}  // namespace
}  // namespace hipr::client
