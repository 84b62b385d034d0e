// Who is told when something is done, and what is kept until then.
#include "worker/order_fixture.h"

namespace hipr::worker {
namespace {

using std::chrono::seconds;

// A promise for a `then`.
struct Told {
  Order::Then then() {
    return [this](hipError_t error) { promise.set_value(error); };
  }
  hipError_t get() {
    if (future.wait_for(seconds(20)) != std::future_status::ready) return hipErrorUnknown;
    return future.get();
  }
  bool yet() const { return future.wait_for(std::chrono::milliseconds(20)) == std::future_status::ready; }
  std::promise<hipError_t> promise;
  std::future<hipError_t> future = promise.get_future();
};

TEST_F(OrderTest, ThoseWhoWaitAreToldInOrder) {
  const StreamPtr a = apart();
  std::mutex mutex;
  std::vector<int> told;
  fake_.hold();
  for (int i = 0; i < 10; ++i) {
    submitSlow(a);
    order_.whenDone(a, [&, i](hipError_t error) {
      EXPECT_EQ(error, hipSuccess);
      EXPECT_GE(order_.doneSoFar(*a), static_cast<std::uint64_t>(i + 1));
      const std::lock_guard lock(mutex);
      told.push_back(i);
    });
  }
  {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(told.empty());
  }
  fake_.release();
  settle(a);
  EXPECT_EQ(told, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST_F(OrderTest, NobodyIsToldBeforeHeldWorkIsDone) {
  const StreamPtr a = apart(), b = apart();
  Told all, other;
  submit(a, "a1", Start::kLater);
  submitSlow(a);
  order_.whenDone(a, all.then());
  submit(b, "b1");
  order_.whenDone(b, other.then());
  EXPECT_EQ(other.get(), hipSuccess);
  EXPECT_FALSE(all.yet());
  fake_.hold();
  order_.given(a);
  EXPECT_FALSE(all.yet());
  fake_.release();
  EXPECT_EQ(all.get(), hipSuccess);
  EXPECT_EQ(order_.look(*a), hipSuccess);
}

// What is held may name memory that goes when everything is done.
TEST_F(OrderTest, HeldWorkIsStillToComeOnADeviceThatHasFailed) {
  const StreamPtr a = apart();
  std::atomic<bool> over = false;
  submitSlow(a);
  submit(a, "held", Start::kLater);
  fake_.failWork(hipErrorLaunchFailure);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(order_.look(*a), hipErrorNotReady);
    EXPECT_TRUE(order_.unfinished());
  }
  order_.afterEverything([&] { over = true; });
  EXPECT_FALSE(over);
  order_.given(a);
  hipError_t error = hipErrorNotReady;
  while ((error = order_.look(*a)) == hipErrorNotReady) std::this_thread::yield();
  EXPECT_EQ(error, hipErrorLaunchFailure);
  while (!over) std::this_thread::yield();
}

TEST_F(OrderTest, WorkBehindAWaiterIsNotWaitedFor) {
  const StreamPtr a = apart();
  Told before;
  submit(a, "a1");
  order_.whenDone(a, before.then());
  submit(a, "a2", Start::kLater);
  EXPECT_EQ(before.get(), hipSuccess);
  EXPECT_EQ(order_.doneSoFar(*a), 1u);
  EXPECT_EQ(order_.look(*a), hipErrorNotReady);
  order_.done(a);
}

TEST_F(OrderTest, AFailureIsTold) {
  const StreamPtr a = apart();
  Told failed, broken;
  submitSlow(a);
  fake_.failWork(hipErrorLaunchFailure);
  order_.whenDone(a, failed.then());
  EXPECT_EQ(failed.get(), hipErrorLaunchFailure);
  fake_.failWork(hipSuccess);
  const auto b = std::make_shared<Stream>(99, 0, false);
  b->broken = hipErrorOutOfMemory;
  order_.add(b);
  order_.whenDone(b, broken.then());
  EXPECT_EQ(broken.get(), hipErrorOutOfMemory);
  EXPECT_EQ(order_.look(*b), hipErrorOutOfMemory);
}

TEST_F(OrderTest, ThoseWhoWaitForARecordAreToldWhenItIsReached) {
  const StreamPtr a = apart();
  hipEvent_t event = nullptr;
  ASSERT_EQ(backend_.hip.hipEventCreateWithFlags(&event, 0), hipSuccess);
  auto record = std::make_shared<Record>();
  record->native = std::make_shared<NativeEvent>(backend_, event);
  submit(a, "a1", Start::kLater);
  record->place = {a, 2};
  order_.submit(a, wire::Ping{}, [this, a, record](const StreamPtr&, const wire::Ping&) {
    EXPECT_EQ(backend_.hip.hipEventRecord(record->native->event, a->native), hipSuccess);
    order_.wasGiven(*record);
    return Start::kGiven;
  });
  Told early, late;
  order_.whenDone(record, a->watchers, early.then());
  EXPECT_FALSE(early.yet());
  fake_.hold();
  order_.given(a);
  order_.whenDone(record, a->watchers, late.then());
  EXPECT_FALSE(early.yet());
  fake_.release();
  EXPECT_EQ(early.get(), hipSuccess);
  EXPECT_EQ(late.get(), hipSuccess);
  EXPECT_EQ(order_.doneSoFar(*a), 2u);
}

TEST_F(OrderTest, WhatComesAfterEverythingWaitsForEveryStreamButNotForLaterWork) {
  const StreamPtr a = apart(), b = apart(), idle = apart();
  std::promise<void> after;
  auto over = after.get_future();
  submit(a, "a1", Start::kLater);
  fake_.hold();
  submitSlow(b);
  order_.afterEverything([&] { after.set_value(); });
  submit(idle, "later", Start::kLater);
  order_.done(a);
  EXPECT_EQ(over.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  fake_.release();
  settle(b);
  EXPECT_EQ(over.wait_for(seconds(20)), std::future_status::ready);
  order_.done(idle);
  bool atOnce = false;
  order_.afterEverything([&] { atOnce = true; });
  EXPECT_TRUE(atOnce);
}

// What waits for the same as the one before it costs no more than its own few bytes; and those count.
TEST_F(OrderTest, WhatComesAfterEverythingIsCounted) {
  const SessionCounters::Count& held = counters_.used[static_cast<std::size_t>(Quota::kHeldBytes)];
  std::vector<StreamPtr> streams;
  for (int i = 0; i < 50; ++i) submit(streams.emplace_back(apart()), "held", Start::kLater);
  const std::uint64_t before = held.load();
  std::mutex mutex;
  std::vector<int> order;
  std::promise<void> last;
  for (int i = 0; i < 100; ++i) {
    order_.afterEverything([&, i] {
      const std::lock_guard lock(mutex);
      order.push_back(i);
      if (i == 99) last.set_value();
    });
  }
  EXPECT_GE(held - before, 100u * 100);
  EXPECT_LT(held - before, 100u * 300 + 50 * sizeof(Place));
  for (const StreamPtr& stream : streams) order_.done(stream);
  EXPECT_EQ(last.get_future().wait_for(seconds(20)), std::future_status::ready);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_EQ(order.size(), 100u);
  EXPECT_EQ(held.load(), 0u);
}

TEST_F(OrderTest, ManyPiecesCountUntilTheyAreDone) {
  const StreamPtr a = apart();
  fake_.hold();
  submitSlow(a);
  EXPECT_TRUE(order_.weigh(*a, 1 << 18));
  EXPECT_FALSE(order_.weigh(*a, 1 << 19));
  EXPECT_TRUE(order_.crowded(*a, 2));
  EXPECT_FALSE(order_.full());
  fake_.release();
  settle(a);
  EXPECT_FALSE(order_.crowded(*a, 1 << 17));
  EXPECT_TRUE(order_.weigh(*a, (1 << 19) - 10));
}

TEST_F(OrderTest, WhoeverFindsOutThatAllIsDoneSeesToWhatWaitsForIt) {
  const StreamPtr a = apart();
  std::promise<void> after;
  fake_.hold();
  submitSlow(a);
  order_.afterEverything([&] { after.set_value(); });
  fake_.release();
  while (order_.look(*a) == hipErrorNotReady) std::this_thread::yield();
  EXPECT_EQ(after.get_future().wait_for(seconds(20)), std::future_status::ready);
}

TEST_F(OrderTest, ObjectsAreKeptUntilTheStreamIsDoneWithThem) {
  const StreamPtr a = apart();
  submit(a, "a1", Start::kLater);
  auto object = std::make_shared<int>(1);
  const std::weak_ptr<int> kept = object;
  order_.keep(a, std::move(object));
  EXPECT_FALSE(kept.expired());
  order_.done(a);
  EXPECT_TRUE(kept.expired());
}

TEST_F(OrderTest, ALongRunOfWorkKeepsLittle) {
  const StreamPtr a = apart();
  std::vector<std::weak_ptr<int>> kept;
  for (int i = 0; i < 1000; ++i) {
    submit(a, "a");
    auto object = std::make_shared<int>(i);
    kept.push_back(object);
    order_.keep(a, std::move(object));
    if (i % 100 == 99) (void)backend_.hip.hipStreamSynchronize(a->native);
  }
  const auto alive = std::count_if(kept.begin(), kept.end(), [](const auto& object) { return !object.expired(); });
  EXPECT_LT(alive, 300);
  settle(a);
  EXPECT_TRUE(std::all_of(kept.begin(), kept.end(), [](const auto& object) { return object.expired(); }));
}

TEST_F(OrderTest, AStreamIsQuietWhenNothingMustBeWaitedForBeforeItsNextOperation) {
  const StreamPtr zero = null(), first = blocking(), second = apart();
  const auto quiet = [&](const StreamPtr& stream) {
    bool was = false;
    order_.submit(stream, wire::Ping{}, [&](const StreamPtr&, const wire::Ping&) {
      was = order_.quiet(stream);
      return Start::kDone;
    });
    return was;
  };
  EXPECT_TRUE(quiet(zero));
  EXPECT_TRUE(quiet(second));
  fake_.hold();
  submitSlow(first);
  EXPECT_FALSE(order_.quiet(zero));  // it follows the blocking stream
  EXPECT_FALSE(order_.quiet(first));
  EXPECT_TRUE(order_.quiet(second));
  order_.fence(first);
  EXPECT_FALSE(order_.quiet(second));
  fake_.release();
  settle(first);
  EXPECT_TRUE(quiet(second));
  EXPECT_TRUE(quiet(zero));
}

TEST_F(OrderTest, AClosedStreamGoesWhenItIsDone) {
  const StreamPtr a = apart();
  submit(a, "a1", Start::kLater);
  submitSlow(a);
  order_.close(a);
  EXPECT_NE(a->native, nullptr);
  order_.given(a);
  settle(a);
  order_.sweep();
  EXPECT_EQ(a->native, nullptr);
  EXPECT_TRUE(order_.streams(-1).empty());
}

}  // namespace
}  // namespace hipr::worker
