// Shares of a software GPU. Time is made up where it can be: threads that compute and pause as they are told, by a
// clock that a test turns.
#include "backends/softgpu/compute_share.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <vector>

namespace hipr::softgpu {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

// Threads of one process, each computing `turnNs` at a time.
struct Process {
  Process(Bucket& bucket, int threads, std::uint64_t turnNs) : pays(bucket), turn(turnNs), until(threads, 0) {}
  void advance(std::uint64_t from, std::uint64_t to) {  // those that may, compute until then
    for (std::uint64_t& free : until) {
      while (free < to) {
        const std::uint64_t end = std::max(free, from) + turn;
        done += turn;
        free = std::max(end, pays.pour(turn, end));
      }
    }
  }
  Bucket& pays;
  const std::uint64_t turn;
  std::vector<std::uint64_t> until;
  std::uint64_t done = 0;
};

double shareOf(std::uint64_t done, std::uint64_t elapsed, int threads) {
  return 100.0 * static_cast<double>(done) / static_cast<double>(elapsed) / threads;
}

TEST(ComputeShare, AProcessGetsWhatItMayHaveWhateverTheSizeOfItsWork) {
  const std::uint64_t start = 1'000'000 * kMs, elapsed = 20'000 * kMs;
  for (const unsigned percent : {1u, 10u, 25u, 50u, 75u, 99u}) {
    for (const int threads : {1, 2, 7}) {
      for (const std::uint64_t turn : {kMs / 50, kMs, 40 * kMs}) {
        std::atomic<std::uint64_t> until{0};
        Bucket bucket(until, percent / 100.0 * threads);
        Process process(bucket, threads, turn);
        for (std::uint64_t at = start; at < start + elapsed; at += 10 * kMs) process.advance(at, at + 10 * kMs);
        EXPECT_NEAR(shareOf(process.done, elapsed, threads), percent, 0.01 * percent + 1.5)
            << threads << " threads, turns of " << turn << " ns";
      }
    }
  }
}

TEST(ComputeShare, ThoseOfAGroupHaveItsShareTogether) {
  const std::uint64_t start = 1'000'000 * kMs, elapsed = 20'000 * kMs;
  std::atomic<std::uint64_t> until{0};
  Bucket bucket(until, 0.5 * 2);
  Process one(bucket, 2, kMs), other(bucket, 2, kMs);
  for (std::uint64_t at = start; at < start + elapsed; at += kMs) {
    one.advance(at, at + kMs);
    other.advance(at, at + kMs);
  }
  EXPECT_NEAR(shareOf(one.done + other.done, elapsed, 2), 50, 1);
  EXPECT_NEAR(static_cast<double>(one.done), static_cast<double>(other.done), 0.1 * static_cast<double>(one.done));
}

TEST(ComputeShare, TimeThatWasNotUsedIsLost) {
  std::atomic<std::uint64_t> until{0};
  Bucket bucket(until, 0.1);
  const std::uint64_t now = 1'000'000 * kMs;
  EXPECT_LE(bucket.pour(kMs, now), now);                  // a moment's worth is not
  EXPECT_GT(bucket.pour(40 * kMs, now + 40 * kMs), now);  // but no more
  const std::uint64_t later = now + 3'600'000 * kMs;      // an hour without work
  EXPECT_GT(bucket.pour(100 * kMs, later), later + 650 * kMs);
}

TEST(ComputeShare, WhatOthersWriteThereStopsNobodyForEver) {
  std::atomic<std::uint64_t> until{~std::uint64_t{0}};
  Bucket bucket(until, 0.5);
  const std::uint64_t now = 1'000'000 * kMs;
  EXPECT_LE(bucket.pour(kMs, now), now + 10'000 * kMs);
}

TEST(ComputeShare, TheEnvironmentSaysHowMuch) {
  DeviceUsage usage{};
  EXPECT_EQ(ComputeShare::make(0, 2, usage), nullptr);
  char path[] = "/tmp/share-XXXXXX";
  close(mkstemp(path));
  ASSERT_TRUE(makeGroupFile(path, 0600));
  setenv("HIP_REMOTE_SOFTGPU_COMPUTE", "40", 1);
  setenv("HIP_REMOTE_SOFTGPU_COMPUTE_GROUP", (std::string("25:") + path).c_str(), 1);
  const ShareSettings settings = ShareSettings::fromEnvironment();
  EXPECT_EQ(settings.processPercent, 40u);
  EXPECT_EQ(settings.groupPercent, 25u);
  const auto one = ComputeShare::make(0, 2, usage), other = ComputeShare::make(0, 2, usage);
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(usage.sharePercent, 25u);
  // What one has computed, the other pays for as well.
  const auto now = Pace::Clock::now();
  EXPECT_GT(one->computed(std::chrono::seconds(2)), now + std::chrono::milliseconds(900));
  EXPECT_GT(other->computed(std::chrono::milliseconds(1)), now + std::chrono::milliseconds(900));
  EXPECT_EQ(usage.workNs, (2000 + 1) * kMs / 2);
  unsetenv("HIP_REMOTE_SOFTGPU_COMPUTE");
  setenv("HIP_REMOTE_SOFTGPU_COMPUTE_GROUP", "much", 1);
  EXPECT_FALSE(ShareSettings::fromEnvironment().limited());
  unsetenv("HIP_REMOTE_SOFTGPU_COMPUTE_GROUP");
  unlink(path);
}

}  // namespace
}  // namespace hipr::softgpu
