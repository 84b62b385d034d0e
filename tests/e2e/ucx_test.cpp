// Sessions over UCX, by its own way through TCP: every result is right, also with TLS; ends are noticed on both sides,
// and nothing is left of a bridge.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "testing/eventually.h"
#include "testing/worker_process.h"
#include "tests/e2e/checked_program.h"

namespace hipr {
namespace {

using testing::WorkerProcess;

const std::vector<std::string> kWithUcx = {"--runtime", "softgpu", "--grace", "1", "--ucx"};

// Of the worker's children.
bool isBridge(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/comm");
  std::string name;
  return std::getline(file, name) && name == "hip-worker-ucx";
}
long bridgesOf(const WorkerProcess& worker) {
  const std::vector<pid_t> children = worker.sessions();
  return std::count_if(children.begin(), children.end(), isBridge);
}

class OverUcx : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HIPR_BUILT_WITH_UCX) GTEST_SKIP() << "built without UCX (Debian: libucx-dev)";
    if (!dlopen("libucp.so.0", RTLD_NOW | RTLD_LOCAL)) GTEST_SKIP() << "UCX is not installed here (Debian: libucx0)";
    setenv("UCX_TLS", "tcp,self", 1);
    setenv("UCX_NET_DEVICES", "lo", 1);
    setenv("HIP_REMOTE_TRANSPORT", "ucx", 1);
  }
  void TearDown() override {
    for (const char* name :
         {"UCX_TLS", "UCX_NET_DEVICES", "HIP_REMOTE_TRANSPORT", "HIP_REMOTE_TLS", "HIP_REMOTE_TOKEN"})
      unsetenv(name);
  }
};

TEST_F(OverUcx, ResultsAreRight) {
  const WorkerProcess worker(kWithUcx);
  use(worker.port());
  EXPECT_EQ(inChild([] { return checkedRounds(1, 30); }), 0);
  EXPECT_TRUE(testing::eventually([&] { return worker.sessions().empty(); }));
}

TEST_F(OverUcx, WithTlsToo) {
  setenv("HIP_REMOTE_TOKEN", "only for this test", 1);
  setenv("HIP_REMOTE_TLS", "1", 1);
  const WorkerProcess worker(kWithUcx);
  use(worker.port());
  EXPECT_EQ(inChild([] { return checkedRounds(100, 10); }), 0);
}

TEST_F(OverUcx, ItIsReallyUcx) {
  const WorkerProcess worker(kWithUcx);
  use(worker.port());
  EXPECT_EQ(inChild([&] {
              CheckedProgram program;
              if (bridgesOf(worker) != 1) return 1;
              return program.round(7) ? 0 : 2;
            }),
            0);
}

TEST_F(OverUcx, AWorkerThatDoesNotOfferItIsAnError) {
  const WorkerProcess worker;
  use(worker.port());
  EXPECT_EQ(inChild([] {
              testing::Hip hip;
              return hip.load(testing::remoteLibrary()).ok() ? 1 : 0;
            }),
            0);
}

TEST_F(OverUcx, ALostSessionIsNoticed) {
  const WorkerProcess worker(kWithUcx);
  use(worker.port());
  EXPECT_EQ(inChild([&] {
              CheckedProgram program;
              if (!program.round(3)) return 1;
              testing::Hip hip;
              if (!hip.load(testing::remoteLibrary()).ok()) return 2;
              for (const pid_t child : worker.sessions())
                if (!isBridge(child)) kill(child, SIGKILL);
              return testing::eventually([&] { return hip.api.hipDeviceSynchronize() != hipSuccess; }) ? 0 : 3;
            }),
            0);
  EXPECT_TRUE(testing::eventually([&] { return worker.sessions().empty(); }));
}

TEST_F(OverUcx, AProgramThatIsKilledLeavesNothing) {
  const WorkerProcess worker(kWithUcx);
  use(worker.port());
  EXPECT_EQ(inChild([] {
              CheckedProgram program;
              if (!program.round(3)) return 1;
              raise(SIGKILL);
              return 2;
            }),
            -SIGKILL);
  EXPECT_TRUE(testing::eventually([&] { return worker.sessions().empty(); }));
}

TEST_F(OverUcx, AForkedChildGoesOnWithoutIt) {
  const WorkerProcess worker(kWithUcx);
  use(worker.port());
  EXPECT_EQ(inChild([] {
              CheckedProgram program;
              if (!program.round(1)) return 1;
              if (inChild([] { return checkedRounds(2, 3); }) != 0) return 2;
              return program.round(3) ? 0 : 3;
            }),
            0);
}

}  // namespace
}  // namespace hipr
