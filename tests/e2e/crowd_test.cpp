// Many small clients at once on one worker: each gets memory, keeps it while all others have theirs, and finds in it
// what it wrote. HIPR_CROWD sets how many there are, HIPR_IDLE of those that lose their connections meanwhile.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "testing/eventually.h"
#include "testing/hip.h"
#include "testing/worker_process.h"
#include "tests/e2e/checked_program.h"
#include "tests/e2e/cutting_relay.h"

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

// What so many of them do at once.
class Crowd {
 public:
  explicit Crowd(int clients) {
    if (pipe(ready_) != 0 || pipe(go_) != 0) std::abort();
    for (int i = 0; i < clients; ++i) {
      children_.push_back(fork());
      if (children_.back() != 0) continue;
      close(ready_[0]);
      close(go_[1]);
      useALittle(i, ready_[1], go_[0]);
    }
    close(ready_[1]);
    close(go_[0]);
  }
  void expectReady() {
    std::size_t there = 0;
    for (char byte; there < children_.size() && read(ready_[0], &byte, 1) == 1;) ++there;
    EXPECT_EQ(there, children_.size());
    close(ready_[0]);
  }
  void expectRight() {
    close(go_[1]);
    for (const pid_t child : children_) {
      int status = 0;
      waitpid(child, &status, 0);
      EXPECT_TRUE(WIFEXITED(status));
      EXPECT_EQ(WEXITSTATUS(status), kRight);
    }
  }

 private:
  int ready_[2], go_[2];
  std::vector<pid_t> children_;
};

int wanted(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::atoi(text) : otherwise;
}

TEST(Crowd, EverybodyGetsALittle) {
  const int clients = wanted("HIPR_CROWD", 256);
  const testing::WorkerProcess worker(
      {"--runtime", "softgpu", "--grace", "1", "--max-sessions", std::to_string(clients)});
  worker.use();
  Crowd crowd(clients);
  crowd.expectReady();
  crowd.expectRight();
}

// All have lost their connections and cannot come back for a while: their sessions wait for them, and then go on.
TEST(Crowd, SessionsWaitForEverybody) {
  const int clients = wanted("HIPR_IDLE", 100);
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  setenv("HIP_REMOTE_SOFTGPU_MEMORY", std::to_string(64 * clients).c_str(), 1);  // MiB; each maps 32 of them
  const testing::WorkerProcess worker(
      {"--runtime", "softgpu", "--grace", "1", "--max-sessions", std::to_string(clients)});
  unsetenv("HIP_REMOTE_SOFTGPU_MEMORY");
  CuttingRelay relay(worker.port(), {});
  use(relay.port());
  Crowd crowd(clients);
  crowd.expectReady();
  relay.shut(true);
  ASSERT_TRUE(testing::eventually([&] { return relay.lines() == 0; }));
  std::this_thread::sleep_for(std::chrono::seconds(2));
  EXPECT_GE(worker.sessions().size(), static_cast<std::size_t>(clients));
  relay.shut(false);
  crowd.expectRight();
}

}  // namespace
}  // namespace hipr
