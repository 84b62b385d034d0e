// Connection, with a test at the other end that answers when it likes.
#include <pthread.h>

#include <algorithm>

#include "client/connection_fixture.h"

namespace hipr::client {
namespace {

TEST_F(ConnectionTest, WhoeverReadsAlsoReadsForTheOthers) {
  auto first = askAside();
  const std::uint32_t one = nextRequest();
  auto second = askAside();
  const std::uint32_t two = nextRequest();
  answer(two, 2);
  EXPECT_EQ(second.get(), 2);
  EXPECT_FALSE(ready(first, milliseconds(10)));
  answer(one, 1);
  EXPECT_EQ(first.get(), 1);
}

TEST_F(ConnectionTest, AReaderThatHasItsAnswerPassesReadingOn) {
  auto first = askAside();
  const std::uint32_t one = nextRequest();
  auto second = askAside();
  const std::uint32_t two = nextRequest();
  auto third = askAside();
  const std::uint32_t three = nextRequest();
  answer(one, 1);
  EXPECT_EQ(first.get(), 1);
  answer(three, 3);
  EXPECT_EQ(third.get(), 3);
  EXPECT_FALSE(ready(second, milliseconds(10)));
  answer(two, 2);
  EXPECT_EQ(second.get(), 2);
}

TEST_F(ConnectionTest, ManyThreadsGetTheirOwnAnswersInWhateverOrderTheyCome) {
  constexpr int kThreads = 6, kCalls = 2000;
  std::thread worker([&] {
    std::vector<std::uint32_t> open;
    for (int i = 0; i < kCalls; ++i) {
      open.push_back(nextRequest());
      // Sometimes two or three wait at once; towards the end there may be no more than one.
      if (open.size() < static_cast<std::size_t>(1 + i % 3) && i < kCalls - kThreads) continue;
      wire::Buffer out;
      for (; !open.empty(); open.pop_back()) appendAnswer(out, open.back(), static_cast<int>(open.back()));
      send(out.bytes());
    }
  });
  std::atomic<int> begun{0}, answered{0};
  std::mutex mutex;
  std::vector<int> seen;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      while (begun++ < kCalls) {
        int status = 0;
        answered += ask(&status);
        const std::lock_guard lock(mutex);
        seen.push_back(status);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  worker.join();
  EXPECT_EQ(answered, kCalls);
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end()) << "two threads got the same answer";
}

TEST_F(ConnectionTest, WhatIsExpectedIsReadThoughNobodyWaits) {
  auto call = askAside();  // the background rests after this
  answer(nextRequest(), 0);
  EXPECT_EQ(call.get(), 0);
  connection_->expect(1);
  push();
  EXPECT_TRUE(soon([&] { return pushes_ == 1; }));
  connection_->expect(-1);
  push();  // not expected, but nobody has waited for a while
  EXPECT_TRUE(soon([&] { return pushes_ == 2; }));
  std::promise<bool> told;
  connection_->send<Opcode::kStreamSynchronize>({1}, std::make_unique<Told>(told));
  answer(nextRequest(), 0);
  auto future = told.get_future();
  ASSERT_EQ(future.wait_for(seconds(20)), std::future_status::ready);
  EXPECT_TRUE(future.get());
}

// A program used to wait for what it asked for, and then does not.
TEST_F(ConnectionTest, WhatIsAskedForIsReadAlthoughWhoeverAskedUsedToWait) {
  constexpr int kWaits = 20;
  std::thread worker([this] {
    for (int i = 0; i < 2 * kWaits + 1; ++i) answer(nextRequest(), 0);
  });
  for (int i = 0; i <= kWaits; ++i) {
    std::promise<bool> told;
    connection_->send<Opcode::kStreamSynchronize>({1}, std::make_unique<Told>(told));
    int status = 1;
    if (i < kWaits) {
      EXPECT_TRUE(ask(&status));
    }
    auto future = told.get_future();
    EXPECT_EQ(future.wait_for(seconds(20)), std::future_status::ready) << i;
  }
  worker.join();
}

TEST_F(ConnectionTest, WhoeverJoinsAQuestionHearsItsAnswerToo) {
  for (int i = 0; i < 20; ++i) {
    std::promise<bool> told;
    const std::uint32_t asked = connection_->send<Opcode::kStreamSynchronize>({1}, std::make_unique<Told>(told));
    std::vector<std::future<int>> joined;
    for (int j = 0; j < 3; ++j)
      joined.push_back(std::async(std::launch::async, [&] {
        wire::Done done;
        const std::optional<bool> answered = connection_->join(asked, done);
        return !answered ? -2 : *answered ? done.status : -1;
      }));
    const std::uint32_t request = nextRequest();
    EXPECT_EQ(request, asked);
    ASSERT_TRUE(soon([&] { return stats_.joined == static_cast<std::uint64_t>(3 * (i + 1)); }));
    answer(request, 7);
    for (auto& future : joined) {
      ASSERT_TRUE(ready(future, seconds(20)));
      EXPECT_EQ(future.get(), 7);
    }
    EXPECT_TRUE(told.get_future().get());
    wire::Done done;
    EXPECT_FALSE(connection_->join(asked, done)) << "there is no such question any more";
  }
}

TEST_F(ConnectionTest, WhoeverJoinsAQuestionHearsOfALoss) {
  std::promise<bool> told;
  const std::uint32_t asked = connection_->send<Opcode::kStreamSynchronize>({1}, std::make_unique<Told>(told));
  auto joined = std::async(std::launch::async, [&] {
    wire::Done done;
    return connection_->join(asked, done) == std::optional(false);
  });
  ASSERT_TRUE(soon([&] { return stats_.joined == 1; }));
  worker_.reset();
  EXPECT_TRUE(joined.get());
  EXPECT_FALSE(told.get_future().get());
}

// A worker that lies can guess the number. Whoever asks then goes on where nobody waits for the answer any more.
TEST_F(ConnectionTest, AQuestionMayBeAnsweredBeforeItIsSent) {
  std::promise<bool> told;
  auto future = told.get_future();
  std::uint32_t number = 0;
  const std::uint32_t asked =
      connection_->send<Opcode::kStreamSynchronize>({1}, std::make_unique<Told>(told), [&](std::uint32_t request) {
        number = request;
        answer(request, 0);
        EXPECT_EQ(future.wait_for(seconds(20)), std::future_status::ready);
      });
  EXPECT_EQ(number, asked);
  EXPECT_TRUE(future.get());
}

TEST_F(ConnectionTest, PollTakesInWhatHasArrived) {
  constexpr int kTimes = 40;
  int atOnce = 0;
  for (int i = 1; i <= kTimes; ++i) {
    auto call = askAside();
    wire::Buffer out;
    appendAnswer(out, nextRequest(), 0);
    append(out, Opcode::kProgress, 0, 0, wire::Progress{1, 1});
    send(out.bytes());
    EXPECT_EQ(call.get(), 0);
    connection_->poll();
    atOnce += pushes_ == i;
    ASSERT_TRUE(soon([&] { return pushes_ == i; }));
  }
  EXPECT_GT(atOnce, kTimes / 2);  // the background thread may have been about to
}

TEST_F(ConnectionTest, ALossWakesEverybodyAndIsSaidOnce) {
  std::vector<std::future<int>> waiting;
  for (int i = 0; i < 5; ++i) waiting.push_back(askAside());
  std::promise<bool> told, late;
  connection_->send<Opcode::kStreamSynchronize>({1}, std::make_unique<Told>(told));
  for (int i = 0; i < 6; ++i) (void)nextRequest();
  worker_.reset();
  for (auto& future : waiting) {
    ASSERT_TRUE(ready(future, seconds(20)));
    EXPECT_EQ(future.get(), -1);
  }
  EXPECT_FALSE(told.get_future().get());
  EXPECT_FALSE(connection_->alive());
  EXPECT_EQ(losses_, 1);
  EXPECT_NE(loss_.find("gpu:1"), std::string::npos) << loss_;
  EXPECT_FALSE(ask());  // everything later fails at once
  connection_->send<Opcode::kStreamSynchronize>({1}, std::make_unique<Told>(late));
  EXPECT_FALSE(late.get_future().get());
  EXPECT_EQ(losses_, 1);
}

// Whoever finds that out is not told of a loss by anybody else.
TEST_F(ConnectionTest, AnAnswerThatMakesNoSenseIsALossAndTheMemoryRests) {
  std::future<int> asked = askAside();
  const std::uint32_t request = nextRequest();
  wire::Buffer out;
  append(out, Opcode::kStreamSynchronize, request, wire::HIP_REMOTE_FLAG_REPLY, wire::Progress{1, 1});
  send(out.bytes());
  EXPECT_EQ(asked.get(), -1);
  EXPECT_NE(loss_.find("malformed answer"), std::string::npos) << loss_;
  EXPECT_GE(rests_, 1);
}

TEST_F(ConnectionTest, StoppingIsNoLoss) {
  connection_->stop();
  EXPECT_EQ(losses_, 0);
  EXPECT_FALSE(ask());
}

TEST_F(ConnectionTest, DataGoesToItsPlace) {
  std::vector<std::byte> image(8 * 100);
  BulkDownload download;
  download.to = {image.data(), 100, 800, 30, 8, 1};
  connection_->addDownload(7, download);
  EXPECT_TRUE(connection_->transferring());
  auto call = askAside();
  const std::uint32_t request = nextRequest();
  std::vector<std::byte> bytes(8 * 30);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i + 1);
  sendData(7, 0, wire::Bytes(bytes).first(100), 100);
  sendData(7, 100, wire::Bytes(bytes).subspan(100), 140);
  answer(request, 0);
  EXPECT_EQ(call.get(), 0);
  for (std::size_t y = 0; y < 8; ++y) {
    EXPECT_EQ(std::memcmp(&image[y * 100], &bytes[y * 30], 30), 0) << y;
    EXPECT_EQ(image[y * 100 + 30], std::byte{});
  }
  connection_->removeDownload(7);
  EXPECT_FALSE(connection_->transferring());
}

TEST_F(ConnectionTest, DataOutsideItsDownloadEndsTheConnection) {
  std::vector<std::byte> to(64), bytes(65);
  BulkDownload download;
  download.to = {to.data(), 64, 64, 64};
  connection_->addDownload(7, download);
  auto call = askAside();
  (void)nextRequest();
  sendData(7, 0, bytes, bytes.size());
  EXPECT_EQ(call.get(), -1);
  EXPECT_NE(loss_.find("outside"), std::string::npos) << loss_;
}

TEST_F(ConnectionTest, MoreDataThanAFrameMayHaveEndsTheConnection) {
  std::vector<std::byte> to(wire::kMaxDataChunk + 1);
  BulkDownload download;
  download.to = {to.data(), to.size(), to.size(), to.size()};
  connection_->addDownload(7, download);
  auto call = askAside();
  (void)nextRequest();
  sendData(7, 0, {}, to.size());
  EXPECT_EQ(call.get(), -1);
  EXPECT_NE(loss_.find("no sensible size"), std::string::npos) << loss_;
}

// Whose call has failed may free its memory, although another thread was reading into it.
class InterruptedDownloadTest : public ConnectionTest {
 protected:
  InterruptedDownloadTest() {
    download_.to = {to_.data(), to_.size(), to_.size(), to_.size()};
    connection_->addDownload(7, download_);
    reader_ = askAside();
    (void)nextRequest();
    gate_.close();
    sendData(7, 0, wire::Bytes(bytes_).first(kBegun), bytes_.size());
  }
  ~InterruptedDownloadTest() override {
    gate_.open();
    connection_->stop();
  }

