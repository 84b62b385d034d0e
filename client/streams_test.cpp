#include "client/streams.h"

#include <gtest/gtest.h>

namespace hipr::client {
namespace {

using Kind = RemoteStream::Kind;

class StreamTableTest : public ::testing::Test {
 protected:
  RemoteStream& add(Kind kind, int device = 0) { return table_.add(++lastId_, device, kind); }
  std::uint64_t record(RemoteStream& stream, RemoteEvent& event) {
    const std::uint64_t position = table_.count(stream);
    event.recordedAt(stream, position);
    return position;
  }
  void wait(RemoteStream& stream, const RemoteEvent& event) {
    table_.count(stream);
    const auto [other, position] = event.where();
    table_.follow(stream, other, position);
  }

  StreamTable table_;
  std::uint64_t lastId_ = 0;
};

TEST_F(StreamTableTest, PositionsCountTheOperationsOfEachStream) {
  RemoteStream& a = add(Kind::kNonBlocking);
  RemoteStream& b = add(Kind::kNonBlocking);
  EXPECT_TRUE(a.idle());
  EXPECT_EQ(table_.count(a), 1u);
  EXPECT_EQ(table_.count(a), 2u);
  EXPECT_EQ(table_.count(b), 1u);
  table_.show(a, 1);
  EXPECT_TRUE(a.isVisible(1));
  EXPECT_FALSE(a.isVisible(2));
  EXPECT_FALSE(a.idle());
  table_.show(a.id, 2);
  table_.show(a.id, 1);  // old news
  EXPECT_TRUE(a.idle());
  EXPECT_FALSE(b.idle());
  table_.show(99, 5);  // of a stream that is gone
}

TEST_F(StreamTableTest, WhatAStreamWaitedForIsVisibleWithIt) {
  RemoteStream& a = add(Kind::kNonBlocking);
  RemoteStream& b = add(Kind::kNonBlocking);
  RemoteEvent event(1);
  table_.count(a);
  record(a, event);
  table_.count(a);  // behind the event
  table_.count(b);
  wait(b, event);
  table_.count(b);
  table_.show(b, 1);
  EXPECT_FALSE(a.isVisible(1));
  table_.show(b, 2);
  EXPECT_TRUE(a.isVisible(2));
  EXPECT_FALSE(a.isVisible(3));
  EXPECT_TRUE(b.isVisible(2));
  EXPECT_FALSE(b.isVisible(3));
  table_.show(b, 3);
  EXPECT_FALSE(a.idle());
}

TEST_F(StreamTableTest, VisibilityGoesAlongAChain) {
  std::vector<RemoteStream*> chain;
  for (int i = 0; i < 6; ++i) chain.push_back(&add(Kind::kNonBlocking));
  RemoteEvent event(1);  // one event for all: each wait keeps the record it saw
  table_.count(*chain[0]);
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
    record(*chain[i], event);
    wait(*chain[i + 1], event);
  }
  table_.show(*chain.back(), chain.back()->sent);
  for (const RemoteStream* stream : chain) EXPECT_TRUE(stream->idle()) << stream->id;
  EXPECT_TRUE(table_.now().waits().empty());
}

TEST_F(StreamTableTest, AnEventNeverRecordedIsNothingToFollow) {
  RemoteStream& a = add(Kind::kNonBlocking);
  RemoteEvent event(1);
  wait(a, event);
  EXPECT_FALSE(a.depends);
  table_.show(a, 1);
  EXPECT_TRUE(a.idle());
}

TEST_F(StreamTableTest, TheNullStreamFollowsBlockingStreamsAndTheyFollowIt) {
  RemoteStream& null = add(Kind::kNull);
  RemoteStream& one = add(Kind::kBlocking);
  RemoteStream& two = add(Kind::kBlocking);
  RemoteStream& apart = add(Kind::kNonBlocking);
  RemoteStream& elsewhere = add(Kind::kBlocking, 1);
  for (RemoteStream* stream : {&one, &two, &apart, &elsewhere}) table_.count(*stream);
  table_.count(null);
  table_.count(one);  // after the null stream
  table_.show(two, 1);
  EXPECT_FALSE(one.isVisible(1));  // blocking streams know nothing of each other
  table_.show(null, 1);
  EXPECT_TRUE(one.isVisible(1));
  EXPECT_FALSE(one.isVisible(2));
  EXPECT_FALSE(apart.isVisible(1));
  EXPECT_FALSE(elsewhere.isVisible(1));
}

TEST_F(StreamTableTest, ABlockingStreamProvesWhatTheNullStreamWaitedFor) {
  RemoteStream& null = add(Kind::kNull);
  RemoteStream& one = add(Kind::kBlocking);
  RemoteStream& two = add(Kind::kBlocking);
  table_.count(one);
  table_.count(null);
  table_.count(two);
  table_.show(two, 1);
  EXPECT_TRUE(null.idle());
  EXPECT_TRUE(one.idle());
}

TEST_F(StreamTableTest, WhatIsVisibleIsNotFollowed) {
  RemoteStream& null = add(Kind::kNull);
  RemoteStream& one = add(Kind::kBlocking);
  RemoteEvent event(1);
  table_.count(one);
  record(one, event);
  table_.show(one, 2);
  table_.count(null);
  wait(null, event);
  EXPECT_FALSE(null.depends);
  wait(one, event);  // nor is the stream itself
  EXPECT_FALSE(one.depends.load() && one.follows.front().stream.get() == &one);
}

TEST_F(StreamTableTest, ARemovedStreamIsStillFollowed) {
  RemoteStream& b = add(Kind::kNonBlocking);
  RemoteStream& a = add(Kind::kNonBlocking);
  RemoteEvent event(1);
  record(a, event);
  const auto kept = event.where().first;
  wait(b, event);
  table_.remove(a.id);
  table_.show(b, 1);
  EXPECT_TRUE(kept->idle());
  table_.removeAll(0);
  EXPECT_TRUE(table_.now().waits().empty());
}

TEST_F(StreamTableTest, ANullStreamGoesOnCounting) {
  RemoteStream& null = table_.add(1, 0, Kind::kNull);
  table_.count(null);
  table_.count(null);
  table_.removeAll(0);
  table_.remove(1);
  RemoteStream& again = table_.add(1, 0, Kind::kNull);
  EXPECT_EQ(&again, &null);
  EXPECT_EQ(table_.count(again), 3u);
  EXPECT_TRUE(table_.show(1, 3));
  EXPECT_FALSE(table_.show(1, 4)) << "it never had that many";
}

TEST_F(StreamTableTest, AMomentIsEverythingSentBeforeIt) {
  RemoteStream& null = add(Kind::kNull);
  RemoteStream& blocking = add(Kind::kBlocking);
  RemoteStream& apart = add(Kind::kNonBlocking);
  RemoteStream& elsewhere = add(Kind::kNonBlocking, 1);
  EXPECT_TRUE(table_.now().passed());
  for (RemoteStream* stream : {&blocking, &apart, &elsewhere}) table_.count(*stream);
  EXPECT_EQ(table_.now().waits().size(), 3u);
  EXPECT_EQ(table_.now(0).waits().size(), 2u);
  const Moment ofNull = table_.now(null);  // it has nothing itself, but waits for the blocking one
  ASSERT_EQ(ofNull.waits().size(), 1u);
  EXPECT_EQ(ofNull.waits()[0].stream.get(), &blocking);
  const Moment ofApart = table_.now(apart);
  table_.count(apart);
  EXPECT_FALSE(ofApart.passed());
  table_.show(apart, 1);
  EXPECT_TRUE(ofApart.passed());
  EXPECT_FALSE(table_.now(apart).passed());
  const Moment all = table_.now();
  table_.show(all);
  EXPECT_TRUE(all.passed());
  for (const RemoteStream* stream : {&blocking, &apart, &elsewhere}) EXPECT_TRUE(stream->idle());
}

TEST_F(StreamTableTest, OnlyWhatWasPromisedIsPromised) {
  RemoteStream& a = add(Kind::kNonBlocking);
  RemoteStream& b = add(Kind::kNonBlocking);
  table_.count(a);
  table_.count(b);
  const Moment before = table_.now();
  EXPECT_FALSE(before.promised());
  a.promise(1);
  EXPECT_FALSE(before.promised());
  before.promise();
  EXPECT_TRUE(before.promised());
  EXPECT_FALSE(before.passed());
  table_.count(a);
  EXPECT_FALSE(table_.now().promised());
  EXPECT_TRUE(table_.now(b).promised());
  a.promise(1);  // a promise is not taken back
  before.promise();
  EXPECT_EQ(a.promised, 1u);
}

TEST_F(StreamTableTest, UploadsAtTheEndAreNotNoticeable) {
  RemoteStream& a = add(Kind::kNonBlocking);
  RemoteStream& b = add(Kind::kNonBlocking);
  table_.count(a, false);
  EXPECT_FALSE(table_.now(a).noticeable());
  table_.count(a);
  table_.count(a, false);
  EXPECT_TRUE(table_.now(a).noticeable());
  table_.show(a, 2);
  EXPECT_FALSE(table_.now(a).noticeable());
  // Behind an event of a stream that does something, waiting for an upload proves more than the upload.
  RemoteEvent event(1);
  record(b, event);
  wait(a, event);
  table_.show(a, 4);
  EXPECT_TRUE(b.idle());
  record(b, event);
  table_.count(a, false);
  table_.follow(a, event.where().first, event.where().second);
  EXPECT_TRUE(table_.now(a).noticeable());
  table_.show(b, 2);
}

TEST_F(StreamTableTest, AnEventIsWatchedOncePerRecord) {
  RemoteStream& a = add(Kind::kNonBlocking);
  RemoteEvent event(1);
  EXPECT_EQ(event.where().first, nullptr);
  record(a, event);
  EXPECT_TRUE(event.watch());
  EXPECT_FALSE(event.watch());
  record(a, event);
  EXPECT_TRUE(event.watch());
  EXPECT_EQ(event.where().first.get(), &a);
  EXPECT_EQ(event.where().second, 2u);
}

TEST_F(StreamTableTest, WhoWaitsForAnOperationIsTold) {
  RemoteStream& a = add(Kind::kNonBlocking);
  table_.count(a);
  table_.count(a);
  std::vector<int> told;
  const auto tell = [&](int who) { return [&told, who](bool lost) { told.push_back(lost ? -who : who); }; };
  table_.whenVisible(a.shared_from_this(), 1, tell(1));
  table_.whenVisible(a.shared_from_this(), 2, tell(2));
  EXPECT_TRUE(told.empty());
  table_.show(a, 1);
  EXPECT_EQ(told, std::vector{1});
  table_.whenVisible(a.shared_from_this(), 1, tell(3));
  EXPECT_EQ(told, (std::vector{1, 3})) << "at once when it is over";
  table_.loseAll();
  EXPECT_EQ(told, (std::vector{1, 3, -2}));
  table_.whenVisible(a.shared_from_this(), 2, tell(4));
  EXPECT_EQ(told, (std::vector{1, 3, -2, -4}));
}

TEST_F(StreamTableTest, OperationsThatTellTheTime) {
  RemoteStream& a = add(Kind::kNonBlocking);
  EXPECT_FALSE(table_.tellsTime());
  table_.tellTime(a, table_.count(a));
  EXPECT_TRUE(table_.tellsTime());
  EXPECT_FALSE(table_.awaitsWord());
  table_.show(a, 1);
  EXPECT_FALSE(table_.tellsTime());
}

}  // namespace
}  // namespace hipr::client
