// The process around the device: forks, and the end. Each case runs in a process of its own.
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>

#include "backends/softgpu/core_testing.h"
#include "backends/softgpu/state.h"

namespace hipr::softgpu::testing {
namespace {

// Runs `body` in a forked child and gives its exit status, -1 when it was killed or hung.
template <class Body>
int inChild(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    core().forgetAfterFork();
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int addOnce() {
  const Platform* opened = nullptr;
  if (core().open(&opened) != hipSuccess) return 2;
  TestStream stream;
  TestKernel add(0, kAddKernel);
  TestMemory memory(4096);
  if (fillWords(stream, memory.devicePointer, 1, 0) != hipSuccess) return 3;
  if (add.launch(stream, memory.devicePointer, 1) != hipSuccess) return 4;
  if (core().synchronize(stream) != hipSuccess) return 5;
  return memory.as<std::uint32_t>()[0] == 64 ? 0 : 6;
}

TEST(Lifecycle, AChildStartsAfresh) {
  ASSERT_EQ(addOnce(), 0);
  TestStream stream;
  Gate gate(stream);  // the parent is busy while it forks
  TestMemory memory(4096);
  ASSERT_EQ(fillWords(stream, memory.devicePointer, 1, 3), hipSuccess);
  EXPECT_EQ(inChild(addOnce), 0);
  gate.open();
  stream.sync();
  EXPECT_EQ(memory.as<std::uint32_t>()[0], 3u);
}

std::ptrdiff_t threadsHere() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

TEST(Lifecycle, OpeningStartsNoThreads) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer starts a thread of its own";
#endif
  EXPECT_EQ(inChild([] {
              const Platform* opened = nullptr;
              if (core().open(&opened) != hipSuccess) return 1;
              TestStream stream;
              TestMemory memory(4096);
              if (fillWords(stream, memory.devicePointer, 1, 0) != hipSuccess) return 2;
              return threadsHere() == 1 ? 0 : 3;
            }),
            0);
}

TEST(Lifecycle, ShutdownLetsWorkFinishAndRefusesMore) {
  EXPECT_EQ(inChild([] {
              const Platform* opened = nullptr;
              if (core().open(&opened) != hipSuccess) return 1;
              TestStream stream;
              TestKernel add(0, kAddKernel);
              TestMemory memory(4096, MemoryKind::kHost);
              std::memset(memory.host, 0, 4);
              for (int i = 0; i < 100; ++i)
                if (add.launch(stream, memory.devicePointer, 1) != hipSuccess) return 2;
              core().leave(platform::Ending::kLast);
              if (memory.as<std::uint32_t>()[0] != 6400) return 3;
              return core().open(&opened) == hipErrorDeinitialized ? 0 : 4;
            }),
            0);
}

TEST(Lifecycle, ShutdownEndsAnEndlessKernel) {
  EXPECT_EQ(inChild([] {
              const Platform* opened = nullptr;
              if (core().open(&opened) != hipSuccess) return 1;
              TestStream stream;
              TestKernel endless(0, kEndlessKernel);
              if (endless.launch(stream, nullptr, 0) != hipSuccess) return 2;
              core().leave(platform::Ending::kLast);
              return core().query(stream) == hipSuccess ? 0 : 3;
            }),
            0);
}

TEST(Lifecycle, BadDeviceListsFailTheSameWayEveryTime) {
  EXPECT_EQ(inChild([] {
              setenv("HIP_REMOTE_SOFTGPU", "gfx1", 1);
              const Platform* opened = nullptr;
              for (int i = 0; i < 2; ++i)
                if (core().open(&opened) != hipErrorNotInitialized) return 1;
              return 0;
            }),
            0);
  EXPECT_EQ(inChild([] {
              setenv("HIP_REMOTE_SOFTGPU", "none", 1);
              const Platform* opened = nullptr;
              return core().open(&opened) == hipErrorNoDevice ? 0 : 1;
            }),
            0);
}

TEST(Lifecycle, TheWatchdogEndsAnEndlessKernel) {
  EXPECT_EQ(inChild([] {
              setenv("HIP_REMOTE_SOFTGPU_WATCHDOG", "1", 1);
              const Platform* opened = nullptr;
              if (core().open(&opened) != hipSuccess) return 1;
              TestStream stream;
              TestKernel endless(0, kEndlessKernel);
              if (endless.launch(stream, nullptr, 0) != hipSuccess) return 2;
              return core().synchronize(stream) == hipErrorLaunchTimeOut ? 0 : 3;
            }),
            0);
}

}  // namespace
}  // namespace hipr::softgpu::testing
