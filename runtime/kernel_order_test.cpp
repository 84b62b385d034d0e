#include "runtime/kernel_order.h"

#include <gtest/gtest.h>

namespace hipr {
namespace {

constexpr std::uint64_t kOrigin = 1'000'000'000'000;

float milliseconds(std::uint64_t sinceOrigin) {
  return static_cast<float>(static_cast<double>(sinceOrigin) / 1e6);
}

// A minute after the event that times count from, floats tell 4 us apart: kernels of 10 us seem to overlap.
TEST(KernelOrder, KernelsOfAStreamDoNotOverlap) {
  constexpr std::uint64_t kDuration = 10'007, kGap = 50;
  KernelOrder order;
  std::uint64_t last = 0, seemedEarlier = 0;
  for (std::uint64_t at = 59'000'000'000; at < 59'010'000'000; at += kDuration + kGap) {
    const float told = milliseconds(at);
    const std::uint64_t begin = kOrigin + static_cast<std::uint64_t>(static_cast<double>(told) * 1e6);
    seemedEarlier += begin < last;
    const std::uint64_t shown = order.place(0, 7, begin, kDuration, roundedBy(told));
    EXPECT_GE(shown, last);
    EXPECT_LE(shown > kOrigin + at ? shown - kOrigin - at : kOrigin + at - shown, roundedBy(told));
    last = shown + kDuration;
  }
  EXPECT_GT(seemedEarlier, 100U);
}

TEST(KernelOrder, OneThatIsReportedLateStaysWhereItWas) {
  KernelOrder order;
  EXPECT_EQ(order.place(0, 7, 50'000, 1'000, 100), 50'000U);
  EXPECT_EQ(order.place(0, 7, 20'000, 1'000, 100), 20'000U);
  EXPECT_EQ(order.place(0, 7, 50'950, 1'000, 100), 51'000U);
}

TEST(KernelOrder, StreamsDoNotWaitForEachOther) {
  KernelOrder order;
  EXPECT_EQ(order.place(0, 7, 50'000, 1'000, 5'000), 50'000U);
  EXPECT_EQ(order.place(0, 8, 50'500, 1'000, 5'000), 50'500U);
  EXPECT_EQ(order.place(1, 7, 50'500, 1'000, 5'000), 50'500U);
}

}  // namespace
}  // namespace hipr
