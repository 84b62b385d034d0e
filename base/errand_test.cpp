#include "base/errand.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace hipr {
namespace {

TEST(Errand, IsDoneByWhoeverNeedsItWhereNobodyHelps) {
  int done = 0;
  Errand errand([&] { ++done; });
  errand.finish();
  errand.help();  // too late
  errand.finish();
  EXPECT_EQ(done, 1);
}

TEST(Errand, IsWaitedForWhereSomebodyHasBegun) {
  std::atomic<bool> begun{false}, goOn{false}, over{false};
  std::thread::id by;
  Errand errand([&] {
    by = std::this_thread::get_id();
    begun = true;
    while (!goOn) std::this_thread::yield();
    over = true;
  });
  std::thread helper([&] { errand.help(); });
  const std::thread::id helpers = helper.get_id();
  while (!begun) std::this_thread::yield();
  errand.help();  // somebody has begun: this is not waited for
  EXPECT_FALSE(over);
  goOn = true;
  errand.finish();
  EXPECT_TRUE(over);
  EXPECT_EQ(by, helpers);
  helper.join();
}

TEST(Errand, IsDoneOnceHoweverManyCome) {
  for (int round = 0; round < 200; ++round) {
    int done = 0;  // not atomic: the thread sanitizer looks
    Errand errand([&] { ++done; });
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back([&] { errand.help(); });
    errand.finish();
    EXPECT_EQ(done, 1);
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace hipr