  static constexpr std::size_t kBegun = 4096;

  std::vector<std::byte> to_ = std::vector<std::byte>(wire::kMaxDataChunk), bytes_ = to_;
  BulkDownload download_;
  std::future<int> reader_;
};

TEST_F(InterruptedDownloadTest, ALossIsToldWhenNobodyWritesAnyMore) {
  auto owner = askAside();
  (void)nextRequest();
  ASSERT_TRUE(gate_.awaitSomebody());
  auto loser = std::async(std::launch::async, [this] { connection_->lose(Status::unavailable("cut")); });
  EXPECT_FALSE(ready(owner, milliseconds(300)));
  gate_.open();
  EXPECT_EQ(owner.get(), -1);
  EXPECT_EQ(reader_.get(), -1);
  loser.get();
}

// A program that frees memory asks first; where nobody answers any more it goes on at once.
TEST_F(InterruptedDownloadTest, WhoeverAsksAfterALossIsToldWhenNobodyWritesAnyMore) {
  ASSERT_TRUE(gate_.awaitSomebody());
  auto loser = std::async(std::launch::async, [this] { connection_->lose(Status::unavailable("cut")); });
  ASSERT_TRUE(soon([this] { return !connection_->alive(); }));
  auto later = askAside();
  EXPECT_FALSE(ready(later, milliseconds(300)));
  gate_.open();
  EXPECT_EQ(later.get(), -1);
  EXPECT_EQ(reader_.get(), -1);
  loser.get();
}

// Nor, where it is given back without a question, before that.
TEST_F(InterruptedDownloadTest, AfterALossItsMemoryRestsWhenNobodyWritesAnyMore) {
  ASSERT_TRUE(gate_.awaitSomebody());
  auto loser = std::async(std::launch::async, [this] { connection_->lose(Status::unavailable("cut")); });
  ASSERT_TRUE(soon([this] { return !connection_->alive(); }));
  auto resting = std::async(std::launch::async, [this] {
    connection_->rest();
    return 0;
  });
  EXPECT_FALSE(ready(resting, milliseconds(300)));
  gate_.open();
  EXPECT_EQ(resting.get(), 0);
  EXPECT_EQ(reader_.get(), -1);
  loser.get();
}

TEST_F(InterruptedDownloadTest, ADownloadIsOverWhenNobodyWritesAnyMore) {
  ASSERT_TRUE(gate_.awaitSomebody());
  auto owner = std::async(std::launch::async, [this] { return connection_->removeDownload(7) ? 1 : 0; });
  EXPECT_FALSE(ready(owner, milliseconds(300)));
  gate_.open();
  send(wire::Bytes(bytes_).subspan(kBegun));
  EXPECT_EQ(owner.get(), 1);
}

TEST_F(ConnectionTest, AThreadCancelledWhileItWaitsLeavesTheConnectionWhole) {
  std::promise<pthread_t> self;
  std::atomic<bool> returned{false};
  std::thread victim([&] {
    self.set_value(pthread_self());
    (void)ask();
    returned = true;
    pthread_testcancel();
  });
  const pthread_t thread = self.get_future().get();
  const std::uint32_t one = nextRequest();
  std::this_thread::sleep_for(milliseconds(50));  // now it reads
  pthread_cancel(thread);
  auto other = askAside();
  answer(nextRequest(), 7);
  EXPECT_EQ(other.get(), 7);
  EXPECT_FALSE(returned);
  answer(one, 1);
  victim.join();
  EXPECT_TRUE(returned);  // cancelled, but not before its answer was there
  EXPECT_TRUE(connection_->alive());
}

TEST_F(ConnectionTest, AMessageThatDripsEndsTheConnectionInTime) {
  Stats stats;
  auto ends = net::loopback();
  Connection impatient(std::move(ends.first), "gpu:2", 1, stats);
  std::string why;
  impatient.start([](Opcode, wire::Bytes) { return true; }, [&](const std::string& text) { why = text; });
  auto call = std::async(std::launch::async, [&] {
    wire::Done done;
    return impatient.call<Opcode::kStreamSynchronize>({1}, done);
  });
  wire::Buffer out;
  appendAnswer(out, 1, 0);
  const auto start = Clock::now();
  for (const std::byte byte : out.bytes()) {
    if (!ends.second->send({&byte, 1}).ok()) break;
    std::this_thread::sleep_for(milliseconds(200));
  }
  EXPECT_FALSE(call.get());
  EXPECT_LT(Clock::now() - start, seconds(5));
  EXPECT_NE(why.find("whole"), std::string::npos) << why;
}

class ImpatientConnectionTest : public ConnectionTest {
 protected:
  ImpatientConnectionTest() : ConnectionTest(1) {}
  void expectLossInTime(std::future<int>& call, Clock::time_point since) {
    ASSERT_TRUE(ready(call, seconds(20)));
    EXPECT_EQ(call.get(), -1);
    EXPECT_GE(Clock::now() - since, milliseconds(800));
    EXPECT_LT(Clock::now() - since, seconds(5));
    EXPECT_NE(loss_.find("TF_IO_TIMEOUT"), std::string::npos) << loss_;
  }
  void stall(std::size_t size) {
    std::vector<std::byte> to(size), half(size / 2);
    BulkDownload download;
    download.to = {to.data(), size, size, size};
    connection_->addDownload(7, download);
    auto call = askAside();
    (void)nextRequest();
    sendData(7, 0, half, size);
    expectLossInTime(call, Clock::now());
  }
};

TEST_F(ImpatientConnectionTest, SilenceEndsTheConnection) {
  auto call = askAside();
  (void)nextRequest();
  expectLossInTime(call, Clock::now());
}

TEST_F(ImpatientConnectionTest, ASmallDownloadThatStallsEndsTheConnection) {
  stall(1000);
}

TEST_F(ImpatientConnectionTest, ALargeDownloadThatStallsEndsTheConnection) {
  stall(1 << 20);  // straight to its place, past the read buffer
}

TEST_F(ImpatientConnectionTest, AnsweringPingsIsEnough) {
  auto call = askAside();
  const std::uint32_t request = nextRequest();
  const auto until = Clock::now() + seconds(3);
  while (Clock::now() < until) {
    EXPECT_EQ(nextRequest(), 0u);  // a Ping
    wire::Buffer out;
    append(out, Opcode::kPing, 0, wire::HIP_REMOTE_FLAG_REPLY, wire::Ping{});
    send(out.bytes());
  }
  answer(request, 5);
  EXPECT_EQ(call.get(), 5);
}

}  // namespace
}  // namespace hipr::client
