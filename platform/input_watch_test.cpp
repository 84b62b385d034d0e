#include "platform/input_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace hipr::platform {
namespace {

using Ready = InputWatch::Ready;

class InputWatchTest : public ::testing::Test {
 protected:
  InputWatchTest() { EXPECT_TRUE(socketPair(ends_)); }
  ~InputWatchTest() override {
    for (const SocketHandle end : ends_) closeSocket(end);
  }
  void send() {
    const std::byte one{1};
    const std::span<const std::byte> part(&one, 1);
    EXPECT_EQ(sendParts(ends_[1], {&part, 1}, Patience::kWait).bytes, 1u);
  }
  void receive() {
    std::byte one{};
    const std::span<std::byte> room(&one, 1);
    EXPECT_EQ(receiveParts(ends_[0], {&room, 1}, Patience::kWait).bytes, 1u);
  }
  SocketHandle ends_[2];
};

TEST_F(InputWatchTest, TellsOfInputOnceUntilItIsWatchedAgain) {
  InputWatch watch(ends_[0]);
  EXPECT_EQ(watch.await(0), Ready::kTimeout);
  send();
  EXPECT_EQ(watch.await(5000), Ready::kInput);
  EXPECT_EQ(watch.await(20), Ready::kTimeout);  // somebody is seeing to it
  watch.watchAgain();
  EXPECT_EQ(watch.await(5000), Ready::kInput);  // nobody has
  receive();
  watch.watchAgain();
  EXPECT_EQ(watch.await(20), Ready::kTimeout);
}

TEST_F(InputWatchTest, AWakeBeforehandCounts) {
  InputWatch watch(ends_[0]);
  watch.wake();
  watch.wake();
  EXPECT_EQ(watch.await(5000), Ready::kWoken);
  EXPECT_EQ(watch.await(5000), Ready::kWoken);
  EXPECT_EQ(watch.await(0), Ready::kTimeout);
}

TEST_F(InputWatchTest, AWakeEndsAWait) {
  InputWatch watch(ends_[0]);
  std::thread waiter([&] { EXPECT_EQ(watch.await(-1), Ready::kWoken); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  watch.wake();
  waiter.join();
}

TEST_F(InputWatchTest, TheEndOfThePeerIsInput) {
  InputWatch watch(ends_[0]);
  shutdownSocket(ends_[1], Direction::kBoth);
  EXPECT_EQ(watch.await(5000), Ready::kInput);
}

TEST_F(InputWatchTest, EveryByteReachesExactlyOneOfManyThreads) {
  constexpr int kBytes = 300, kThreads = 4;
  InputWatch watch(ends_[0]);
  std::atomic<int> received{0}, inside{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      while (watch.await(-1) == Ready::kInput) {
        EXPECT_EQ(inside.fetch_add(1), 0);
        receive();
        inside.fetch_sub(1);
        ++received;
        watch.watchAgain();
      }
    });
  for (int i = 0; i < kBytes; ++i) send();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (received < kBytes && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_EQ(received, kBytes);
  for (int i = 0; i < kThreads; ++i) watch.wake();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace hipr::platform
