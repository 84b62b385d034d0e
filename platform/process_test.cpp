#include "platform/process.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

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
