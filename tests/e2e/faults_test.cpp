// Clients and sessions that vanish at any moment: nobody else notices, nothing leaks, and the one concerned is told.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "testing/eventually.h"
#include "testing/hip.h"
#include "testing/worker_process.h"

namespace hipr {
namespace {

using testing::eventually;
using testing::Hip;
using testing::WorkerProcess;
using Clock = std::chrono::steady_clock;

// Allocates, copies, computes and checks, `rounds` times. Exit code 0 when everything was right.
[[noreturn]] void behave(int rounds) {
  Hip hip;
  if (!hip.load(testing::remoteLibrary()).ok()) _exit(3);
  for (int round = 0; round < rounds; ++round) {
    float* out = nullptr;
    int depth = 10 + round;
    std::vector<float> host(64 * 16);
    HIPR_CHECK(hip, hipMalloc(reinterpret_cast<void**>(&out), host.size() * sizeof(float)));
    void* arguments[] = {&out, &depth};
    hip.launch(hip.work, 16, 64, arguments);
    HIPR_CHECK(hip, hipMemcpyAsync(host.data(), out, host.size() * sizeof(float), hipMemcpyDeviceToHost, hip.stream));
    for (int i = 0; i < static_cast<int>(host.size()); ++i) {
      if (host[i] != testing::workResult(i, depth)) std::exit(4);
    }
    HIPR_CHECK(hip, hipFree(out));
  }
  std::exit(0);
}

pid_t startClient(int rounds) {
  const pid_t child = fork();
  if (child == 0) behave(rounds);
  return child;
}

int exitCode(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// Sessions end a moment after their clients.
bool sessionsGone(const WorkerProcess& worker) {
  return eventually([&] { return worker.sessions().empty(); });
}

// The supervisor closes its ends a moment after a session, so the first count may be one too high; a leak of every
// client is far above that.
bool descriptorsAreBackTo(int count, const WorkerProcess& worker) {
  return eventually([&] { return worker.openDescriptors() <= count; });
}

TEST(Faults, FiftyClientsInTurnLeaveNothingBehind) {
  const WorkerProcess worker;
  worker.use();
  EXPECT_EQ(exitCode(startClient(1)), 0);
  ASSERT_TRUE(sessionsGone(worker));
  const int descriptors = worker.openDescriptors();
  for (int i = 0; i < 50; ++i) ASSERT_EQ(exitCode(startClient(2)), 0) << "client " << i;
  ASSERT_TRUE(sessionsGone(worker));
  EXPECT_TRUE(descriptorsAreBackTo(descriptors, worker)) << worker.openDescriptors() << " instead of " << descriptors;
}

TEST(Faults, SixteenClientsAtOnce) {
  WorkerProcess worker;
  worker.use();
  std::vector<pid_t> clients;
  for (int i = 0; i < 16; ++i) clients.push_back(startClient(10));
  for (const pid_t client : clients) EXPECT_EQ(exitCode(client), 0);
  EXPECT_TRUE(sessionsGone(worker));
  EXPECT_EQ(worker.terminate(), 0);
}

TEST(Faults, KilledClientsTakeTheirSessionsAlongAndNothingElse) {
  const WorkerProcess worker;
  worker.use();
  EXPECT_EQ(exitCode(startClient(1)), 0);
  ASSERT_TRUE(sessionsGone(worker));
  const int descriptors = worker.openDescriptors();
  std::mt19937 random(7);
  const pid_t bystander = startClient(400);
  for (int i = 0; i < 20; ++i) {
    const pid_t victim = startClient(1 << 20);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 60000));
    kill(victim, SIGKILL);
    EXPECT_EQ(exitCode(victim), -SIGKILL);
  }
  EXPECT_EQ(exitCode(bystander), 0);
  EXPECT_TRUE(sessionsGone(worker));
  EXPECT_TRUE(descriptorsAreBackTo(descriptors, worker)) << worker.openDescriptors() << " instead of " << descriptors;
  EXPECT_EQ(exitCode(startClient(2)), 0);
}

TEST(Faults, AKilledSessionTellsItsClientAndSparesTheOthers) {
  const WorkerProcess worker;
  worker.use();
  const pid_t victim = startClient(1 << 20);
  while (worker.sessions().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const pid_t session = worker.sessions().front();
  const pid_t bystander = startClient(200);
  const auto start = Clock::now();
  kill(session, SIGKILL);
  const int code = exitCode(victim);
  EXPECT_GT(code, 0) << "the client must end by itself, with an error";
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(exitCode(bystander), 0);
  EXPECT_EQ(exitCode(startClient(1)), 0);
}

TEST(Faults, AKilledWorkerIsAnErrorAndTheNextStartIsFine) {
  auto worker = std::make_unique<WorkerProcess>();
  worker->use();
  const pid_t victim = startClient(1 << 20);
  while (worker->sessions().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const auto start = Clock::now();
  worker->kill();
  EXPECT_GT(exitCode(victim), 0);
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(10));
  worker = std::make_unique<WorkerProcess>();
  worker->use();
  EXPECT_EQ(exitCode(startClient(1)), 0);
}

TEST(Faults, NoWorkerIsAnErrorAtOnce) {
  setenv("TF_WORKER_HOST", "127.0.0.1", 1);
  setenv("TF_WORKER_PORT", "1", 1);
  const auto start = Clock::now();
  EXPECT_EQ(exitCode(startClient(1)), 3);
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(2));
}

}  // namespace
}  // namespace hipr
