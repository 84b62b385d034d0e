// What graphs send, counted by the library itself in processes of their own: a launch is a small message however many
// nodes it has, and neither instantiating nor launching waits.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "testing/hip.h"
#include "testing/worker_process.h"
#include "tests/e2e/counters.h"

namespace hipr {
namespace {

using testing::Hip;

constexpr int kNodes = 1000;

struct Traffic {
  long posted = 0, waited = 0, sent = 0;
};

Traffic operator-(const Traffic& a, const Traffic& b) {
  return {a.posted - b.posted, a.waited - b.waited, a.sent - b.sent};
}

hipGraph_t chain(const Hip& hip, int nodes) {
  hipGraph_t graph = nullptr;
  HIPR_CHECK(hip, hipGraphCreate(&graph, 0));
  int value = 0;
  void* arguments[] = {&value};
  hipKernelNodeParams params{};
  params.func = hip.empty;
  params.gridDim = {1, 1, 1};
  params.blockDim = {64, 1, 1};
  params.kernelParams = arguments;
  hipGraphNode_t last = nullptr;
  for (int i = 0; i < nodes; ++i) {
    hipGraphNode_t node = nullptr;
    HIPR_CHECK(hip, hipGraphAddKernelNode(&node, graph, &last, last ? 1 : 0, &params));
    last = node;
  }
  return graph;
}

// What a process sends that instantiates a chain of kernels `instances` times and launches the first `launches` times.
Traffic trafficOf(int instances, int launches, int nodes = kNodes) {
  const Counters counted = Counters::of([&] {
    Hip hip;
    if (!hip.load(testing::remoteLibrary()).ok()) _exit(2);
    int value = 0;
    void* arguments[] = {&value};
    hip.launch(hip.empty, 1, 64, arguments);  // what the first use of a kernel costs is not the graph's
    const hipGraph_t graph = chain(hip, nodes);
    hipGraphExec_t first = nullptr;
    for (int i = 0; i < instances; ++i) {
      hipGraphExec_t exec = nullptr;
      HIPR_CHECK(hip, hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
      if (first == nullptr) first = exec;
    }
    for (int i = 0; i < launches; ++i) HIPR_CHECK(hip, hipGraphLaunch(first, hip.stream));
  });
  return {counted["posted"], counted["waited"], counted["sent"]};
}

class GraphTraffic : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    worker_ = new testing::WorkerProcess;
    worker_->use();
    setenv("HIP_REMOTE_TRANSPORT", "tcp", 1);
  }
  static void TearDownTestSuite() { delete worker_; }
  static inline testing::WorkerProcess* worker_ = nullptr;
};

TEST_F(GraphTraffic, ALaunchIsOneSmallMessage) {
  constexpr int kLaunches = 100;
  const Traffic none = trafficOf(1, 0), all = trafficOf(1, kLaunches), launches = all - none;
  EXPECT_EQ(launches.waited, 0);
  EXPECT_EQ(launches.posted, kLaunches);
  EXPECT_LE(launches.sent, kLaunches * 64);
  EXPECT_GE(launches.sent, kLaunches * 8);  // the counters count
}

TEST_F(GraphTraffic, AStepIsReplayedAThousandTimesWithoutAWait) {
  constexpr int kKernels = 200, kLaunches = 1000;
  const Traffic none = trafficOf(1, 0, kKernels), all = trafficOf(1, kLaunches, kKernels), launches = all - none;
  EXPECT_EQ(launches.waited, 0);
  EXPECT_EQ(launches.posted, kLaunches);
  EXPECT_LE(launches.sent, kLaunches * 64);
}

TEST_F(GraphTraffic, InstantiatingSendsTheGraphOnceAndDoesNotWait) {
  constexpr int kInstances = 10;
  const Traffic none = trafficOf(0, 0), all = trafficOf(kInstances, 0), instances = all - none;
  EXPECT_EQ(instances.waited, 0);
  EXPECT_GE(instances.posted, kInstances);
  EXPECT_LE(instances.posted, 2 * kInstances);            // not one for each node
  EXPECT_LE(instances.sent, kInstances * kNodes * 256L);  // a kernel and its arguments
}

}  // namespace
}  // namespace hipr
