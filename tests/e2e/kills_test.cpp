// Programs and sessions are killed at random moments: who is left is told the right error, and nothing of the other
// stays behind. Long form: HIPR_KILLS=10000.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "testing/eventually.h"
#include "testing/hip.h"
#include "testing/worker_process.h"
#include "tests/e2e/checked_program.h"

namespace hipr {
namespace {

using std::chrono::microseconds;

int wanted() {
  const char* text = std::getenv("HIPR_KILLS");
  return text ? std::atoi(text) : 60;
}

// Works until something fails: 0 when that is what a lost session says, else what it was; 99: a result was wrong.
int workUntilLost(const testing::WorkerProcess& worker, int started) {
  use(worker.port());
  worker::HipTable hip;
  if (!worker::loadHip(testing::remoteLibrary(), hip).ok()) return 98;
  void *memory = nullptr, *pinned = nullptr;
  hipStream_t stream = nullptr;
  const std::size_t size = 300'000;
  hipError_t error = hip.hipMalloc(&memory, size);
  if (error == hipSuccess) error = hip.hipHostMalloc(&pinned, size, 0);
  if (error == hipSuccess) error = hip.hipStreamCreate(&stream);
  close(started);
  std::vector<unsigned char> there(size), back(size);
  for (unsigned round = 1; error == hipSuccess; ++round) {
    for (std::size_t i = 0; i < size; ++i) there[i] = static_cast<unsigned char>(i * round);
    error = hip.hipMemcpy(memory, there.data(), size, hipMemcpyHostToDevice);
    if (error == hipSuccess) error = hip.hipMemcpyAsync(pinned, memory, size, hipMemcpyDeviceToHost, stream);
    if (error == hipSuccess) error = hip.hipMemcpy(back.data(), memory, size, hipMemcpyDeviceToHost);
    if (error == hipSuccess) error = hip.hipStreamSynchronize(stream);
    if (error == hipSuccess && back != there) return 99;
  }
  return error == hipErrorNotInitialized ? 0 : error;
}

std::size_t freeMemory(const testing::WorkerProcess& worker) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  inChild([&] {
    use(worker.port());
    testing::Hip hip;
    std::size_t free = 0, total = 0;
    if (!hip.load(testing::remoteLibrary()).ok() || hip.api.hipMemGetInfo(&free, &total) != hipSuccess) return 1;
    return write(ends[1], &free, sizeof free) == static_cast<ssize_t>(sizeof free) ? 0 : 2;
  });
  std::size_t free = 0;
  close(ends[1]);
  EXPECT_EQ(read(ends[0], &free, sizeof free), static_cast<ssize_t>(sizeof free));
  close(ends[0]);
  return free;
}

// What the supervisor has open when nothing is going on: the same a while, since it closes what a client used when it
// gets to it.
int descriptorsAtRest(const testing::WorkerProcess& worker) {
  constexpr int kLooks = 25;
  int count = worker.openDescriptors();
  for (int same = 0; same < kLooks; ++same) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const int now = worker.openDescriptors();
    if (now != std::exchange(count, now)) same = 0;
  }
  return count;
}

TEST(Kills, RightErrorAndNothingLeft) {
  setenv("HIP_REMOTE_SOFTGPU_MEMORY", "512", 1);  // the same however much others use
  const testing::WorkerProcess worker;
  unsetenv("HIP_REMOTE_SOFTGPU_MEMORY");
  const auto nobodyLeft = [&] { return worker.sessions().empty(); };
  const std::size_t before = freeMemory(worker);
  ASSERT_TRUE(testing::eventually(nobodyLeft));
  const int descriptors = descriptorsAtRest(worker);
  std::minstd_rand random(1);
  int programs = 0, sessions = 0;
  for (int i = 0; i < wanted() && !::testing::Test::HasFailure(); ++i) {
    int started[2];
    ASSERT_EQ(pipe(started), 0);
    const pid_t program = fork();
    if (program == 0) {
      close(started[0]);
      _exit(workUntilLost(worker, started[1]));
    }
    close(started[1]);
    // From the first message on; or, later, from when it works.
    char byte = 0;
    if (random() % 4) (void)!read(started[0], &byte, 1);
    std::this_thread::sleep_for(microseconds(random() % 20'000));
    const std::vector<pid_t> serving = worker.sessions();
    const bool ofSession = i % 2 && !serving.empty();
    kill(ofSession ? serving[0] : program, SIGKILL);
    ++(ofSession ? sessions : programs);
    int status = 0;
    while (waitpid(program, &status, WNOHANG) == 0) {  // one that has only just begun may have begun again
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      for (const pid_t session : worker.sessions()) kill(session, SIGKILL);
    }
    close(started[0]);
    if (ofSession) {
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    }
    ASSERT_TRUE(testing::eventually(nobodyLeft)) << "kill " << i;
  }
  std::printf("%d programs and %d sessions killed\n", programs, sessions);
  EXPECT_EQ(freeMemory(worker), before);
  ASSERT_TRUE(testing::eventually(nobodyLeft));
  EXPECT_TRUE(testing::eventually([&] { return worker.openDescriptors() == descriptors; }))
      << worker.openDescriptors() << " instead of " << descriptors;
}

}  // namespace
}  // namespace hipr
