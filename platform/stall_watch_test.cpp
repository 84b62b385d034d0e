#include "platform/stall_watch.h"

#include <gtest/gtest.h>

#include <atomic>

namespace hipr {
namespace {

using std::chrono::milliseconds;

template <class Work>
void watched(const Work& work) {
  StallWatch watch(milliseconds(100), "the work");
  watch.begin();
  work();
  watch.end();
}

TEST(StallWatch, EndsWhatSleepsAndWhatSpins) {
  EXPECT_DEATH(watched([] { std::this_thread::sleep_for(std::chrono::seconds(20)); }),
               "the work has not returned for 100 ms");
  EXPECT_DEATH(watched([] {
                 for (std::atomic<int> never{0}; never == 0;) {
                 }
               }),
               "the work has not returned for 100 ms");
}

TEST(StallWatch, LeavesShortWorkAloneHoweverMuchOfItThereIs) {
  StallWatch watch(milliseconds(100), "the work");
  for (int i = 0; i < 50; ++i) {
    watch.begin();
    std::this_thread::sleep_for(milliseconds(5));
    watch.end();
  }
  std::this_thread::sleep_for(milliseconds(250));  // outside of it waiting is allowed
}

}  // namespace
}  // namespace hipr
