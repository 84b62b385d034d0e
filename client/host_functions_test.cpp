#include "client/host_functions.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <vector>

namespace hipr::client {
namespace {

class HostFunctionsTest : public ::testing::Test {
 protected:
  std::uint64_t nextDone() {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(came_.wait_for(lock, std::chrono::seconds(10), [this] { return !done_.empty(); }));
    if (done_.empty()) return 0;
    const std::uint64_t id = done_.front();
    done_.pop_front();
    return id;
  }

  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<std::uint64_t> done_;
  HostFunctions functions_{[] {},
                           [this](std::uint64_t id) {
                             std::lock_guard lock(mutex_);
                             done_.push_back(id);
                             came_.notify_all();
                           }};
};

TEST_F(HostFunctionsTest, ACallbackRunsWhenItIsDueAndNotBefore) {
  std::atomic<int> ran{0};
  const std::uint64_t id = functions_.add([](void* data) { ++*static_cast<std::atomic<int>*>(data); }, &ran);
  EXPECT_TRUE(functions_.pending());
  EXPECT_TRUE(functions_.writing());
  EXPECT_EQ(ran, 0);
  EXPECT_TRUE(functions_.due(id));
  EXPECT_EQ(nextDone(), id);
  EXPECT_EQ(ran, 1);
  EXPECT_FALSE(functions_.writing());
  EXPECT_FALSE(functions_.due(id)) << "it has run";
  EXPECT_FALSE(functions_.due(id + 7)) << "there is no such function";
}

TEST_F(HostFunctionsTest, AnActionRunsEvenWhileACallbackWaits) {
  std::promise<void> let;
  const std::uint64_t callback =
      functions_.add([](void* data) { static_cast<std::promise<void>*>(data)->get_future().wait(); }, &let);
  EXPECT_TRUE(functions_.due(callback));
  bool ran = false;
  const std::uint64_t action = functions_.add(HostFunctions::Does::kRead, [&] { ran = true; });
  EXPECT_TRUE(functions_.due(action));
  EXPECT_TRUE(ran);
  EXPECT_EQ(nextDone(), action);
  let.set_value();
  EXPECT_EQ(nextDone(), callback);
}

TEST_F(HostFunctionsTest, OnlyWhatMayWriteCountsAsWriting) {
  const std::uint64_t reader = functions_.add(HostFunctions::Does::kRead, [] {});
  EXPECT_TRUE(functions_.pending());
  EXPECT_FALSE(functions_.writing());
  const std::uint64_t writer = functions_.add(HostFunctions::Does::kWrite, [] {});
  EXPECT_TRUE(functions_.writing());
  EXPECT_TRUE(functions_.due(writer));
  EXPECT_FALSE(functions_.writing());
  EXPECT_TRUE(functions_.due(reader));
  EXPECT_FALSE(functions_.pending());
}

TEST_F(HostFunctionsTest, ACallbackDoesNotCountItself) {
  struct Asked {
    HostFunctions& functions;
    bool writing = true;
  } asked{functions_};
  const std::uint64_t id = functions_.add(
      [](void* data) {
        auto& a = *static_cast<Asked*>(data);
        a.writing = a.functions.writing();
      },
      &asked);
  EXPECT_TRUE(functions_.due(id));
  EXPECT_EQ(nextDone(), id);
  EXPECT_FALSE(asked.writing);
}

TEST(HostFunctionsHold, AStreamGoesOnWhenSomebodySaysSo) {
  std::vector<std::uint64_t> done;
  auto functions = std::make_shared<HostFunctions>([] {}, [&](std::uint64_t id) { done.push_back(id); });
  HostFunctions::Action goOn;
  const std::uint64_t id = functions->add([&](bool lost, HostFunctions::Action action) {
    EXPECT_FALSE(lost);
    goOn = std::move(action);
  });
  EXPECT_TRUE(functions->writing()) << "what is behind it may not be read yet";
  EXPECT_FALSE(goOn);
  EXPECT_TRUE(functions->due(id));
  ASSERT_TRUE(goOn);
  EXPECT_TRUE(done.empty());
  goOn();
  EXPECT_EQ(done, std::vector{id});
  EXPECT_FALSE(functions->writing() || functions->pending());

  int lost = 0;
  const auto count = [&](bool isLost, const HostFunctions::Action& action) { lost += isLost && !action; };
  functions->add(count);
  functions->loseHolds();
  EXPECT_EQ(lost, 1);
  EXPECT_EQ(functions->add(count), 0u);
  EXPECT_EQ(lost, 2);
  functions.reset();
  goOn();  // there is nobody left to tell
}

TEST(HostFunctionsRest, WaitsForAnActionThatRuns) {
  const auto functions = std::make_shared<HostFunctions>([] {}, [](std::uint64_t) {});
  std::promise<void> begun, goOn;
  const std::uint64_t id = functions->add(HostFunctions::Does::kRead, [&] {
    begun.set_value();
    goOn.get_future().wait();
  });
  std::thread reader([&] { EXPECT_TRUE(functions->due(id)); });
  begun.get_future().wait();
  const std::future<void> rested = std::async(std::launch::async, [&] { functions->rest(); });
  EXPECT_EQ(rested.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  goOn.set_value();
  EXPECT_EQ(rested.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  reader.join();
  functions->rest();
}

TEST_F(HostFunctionsTest, AfterARestNothingTouchesTheMemoryOfTheProgram) {
  bool ran = false;
  const std::uint64_t id = functions_.add(HostFunctions::Does::kWrite, [&] { ran = true; });
  functions_.rest();
  EXPECT_TRUE(functions_.due(id)) << "the worker said so before it was lost";
  EXPECT_FALSE(ran);
}

TEST_F(HostFunctionsTest, AHoldThatIsLostIsNotDueAnyMore) {
  int lost = 0;
  functions_.add([](void*) {}, nullptr);  // now there is a thread that would call it
  const std::uint64_t id = functions_.add([&](bool isLost, const HostFunctions::Action&) { lost += isLost; });
  functions_.loseHolds();
  EXPECT_TRUE(functions_.due(id));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(lost, 1);
}

}  // namespace
}  // namespace hipr::client
