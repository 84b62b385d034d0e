// What is the rule between machines: a worker that listens beyond this one, and programs that reach it there. The
// network is one of this process's own, with an address that is not loopback and no way out.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>

#include "testing/worker_process.h"
#include "tests/e2e/tls_client.h"

namespace hipr {
namespace {

using testing::Outcome;
using testing::runClient;
using Environment = std::map<std::string, std::string>;

constexpr char kAddress[] = "10.77.0.1", kToken[] = "open sesame, open sesame";

bool ownNetwork() {
  static const bool made = [] {
    const uid_t user = getuid();
    if (unshare(CLONE_NEWNET) != 0) {
      if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
      std::ofstream("/proc/self/setgroups") << "deny";
      std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
    }
    return std::system("ip link set lo up && ip addr add 10.77.0.1/32 dev lo") == 0;
  }();
  return made;
}

class Network : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!ownNetwork()) GTEST_SKIP() << "this user may not make a network of its own here";
    std::ofstream(file_) << kToken << "\n";
  }
  ~Network() override { std::filesystem::remove(file_); }

  static Environment at(const testing::WorkerProcess& worker, Environment more) {
    more["TF_WORKER_HOST"] = kAddress;
    more["TF_WORKER_PORT"] = std::to_string(worker.port());
    return more;
  }
  // The exit code and words of a worker that is not expected to stay.
  static Outcome startWorker(const std::string& options) {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "hip-worker";
    const std::string log = ::testing::TempDir() + "hipr-network-log-" + std::to_string(getpid());
    const int status =
        std::system(("timeout 20 " + program + " -p 0 --runtime softgpu " + options + " >" + log + " 2>&1").c_str());
    const std::string said = testing::contentOf(log);
    std::filesystem::remove(log);
    return {WEXITSTATUS(status), said, ""};
  }

  const std::string file_ = ::testing::TempDir() + "hipr-network-" + std::to_string(getpid());
};

TEST_F(Network, AWorkerThatKnowsNobodyDoesNotServeIt) {
  const Outcome outcome = startWorker(std::string("--bind ") + kAddress);
  EXPECT_EQ(outcome.code, 2);
  for (const char* word : {"openssl rand", "--token-file", "--tls-cert", "--insecure"})
    EXPECT_NE(outcome.said.find(word), std::string::npos) << outcome.said;
}

TEST_F(Network, ATokenMakesItTls) {
  const testing::WorkerProcess worker(
      {"--runtime", "softgpu", "--grace", "1", "--bind", kAddress, "--token-file", file_});
  const Outcome served = runClient(at(worker, {{"HIP_REMOTE_TOKEN", kToken}}));
  EXPECT_EQ(served.code, 0) << served.said;
  const Outcome plain = runClient(at(worker, {{"HIP_REMOTE_TOKEN", kToken}, {"HIP_REMOTE_INSECURE", "1"}}));
  EXPECT_EQ(plain.code, hipErrorNotInitialized);
  EXPECT_NE(plain.said.find("speaks TLS only"), std::string::npos) << plain.said;
  const Outcome none = runClient(at(worker, {}));
  EXPECT_EQ(none.code, hipErrorNotInitialized);
  EXPECT_NE(none.said.find("HIP_REMOTE_TOKEN_FILE"), std::string::npos) << none.said;
}

TEST_F(Network, WithoutIsForThoseWhoSaySoOnBothSides) {
  const testing::WorkerProcess worker({"--runtime", "softgpu", "--grace", "1", "--bind", kAddress, "--insecure"});
  EXPECT_EQ(runClient(at(worker, {{"HIP_REMOTE_INSECURE", "1"}})).code, 0);
  const Outcome token = runClient(at(worker, {{"HIP_REMOTE_TOKEN", kToken}}));  // is not talked out of TLS
  EXPECT_EQ(token.code, hipErrorNotInitialized);
  EXPECT_NE(token.said.find("refused the token"), std::string::npos) << token.said;
}

TEST_F(Network, InsecureIsLoud) {
  const testing::WorkerProcess ready(
      {"--runtime", "softgpu", "--grace", "1"});  // what is printed is waited for elsewhere
  const Outcome outcome = startWorker(std::string("--insecure --require-tls --bind ") + kAddress);
  EXPECT_EQ(outcome.code, 2) << outcome.said;
  const std::string log = file_ + ".log";
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "hip-worker";
  EXPECT_NE(std::system(("timeout 2 " + program + " -p 0 --runtime softgpu --insecure --bind " + kAddress + " >" + log +
                         " 2>&1")
                            .c_str()),
            0);
  EXPECT_NE(testing::contentOf(log).find("INSECURE"), std::string::npos) << testing::contentOf(log);
  std::filesystem::remove(log);
}

}  // namespace
}  // namespace hipr
