// A relay between a program and its worker cuts every connection sooner or later, with and without a reset, or halts
// it; the program must not notice. Long form: HIPR_CUTS=10000.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "testing/worker_process.h"
#include "tests/e2e/checked_program.h"
#include "tests/e2e/counters.h"
#include "tests/e2e/cutting_relay.h"

namespace hipr {
namespace {

using testing::WorkerProcess;
using Clock = std::chrono::steady_clock;

constexpr int kUsual = 300;
int wanted() {
  const char* text = std::getenv("HIPR_CUTS");
  return text ? std::atoi(text) : kUsual;
}

TEST(Cuts, NothingIsLost) {
  const WorkerProcess worker;
  CuttingRelay relay(worker.port(), {.most = 200'000});
  for (unsigned seed = 1; relay.cuts() < wanted() && !::testing::Test::HasFailure(); ++seed) {
    EXPECT_EQ(inChild([&] {
                use(relay.port());
                return checkedRounds(100 * seed, 20);
              }),
              0)
        << seed;
  }
}

// The same short program again and again, cut after its first frame, its second one, and so on, the greeting included.
TEST(Cuts, AfterEachFrameOfARun) {
  const WorkerProcess worker;
  const auto run = [&](const CuttingRelay& relay) {
    return inChild([&] {
      use(relay.port());
      return checkedRounds(7, 1);
    });
  };
  int frames = 0;
  {
    const CuttingRelay whole(worker.port(), {.afterFrame = -1});
    ASSERT_EQ(run(whole), 0);
    frames = whole.frames();
  }
  ASSERT_GT(frames, 20);
  // All of them in the long form; else the greeting, and some of the rest.
  const int stride = wanted() > kUsual ? 1 : std::max(1, frames / 25);
  int cuts = 0;
  for (int after = 1; after <= frames; after += after < 8 ? 1 : stride) {
    const CuttingRelay relay(worker.port(), {.ways = {after % 2 ? How::kClose : How::kReset}, .afterFrame = after});
    EXPECT_EQ(run(relay), 0) << "cut after frame " << after << " of " << frames;
    cuts += relay.cuts();
  }
  std::printf("%d cuts, a run has %d frames\n", cuts, frames);
  EXPECT_GT(cuts, 20);
}

// Some of what is uploaded is named instead, because a program before this one has sent it already.
TEST(Cuts, NothingOfNamedUploadsIsLost) {
  const std::string folder = ::testing::TempDir() + "hipr-cuts-" + std::to_string(getpid());
  const WorkerProcess worker({"--runtime", "softgpu", "--grace", "1", "--data-cache", folder});
  for (unsigned run = 0; run < 3; ++run) {
    CuttingRelay relay(worker.port(), {.most = 200'000, .seed = 7 + run});
    EXPECT_EQ(inChild([&] {
                use(relay.port());
                setenv("HIP_REMOTE_DATA_CACHE", "on", 1);
                return checkedRounds(run < 2 ? 0 : 10, 20);  // at last half of it is new
              }),
              0)
        << run;
    EXPECT_GT(relay.cuts(), 0) << run;
  }
  std::filesystem::remove_all(folder);
}

// And some travels packed.
TEST(Cuts, NothingOfPackedDataIsLost) {
  const WorkerProcess worker;
  CuttingRelay relay(worker.port(), {.most = 100'000, .seed = 11});
  const Counters counters = Counters::of([&] {
    use(relay.port());
    setenv("HIP_REMOTE_COMPRESS", "on", 1);
    if (checkedRounds(0, 20) != 0) _exit(1);
  });
  EXPECT_GT(counters["packed"], 100'000);
  EXPECT_GT(counters["unpacked"], 100'000);
  EXPECT_GT(relay.cuts(), 0);
}

// In a container that has this machine's name and numbers of its own for its processes.
TEST(Cuts, AClientInAnotherProcessNamespaceComesBack) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  const WorkerProcess worker;
  CuttingRelay relay(worker.port(), {.most = 200'000, .seed = 3});
  EXPECT_EQ(inChild([&] {
              if (unshare(CLONE_NEWPID) != 0) return 77;
              return inChild([&] {
                use(relay.port());
                return checkedRounds(0, 10);
              });
            }),
            0);
  EXPECT_GT(relay.cuts(), 0);
}

TEST(Cuts, AConnectionThatHaltsIsReplaced) {
  const WorkerProcess worker;
  CuttingRelay relay(worker.port(), {.most = 3'000'000, .ways = {How::kHalt}, .seed = 5});
  EXPECT_EQ(inChild([&] {
              use(relay.port());
              setenv("TF_IO_TIMEOUT", "2", 1);
              return checkedRounds(0, 10);
            }),
            0);
  EXPECT_GT(relay.cuts(), 0);
}

TEST(Cuts, ASessionThatWasEndedIsReported) {
  const WorkerProcess worker;
  EXPECT_EQ(inChild(
                [&] {
                  use(worker.port());
                  testing::Hip hip;
                  if (!hip.load(testing::remoteLibrary()).ok()) return 2;
                  void* memory = nullptr;
                  if (hip.api.hipMalloc(&memory, 4096) != hipSuccess) return 3;
                  for (const pid_t session : worker.sessions()) kill(session, SIGKILL);
                  return hip.api.hipDeviceSynchronize() == hipErrorNotInitialized ? 0 : 1;
                },
                20),
            0);
}

TEST(Cuts, TheMemoryOfAProgramThatDiedIsFreeAtOnce) {
  const WorkerProcess worker;
  inChild([&] {
    use(worker.port());
    testing::Hip hip;
    void* memory = nullptr;
    if (hip.load(testing::remoteLibrary()).ok()) (void)hip.api.hipMalloc(&memory, 1 << 20);
    return raise(SIGKILL);
  });
  const auto until = Clock::now() + std::chrono::seconds(10);
  while (!worker.sessions().empty() && Clock::now() < until) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(worker.sessions().empty());
}

}  // namespace
}  // namespace hipr
