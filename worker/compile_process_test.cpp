#include "worker/compile_process.h"

#include <gtest/gtest.h>

#include "rtc/codec.h"
#include "rtc/installed.h"

namespace hipr::worker {
namespace {

rtc::Request sample() {
  return {.source = "extern \"C\" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }",
          .name = "twice.hip",
          .headers = {{"a.h", "#define A 1"}},
          .options = {"--offload-arch=gfx90a", "-DX=1"},
          .expressions = {"twice"}};
}

TEST(CompileProcess, CompilesInAProcessOfItsOwn) {
  if (rtc::installed().place.empty()) GTEST_SKIP() << "no hiprtc is installed";
  rtc::Result result;
  const std::string answer = compileInProcess(HIPR_COMPILE, rtc::encode(sample()), [] { return false; });
  ASSERT_TRUE(rtc::decode(answer, result));
  EXPECT_EQ(result.status, HIPRTC_SUCCESS) << result.log;
  EXPECT_GT(result.code.size(), 100u);
  rtc::Request wrong = sample();
  wrong.source = "this is no program";
  ASSERT_TRUE(rtc::decode(compileInProcess(HIPR_COMPILE, rtc::encode(wrong), [] { return false; }), result));
  EXPECT_EQ(result.status, HIPRTC_ERROR_COMPILATION);
  EXPECT_NE(result.log.find("error"), std::string::npos);
}

TEST(CompileProcess, WhatIsNoRequestGetsNoAnswer) {
  EXPECT_EQ(compileInProcess(HIPR_COMPILE, "nonsense", [] { return false; }), "");
  EXPECT_EQ(compileInProcess("/nonexistent", rtc::encode(sample()), [] { return false; }), "");
}

TEST(CompileProcess, EndsWhenItIsOver) {
  EXPECT_EQ(compileInProcess(HIPR_COMPILE, rtc::encode(sample()), [] { return true; }), "");
}

}  // namespace
}  // namespace hipr::worker
