// Telemetry that strangers cannot take away from others, nor use to find out who works here.
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/e2e/attack_fixture.h"
#include "tests/e2e/hostile_deeds.h"
#include "tests/e2e/metrics.h"

namespace hipr {
namespace {

using wire::Opcode;

// Where softgpu tells what it does: here, not where others on this machine do.
struct UsageFolder {
  UsageFolder() { setenv("HIP_REMOTE_SOFTGPU_USAGE", path.c_str(), 1); }
  ~UsageFolder() {
    unsetenv("HIP_REMOTE_SOFTGPU_USAGE");
    std::filesystem::remove_all(path);
  }
  const std::string path = ::testing::TempDir() + "hipr-usage-" + std::to_string(getpid());
};

class Telemetry : public ::testing::Test {
 protected:
  Telemetry() {
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  std::string page() { return metricsPage(worker_); }
  bool answers() {
    TestClient client = connectTo(worker_);
    std::vector<std::byte> storage;
    return client.call<wire::SmiOpenReply, Opcode::kSmiOpen>({}, storage).gpus.size() == 1;
  }
  const UsageFolder usage_;
  testing::WorkerProcess worker_{{"--runtime", "softgpu", "--grace", "1", "--cache", "", "--metrics", "0"}};
};

TEST_F(Telemetry, IdleConnectionsKeepNobodyOut) {
  std::vector<TestClient> idle;
  for (int i = 0; i < 530; ++i) {
    idle.push_back(connectTo(worker_));
    std::vector<std::byte> storage;
    ASSERT_EQ((idle.back().call<wire::SmiOpenReply, Opcode::kSmiOpen>({}, storage).status), 0) << i;
  }
  EXPECT_TRUE(answers());
  EXPECT_TRUE(page().starts_with("HTTP/1.1 200 "));
}

TEST_F(Telemetry, SilentScrapersKeepNobodyOut) {
  std::vector<net::Socket> silent(530);
  for (net::Socket& socket : silent)
    ASSERT_TRUE(net::connectTo({"127.0.0.1", static_cast<std::uint16_t>(worker_.metricsPort())}, 5, socket).ok());
  EXPECT_TRUE(answers());
  EXPECT_TRUE(page().starts_with("HTTP/1.1 200 "));
}

TEST_F(Telemetry, WhoeverAsksWithoutAPauseKeepsNobodyOut) {
  TestClient greedy = connectTo(worker_);
  std::vector<std::byte> storage, questions;
  ASSERT_EQ((greedy.call<wire::SmiOpenReply, Opcode::kSmiOpen>({}, storage).status), 0);
  for (std::uint32_t i = 0; i < 4096; ++i) wire::appendFrame(questions, Opcode::kPing, i, 0, wire::Ping{});
  std::thread asks([&] {
    while (greedy.socket().send(questions).ok()) {
    }
  });
  std::thread reads([&] {
    std::vector<std::byte> sink(1 << 20);
    for (std::size_t got = 1; got > 0;)
      if (!greedy.socket().receiveSome(sink.data(), sink.size(), &got).ok()) break;
  });
  std::this_thread::sleep_for(200ms);
  EXPECT_LT(secondsUntil(20s, [&] { return answers() && page().starts_with("HTTP/1.1 200 "); }), 2);
  greedy.socket().shutdown();
  asks.join();
  reads.join();
}

TEST_F(Telemetry, ATokenIsAskedForAtTheSupervisor) {
  setenv("HIP_REMOTE_TOKEN", "a token of some length", 1);
  const testing::WorkerProcess worker({"--runtime", "softgpu", "--grace", "1", "--cache", "", "--metrics", "0"});
  unsetenv("HIP_REMOTE_TOKEN");
  const auto with = [&](const std::string& token) {
    return httpPage(worker, "/metrics", "Authorization: Bearer " + token + "\r\n");
  };
  EXPECT_TRUE(with("a token of some length").starts_with("HTTP/1.1 200 "));
  EXPECT_TRUE(with("a token of some lengthy").starts_with("HTTP/1.1 401 "));
  EXPECT_TRUE(with(std::string(5000, 'x')).starts_with("HTTP/1.1 401 "));
  EXPECT_TRUE(with("a token of some length").starts_with("HTTP/1.1 200 "));
}

std::map<std::string, std::string> statusOf(pid_t process) {
  std::map<std::string, std::string> out;
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(file, line);)
    if (const std::size_t colon = line.find(':'); colon != std::string::npos)
      out[line.substr(0, colon)] = line.substr(std::min(line.find_first_not_of(" \t", colon + 1), line.size()));
  return out;
}

class TelemetrySandbox : public Telemetry {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitized workers have half a sandbox";
#endif
  }
  static bool root() { return geteuid() == 0; }
};

// Strangers talk to it, so it is in a box as sessions are; and it tells what it told without.
TEST_F(TelemetrySandbox, IsThereAndInNobodysWay) {
  TestClient client = connectTo(worker_);
  client.hello();
  ASSERT_TRUE(answers());
  const std::vector<pid_t> children = worker_.sessions();  // and the service
  ASSERT_EQ(children.size(), 2u);
  std::set<std::string> users, groups;
  for (const pid_t process : children) {
    auto status = statusOf(process);
    EXPECT_EQ(status["Seccomp"], "2");
    EXPECT_EQ(status["NoNewPrivs"], "1");
    EXPECT_EQ(status["CapEff"], "0000000000000000");
    EXPECT_EQ(status["CapBnd"], root() ? "0000000000000000" : statusOf(getpid())["CapBnd"]);
    users.insert(status["Uid"]);
    groups.insert(status["Gid"]);
  }
  for (auto* all : {&users, &groups}) all->insert(statusOf(worker_.pid())[all == &users ? "Uid" : "Gid"]);
  EXPECT_EQ(users.size(), root() ? 3u : 1u);
  EXPECT_EQ(groups.size(), root() ? 3u : 1u);
  // What it needs it has: the counters of a session that is another user's, and what softgpu tells of it.
  client.send<Opcode::kMapMemory>({0, worker::kTestDeviceBase, 2 << 20});
  EXPECT_EQ(client.ask<Opcode::kPing>({}), hipSuccess);
  const auto told = [&](const std::string& name) {
    const std::string text = page();
    return std::any_of(children.begin(), children.end(), [&](pid_t process) {
      return text.find(name + std::to_string(process) + "\"") != std::string::npos;
    });
  };
  EXPECT_TRUE(told("hip_worker_session_memory_bytes{session=\"")) << page();
  EXPECT_LT(secondsUntil(10s, [&] { return told("pid=\""); }), 10) << page();
  EXPECT_TRUE(httpPage(worker_, "/").starts_with("HTTP/1.1 200 "));
}

// Somebody has taken it over: AMD's library itself plays the attacker (hostile_smi.cpp).
class HostileSmi : public TelemetrySandbox {
 protected:
  HostileSmi() {
    std::filesystem::copy(HIPR_HOSTILE_SMI, rocm_,
                          std::filesystem::copy_options::recursive);  // where the service's user can get at it, too
    std::ofstream(secret_) << "of the worker's user\n";
    setenv("HIPR_TEST_SECRET", secret_.c_str(), 1);
    setenv("HIP_REMOTE_TOKEN", "a token of some length", 1);
  }
  ~HostileSmi() override {
    unlink(secret_.c_str());
    std::filesystem::remove_all(rocm_);
    for (const char* name : {"HIPR_TEST_SECRET", "HIP_REMOTE_TOKEN", "LD_LIBRARY_PATH", "ROCM_PATH"}) unsetenv(name);
  }
  // What came of each deed.
  static std::map<int, int> attack(const std::string& mode) {
    const testing::WorkerProcess worker(
        {"--runtime", HIPR_HOSTILE_HIP, "--grace", "1", "--cache", "", "--sandbox", mode, "--metrics", "0"});
    std::map<int, int> out;
    const std::string page = metricsPage(worker), label = "name=\"";
    const std::size_t at = page.find(label);
    EXPECT_NE(at, std::string::npos) << page;
    if (at == std::string::npos) return out;
    std::istringstream text(page.substr(at + label.size()));
    char equals = 0;
    for (int deed = 0, code = 0; text >> deed >> equals >> code;) out[deed] = code;
    EXPECT_GT(out.size(), 15u) << "the service did not load the attacker's library: " << page.substr(at, 200);
    return out;
  }
  static int of(const std::map<int, int>& all, Deed deed) { return all.at(static_cast<int>(deed)); }

