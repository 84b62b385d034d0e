#include "worker/compile_process.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

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

// What a supervisor and a session do together, without a sandbox or with one.
class CompileProcess : public ::testing::TestWithParam<SandboxMode> {
 protected:
  std::string compile(const std::string& request, bool over = false, const std::string& program = HIPR_COMPILE,
                      std::uint32_t user = 0) {
    char folder[] = "/tmp/hip-compile-XXXXXX";
    EXPECT_NE(mkdtemp(folder), nullptr);
    EXPECT_EQ(chmod(folder, 0777), 0);
    SandboxPlan plan;
    plan.mode = GetParam();
    plan.user = plan.group = user;
    plan.readable.push_back(std::filesystem::path(program).parent_path());
    pid_t process = 0;
    Descriptor socket;
    EXPECT_TRUE(startCompiler(program, plan, folder, process, socket).ok());
    const std::string answer = compileThrough(socket, request, [over] { return over; });
    kill(process, SIGKILL);
    int status = 0;
    EXPECT_EQ(waitpid(process, &status, 0), process);
    std::filesystem::remove_all(folder);
    return answer;
  }
};

TEST_P(CompileProcess, Compiles) {
  if (rtc::installed().place.empty()) GTEST_SKIP() << "no hiprtc is installed";
  rtc::Result result;
  ASSERT_TRUE(rtc::decode(compile(rtc::encode(sample())), result));
  EXPECT_EQ(result.status, HIPRTC_SUCCESS) << result.log;
  EXPECT_GT(result.code.size(), 100u);
  rtc::Request wrong = sample();
  wrong.source = "this is no program";
  ASSERT_TRUE(rtc::decode(compile(rtc::encode(wrong)), result));
  EXPECT_EQ(result.status, HIPRTC_ERROR_COMPILATION);
  EXPECT_NE(result.log.find("error"), std::string::npos);
}

// The worker of somebody who has built it at home, where nobody else can look.
TEST_P(CompileProcess, CompilesInAFolderThatIsClosedToOthers) {
  if (rtc::installed().place.empty()) GTEST_SKIP() << "no hiprtc is installed";
  if (!canChangeUsers()) GTEST_SKIP() << "only root can become somebody else";
  char home[] = "/tmp/hip-home-XXXXXX";
  ASSERT_NE(mkdtemp(home), nullptr);
  const std::string program = std::string(home) + "/bin/hip-compile";
  std::filesystem::create_directory(std::string(home) + "/bin");
  std::filesystem::copy_file(HIPR_COMPILE, program);
  constexpr std::uint32_t kNobody = 65534;
  rtc::Result result;
  ASSERT_TRUE(rtc::decode(compile(rtc::encode(sample()), false, program, kNobody), result));
  EXPECT_EQ(result.status, HIPRTC_SUCCESS) << result.log;
  std::filesystem::remove_all(home);
}

TEST_P(CompileProcess, WhatIsNoRequestGetsNoAnswer) {
  EXPECT_EQ(compile("nonsense"), "");
  EXPECT_EQ(compile(rtc::encode(sample()), false, "/nonexistent"), "");
}

TEST_P(CompileProcess, EndsWhenItIsOver) {
  EXPECT_EQ(compile(rtc::encode(sample()), true), "");
}

// A program cannot include what only the worker may read, unless there is no sandbox.
TEST_P(CompileProcess, ReadsNoFilesOfOthers) {
  if (rtc::installed().place.empty()) GTEST_SKIP() << "no hiprtc is installed";
  if (syscall(SYS_landlock_create_ruleset, nullptr, 0, 1) < 1) GTEST_SKIP() << "this kernel has no Landlock";
  char name[] = "/tmp/hip-secret-XXXXXX";
  const int file = mkstemp(name);
  ASSERT_GE(file, 0);
  ASSERT_EQ(write(file, "int secret;\n", 12), 12);
  close(file);
  rtc::Request request = sample();
  request.source = "#include \"" + std::string(name) + "\"\n" + request.source;
  rtc::Result result;
  ASSERT_TRUE(rtc::decode(compile(rtc::encode(request)), result));
  EXPECT_EQ(result.status == HIPRTC_SUCCESS, GetParam() == SandboxMode::kOff) << result.log;
  unlink(name);
}

INSTANTIATE_TEST_SUITE_P(Modes, CompileProcess, ::testing::Values(SandboxMode::kOff, SandboxMode::kStrict));

}  // namespace
}  // namespace hipr::worker
