// Somebody has taken a session over. What can be reached from there? The runtime itself plays the attacker
// (hostile_hip.cpp); in a worker without a sandbox each deed succeeds, so that no test passes for want of an attack.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "tests/e2e/attack_fixture.h"
#include "tests/e2e/hostile_deeds.h"

namespace hipr {
namespace {

using wire::Opcode;

class Sandbox : public ::testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitized workers have half a sandbox";
#endif
  }
  Sandbox() {
    std::ofstream(secret_) << "of the worker's user\n";
    setenv("HIPR_TEST_SECRET", secret_.c_str(), 1);
    setenv("HIP_REMOTE_TOKEN_FILE", "", 1);
  }
  ~Sandbox() override { unlink(secret_.c_str()); }

  void start(const std::string& mode, const std::string& cache = "") {
    worker_ = std::make_unique<testing::WorkerProcess>(
        std::vector<std::string>{"--runtime", HIPR_HOSTILE_HIP, "--grace", "1", "--cache", cache, "--sandbox", mode});
    client_ = std::make_unique<TestClient>(connectTo(*worker_));
    client_->hello();
  }
  // 0 when it worked, else errno; -1 when the session did not survive it.
  int attempt(Deed deed) {
    client_->send<Opcode::kSetLimit>({0, 0, static_cast<std::uint64_t>(deed)});
    const std::uint32_t request = client_->send<Opcode::kMemoryInfo>({0});
    for (auto frame = client_->next(); frame; frame = client_->next())
      if (frame->isReply() && frame->header.request == request)
        return static_cast<int>(TestClient::decode<wire::MemoryInfoReply>(*frame).total);
    client_ = std::make_unique<TestClient>(connectTo(*worker_));
    client_->hello();
    return -1;
  }
  bool root() const { return geteuid() == 0; }

  const std::string secret_ = ::testing::TempDir() + "hipr-secret-" + std::to_string(getpid());
  std::unique_ptr<testing::WorkerProcess> worker_;
  std::unique_ptr<TestClient> client_;
};

constexpr std::pair<Deed, const char*> kAlways[] = {
    {Deed::kReadSecret, "read a file of the worker's user"},
    {Deed::kWriteTmp, "write to /tmp"},
    {Deed::kWriteHome, "write to /var/tmp"},
    {Deed::kSocket, "connect to somebody"},
    {Deed::kFork, "start a process"},
    {Deed::kKillSupervisor, "signal the supervisor"},
    {Deed::kPeekSupervisor, "read the supervisor's memory"},
    {Deed::kOwnSignals, "have a descriptor signal the supervisor"},
    {Deed::kSlowSupervisor, "slow the supervisor down"},
    {Deed::kReadEtc, "read the system's settings"},
};

TEST_F(Sandbox, WithoutOneEverythingSucceeds) {
  start("off");
  for (const auto& [deed, what] : kAlways) {
    if (deed != Deed::kPeekSupervisor || root()) {
      EXPECT_EQ(attempt(deed), 0) << what;
    }
  }
  EXPECT_EQ(attempt(Deed::kMakeExecutable), 0);
  if (root()) {
    EXPECT_EQ(attempt(Deed::kReadShadow), 0);
  }
}

TEST_F(Sandbox, NothingGetsOut) {
  for (const char* mode : {"strict", "gpu"}) {
    start(mode);
    for (const auto& [deed, what] : kAlways) EXPECT_GT(attempt(deed), 0) << mode << ": " << what;
    EXPECT_GT(attempt(Deed::kReadShadow), 0) << mode;
    EXPECT_GT(attempt(Deed::kTraceSupervisor), 0) << mode;
    EXPECT_GT(attempt(Deed::kReadSupervisorsMemory), 0) << mode;
    EXPECT_GT(attempt(Deed::kBecomeRoot), 0) << mode;
    EXPECT_GT(attempt(Deed::kExec), 0) << mode;
    EXPECT_GT(attempt(Deed::kSharedMemory), 0) << mode;
    EXPECT_GT(attempt(Deed::kPrivileges), 0) << mode;
    EXPECT_GT(attempt(Deed::kUserNamespace), 0) << mode;
    EXPECT_GT(attempt(Deed::kBpf), 0) << mode;
    EXPECT_EQ(attempt(Deed::kThread), 0) << mode;       // what a runtime needs
    EXPECT_EQ(attempt(Deed::kWriteOwnTmp), 0) << mode;  // its own place
  }
}

// What another identity has left there, in a folder that by itself is open to all.
TEST_F(Sandbox, TheCachesOfOthersAreClosed) {
  namespace fs = std::filesystem;
  const fs::path cache = ::testing::TempDir() + "hipr-caches-" + std::to_string(getpid());
  const fs::path others = (root() ? cache / "sessions" : cache) / "somebody else";
  fs::create_directories(others);
  chmod(cache.c_str(), 0755);
  chmod(others.c_str(), 0777);
  std::ofstream(others / "data") << "that others have uploaded\n";
  setenv("HIPR_TEST_SECRET", (others / "data").c_str(), 1);
  for (const char* mode : {"strict", "gpu"}) {
    start(mode, cache);
    EXPECT_GT(attempt(Deed::kReadSecret), 0) << mode;
  }
  worker_.reset();
  fs::remove_all(cache);
}

TEST_F(Sandbox, StrictMakesNoCode) {
  start("strict");
  EXPECT_GT(attempt(Deed::kMakeExecutable), 0);
}

TEST_F(Sandbox, TheTokenStaysWithTheSupervisor) {
  setenv("HIP_REMOTE_TOKEN", "", 1);
  start("off");
  EXPECT_EQ(attempt(Deed::kToken), ENOENT);
  unsetenv("HIP_REMOTE_TOKEN");
}

TEST_F(Sandbox, SessionsOfARootWorkerAreUsersOfTheirOwn) {
  if (!root()) GTEST_SKIP() << "needs root";
  start("strict");
  TestClient second = connectTo(*worker_);
  second.hello();
  std::vector<uid_t> users;
  for (const pid_t process : worker_->sessions()) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string word; status >> word;)
      if (uid_t user = 0; word == "Uid:" && status >> user) users.push_back(user);
  }
  ASSERT_EQ(users.size(), 2u);
  EXPECT_NE(users[0], 0u);
  EXPECT_NE(users[1], 0u);
  EXPECT_NE(users[0], users[1]);
}

TEST_F(Sandbox, ASessionIsKilledBeforeTheSupervisor) {
  start("strict");
  const auto score = [](pid_t process) {
    int value = 0;
    std::ifstream("/proc/" + std::to_string(process) + "/oom_score_adj") >> value;
    return value;
  };
  EXPECT_GT(score(worker_->sessions().at(0)), score(worker_->pid()));
}

// A worker that is not root has no other users to become; everything else holds.
TEST_F(Sandbox, HoldsForAWorkerThatIsNotRoot) {
  if (!root()) GTEST_SKIP() << "every other test here is that one";
  runAsNobody("Sandbox.*-*NotRoot*:*OfARootWorker*");
}

}  // namespace
}  // namespace hipr
