// A core for tests: it keeps every action it is given, does copies and fills at once in plain memory, and fails on
// demand.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/api.h"
#include "runtime/core.h"

namespace hipr::testing {

struct LaunchRecord {
  std::string kernel;
  Launch launch;  // its arguments are in the next field
  std::vector<std::byte> arguments;
  std::uint64_t stream;
};

struct FakeCore {
  std::mutex mutex;
  Platform platform;
  hipError_t openError = hipSuccess;
  std::map<std::string, hipError_t> failures;  // by name of the action
  std::vector<std::string> log;                // names of actions, in order
  std::vector<Copy> copies;
  std::vector<Fill> fills;
  std::vector<LaunchRecord> launches;
  std::vector<std::uint64_t> streamsOfWork;  // of copies and fills
  int live = 0;                              // allocations not yet released
  hipError_t queryAnswer = hipSuccess;

  int count(const std::string& action);
};
FakeCore& fake();

// `count` gfx90a devices with distinct identities, all peers of each other.
Platform fakePlatform(int count);

// A fresh core and a fresh process for each test.
class RuntimeTest : public ::testing::Test {
 protected:
  RuntimeTest();
  ~RuntimeTest() override;
};

}  // namespace hipr::testing
