// Kernel output into a pager that shows one page and waits: HIP calls go on, the session lives, and nothing is lost.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "testing/hip.h"
#include "testing/worker_process.h"
#include "tests/e2e/relay.h"

namespace hipr {
namespace {

using testing::Relay;
using testing::RelayedBytes;
using testing::RelayedFrame;
using wire::Opcode;
using Clock = std::chrono::steady_clock;

constexpr int kTimeout = 1, kPause = 4;               // seconds: TF_IO_TIMEOUT, and longer than that
constexpr std::size_t kPage = 32 << 10, kPages = 40;  // more than a pipe holds

// What every answer brings along; printed by a relay, so that no kernel with printf has to be compiled.
void addOutput(RelayedFrame& frame, RelayedBytes& out, std::size_t& pages) {
  static const std::vector<std::byte> text(kPage, std::byte{'k'});
  if (frame.is(Opcode::kMemoryInfo) && pages < kPages) {
    ++pages;
    out.push(Opcode::kOutput, wire::Output{1, text});
  }
  out.pass(frame);
}

[[noreturn]] void printAndGoOn() {
  testing::Hip hip;
  if (!hip.load(testing::remoteLibrary()).ok()) std::exit(3);
  const auto end = Clock::now() + std::chrono::seconds(kPause);
  for (std::size_t calls = 0; calls < kPages || Clock::now() < end; ++calls) {
    std::size_t free = 0, total = 0;
    const auto start = Clock::now();
    if (hip.api.hipMemGetInfo(&free, &total) != hipSuccess) std::exit(4);
    if (Clock::now() - start > std::chrono::seconds(kPause) / 2) std::exit(6);  // it waited for the pager
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::exit(hip.api.hipDeviceSynchronize() == hipSuccess ? 0 : 5);
}

TEST(PausedPager, DoesNotCostTheSession) {
  const testing::WorkerProcess worker;
  const Relay relay(worker.port(), [pages = std::size_t{0}](RelayedFrame& frame, RelayedBytes& out) mutable {
    addOutput(frame, out, pages);
  });
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t program = fork();
  if (program == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    setenv("TF_WORKER_HOST", "127.0.0.1", 1);
    setenv("TF_WORKER_PORT", std::to_string(relay.port()).c_str(), 1);
    setenv("TF_IO_TIMEOUT", std::to_string(kTimeout).c_str(), 1);
    alarm(60);
    printAndGoOn();
  }
  close(ends[1]);
  std::this_thread::sleep_for(std::chrono::seconds(kPause));  // nobody reads
  std::size_t shown = 0;
  char text[4096];
  for (ssize_t size; (size = read(ends[0], text, sizeof text)) > 0;) shown += static_cast<std::size_t>(size);
  close(ends[0]);
  int status = 0;
  waitpid(program, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(shown, kPage * kPages);
}

}  // namespace
}  // namespace hipr
