#include "net/transport.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "net/socket_transport.h"

namespace hipr::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;
using Ready = Transport::Ready;
using Patience = Transport::Patience;

class TransportTest : public ::testing::Test {
 protected:
  static std::vector<std::byte> bytes(std::size_t size, int seed = 1) {
    std::vector<std::byte> out(size);
    for (std::size_t i = 0; i < size; ++i)
      out[i] = static_cast<std::byte>((i * 7 + static_cast<std::size_t>(seed)) >> 2);
    return out;
  }
  static std::vector<std::byte> receive(Transport& from, std::size_t size) {
    std::vector<std::byte> out(size);
    for (std::size_t at = 0; at < size;) {
      const Transport::Room room(out.data() + at, size - at);
      std::size_t got = 0;
      const Status status = from.receive({&room, 1}, Patience::kWait, &got);
      if (!status.ok() || got == 0) {
        ADD_FAILURE() << "after " << at << " bytes: " << status.message();
        break;
      }
      at += got;
    }
    return out;
  }
  // What receive() says when there is room for one byte.
  static Status receiveOne(Transport& from, Patience patience, std::size_t* got) {
    std::byte one;
    const Transport::Room room(&one, 1);
    return from.receive({&room, 1}, patience, got);
  }

  std::pair<TransportPtr, TransportPtr> ends_ = loopback();
  Transport& near_ = *ends_.first;
};

TEST_F(TransportTest, SendsEverythingInOrderBothWays) {
  const auto large = bytes(5 << 20), reply = bytes(3 << 20, 9);
  std::thread peer([&] {
    EXPECT_EQ(receive(*ends_.second, large.size()), large);
    EXPECT_TRUE(ends_.second->send(reply).ok());
  });
  const Transport::Part parts[] = {Transport::Part(large).first(1),
                                   {},
                                   Transport::Part(large).subspan(1, 1000),
                                   Transport::Part(large).subspan(1001)};
  EXPECT_TRUE(near_.send(parts).ok());
  EXPECT_EQ(receive(near_, reply.size()), reply);
  peer.join();
}

TEST_F(TransportTest, FillsOneRoomAfterTheOther) {
  const auto sent = bytes(10);
  ASSERT_TRUE(ends_.second->send(sent).ok());
  std::vector<std::byte> first(3), second(100);
  const Transport::Room rooms[] = {first, second};
  std::size_t got = 0;
  ASSERT_TRUE(near_.receive(rooms, Patience::kWait, &got).ok());
  ASSERT_EQ(got, 10u);
  first.insert(first.end(), second.begin(), second.begin() + 7);
  EXPECT_EQ(first, sent);
}

TEST_F(TransportTest, TrySendTakesWhatThereIsRoomForAndNeverWaits) {
  const auto large = bytes(64 << 20);
  std::size_t sent = 0;
  for (;;) {
    std::size_t taken = 99;
    ASSERT_TRUE(near_.trySend(Transport::Part(large).subspan(sent), &taken).ok());
    if (taken == 0) break;
    sent += taken;
  }
  EXPECT_GT(sent, 0u);
  ASSERT_LT(sent, large.size());
  EXPECT_EQ(receive(*ends_.second, sent),
            std::vector<std::byte>(large.begin(), large.begin() + static_cast<long>(sent)));
  std::size_t taken = 0;
  ASSERT_TRUE(near_.trySend(Transport::Part(large).first(100), &taken).ok());
  EXPECT_EQ(taken, 100u);
}

TEST_F(TransportTest, WaitsAsLongAsItMay) {
  std::size_t got = 99;
  EXPECT_TRUE(receiveOne(near_, Patience::kNone, &got).ok());
  EXPECT_EQ(got, 0u);
  near_.setTimeout(100);
  auto start = Clock::now();
  got = 99;
  EXPECT_TRUE(receiveOne(near_, Patience::kWait, &got).ok());
  EXPECT_EQ(got, 0u);
  EXPECT_GE(Clock::now() - start, milliseconds(90));
  near_.setTimeout(0);  // for ever
  std::thread later([&] {
    std::this_thread::sleep_for(milliseconds(200));
    EXPECT_TRUE(ends_.second->send(bytes(1)).ok());
  });
  start = Clock::now();
  EXPECT_TRUE(receiveOne(near_, Patience::kWait, &got).ok());
  EXPECT_EQ(got, 1u);
  EXPECT_GE(Clock::now() - start, milliseconds(150));
  later.join();
}

