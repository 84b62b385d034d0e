// Many small clients at once on one worker: each gets memory, keeps it while all others have theirs, and finds in it
// what it wrote. HIPR_CROWD sets how many there are.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "testing/hip.h"
#include "testing/worker_process.h"

namespace hipr {
namespace {

constexpr std::size_t kSize = 16 << 10;
enum Exit { kRight, kNoLibrary, kNoMemory, kFailed, kWrong };

// `ready` gets a byte when the memory is there; `go` is closed when everybody's is.
[[noreturn]] void useALittle(int number, int ready, int go) {
  alarm(250);
  testing::Hip hip;
  if (!hip.load(testing::remoteLibrary()).ok()) _exit(kNoLibrary);
  void* memory = nullptr;
  if (hip.api.hipMalloc(&memory, kSize) != hipSuccess) _exit(kNoMemory);
  const std::vector<char> mine(kSize, static_cast<char>(number));
  if (hip.api.hipMemcpy(memory, mine.data(), kSize, hipMemcpyHostToDevice) != hipSuccess) _exit(kFailed);
  if (hip.api.hipDeviceSynchronize() != hipSuccess) _exit(kFailed);
  char byte = 0;
  if (write(ready, &byte, 1) != 1) _exit(kFailed);
  close(ready);
  (void)!read(go, &byte, 1);
  std::vector<char> back(kSize);
  if (hip.api.hipMemcpy(back.data(), memory, kSize, hipMemcpyDeviceToHost) != hipSuccess) _exit(kFailed);
  _exit(back == mine ? kRight : kWrong);
}

TEST(Crowd, EverybodyGetsALittle) {
  const char* wanted = std::getenv("HIPR_CROWD");
  const int clients = wanted ? std::atoi(wanted) : 256;
  const testing::WorkerProcess worker(
      {"--runtime", "softgpu", "--grace", "1", "--max-sessions", std::to_string(clients)});
  worker.use();
  int ready[2], go[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(go), 0);
  std::vector<pid_t> children;
  for (int i = 0; i < clients; ++i) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    close(ready[0]);
    close(go[1]);
    useALittle(i, ready[1], go[0]);
  }
  close(ready[1]);
  close(go[0]);
  int there = 0;
  for (char byte; read(ready[0], &byte, 1) == 1;) ++there;
  EXPECT_EQ(there, clients);
  close(go[1]);
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), kRight);
  }
  close(ready[0]);
}

}  // namespace
}  // namespace hipr
