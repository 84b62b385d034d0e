// Two sides with threads of their own: neither waits for the other for good, and a flag never comes before its data.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <future>
#include <thread>

#include "base/pause.h"
#include "mirror/heartbeat.h"
#include "mirror/test_side.h"
#include "mirror/words.h"
#include "tests/fuzz/mutate.h"

namespace hipr::mirror {
namespace {

// A connection that takes only so much: who sends more waits until the other side has read.
class Pipe {
 public:
  explicit Pipe(std::size_t room) : room_(room) {}

  void send(Parcel parcel) {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return held_ < room_ || closed_; });
    --waiting_;
    held_ += parcel.bytes.size() + parcel.runs.size();
    parcels_.push_back(std::move(parcel));
    changed_.notify_all();
  }
  bool receive(Parcel& parcel) {  // false when closed
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !parcels_.empty() || closed_; });
    if (parcels_.empty()) return false;
    parcel = std::move(parcels_.front());
    parcels_.pop_front();
    held_ -= parcel.bytes.size() + parcel.runs.size();
    changed_.notify_all();
    return true;
  }
  void waitUntilSomebodyWaits() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return held_ >= room_ && waiting_; });
  }
  void close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  const std::size_t room_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Parcel> parcels_;
  std::size_t held_ = 0;
  int waiting_ = 0;
  bool closed_ = false;
};

struct LiveSide {
  explicit LiveSide(Pipe& out) : side([&out](Parcel parcel) { out.send(std::move(parcel)); }) {}
  void read(Pipe& in) {
    reader = std::thread([this, &in] {
      for (Parcel parcel; in.receive(parcel);) EXPECT_TRUE(side.mirror.apply(parcel.message()));
    });
  }
  TestSide side;
  std::thread reader;
};

class Live : public ::testing::Test {
 protected:
  Live() : a(toB), b(toA) {}
  void startReading() {
    a.read(toA);
    b.read(toB);
  }
  ~Live() override {
    toA.close();
    toB.close();
    a.reader.join();
    b.reader.join();
  }
  Pipe toA{64 << 10}, toB{64 << 10};
  LiveSide a, b;
};

TEST_F(Live, ManyChangesOnBothSidesAtOnceDoNotStallEachOther) {
  constexpr std::size_t kSize = 32 << 20;
  std::byte *atA = a.side.add(1, kSize), *atB = b.side.add(1, kSize);
  for (std::size_t i = 0; i < kSize; ++i) (i / 4096 % 2 ? atA : atB)[i] = static_cast<std::byte>(1 + i % 251);
  auto senders = {std::async(std::launch::async, [&] { a.side.mirror.send(); }),
                  std::async(std::launch::async, [&] { b.side.mirror.send(); })};
  // Both connections are full, both senders wait. Whatever they hold now, the readers must be able to do without.
  toA.waitUntilSomebodyWaits();
  toB.waitUntilSomebodyWaits();
  startReading();
  for (auto& sender : senders) {
    if (sender.wait_for(std::chrono::seconds(60)) == std::future_status::ready) continue;
    std::fputs("both sides wait for each other\n", stderr);
    std::_Exit(1);
  }
  for (;;) {  // both have handed over everything; wait until it has arrived
    if (!differs(atA, atB, kSize)) break;
    std::this_thread::yield();
  }
  for (std::size_t i = 0; i < kSize; i += 997) {
    ASSERT_EQ(loadWord(atA + i, 1), 1 + i % 251);
    ASSERT_EQ(loadWord(atB + i, 1), 1 + i % 251);
  }
}

// Atomic, as a program and a kernel that talk to each other must write; of any size and place.
void put(std::byte* at, std::uint64_t value) {
  __atomic_store_n(unitAt<std::uint64_t>(at), value, __ATOMIC_RELEASE);
}
std::uint64_t get(const std::byte* at) {
  return __atomic_load_n(unitAt<std::uint64_t>(at), __ATOMIC_ACQUIRE);
}

// Both sides wait for each other in turn, thousands of times; data of all shapes goes along.
TEST_F(Live, AFlagNeverComesBeforeItsData) {
  constexpr std::size_t kWords = 16 << 10, kRounds = 600;
  constexpr std::size_t kFlag[2] = {0, 500 * kWord};
  constexpr std::size_t kData = 1000 * kWord;  // shared by both in turn; a flag on either side of it, and one elsewhere
  std::byte* memory[2][2];
  for (const std::uint64_t number : {1, 2}) {
    memory[0][number - 1] = a.side.add(number, kWords * kWord);
    memory[1][number - 1] = b.side.add(number, kWords * kWord);
  }
  startReading();
  std::atomic<bool> over{false}, wrong{false};
  Heartbeat beatA([&] { return !over; }, [&] { return a.side.mirror.exchange(); });
  Heartbeat beatB([&] { return !over; }, [&] { return b.side.mirror.exchange(); });
  beatA.start();
  beatB.start();

  const auto player = [&](int me) {
    fuzz::Random random(77);  // the same on both sides: they agree on shapes without talking
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      const bool writes = static_cast<int>(round % 2) == me;
      const std::uint64_t region = random.next() % 2, flagRegion = random.next() % 2;
      const std::uint64_t stride = 1 + (random.next() % 3 ? 0 : random.next() % 40);
      const std::uint64_t count = 1 + random.next() % (std::uint64_t{1} << (random.next() % 13));
      const std::size_t first = kData + random.next() % 100 * kWord;
      std::byte* flag = memory[me][flagRegion] + kFlag[round % 2];
      if (!writes) {
        while (get(flag) != round && !wrong) std::this_thread::yield();
        if (wrong) return;
      }
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::size_t at = first + i * stride * kWord;
        if (at + kWord > kWords * kWord) break;
        const std::uint64_t value = round * 0x0001000200030007 + i;
        if (writes) {
          put(memory[me][region] + at, value);
        } else if (const std::uint64_t got = get(memory[me][region] + at); got != value) {
          wrong = true;
          FAIL() << "round " << round << ", word " << i << " of " << count << ": " << got << " is not " << value;
        }
      }
      if (writes) put(flag, round);
    }
  };
  std::thread other([&] { player(1); });
  player(0);
  other.join();
  over = true;
}

TEST(Heartbeat, BeatsOnlyWhileItIsWanted) {
  using namespace std::chrono_literals;
  std::atomic<int> steps{0};
  std::atomic<bool> wanted{false};
  Heartbeat beat([&] { return wanted.load(); }, [&] { return ++steps, false; });
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(steps, 0) << "never started";
  beat.start();
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(steps, 0) << "not wanted";
  for (int i = 0; i < 3; ++i) {
    const int before = steps;
    wanted = true;
    beat.start();
    while (steps < before + 3) std::this_thread::yield();
    wanted = false;
    std::this_thread::sleep_for(20ms);
    const int after = steps;
    std::this_thread::sleep_for(5ms);
    EXPECT_EQ(steps, after) << "no longer wanted";
  }
}

}  // namespace
}  // namespace hipr::mirror