TEST_F(TransportTest, APeerThatIsGoneIsAFailureBehindWhatItSent) {
  ASSERT_TRUE(ends_.second->send(bytes(1)).ok());
  ends_.second->finishSending();
  std::size_t got = 0;
  EXPECT_TRUE(receiveOne(near_, Patience::kWait, &got).ok());
  EXPECT_EQ(got, 1u);
  EXPECT_FALSE(receiveOne(near_, Patience::kWait, &got).ok());
  EXPECT_FALSE(receiveOne(near_, Patience::kNone, &got).ok());
  EXPECT_TRUE(near_.send(bytes(1)).ok());  // it has only finished sending
  ends_.second.reset();
  std::size_t taken = 0;
  EXPECT_FALSE(near_.trySend(bytes(1), &taken).ok());
  EXPECT_FALSE(near_.send(bytes(1)).ok());
}

TEST_F(TransportTest, ShutdownWakesEverybody) {
  std::thread receiver([&] {
    std::size_t got = 0;
    EXPECT_FALSE(receiveOne(near_, Patience::kWait, &got).ok());
  });
  std::thread sender([&] { EXPECT_FALSE(near_.send(bytes(64 << 20)).ok()); });
  std::this_thread::sleep_for(milliseconds(50));
  near_.shutdown();
  receiver.join();
  sender.join();
  EXPECT_EQ(near_.await(20000), Ready::kInput);  // the end is something to receive
}

// --- taking turns

TEST_F(TransportTest, AwaitSaysWhy) {
  const auto start = Clock::now();
  EXPECT_EQ(near_.await(50), Ready::kTimeout);
  EXPECT_GE(Clock::now() - start, milliseconds(45));
  near_.wake();
  near_.wake();  // both count, though nobody awaits
  EXPECT_EQ(near_.await(20000), Ready::kWoken);
  EXPECT_EQ(near_.await(20000), Ready::kWoken);
  EXPECT_EQ(near_.await(0), Ready::kTimeout);
  ASSERT_TRUE(ends_.second->send(bytes(2)).ok());
  EXPECT_EQ(near_.await(20000), Ready::kInput);
  EXPECT_EQ(near_.await(20), Ready::kTimeout);  // told once
  near_.watchAgain();
  EXPECT_EQ(near_.await(20000), Ready::kInput);  // it is still there
  (void)receive(near_, 2);
  near_.watchAgain();
  EXPECT_EQ(near_.await(20), Ready::kTimeout);
  ends_.second.reset();
  EXPECT_EQ(near_.await(20000), Ready::kInput);
}

TEST_F(TransportTest, ExactlyOneThreadGetsInput) {
  constexpr int kThreads = 6, kRounds = 300;
  (void)near_.await(0);
  std::atomic<int> reading{0}, most{0}, received{0};
  std::atomic<bool> ending{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (;;) {
        const Ready ready = near_.await(-1);
        if (ending) return;
        if (ready != Ready::kInput) continue;
        const int now = ++reading;
        most = std::max<int>(most, now);
        std::size_t got = 0;
        EXPECT_TRUE(receiveOne(near_, Patience::kNone, &got).ok());
        EXPECT_EQ(got, 1u) << "told of input that is not there";
        received += static_cast<int>(got);
        --reading;
        near_.watchAgain();
      }
    });
  }
  for (int i = 0; i < kRounds; ++i) {
    ASSERT_TRUE(ends_.second->send(bytes(1)).ok());
    if (i % 3) continue;
    near_.wake();
    std::this_thread::yield();
  }
  const auto patience = Clock::now() + seconds(20);
  while (received < kRounds && Clock::now() < patience) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(received, kRounds);
  EXPECT_EQ(most, 1);
  ending = true;
  for (int i = 0; i < kThreads; ++i) near_.wake();
  for (std::thread& thread : threads) thread.join();
}

TEST_F(TransportTest, AWakeReachesAThreadWhileInputBelongsToAnother) {
  ASSERT_TRUE(ends_.second->send(bytes(1)).ok());
  ASSERT_EQ(near_.await(20000), Ready::kInput);  // this thread reads, and takes its time
  std::atomic<int> woken{0}, told{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] { ++(near_.await(20000) == Ready::kWoken ? woken : told); });
  }
  std::this_thread::sleep_for(milliseconds(30));
  EXPECT_EQ(told, 0);
  for (std::size_t i = 0; i < threads.size(); ++i) near_.wake();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(woken, 3);
  EXPECT_EQ(told, 0);
}

}  // namespace
}  // namespace hipr::net
