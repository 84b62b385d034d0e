#include "base/env.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace hipr {

TEST(Env, NumbersOutsideTheRangeFallBack) {
  setenv("HIPR_TEST_NUMBER", "70000", 1);
  EXPECT_EQ(envNumber("HIPR_TEST_NUMBER", 18515, 1, 65535), 18515);
  setenv("HIPR_TEST_NUMBER", "12", 1);
  EXPECT_EQ(envNumber("HIPR_TEST_NUMBER", 18515, 1, 65535), 12);
  setenv("HIPR_TEST_NUMBER", "12x", 1);
  EXPECT_EQ(envNumber("HIPR_TEST_NUMBER", 7, 1, 65535), 7);
}

TEST(Env, FlagsUnderstandOff) {
  setenv("HIPR_TEST_FLAG", "0", 1);
  EXPECT_FALSE(envFlag("HIPR_TEST_FLAG"));
  setenv("HIPR_TEST_FLAG", "1", 1);
  EXPECT_TRUE(envFlag("HIPR_TEST_FLAG"));
  unsetenv("HIPR_TEST_FLAG");
  EXPECT_FALSE(envFlag("HIPR_TEST_FLAG"));
}

}  // namespace hipr
