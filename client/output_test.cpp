#include "client/output.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace hipr::client {
namespace {

using Clock = std::chrono::steady_clock;

std::span<const std::byte> bytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// A pager that can be paused.
class Pager {
 public:
  Output::Write write() {
    return [this](int stream, const std::string& text) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !paused_; });
      (stream == 2 ? errors_ : shown_) += text;
    };
  }
  void pause(bool paused) {
    {
      std::lock_guard lock(mutex_);
      paused_ = paused;
    }
    changed_.notify_all();
  }
  std::string shown() {
    std::lock_guard lock(mutex_);
    return shown_;
  }
  std::string errors() {
    std::lock_guard lock(mutex_);
    return errors_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool paused_ = false;
  std::string shown_, errors_;
};

TEST(Output, IsWrittenWhenSettled) {
  Pager pager;
  Output output(pager.write());
  output.add(1, bytes("one "));
  output.add(2, bytes("error"));
  output.add(1, bytes("two"));
  output.settle();
  EXPECT_EQ(pager.shown(), "one two");
  EXPECT_EQ(pager.errors(), "error");
}

TEST(Output, NobodyWaitsLongForAPausedPager) {
  Pager pager;
  Output output(pager.write());
  pager.pause(true);
  const auto start = Clock::now();
  for (int i = 0; i < 1000; ++i) {
    output.add(1, bytes("line\n"));
    output.settle();
  }
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(5));
  pager.pause(false);
  output.finish();
  EXPECT_EQ(pager.shown().size(), 5000u);  // and nothing is lost
}

TEST(Output, WhatDoesNotFitIsDroppedAndSaid) {
  Pager pager;
  Output output(pager.write());
  pager.pause(true);
  const std::string megabyte(1 << 20, 'x');
  for (int i = 0; i < 40; ++i) output.add(1, bytes(megabyte));
  pager.pause(false);
  output.settle();
  output.add(1, bytes("end"));
  output.finish();
  EXPECT_EQ(pager.shown().size(), Output::kMost + 3);
  EXPECT_EQ(pager.errors(), "[" + std::to_string(24 << 20) + " bytes of kernel output were dropped here]\n");
}

TEST(Output, ThereIsAnEndToItAfterANoteToo) {
  Pager pager;
  Output output(pager.write());
  pager.pause(true);
  output.add(1, bytes(std::string(Output::kMost - 1, 'x')));
  output.add(1, bytes("yy"));  // too much, which is noted before the next
  output.add(1, bytes("z"));
  for (int i = 0; i < 100; ++i) output.add(1, bytes("beyond"));
  pager.pause(false);
  output.finish();
  EXPECT_EQ(pager.shown().size(), Output::kMost);
}

}  // namespace
}  // namespace hipr::client
