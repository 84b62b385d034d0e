// Instantiated graphs: making, launching, and order with other work. Changing them is in graph_change.hip, what they
// keep alive in graph_lifetime.hip.
#include "graph_support.h"

#include <atomic>
#include <thread>

__global__ void add(int* p, int v) {
  *p += v;
}
__global__ void scale(int* p, int v) {
  *p *= v;
}

// --- making and ending

TEST(instantiate) {
  Buffer<int> p(std::vector<int>{0});
  Graph graph;
  addKernel(graph, {}, add, p.get(), 1);
  Stream s;
  hipGraphExec_t exec = nullptr;
  hipGraphNode_t wrong = nullptr;
  char log[100] = {};
  HIP(hipGraphInstantiate(&exec, graph, &wrong, log, sizeof log));
  HIP(hipGraphLaunch(exec, s));
  HIP(hipGraphExecDestroy(exec));
  for (unsigned long long flags : {0ull, 1ull, 8ull}) {  // none, free on launch, priorities of nodes
    HIP(hipGraphInstantiateWithFlags(&exec, graph, flags));
    HIP(hipGraphLaunch(exec, s));
    HIP(hipGraphExecDestroy(exec));
  }
  HIP(hipStreamSynchronize(s));
  EXPECT_EQ(p.download()[0], 4);
  HIP_ERR(hipGraphInstantiate(nullptr, graph, nullptr, nullptr, 0), hipErrorInvalidValue);
  HIP_ERR(hipGraphInstantiate(&exec, nullptr, nullptr, nullptr, 0), hipErrorInvalidValue);
  HIP_ERR(hipGraphInstantiateWithFlags(nullptr, graph, 0), hipErrorInvalidValue);
  HIP_ERR(hipGraphInstantiateWithFlags(&exec, nullptr, 0), hipErrorInvalidValue);
  HIP_ERR(hipGraphInstantiateWithFlags(&exec, graph, 1ull << 20), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecDestroy(nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGraphLaunch(nullptr, s), hipErrorInvalidValue);
}

TEST(one_graph_many_instances) {
  Buffer<int> p(std::vector<int>{0});
  Graph graph;
  addKernel(graph, {}, add, p.get(), 1);
  std::vector<hipGraphExec_t> all(20);
  for (auto& exec : all) HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  Stream s;
  for (auto exec : all) HIP(hipGraphLaunch(exec, s));
  HIP(hipStreamSynchronize(s));
  for (auto exec : all) HIP(hipGraphExecDestroy(exec));
  EXPECT_EQ(p.download()[0], 20);
}

TEST(an_instance_is_a_copy) {
  Buffer<int> p(std::vector<int>{0});
  Graph graph;
  const hipGraphNode_t node = addKernel(graph, {}, add, p.get(), 1);
  const Exec exec(graph);
  KernelParams other(add, dim3(1), dim3(1), p.get(), 1000);
  HIP(hipGraphKernelNodeSetParams(node, &other));
  addKernel(graph, {node}, add, p.get(), 1000);
  Stream s;
  exec.run(s);
  EXPECT_EQ(p.download()[0], 1);
  graph.destroy();
  exec.run(s);
  EXPECT_EQ(p.download()[0], 2);
}

TEST(a_destroyed_instance_finishes_its_work) {
  Buffer<int> p(std::vector<int>{0});
  HIP(hipDeviceSynchronize());
  Graph graph;
  hipGraphNode_t node = nullptr;
  for (int i = 0; i < 10; ++i) node = addKernel(graph, node ? Nodes{node} : Nodes{}, add, p.get(), 1);
  Stream s;
  hipGraphExec_t exec = nullptr;
  HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  {
    Gate gate(s);
    HIP(hipGraphLaunch(exec, s));
    HIP(hipGraphExecDestroy(exec));
    EXPECT(gate.held());
    gate.open();
  }
  HIP(hipStreamSynchronize(s));
  EXPECT_EQ(p.download()[0], 10);
  HIP_ERR(hipGraphLaunch(exec, s), hipErrorInvalidValue);
}

// --- launching

TEST(every_kind_of_stream) {
  Buffer<int> p(std::vector<int>{0});
  Graph graph;
  addKernel(graph, {}, add, p.get(), 1);
  const Exec exec(graph);
  Stream blocking, apart(hipStreamNonBlocking);
  for (hipStream_t s : {hipStream_t(nullptr), hipStreamPerThread, blocking.handle, apart.handle}) exec.run(s);
  EXPECT_EQ(p.download()[0], 4);
  hipError_t there = hipErrorUnknown;
  std::thread([&] {
    there = hipGraphLaunch(exec, hipStreamPerThread);
    if (there == hipSuccess) there = hipStreamSynchronize(hipStreamPerThread);
  }).join();
  HIP(there);
  EXPECT_EQ(p.download()[0], 5);
}

TEST(a_launch_has_its_place_in_the_stream) {
  Buffer<int> p(std::vector<int>{1});
  Graph graph;
  const hipGraphNode_t node = addKernel(graph, {}, scale, p.get(), 3);
  addKernel(graph, {node}, add, p.get(), 1);
  const Exec exec(graph);
  Stream s;
  int expected = 1;
  for (int i = 0; i < 5; ++i) {
    add<<<1, 1, 0, s>>>(p, 2);
    exec.launch(s);
    scale<<<1, 1, 0, s>>>(p, 2);
    exec.launch(s);
    expected = ((expected + 2) * 3 + 1) * 2 * 3 + 1;
  }
  KERNEL_OK();
  int seen = 0;
  HIP(hipMemcpyAsync(&seen, p, 4, hipMemcpyDeviceToHost, s));
  HIP(hipStreamSynchronize(s));
  EXPECT_EQ(seen, expected);
  check::result(seen);
}

TEST(a_launch_waits_for_nothing_but_its_stream) {
  Buffer<int> p(std::vector<int>{0, 0});
  HIP(hipDeviceSynchronize());
  Graph graph, other;
  addKernel(graph, {}, add, p.get(), 1);
  addKernel(other, {}, add, p + 1, 1);
  const Exec exec(graph), otherExec(other);
  Stream s(hipStreamNonBlocking), t(hipStreamNonBlocking);
  Gate gate(s);
  exec.launch(s);
  HIP_ERR(hipStreamQuery(s), hipErrorNotReady);
  otherExec.run(t);
  EXPECT(gate.held());
  gate.open();
  HIP(hipStreamSynchronize(s));
  EXPECT_VEC(p.download(), (std::vector<int>{1, 1}));
}

TEST(the_null_streams_rules_hold_for_graphs) {
  Buffer<int> p(std::vector<int>{1});
  HIP(hipDeviceSynchronize());
  Graph graph;
  addKernel(graph, {}, scale, p.get(), 10);
  const Exec exec(graph);
  Stream s;
  {
    Gate gate(s);
    add<<<1, 1, 0, s>>>(p, 4);
    KERNEL_OK();
    exec.launch(nullptr);
    HIP_ERR(hipStreamQuery(nullptr), hipErrorNotReady);
    EXPECT(gate.held());
    gate.open();
    HIP(hipStreamSynchronize(nullptr));
  }
  EXPECT_EQ(p.download()[0], 50);
  {
    Gate gate(nullptr);
    add<<<1, 1>>>(p, 1);
    KERNEL_OK();
    exec.launch(s);
    HIP_ERR(hipStreamQuery(s), hipErrorNotReady);
    EXPECT(gate.held());
    gate.open();
    HIP(hipStreamSynchronize(s));
  }
  EXPECT_EQ(p.download()[0], 510);
}

TEST(events_around_a_launch) {
  Buffer<int> p(std::vector<int>{1});
  HIP(hipDeviceSynchronize());
  Graph graph;
  addKernel(graph, {}, add, p.get(), 4);
  const Exec exec(graph);
  Stream s(hipStreamNonBlocking), t(hipStreamNonBlocking);
  Event before, after;
  Gate gate(s);
  HIP(hipEventRecord(before, s));
  exec.launch(s);
  HIP(hipEventRecord(after, s));
  HIP(hipStreamWaitEvent(t, after, 0));
  scale<<<1, 1, 0, t>>>(p, 10);
  KERNEL_OK();
  HIP_ERR(hipEventQuery(after), hipErrorNotReady);
  EXPECT(gate.held());
  gate.open();
  HIP(hipStreamSynchronize(t));
  HIP(hipEventQuery(after));
  float ms = -1;
  HIP(hipEventElapsedTime(&ms, before, after));
  EXPECT(ms >= 0);
  EXPECT_EQ(p.download()[0], 50);
}

TEST(a_hundred_launches) {
  Buffer<int> p(std::vector<int>{0});
  std::atomic<int> called{0};
  std::vector<int> in{1};
  Buffer<int> q(1);
  Graph graph;
  hipGraphNode_t node = addKernel(graph, {}, add, p.get(), 1);
  node = addHost(graph, {node}, [](void* count) { ++*static_cast<std::atomic<int>*>(count); }, &called);
  node = addCopy(graph, {node}, q, in.data(), 4, hipMemcpyHostToDevice);
  addKernel(graph, {node}, add, p.get(), 1);
  const Exec exec(graph);
  Stream s;
  for (int i = 0; i < 100; ++i) exec.launch(s);
  HIP(hipStreamSynchronize(s));
  EXPECT_EQ(p.download()[0], 200);
  EXPECT_EQ(called.load(), 100);
}

TEST(threads_launch_their_own_graphs) {
  constexpr int kThreads = 4, kLaunches = 50;
  Buffer<int> cells(std::vector<int>(kThreads, 0));
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      try {
        Graph graph;
        addKernel(graph, {}, add, cells + t, t + 1);
        const Exec exec(graph);
        Stream s(hipStreamNonBlocking);
        for (int i = 0; i < kLaunches; ++i) exec.launch(s);
        HIP(hipStreamSynchronize(s));
      } catch (const check::Stop&) {
        ++failed;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(failed.load(), 0);
  for (int t = 0; t < kThreads; ++t) EXPECT_EQ(cells.download()[t], kLaunches * (t + 1));
}

TEST(an_empty_graph_can_be_launched) {
  Graph graph;
  const Exec exec(graph);
  Stream s;
  exec.run(s);
}

TEST(upload) {
  Buffer<int> p(std::vector<int>{0});
  Graph graph;
  addKernel(graph, {}, add, p.get(), 1);
  const Exec exec(graph);
  Stream s;
  HIP(later::upload(exec, s));
  HIP(hipStreamSynchronize(s));
  EXPECT_EQ(p.download()[0], 0);
  exec.run(s);
  EXPECT_EQ(p.download()[0], 1);
  HIP_ERR(later::upload(nullptr, s), hipErrorInvalidValue);
}

TEST(two_devices) {
  int count = 0;
  HIP(hipGetDeviceCount(&count));
  if (count < 2) SKIP("one device");
  std::vector<int> out(2);
  HIP(hipSetDevice(1));
  {
    Buffer<int> p(std::vector<int>{20});
    Graph graph;
    const hipGraphNode_t node = addKernel(graph, {}, add, p.get(), 3);
    addCopy(graph, {node}, out.data(), p, 4, hipMemcpyDeviceToHost);
    const Exec exec(graph);
    Stream s;
    exec.run(s);
  }
  HIP(hipSetDevice(0));
  EXPECT_EQ(out[0], 23);
}
