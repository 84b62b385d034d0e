#include "base/log_limit.h"

#include <gtest/gtest.h>

namespace hipr {
namespace {

using namespace std::chrono_literals;

TEST(LogLimit, SomeAtOnceThenOneNowAndThen) {
  const auto start = LogLimit::Clock::now();
  LogLimit limit(3, 10s);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limit.allows(start));
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(limit.allows(start + 5s));
  EXPECT_TRUE(limit.allows(start + 11s));
  EXPECT_EQ(limit.takeSuppressed(), 1000u);
  EXPECT_EQ(limit.takeSuppressed(), 0u);
  EXPECT_FALSE(limit.allows(start + 12s));
  int lines = 0;
  for (int i = 0; i < 10; ++i) lines += limit.allows(start + 1h);  // a quiet hour is worth no more than the start was
  EXPECT_EQ(lines, 3);
}

}  // namespace
}  // namespace hipr
