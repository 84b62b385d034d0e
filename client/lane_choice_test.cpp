#include "client/lane_choice.h"

#include <gtest/gtest.h>

namespace hipr::client {
namespace {

using namespace std::chrono_literals;
using Advice = LaneChoice::Advice;

constexpr std::uint64_t kMiB = 1 << 20, kPlenty = 1024 * kMiB;

class Choosing : public ::testing::Test {
 protected:
  Choosing() { choice_.start(net::When::kWhereItPays, 4); }

  // Sends for so long at that speed; what it is advised to do, once it is.
  Advice send(std::chrono::milliseconds time, std::uint64_t mibPerSecond, std::uint64_t waiting = kPlenty) {
    for (const auto end = now_ + time; now_ < end;) {
      now_ += 10ms;
      const Advice advice = choice_.arrived(now_, mibPerSecond * kMiB / 100, waiting);
      if (advice != Advice::kNothing) return advice;
    }
    return Advice::kNothing;
  }

  LaneChoice choice_;
  LaneChoice::Clock::time_point now_{std::chrono::hours(1)};
};

TEST_F(Choosing, LanesThatGainAreAddedOneAtATime) {
  for (std::size_t lanes = 1; lanes <= 3; ++lanes) {
    ASSERT_EQ(send(2s, 300 * lanes), Advice::kOpen) << lanes;
    ASSERT_EQ(send(2s, 300 * lanes), Advice::kNothing) << "it is being opened";
    ASSERT_TRUE(choice_.opened(now_, 30ms));
    EXPECT_EQ(choice_.lanes(), lanes);
    EXPECT_FALSE(choice_.lanesCarryAll());
  }
  EXPECT_EQ(send(10s, 1200), Advice::kNothing) << "no more than three, besides the session's own connection";
  EXPECT_NEAR(*choice_.bytesPerSecond(), 1200. * kMiB, kMiB);
}

TEST_F(Choosing, OnAThinLineTheFirstStaysAndCarriesAll) {
  ASSERT_EQ(send(2s, 20, 1 * kMiB), Advice::kOpen) << "little data is enough";
  EXPECT_FALSE(choice_.lanesCarryAll()) << "it is being opened";
  ASSERT_TRUE(choice_.opened(now_, 0ms)) << "also where the line is short";
  EXPECT_TRUE(choice_.lanesCarryAll());
  EXPECT_EQ(send(1s, 20, 1 * kMiB), Advice::kNothing) << "it gains nothing, and need not";
  ASSERT_EQ(send(10s, 20), Advice::kOpen) << "one more may";
  ASSERT_FALSE(choice_.opened(now_, 0ms)) << "but not there";
  EXPECT_EQ(send(10s, 20), Advice::kNothing);
  choice_.closed(now_);
  EXPECT_FALSE(choice_.lanesCarryAll());
  EXPECT_EQ(send(20s, 20), Advice::kOpen) << "as long as it is thin";
}

TEST_F(Choosing, OnAThinLongLineThereAreFour) {
  for (std::size_t lanes = 1; lanes <= 4; ++lanes) {
    ASSERT_EQ(send(2s, 20 * std::max<std::size_t>(lanes - 1, 1)), Advice::kOpen) << lanes;
    ASSERT_TRUE(choice_.opened(now_, 30ms));
    EXPECT_TRUE(choice_.lanesCarryAll());
  }
  EXPECT_EQ(send(10s, 80), Advice::kNothing);
}

// Each was as fast as the connections that there were before it.
TEST_F(Choosing, WhatOneIsWorthIsKnown) {
  for (const int first : {20, 300}) {  // thin, and not
    choice_ = {};
    choice_.start(net::When::kWhereItPays, 4);
    now_ += 3600s;
    const int flows = first == 20 ? 0 : 1;
    for (int lanes = 1; lanes <= 3; ++lanes) {
      const int before = std::max(lanes - 1 + flows, 1);
      ASSERT_EQ(send(2s, first * before), Advice::kOpen) << lanes;
      ASSERT_TRUE(choice_.opened(now_, 30ms));
      EXPECT_NEAR(choice_.speedOfOne(), first * kMiB, 0.1 * first * kMiB) << lanes;
    }
    choice_.closed(now_);
    EXPECT_NEAR(choice_.speedOfOne(), first * kMiB, 0.1 * first * kMiB) << "one less says nothing of the others";
  }
}

TEST_F(Choosing, OneThatGainsNothingIsClosedAndNoneIsTriedForLong) {
  ASSERT_EQ(send(2s, 300), Advice::kOpen);
  ASSERT_TRUE(choice_.opened(now_, 30ms));
  ASSERT_EQ(send(2s, 330), Advice::kClose);
  choice_.closed(now_);
  EXPECT_EQ(choice_.lanes(), 0u);
  EXPECT_FALSE(choice_.bytesPerSecond());
  EXPECT_EQ(send(60s, 300), Advice::kNothing);
  EXPECT_EQ(send(300s, 300), Advice::kOpen);
}

TEST_F(Choosing, AShortLineHasNoLanes) {
  ASSERT_EQ(send(2s, 300), Advice::kOpen);
  EXPECT_FALSE(choice_.opened(now_, 1ms));
  EXPECT_EQ(send(600s, 300), Advice::kNothing);
}

TEST_F(Choosing, UnlessTheyAreWantedThere) {
  choice_.start(net::When::kAlways, 4);
  ASSERT_EQ(send(2s, 300), Advice::kOpen);
  EXPECT_TRUE(choice_.opened(now_, 1ms));
}

TEST_F(Choosing, LittleDataNeedsNone) {
  EXPECT_EQ(send(50ms, 300, 10 * kMiB), Advice::kNothing);
  now_ += 1s;
  EXPECT_EQ(send(50ms, 300, 10 * kMiB), Advice::kNothing);
  EXPECT_EQ(send(1s, 300, 10 * kMiB), Advice::kOpen) << "one small upload after the other is not little";
}

TEST_F(Choosing, SlowIsNotLittle) {
  EXPECT_EQ(send(10s, 1), Advice::kOpen);
}

TEST_F(Choosing, WithoutPermissionThereAreNone) {
  choice_.start(net::When::kNever, 4);
  EXPECT_EQ(send(10s, 20), Advice::kNothing);
}

// What was sent before a pause, and the pause, say nothing about the line.
TEST_F(Choosing, APauseBeginsAnew) {
  ASSERT_EQ(send(200ms, 300), Advice::kNothing);
  now_ += 5s;
  EXPECT_EQ(send(200ms, 300), Advice::kNothing);
  EXPECT_EQ(send(200ms, 300), Advice::kOpen);
}

// A fast line on which something comes now and then is not thin.
TEST_F(Choosing, TimeInWhichNothingWasOnItsWayDoesNotCount) {
  for (int i = 0; i < 20; ++i) {
    now_ += 300ms;
    choice_.resumed(now_);
    now_ += 1ms;
    ASSERT_EQ(choice_.arrived(now_, kMiB, kMiB), Advice::kNothing) << i;
  }
}

TEST_F(Choosing, ALaneThatWasLostIsTriedAgainSoon) {
  ASSERT_EQ(send(2s, 20), Advice::kOpen);
  ASSERT_TRUE(choice_.opened(now_, 30ms));
  choice_.closed(now_);
  EXPECT_EQ(send(9s, 20), Advice::kNothing);
  EXPECT_EQ(send(2s, 20), Advice::kOpen);
  choice_.failed(now_);
  EXPECT_EQ(send(60s, 20), Advice::kNothing) << "who is not let in does not knock all the time";
}

}  // namespace
}  // namespace hipr::client
