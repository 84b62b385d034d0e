// What is held, what comes behind it, and what goes on.
#include "worker/order_fixture.h"

namespace hipr::worker {
namespace {

// --- what is held

TEST_F(OrderTest, HeldWorkKeepsItsStreamsOrderAndStopsNoOther) {
  const StreamPtr a = apart(), b = apart();
  submit(a, "a1", Start::kLater);
  submit(a, "a2");
  submit(a, "a3", Start::kLater);
  submit(a, "a4");
  submit(b, "b1");
  EXPECT_EQ(started(), (Names{"a1", "b1"}));
  EXPECT_EQ(order_.look(*a), hipErrorNotReady);
  EXPECT_EQ(order_.look(*b), hipSuccess);
  order_.given(a);
  EXPECT_EQ(started(), (Names{"a1", "b1", "a2", "a3"}));
  order_.done(a);
  EXPECT_EQ(started(), (Names{"a1", "b1", "a2", "a3", "a4"}));
  EXPECT_EQ(order_.look(*a), hipSuccess);
  EXPECT_EQ(order_.doneSoFar(*a), 4u);
}

TEST_F(OrderTest, NobodyCanGiveWhatHasNotStarted) {
  const StreamPtr a = apart(), b = apart();
  order_.given(a);  // nothing there
  submit(a, "a1", Start::kLater);
  submit(b, "b1", Start::kGiven, {a, 1});
  order_.given(b);
  order_.done(b);
  EXPECT_FALSE(order_.isGiven({b, 1}));
  EXPECT_EQ(started(), Names{"a1"});
  order_.given(a);
  EXPECT_TRUE(order_.isGiven({b, 1}));
  EXPECT_EQ(started(), (Names{"a1", "b1"}));
}

TEST_F(OrderTest, AHeldMessageOutlivesItsFrame) {
  const StreamPtr a = apart();
  submit(a, "a1", Start::kLater);
  std::vector<std::byte> frame(100, std::byte{7}), seen;
  wire::Upload upload;
  upload.bytes = frame;
  order_.submit(a, upload, [&](const StreamPtr&, const wire::Upload& message) {
    seen.assign(message.bytes.begin(), message.bytes.end());
    return Start::kGiven;
  });
  std::fill(frame.begin(), frame.end(), std::byte{});
  order_.given(a);
  EXPECT_EQ(seen, std::vector<std::byte>(100, std::byte{7}));
}

TEST_F(OrderTest, AnEventHoldsThoseWhoWaitForItAndNobodyElse) {
  const StreamPtr a = apart(), b = apart(), c = apart(), d = apart();
  submit(a, "a1");
  submit(a, "a2", Start::kLater);
  submit(b, "early", Start::kGiven, {a, 1});  // met
  submit(b, "b2", Start::kGiven, {a, 2});
  submit(b, "b3");
  submit(c, "c1", Start::kGiven, {b, 3});
  submit(d, "d1");
  submit(a, "own", Start::kGiven, {a, 2});  // its own stream is in order anyway
  EXPECT_EQ(started(), (Names{"a1", "a2", "early", "d1"}));
  order_.given(a);
  EXPECT_EQ(started(), (Names{"a1", "a2", "early", "d1", "own", "b2", "b3", "c1"}));
}

TEST_F(OrderTest, TheNullStreamsRulesHoldAmongHeldStreams) {
  const StreamPtr zero = null(), otherZero = null(1), first = blocking(), second = blocking(), third = blocking();
  const StreamPtr elsewhere = blocking(1), independent = apart();
  submit(first, "first", Start::kLater);
  submit(second, "second");  // blocking streams do not wait for each other
  submit(zero, "null");
  submit(third, "third");    // but for the null stream
  submit(first, "first 2");  // also the one that it waits for
  submit(independent, "independent");
  submit(otherZero, "other null");
  submit(elsewhere, "elsewhere");
  EXPECT_EQ(started(), (Names{"first", "second", "independent", "other null", "elsewhere"}));
  order_.given(first);
  ASSERT_EQ(started().size(), 8u);
  EXPECT_EQ(started()[5], "null");
  EXPECT_EQ(std::count(started().begin(), started().end(), "third"), 1);
  EXPECT_EQ(std::count(started().begin(), started().end(), "first 2"), 1);
}

TEST_F(OrderTest, BlockingStreamsFollowAHeldNullStream) {
  const StreamPtr zero = null(), one = blocking(), two = apart();
  submit(zero, "null", Start::kLater);
  submit(one, "blocking");
  submit(two, "apart");
  EXPECT_EQ(started(), (Names{"null", "apart"}));
  order_.done(zero);
  EXPECT_EQ(started(), (Names{"null", "apart", "blocking"}));
}

// --- fences

TEST_F(OrderTest, WorkOnEveryStreamStartsBehindAFence) {
  const StreamPtr a = apart();
  const std::vector<StreamPtr> others = {null(), blocking(), apart(), blocking(1)};
  for (const StreamPtr& behind : others) {
    std::atomic<bool> over{false}, late{true};
    fake_.hold();
    submitSlow(a, &over);
    order_.fence(a);
    order_.submit(behind, wire::Ping{}, [&](const StreamPtr&, const wire::Ping&) {
      backend_.use(behind->device);
      EXPECT_EQ(callHost(behind, [&] { late = over.load(); }), hipSuccess);
      return Start::kGiven;
    });
    fake_.release();
    settle(behind);
    EXPECT_TRUE(late) << behind->id;
    settle(a);
  }
}

TEST_F(OrderTest, AFenceIsWaitedForOnceAndNotByItsOwnStream) {
  const StreamPtr a = apart(), b = apart(), c = apart();
  fake_.hold();
  submitSlow(a);
  submit(b, "b1");
  EXPECT_EQ(waitsOf(b), 0);
  order_.fence(a);
  order_.fence(a);  // nothing new
  submit(a, "a2");
  submit(b, "b2");
  submit(b, "b3");
  EXPECT_EQ(waitsOf(a), 0);
  EXPECT_EQ(waitsOf(b), 1);
  submitSlow(a);
  order_.fence(a);
  submit(b, "b4");
  EXPECT_EQ(waitsOf(b), 2);
  submit(c, "c1");
  EXPECT_EQ(waitsOf(c), 2);
}

TEST_F(OrderTest, AFenceBehindHeldWorkHoldsWhatComesLater) {
  const StreamPtr a = apart(), b = apart(), c = apart(), fresh = apart();
  fake_.hold();
  submit(a, "a1", Start::kLater);
  submitSlow(a);
  submit(b, "b1", Start::kLater);
  submit(b, "b2");  // held, but older than the fence
  submit(c, "c1");
  order_.fence(a);
  submit(a, "a3");
  submit(c, "c2");
  submit(fresh, "fresh");
  EXPECT_EQ(started(), (Names{"a1", "b1", "c1"}));
  order_.given(b);
  EXPECT_EQ(started(), (Names{"a1", "b1", "c1", "b2"}));
  EXPECT_EQ(waitsOf(b), 0);
  order_.given(a);
  EXPECT_EQ(started(), (Names{"a1", "b1", "c1", "b2", "a3", "c2", "fresh"}));
  EXPECT_EQ(waitsOf(a), 0);
  EXPECT_EQ(waitsOf(c), 1);
  EXPECT_EQ(waitsOf(fresh), 1);
}

// However many fences there are, the last one of a stream says it all.
TEST_F(OrderTest, HeldWorkNeedsOnePlaceOfEachStream) {
  const StreamPtr a = apart(), b = apart(), c = apart();
  submit(a, "a1", Start::kLater);
  submit(b, "b1", Start::kLater);
  for (int i = 0; i < 100; ++i) {
    submit(a, "a");
    order_.fence(a);
  }
  submit(c, "c", Start::kGiven, {b, 1});
  ASSERT_EQ(c->held.size(), 1u);
  ASSERT_EQ(c->held.front().needs.size(), 2u);
  EXPECT_GT(c->held.front().bytes, 2 * sizeof(Place) + 256);
  order_.given(b);
  EXPECT_EQ(started(), (Names{"a1", "b1"}));
  order_.given(a);
  EXPECT_EQ(started().size(), 103u);
  EXPECT_EQ(started().back(), "c");
}

TEST_F(OrderTest, FencesThatArePassedAreForgotten) {
  const StreamPtr a = apart(), b = apart();
  order_.fence(a);  // there is nothing to wait for
  submit(b, "b1");
  EXPECT_EQ(waitsOf(b), 0);
  int live = 0;
  for (int i = 0; i < 20; ++i) {
    fake_.hold();
    submitSlow(a);
    order_.fence(a);
    fake_.release();
    settle(a);
    submit(b, "b");
    if (i == 2) live = fake_.liveObjects();  // their events are used again
  }
  EXPECT_EQ(waitsOf(b), 0);
  EXPECT_EQ(fake_.liveObjects(), live);
  EXPECT_EQ(order_.look(*b), hipSuccess);
}

TEST_F(OrderTest, ANeedBehindAFenceOfItsOwnStreamIsNoKnot) {
  const StreamPtr a = apart(), b = apart();
  submit(a, "a1", Start::kLater);
  order_.fence(a);
  submit(b, "b1", Start::kLater);  // held by the fence: not started
  submit(a, "a2", Start::kGiven, {b, 1});
  EXPECT_EQ(started(), Names{"a1"});
  order_.done(a);
  EXPECT_EQ(started(), (Names{"a1", "b1"}));
  order_.given(b);
  EXPECT_EQ(started(), (Names{"a1", "b1", "a2"}));
}

}  // namespace
}  // namespace hipr::worker