  const std::string secret_ = ::testing::TempDir() + "hipr-secret-smi-" + std::to_string(getpid());
  const std::string rocm_ = ::testing::TempDir() + "hipr-rocm-" + std::to_string(getpid());
};

constexpr Deed kDeeds[] = {Deed::kReadSecret, Deed::kWriteTmp, Deed::kWriteHome,
                           Deed::kSocket,     Deed::kFork,     Deed::kKillSupervisor,
                           Deed::kOwnSignals, Deed::kReadEtc,  Deed::kSlowSupervisor};

TEST_F(HostileSmi, WithoutASandboxEverythingSucceeds) {
  setenv("ROCM_PATH", rocm_.c_str(), 1);
  const std::map<int, int> all = attack("off");
  ASSERT_FALSE(all.empty());
  for (const Deed deed : kDeeds) EXPECT_EQ(of(all, deed), 0) << static_cast<int>(deed);
}

TEST_F(HostileSmi, GetsNothingOut) {
  for (const bool byRocm : {false, true}) {  // wherever AMD's library is
    unsetenv("LD_LIBRARY_PATH");
    unsetenv("ROCM_PATH");
    setenv(byRocm ? "ROCM_PATH" : "LD_LIBRARY_PATH", (rocm_ + (byRocm ? "" : "/lib")).c_str(), 1);
    const std::map<int, int> all = attack("gpu");
    ASSERT_FALSE(all.empty());
    for (const Deed deed : kDeeds) EXPECT_GT(of(all, deed), 0) << static_cast<int>(deed);
    for (const Deed deed :
         {Deed::kReadShadow, Deed::kTraceSupervisor, Deed::kPeekSupervisor, Deed::kReadSupervisorsMemory,
          Deed::kBecomeRoot, Deed::kSharedMemory, Deed::kPrivileges, Deed::kToken, Deed::kUserNamespace, Deed::kBpf})
      EXPECT_GT(of(all, deed), 0) << static_cast<int>(deed);
    EXPECT_EQ(of(all, Deed::kThread), 0);  // what a library may need
  }
}

TEST_F(TelemetrySandbox, HoldsForAWorkerThatIsNotRoot) {
  if (!root()) GTEST_SKIP() << "every other test here is that one";
  runAsNobody("TelemetrySandbox.Is*:HostileSmi.*");
}

}  // namespace
}  // namespace hipr
