// The hypervisor's threads, all at once; and a day of its calls, without the waiting between them.
#include <gtest/gtest.h>
#include <malloc.h>
#include <stdlib.h>

#include <atomic>
#include <functional>
#include <thread>

#include "provider/test/host.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();  // GCC has the function but not its header
#endif

namespace hipr::provider {
namespace {

std::size_t allocatedBytes() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return __sanitizer_get_current_allocated_bytes();
#else
  return mallinfo2().uordblks;
#endif
}

std::vector<std::string> uuidsOf(const std::vector<ExtendedDeviceInfo>& devices) {
  std::vector<std::string> uuids;
  for (const auto& device : devices) uuids.push_back(device.basic.uuid);
  return uuids;
}

TEST(Load, ThreadsAndReloadsAtOnce) {
  Host& host = Host::get();
  setenv("HIP_REMOTE_TELEMETRY_AGE_MS", "1", 1);  // read at init: most calls shall go to the source
  host.start();
  const auto uuids = uuidsOf(host.discover());
  ASSERT_FALSE(uuids.empty());
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  const std::vector<std::function<void()>> work = {
      [&] { wrong += host.metrics(uuids).size() != uuids.size(); },
      [&] { wrong += host.metrics(uuids).size() != uuids.size(); },
      [&] { host.processes(); },
      [&] { host.processes(); },
      [&] { wrong += host.discover().size() != uuids.size(); },
      [&] {
        std::vector<MountPath> mounts(kGoMounts);
        std::size_t count = 0;
        host.call().mounts(mounts.data(), kGoMounts, &count);
        wrong += count > kGoMounts;
      },
  };
  std::vector<std::thread> threads;
  for (const auto& step : work) {
    threads.emplace_back([&stop, &step] {
      while (!stop) step();
    });
  }
  for (int i = 0; i < 40; ++i) {
    host.call().init();
    if (i % 4 == 0) host.call().shutdown();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  host.stop();
  host.takeLog();
  unsetenv("HIP_REMOTE_TELEMETRY_AGE_MS");
}

// Two discoveries, metrics and processes every minute, processes twice a second, a worker placed every two minutes.
void callsOfHours(Host& host, int hours) {
  std::vector<MountPath> mounts(kGoMounts);
  std::size_t count = 0;
  auto uuids = uuidsOf(host.discover());
  std::vector<ProcessInformation> processes(kGoProcesses);
  for (int minute = 0; minute < hours * 60; ++minute) {
    if (minute % (12 * 60) == 0) uuids = uuidsOf(host.discover());
    ASSERT_EQ(host.metrics(uuids).size(), uuids.size());
    if (minute % 2 == 0) host.call().mounts(mounts.data(), kGoMounts, &count);
    for (int poll = 0; poll < 120; ++poll) {
      ASSERT_EQ(host.call().processes(processes.data(), kGoProcesses, &count), kSuccess);
    }
  }
}

TEST(Load, ADayOfCallsLeavesNothingBehind) {
  Host& host = Host::get();
  host.start();
  callsOfHours(host, 1);
  host.takeLog();
  const std::size_t before = allocatedBytes();
  callsOfHours(host, 24);
  EXPECT_LT(allocatedBytes(), before + 256 * 1024);
  EXPECT_TRUE(host.takeLog().empty()) << "a quiet day has a quiet log";
  host.stop();
}

TEST(Load, ReadingsThatAreAlwaysFreshLeaveNothingBehindEither) {
  Host& host = Host::get();
  setenv("HIP_REMOTE_TELEMETRY_AGE_MS", "0", 1);
  host.start();
  const auto uuids = uuidsOf(host.discover());
  const auto read = [&](int times) {
    for (int i = 0; i < times; ++i) {
      host.metrics(uuids);
      host.processes();
    }
  };
  read(50);
  const std::size_t before = allocatedBytes();
  read(500);
  EXPECT_LT(allocatedBytes(), before + 256 * 1024);
  host.stop();
  for (int i = 0; i < 20; ++i) {
    host.start();
    host.stop();
  }
  host.takeLog();
  const std::size_t reloaded = allocatedBytes();
  for (int i = 0; i < 50; ++i) {
    host.start();
    host.stop();
  }
  host.takeLog();
  EXPECT_LT(allocatedBytes(), reloaded + 256 * 1024);
  unsetenv("HIP_REMOTE_TELEMETRY_AGE_MS");
}

}  // namespace
}  // namespace hipr::provider
