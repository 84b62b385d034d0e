// A worker with a token serves those who know it, for GPU work and for telemetry, and tells the others what to do.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "telemetry/remote.h"
#include "testing/hip.h"
#include "testing/worker_process.h"

namespace hipr {
namespace {

constexpr char kToken[] = "open sesame, open sesame", kOther[] = "open barley, open barley";

std::string scratchFile(const char* name) {
  return ::testing::TempDir() + "hipr-" + std::to_string(getpid()) + "-" + name;
}

struct Outcome {
  int code = 0;  // 0: a kernel ran; else the hipError_t
  std::string said, stats;
};

std::string contentOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// A process that launches one kernel, with HIP_REMOTE_TOKEN set to `token` unless that is empty.
Outcome runClient(const std::string& token) {
  const std::string errors = scratchFile("errors"), stats = scratchFile("stats");
  std::filesystem::remove(stats);
  const pid_t child = fork();
  if (child == 0) {
    if (!std::freopen(errors.c_str(), "w", stderr)) _exit(99);
    setenv("HIP_REMOTE_STATS", stats.c_str(), 1);
    if (!token.empty()) setenv("HIP_REMOTE_TOKEN", token.c_str(), 1);
    worker::HipTable api;
    if (!loadHip(testing::remoteLibrary(), api).ok()) std::exit(99);
    if (const hipError_t error = api.hipInit(0); error != hipSuccess) std::exit(error);
    testing::Hip hip;
    if (!hip.load(testing::remoteLibrary()).ok()) std::exit(99);
    int zero = 0;
    void* arguments[] = {&zero};
    hip.launch(hip.empty, 1, 64, arguments);
    std::exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contentOf(errors), contentOf(stats)};
}

class TokenTest : public ::testing::Test {
 protected:
  void SetUp() override {
    setToken(kToken);
    worker_ = std::make_unique<testing::WorkerProcess>(
        std::vector<std::string>{"--runtime", "softgpu", "--grace", "1", "--token-file", file_});
    worker_->use();
    setenv("HIP_REMOTE_TRANSPORT", "tcp", 1);  // near_test.cpp has the other way
  }
  void setToken(const std::string& token) { std::ofstream(file_) << token << "\n"; }

  const std::string file_ = scratchFile("token");
  std::unique_ptr<testing::WorkerProcess> worker_;
};

TEST_F(TokenTest, OpensTheDoorInOneRoundTrip) {
  const Outcome outcome = runClient(kToken);
  EXPECT_EQ(outcome.code, 0) << outcome.said;
  EXPECT_NE(outcome.stats.find(" waited=2 "), std::string::npos) << outcome.stats;  // the token, and Hello
}

TEST_F(TokenTest, ThoseWithoutAreToldWhatToSet) {
  const Outcome outcome = runClient("");
  EXPECT_EQ(outcome.code, hipErrorNotInitialized);
  EXPECT_NE(outcome.said.find("wants a token; set HIP_REMOTE_TOKEN"), std::string::npos) << outcome.said;
}

TEST_F(TokenTest, AWrongOneIsRefused) {
  const Outcome outcome = runClient(kOther);
  EXPECT_EQ(outcome.code, hipErrorNotInitialized);
  EXPECT_NE(outcome.said.find("the token is wrong"), std::string::npos) << outcome.said;
}

TEST_F(TokenTest, CanBeReplacedWhileTheWorkerRuns) {
  setToken(kOther);
  EXPECT_EQ(runClient(kOther).code, 0);
  EXPECT_EQ(runClient(kToken).code, hipErrorNotInitialized);
}

TEST_F(TokenTest, IsAskedForTelemetryToo) {
  telemetry::RemoteOptions options{{"127.0.0.1", static_cast<std::uint16_t>(worker_->port())}, 10, 10};
  std::unique_ptr<telemetry::Remote> remote;
  EXPECT_NE(telemetry::Remote::connect(options, remote).message().find("wants a token"), std::string::npos);
  setenv("HIP_REMOTE_TOKEN_FILE", file_.c_str(), 1);
  const Status status = telemetry::Remote::connect(options, remote);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(remote->gpus().size(), 1u);
  unsetenv("HIP_REMOTE_TOKEN_FILE");
}

}  // namespace
}  // namespace hipr
