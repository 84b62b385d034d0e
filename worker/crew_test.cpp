#include "worker/crew.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <set>

#include "net/socket_transport.h"

namespace hipr::worker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class CrewTest : public ::testing::Test {
 protected:
  CrewTest() { (void)ends_.first->await(0); }
  static SeriesPtr newSeries() { return std::make_shared<Series>(); }
  void send(char byte) { ASSERT_TRUE(ends_.second->send(std::as_bytes(std::span(&byte, 1))).ok()); }
  char receive() {
    char byte = 0;
    const net::Transport::Room room = std::as_writable_bytes(std::span(&byte, 1));
    std::size_t got = 0;
    EXPECT_TRUE(ends_.first->receive({&room, 1}, net::Transport::Patience::kNone, &got).ok());
    return got ? byte : '-';
  }
  static Crew::Delay never() { return Crew::kNever; }

  std::pair<net::TransportPtr, net::TransportPtr> ends_ = net::loopback();
};

TEST_F(CrewTest, SeriesDoNotWaitForEachOther) {
  Crew crew(*ends_.first, never, never);
  constexpr int kSeries = 20;
  // Each waits for the one added after it.
  std::vector<std::promise<void>> reached(kSeries + 1);
  std::atomic<int> passed{0};
  for (int i = 0; i < kSeries; ++i) {
    crew.add(newSeries(), [&, i] {
      if (reached[i + 1].get_future().wait_for(seconds(20)) == std::future_status::ready) ++passed;
      reached[i].set_value();
    });
  }
  EXPECT_EQ(passed, 0);
  reached[kSeries].set_value();
  EXPECT_EQ(reached[0].get_future().wait_for(seconds(20)), std::future_status::ready);
  EXPECT_EQ(passed, kSeries);
}

