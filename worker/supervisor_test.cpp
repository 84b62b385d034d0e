// hip-worker as a process: what it prints, what it survives, how it stops.
#include "worker/supervisor.h"

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>

#include "worker/test_client.h"

extern char** environ;

namespace hipr::worker {
namespace {

using namespace std::chrono_literals;
using wire::Opcode;

template <class F>
bool eventually(F&& condition) {
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

class WorkerProcess {
 public:
  explicit WorkerProcess(std::vector<std::string> arguments, std::string runtime = HIPR_TINY_HIP) {
    arguments.insert(arguments.begin(), {HIPR_WORKER, "--port", "0", "--cache", "", "--runtime", runtime});
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) std::abort();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    EXPECT_EQ(posix_spawn(&pid_, HIPR_WORKER, &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    output_ = ends[0];
    fcntl(output_, F_SETFL, O_NONBLOCK);
    eventually([&] { return log().find("Listening on port ") != std::string::npos || ended(); });
    const std::size_t at = log_.find("Listening on port ");
    if (at != std::string::npos) port_ = static_cast<std::uint16_t>(std::stoi(log_.substr(at + 18)));
  }
  ~WorkerProcess() {
    if (!ended()) {
      kill(pid_, SIGKILL);
      waitpid(pid_, &status_, 0);
    }
    close(output_);
  }

  TestClient connect(const std::string& host = "127.0.0.1") {
    net::Socket socket;
    const Status status = net::connectTo({host, port_}, 5, socket);
    EXPECT_TRUE(status.ok()) << status.message();
    return TestClient(std::move(socket));
  }
  // Everything printed so far.
  const std::string& log() {
    char text[4096];
    for (ssize_t n; (n = read(output_, text, sizeof text)) > 0;) log_.append(text, static_cast<std::size_t>(n));
    return log_;
  }
  std::vector<pid_t> sessions() const {
    std::ifstream file("/proc/" + std::to_string(pid_) + "/task/" + std::to_string(pid_) + "/children");
    std::vector<pid_t> out;
    for (pid_t child; file >> child;) out.push_back(child);
    return out;
  }
  std::size_t openFiles() const {
    std::size_t count = 0;
    if (DIR* folder = opendir(("/proc/" + std::to_string(pid_) + "/fd").c_str())) {
      while (readdir(folder)) ++count;
      closedir(folder);
    }
    return count;
  }
  bool ended() {
    if (!ended_ && waitpid(pid_, &status_, WNOHANG) == pid_) ended_ = true;
    return ended_;
  }
  int exitCode() {
    EXPECT_TRUE(eventually([&] { return ended(); })) << log();
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : -WTERMSIG(status_);
  }
  void signal(int which) { kill(pid_, which); }

 private:
  pid_t pid_ = -1;
  int output_ = -1, status_ = 0;
  bool ended_ = false;
  std::string log_;
  std::uint16_t port_ = 0;
};

TEST(Worker, PrintsItsDevicesAndServes) {
  WorkerProcess worker({});
  EXPECT_NE(worker.log().find("[HIP-Worker] Device: Tiny\n"), std::string::npos) << worker.log();
  EXPECT_NE(worker.log().find("[HIP-Worker]   Memory: 1.0 GB\n"), std::string::npos);
  EXPECT_NE(worker.log().find("[HIP-Worker]   Compute: 9.0\n"), std::string::npos);
  TestClient client = worker.connect();
  EXPECT_EQ(client.hello().credits.size(), 1u);
  EXPECT_EQ(client.ask<Opcode::kPing>({}), hipSuccess);
}

TEST(Worker, OneSessionsDeathLeavesTheOthersAlone) {
  WorkerProcess worker({});
  TestClient first = worker.connect();
  first.hello();
  ASSERT_EQ(worker.sessions().size(), 1u);
  const pid_t victim = worker.sessions()[0];
  TestClient second = worker.connect();
  second.hello();
  kill(victim, SIGKILL);
  EXPECT_FALSE(first.next().has_value());
  EXPECT_EQ(second.ask<Opcode::kPing>({}), hipSuccess);
  EXPECT_TRUE(eventually([&] { return worker.log().find("ended by signal 9") != std::string::npos; })) << worker.log();
  TestClient third = worker.connect();
  third.hello();
  EXPECT_EQ(third.ask<Opcode::kPing>({}), hipSuccess);
}

TEST(Worker, ACrashInTheRuntimeEndsOneSession) {
  WorkerProcess worker({});
  TestClient bystander = worker.connect(), client = worker.connect();
  bystander.hello();
  client.hello();
  client.send<Opcode::kSetLimit>({0, 0, 1});
  EXPECT_FALSE(client.next().has_value());
  EXPECT_TRUE(eventually([&] { return worker.log().find("ended by signal 6") != std::string::npos; })) << worker.log();
  EXPECT_EQ(bystander.ask<Opcode::kPing>({}), hipSuccess);
}

TEST(Worker, CreditComesBackHoweverASessionEnds) {
  WorkerProcess worker({});
  std::uint64_t first = 0;
  for (int how = 0; how < 3; ++how) {
    TestClient client = worker.connect();
    const std::uint64_t credit = client.hello().credits[0];
    if (!first) first = credit;
    EXPECT_EQ(credit, first) << how;
    std::vector<std::byte> storage;
    client.call<wire::MemoryCreditReply, Opcode::kMemoryCredit>({0, 1 << 28}, storage);
    if (how == 0) client.send<Opcode::kGoodbye>({});
    if (how == 1) client.socket().close();
    if (how == 2) kill(worker.sessions()[0], SIGKILL);
    EXPECT_TRUE(eventually([&] { return worker.sessions().empty(); }));
  }
}

TEST(Worker, ASilentConnectionBlocksNobody) {
  WorkerProcess worker({});
  TestClient silent = worker.connect();
  TestClient client = worker.connect();
  EXPECT_EQ(client.hello().status, hipSuccess);
}

TEST(Worker, TooManySessionsAreRefusedInWords) {
  WorkerProcess worker({"--max-sessions", "1"});
  TestClient first = worker.connect();
  first.hello();
  TestClient second = worker.connect();
  second.send<Opcode::kHello>({});
  const auto refused = second.expectPush<wire::Refused>(Opcode::kRefused);
  ASSERT_TRUE(refused);
  EXPECT_NE(refused->text.find("as many clients"), std::string::npos);
  EXPECT_EQ(refused->status, wire::Refused::kLater);
  first.send<Opcode::kGoodbye>({});
  ASSERT_TRUE(eventually([&] { return worker.sessions().empty(); }));
  TestClient third = worker.connect();
  EXPECT_EQ(third.hello().status, hipSuccess);
}

// One program right after the other: the first one's session may take a moment to end.
TEST(Worker, WhoComesWhileAnotherLeavesIsServed) {
  WorkerProcess worker({"--max-sessions", "1"});
  TestClient first = worker.connect();
  first.hello();
  kill(worker.sessions()[0], SIGSTOP);  // it would be gone too soon
  first.socket().close();
  TestClient second = worker.connect();
  EXPECT_EQ(second.hello().status, hipSuccess);
}

TEST(Worker, ManyClientsLeaveNothingBehind) {
  WorkerProcess worker({});
  {
    TestClient warm = worker.connect();
    warm.hello();
  }
  ASSERT_TRUE(eventually([&] { return worker.sessions().empty(); }));
  const std::size_t files = worker.openFiles();
  for (int i = 0; i < 50; ++i) {
    TestClient client = worker.connect();
    ASSERT_EQ(client.hello().status, hipSuccess);
  }
  std::vector<TestClient> crowd;
  for (int i = 0; i < 16; ++i) crowd.push_back(worker.connect());
  for (TestClient& client : crowd) ASSERT_EQ(client.hello().status, hipSuccess);
  crowd.clear();
  EXPECT_TRUE(eventually([&] { return worker.sessions().empty(); }));
  EXPECT_EQ(worker.openFiles(), files);
}

TEST(Worker, SigtermWithoutSessionsExitsAtOnce) {
  WorkerProcess worker({});
  worker.signal(SIGTERM);
  EXPECT_EQ(worker.exitCode(), 0);
}

TEST(Worker, SigtermLetsSessionsFinish) {
  WorkerProcess worker({"--grace", "8"});
  TestClient client = worker.connect();
  client.hello();
  worker.signal(SIGTERM);
  EXPECT_TRUE(eventually([&] { return worker.log().find("stopping") != std::string::npos; }));
  EXPECT_EQ(client.ask<Opcode::kPing>({}), hipSuccess);
  EXPECT_FALSE(worker.ended());
  client.send<Opcode::kGoodbye>({});
  EXPECT_EQ(worker.exitCode(), 0);
}

TEST(Worker, SigtermEndsSessionsAfterTheGraceTime) {
  WorkerProcess worker({"--grace", "1"});
  TestClient client = worker.connect();
  client.hello();
  worker.signal(SIGTERM);
  EXPECT_EQ(worker.exitCode(), 0);
  EXPECT_FALSE(client.next().has_value());
}

TEST(Worker, SessionsDieWithTheSupervisor) {
  WorkerProcess worker({});
  TestClient client = worker.connect();
  client.hello();
  worker.signal(SIGKILL);
  EXPECT_FALSE(client.next().has_value());
}

TEST(Worker, ServesIpv6) {
  net::Socket probe;
  std::uint16_t port = 0;
  if (!net::listenOn("::1", 0, probe, &port).ok()) GTEST_SKIP() << "this machine has no IPv6 loopback";
  WorkerProcess worker({"--bind", "::1"});
  TestClient client = worker.connect("::1");
  EXPECT_EQ(client.hello().status, hipSuccess);
}

TEST(Worker, ARuntimeThatCannotBeLoadedIsNamed) {
  WorkerProcess worker({}, "/no/such/libamdhip64.so");
  EXPECT_EQ(worker.exitCode(), 1);
  EXPECT_NE(worker.log().find("/no/such/libamdhip64.so"), std::string::npos);
}

TEST(Worker, ADeviceThatDoesNotExistIsAnError) {
  WorkerProcess worker({"--device", "3"});
  EXPECT_EQ(worker.exitCode(), 1);
  EXPECT_NE(worker.log().find("no device 3"), std::string::npos) << worker.log();
}

TEST(Worker, WrongOptionsAreExplained) {
  WorkerProcess worker({"--grace", "soon"});
  EXPECT_EQ(worker.exitCode(), 2);
  EXPECT_NE(worker.log().find("--grace"), std::string::npos);
}

}  // namespace
}  // namespace hipr::worker
