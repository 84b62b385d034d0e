#include "platform/process.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "platform/capture.h"
#include "platform/clock.h"
#include "platform/library.h"

namespace hipr::platform {
namespace {

TEST(Process, KnowsItsProgram) {
  EXPECT_TRUE(std::filesystem::exists(programPath()));
  EXPECT_NE(programPath().find("platform_test"), std::string::npos);
  EXPECT_NE(processId(), 0u);
  EXPECT_NE(hostName(), "?");
}

TEST(Process, TheEnvironmentCanBeChanged) {
  setEnvironment("HIPR_PLATFORM_TEST", "a value");
  ASSERT_NE(std::getenv("HIPR_PLATFORM_TEST"), nullptr);
  EXPECT_STREQ(std::getenv("HIPR_PLATFORM_TEST"), "a value");
}

TEST(Process, AProgramThatIsNotThereIsSaidToBe) {
  EXPECT_FALSE(becomeProgram({"/no/such/program"}).empty());
}

// What the two tests below run: this program again, told to run one of these.
TEST(Capture, DISABLED_Fails) {
  std::fputs("on stderr\n", stderr);
  FAIL();
}
TEST(Capture, DISABLED_TakesLong) {
  std::this_thread::sleep_for(std::chrono::minutes(10));
}
Captured captureSelf(const std::string& test, int seconds) {
  return captureProgram({programPath(), "--gtest_also_run_disabled_tests", "--gtest_filter=Capture.DISABLED_" + test},
                        seconds);
}

TEST(Capture, OutputAndExitCodeOfAnotherProgram) {
  const Captured said = captureSelf("Fails", 60);
  EXPECT_TRUE(said.started && said.ended);
  EXPECT_EQ(said.code, 1);
  EXPECT_NE(said.output.find("on stderr"), std::string::npos);
  EXPECT_NE(said.output.find("1 FAILED TEST"), std::string::npos);  // on stdout
}

TEST(Capture, OneThatDoesNotEndIsEnded) {
  const Captured slow = captureSelf("TakesLong", 1);
  EXPECT_TRUE(slow.started);
  EXPECT_FALSE(slow.ended);
  EXPECT_FALSE(captureProgram({"/no/such/program"}, 1).started);
}

TEST(Library, AMissingOneIsExplained) {
  std::string why;
  EXPECT_FALSE(Library::open("/no/such/library", &why));
  EXPECT_NE(why.find("/no/such/library"), std::string::npos);
}

TEST(Clock, LocalTimeIsWithinADayOfGreenwich) {
  const std::tm local = localTime(1'000'000'000);  // 2001-09-09 01:46:40 UTC
  EXPECT_EQ(local.tm_year, 101);
  EXPECT_EQ(local.tm_mon, 8);
  EXPECT_NEAR(local.tm_mday, 9, 1);
}

}  // namespace
}  // namespace hipr::platform