TEST_F(CrewTest, TasksOfASeriesRunInOrderAndOneAtATimeWhoeverAddsThem) {
  Crew crew(*ends_.first, never, never);
  constexpr int kThreads = 4, kTasks = 2000;
  const SeriesPtr shared = newSeries();
  std::vector<std::pair<int, int>> ran;  // no lock: the series is one
  std::atomic<int> inside{0}, most{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kTasks; ++i) {
        crew.add(shared, [&, t, i] {
          most = std::max<int>(most, ++inside);
          ran.emplace_back(t, i);
          --inside;
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  crew.finish();
  ASSERT_EQ(ran.size(), static_cast<std::size_t>(kThreads * kTasks));
  EXPECT_EQ(most, 1);
  int next[kThreads] = {};
  for (const auto& [t, i] : ran) ASSERT_EQ(i, next[t]++);
}

TEST_F(CrewTest, ATaskMayAddTasks) {
  Crew crew(*ends_.first, never, never);
  const SeriesPtr own = newSeries();
  std::promise<std::string> result;
  std::string said;
  crew.add(own, [&] {
    std::promise<void> other;
    crew.add(newSeries(), [&] { other.set_value(); });
    crew.add(own, [&] { result.set_value(said + "second"); });
    EXPECT_EQ(other.get_future().wait_for(seconds(20)), std::future_status::ready);
    said = "first, ";
  });
  EXPECT_EQ(result.get_future().get(), "first, second");
}

TEST_F(CrewTest, FinishRunsWhatIsLeft) {
  std::atomic<int> ran{0};
  Crew crew(*ends_.first, never, never);
  std::promise<void> go;
  const SeriesPtr busy = newSeries();
  crew.add(busy, [&, future = std::make_shared<std::future<void>>(go.get_future())] { future->wait(); });
  for (int i = 0; i < 100; ++i) crew.add(i % 2 ? busy : newSeries(), [&] { ++ran; });
  go.set_value();
  crew.finish();
  EXPECT_EQ(ran, 100);
  crew.add(newSeries(), [&] { ++ran; });  // the members have gone
  crew.finish();
  EXPECT_EQ(ran, 101);
}

TEST_F(CrewTest, InputIsReadWhileTasksWait) {
  std::string read;
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  Crew* crew = nullptr;
  std::set<std::thread::id> readers;
  Crew actual(
      *ends_.first,
      [&]() -> Crew::Delay {
        const char byte = receive();
        read += byte;
        if (byte == 'w') crew->add(newSeries(), [released] { released.wait(); });  // whoever read it waits
        if (byte == 'r') release.set_value();
        return byte == 'e' ? Crew::kEnd : Crew::kNever;
      },
      never);
  crew = &actual;
  std::thread running([&] { actual.run(Crew::kNever); });
  for (const char byte : std::string("wwawbwwwcr")) {
    send(byte);
    std::this_thread::sleep_for(milliseconds(2));
  }
  EXPECT_EQ(released.wait_for(seconds(20)), std::future_status::ready);
  send('e');
  running.join();
  actual.finish();
  EXPECT_EQ(read, "wwawbwwwcre");
}

// Input that does not end must not keep tasks from running, however few members there are.
class EndlessInput : public CrewTest, public ::testing::WithParamInterface<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Members, EndlessInput, ::testing::Values(2, 64));

TEST_P(EndlessInput, LeavesTasksToOthers) {
  std::atomic<int> ran{0};
  Crew* crew = nullptr;
  Crew actual(
      *ends_.first,
      [&]() -> Crew::Delay {
        receive();
        for (int i = 0; i < 3; ++i) crew->add(newSeries(), [&] { ++ran; });
        const auto until = std::chrono::steady_clock::now() + seconds(20);
        while (ran < 3 && std::chrono::steady_clock::now() < until) {
          crew->delegate();
          std::this_thread::sleep_for(milliseconds(1));
        }
        EXPECT_EQ(ran, 3);
        return Crew::kEnd;
      },
      never, GetParam());
  crew = &actual;
  std::thread running([&] { actual.run(Crew::kNever); });
  send('x');
  running.join();
  actual.finish();
}

TEST_F(CrewTest, OneThreadReadsAtATimeAndNothingIsMissed) {
  constexpr int kBytes = 3000;
  std::atomic<int> inside{0}, most{0}, tasks{0};
  int read = 0;
  Crew* crew = nullptr;
  std::vector<SeriesPtr> series;
  for (int i = 0; i < 5; ++i) series.push_back(newSeries());
  Crew actual(
      *ends_.first,
      [&]() -> Crew::Delay {
        most = std::max<int>(most, ++inside);
        for (char byte = receive(); byte != '-'; byte = receive()) crew->add(series[read++ % 5], [&] { ++tasks; });
        --inside;
        return read == kBytes ? Crew::kEnd : Crew::kNever;
      },
      never);
  crew = &actual;
  std::thread running([&] { actual.run(Crew::kNever); });
  for (int i = 0; i < kBytes; ++i) send('x');
  running.join();
  actual.finish();
  EXPECT_EQ(most, 1);
  EXPECT_EQ(read, kBytes);
  EXPECT_EQ(tasks, kBytes);
}

TEST_F(CrewTest, RestComesAfterItsDelayAndAgainIfItSaysSo) {
  using Clock = std::chrono::steady_clock;
  std::vector<Clock::time_point> rests;
  const auto start = Clock::now();
  Crew crew(*ends_.first, never, [&]() -> Crew::Delay {
    rests.push_back(Clock::now());
    return rests.size() < 3 ? 20 : Crew::kEnd;
  });
  crew.run(50);
  crew.finish();
  ASSERT_EQ(rests.size(), 3u);
  EXPECT_GE(rests[0] - start, milliseconds(49));
  EXPECT_GE(rests[2] - rests[1], milliseconds(19));
}

TEST_F(CrewTest, APeerThatGoesIsInput) {
  Crew crew(*ends_.first, [] { return Crew::kEnd; }, never);
  std::thread running([&] { crew.run(Crew::kNever); });
  ends_.second.reset();
  running.join();
}

// Three members wait for something that only the task of a fourth series brings about.
TEST_F(CrewTest, NoSeriesWaitsForAnotherHoweverFewMembersThereAre) {
  Crew crew(*ends_.first, never, never, 3);
  std::promise<void> gate;
  const std::shared_future<void> open = gate.get_future().share();
  std::atomic<int> through{0};
  const auto isOpen = [open] { return open.wait_for(std::chrono::seconds(0)) == std::future_status::ready; };
  for (int i = 0; i < 20; ++i) {
    crew.add(std::make_shared<Series>(), [&, open] { open.wait(), ++through; }, isOpen);
  }
  crew.add(std::make_shared<Series>(), [&] { gate.set_value(); });
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (through < 20 && std::chrono::steady_clock::now() < patience)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(through, 20);
  if (through < 20) gate.set_value();
}

}  // namespace
}  // namespace hipr::worker
