// Connection, with a test at the other end that answers when it likes.
#include "client/connection.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <future>

#include "net/socket_transport.h"

namespace hipr::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using wire::Opcode;
using Clock = std::chrono::steady_clock;

class ConnectionTest : public ::testing::Test {
 protected:
  explicit ConnectionTest(int ioTimeout = 20) {
    auto ends = net::loopback();
    worker_ = std::move(ends.second);
    worker_->setTimeout(20000);
    connection_ = std::make_unique<Connection>(wrap(std::move(ends.first)), "gpu:1", ioTimeout, stats_);
    connection_->start(
        [this](Opcode, wire::Bytes) {
          ++pushes_;
          return true;
        },
        [this](const std::string& why) {
          ++losses_;
          loss_ = why;
        });
  }

  // --- the program
  bool ask(int* status = nullptr) {
    wire::Done done;
    const bool answered = connection_->call<Opcode::kStreamSynchronize>({1}, done);
    if (status) *status = done.status;
    return answered;
  }
  // In a thread of its own; the status of the answer, or -1 when the connection was lost.
  std::future<int> askAside() {
    return std::async(std::launch::async, [this] {
      int status = 0;
      return ask(&status) ? status : -1;
    });
  }
  struct Told : Pending {
    explicit Told(std::promise<bool>& p) : promise(p) {}
    void answered(wire::Bytes reply) override { promise.set_value(reply.data() != nullptr); }
    std::promise<bool>& promise;
  };
  static bool ready(const std::future<int>& future, milliseconds patience) {
    return future.wait_for(patience) == std::future_status::ready;
  }

  // --- the worker
  template <class Message>
  static void append(wire::Buffer& out, Opcode opcode, std::uint32_t request, std::uint32_t flags,
                     const Message& message) {
    const std::size_t start = out.size();
    out.extend(wire::kHeaderSize);
    wire::BasicWriter<wire::Buffer>(out).put(message);
    wire::encodeHeader({.opcode = static_cast<std::uint16_t>(opcode),
                        .request = request,
                        .flags = flags,
                        .length = out.size() - start - wire::kHeaderSize},
                       out.data() + start);
  }
  static void appendAnswer(wire::Buffer& out, std::uint32_t request, int status) {
    append(out, Opcode::kStreamSynchronize, request, wire::HIP_REMOTE_FLAG_REPLY, wire::Done{status});
  }
  void answer(std::uint32_t request, int status) {
    wire::Buffer out;
    appendAnswer(out, request, status);
    send(out.bytes());
  }
  void push() {
    wire::Buffer out;
    append(out, Opcode::kProgress, 0, 0, wire::Progress{1, 1});
    send(out.bytes());
  }
  void sendData(std::uint64_t transfer, std::uint64_t offset, wire::Bytes bytes, std::size_t promised) {
    std::vector<std::byte> frame(wire::kHeaderSize + wire::kDataPrefix);
    wire::encodeHeader({.opcode = static_cast<std::uint16_t>(Opcode::kData), .length = wire::kDataPrefix + promised},
                       frame.data());
    const std::uint64_t prefix[2] = {transfer, offset};
    std::memcpy(frame.data() + wire::kHeaderSize, prefix, sizeof prefix);
    frame.insert(frame.end(), bytes.begin(), bytes.end());
    send(frame);
  }
  void send(wire::Bytes bytes) { EXPECT_TRUE(worker_->send(bytes).ok()); }
  void receive(std::span<std::byte> out) {
    while (!out.empty()) {
      std::size_t got = 0;
      ASSERT_TRUE(worker_->receive({&out, 1}, net::Transport::Patience::kWait, &got).ok());
      ASSERT_GT(got, 0u) << "the client says nothing";
      out = out.subspan(got);
    }
  }
  std::uint32_t nextRequest() {  // of the next message
    std::byte head[wire::kHeaderSize];
    receive(head);
    wire::Header header;
    EXPECT_TRUE(wire::decodeHeader(head, header));
    std::vector<std::byte> payload(header.length);
    receive(payload);
    return header.request;
  }

  template <class Condition>
  static bool soon(Condition condition) {
    const auto patience = Clock::now() + seconds(20);
    while (!condition() && Clock::now() < patience) std::this_thread::sleep_for(milliseconds(1));
    return condition();
  }

  // A thread that receives straight into a program's memory is stopped in the middle of it while this is closed.
  class Gate {
   public:
    void close() { state_ = kClosed; }
    void open() {
      state_ = kOpen;
      state_.notify_all();
    }
    bool awaitSomebody() {
      return soon([this] { return state_ == kSomebody; });
    }
    void pass() {
      int closed = kClosed;
      if (!state_.compare_exchange_strong(closed, kSomebody)) return;
      state_.wait(kSomebody);
    }

   private:
    enum State { kOpen, kClosed, kSomebody };
    std::atomic<int> state_{kOpen};
  };
  class Gated : public net::Transport {
   public:
    Gated(net::TransportPtr inner, Gate& gate) : inner_(std::move(inner)), gate_(gate) {}
    Status send(std::span<const Part> parts) override { return inner_->send(parts); }
    Status trySend(Part bytes, std::size_t* taken) override { return inner_->trySend(bytes, taken); }
    Status receive(std::span<const Room> rooms, Patience patience, std::size_t* got) override {
      if (!rooms.empty() && rooms[0].size() > kStraight) gate_.pass();
      return inner_->receive(rooms, patience, got);
    }
    void setTimeout(int milliseconds) override { inner_->setTimeout(milliseconds); }
    void finishSending() override { inner_->finishSending(); }
    void shutdown() override { inner_->shutdown(); }
    Ready await(int milliseconds) override { return inner_->await(milliseconds); }
    bool watchAgain() override { return inner_->watchAgain(); }
    void wake() override { inner_->wake(); }
    std::string peer() const override { return inner_->peer(); }
    const char* kind() const override { return inner_->kind(); }

   private:
    static constexpr std::size_t kStraight = 512 << 10;  // the read buffer is smaller
    net::TransportPtr inner_;
    Gate& gate_;
  };
  net::TransportPtr wrap(net::TransportPtr inner) { return std::make_unique<Gated>(std::move(inner), gate_); }

  Gate gate_;
  Stats stats_;
  net::TransportPtr worker_;
  std::atomic<int> pushes_{0}, losses_{0};
  std::string loss_;
  std::unique_ptr<Connection> connection_;
};

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
  connection_->send<Opcode::kStreamSynchronize>({1}, std::make_unique<Told>(told), [] {});
  answer(nextRequest(), 0);
  auto future = told.get_future();
  ASSERT_EQ(future.wait_for(seconds(20)), std::future_status::ready);
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
  connection_->send<Opcode::kStreamSynchronize>({1}, std::make_unique<Told>(told), [] {});
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
  connection_->send<Opcode::kStreamSynchronize>({1}, std::make_unique<Told>(late), [] {});
  EXPECT_FALSE(late.get_future().get());
  EXPECT_EQ(losses_, 1);
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
