// Changing what has been instantiated: parameters of single nodes, nodes switched off, and updating all of it from
// another graph.
#include "graph_support.h"

#include <atomic>

__global__ void add(int* p, int v) {
  *p += v;
}
__global__ void scale(int* p, int v) {
  *p *= v;
}
__global__ void store(int* p, int v) {
  *p = v;
}
__device__ int variable[4];

TEST(kernels_of_an_instance_change) {
  Buffer<int> p(std::vector<int>{0, 0});
  Graph graph, stranger;
  const hipGraphNode_t node = addKernel(graph, {}, add, p.get(), 1), foreign = addEmpty(stranger);
  const Exec exec(graph);
  Stream s;
  KernelParams other(add, dim3(1), dim3(1), p + 1, 10);
  HIP(hipGraphExecKernelNodeSetParams(exec, node, &other));
  exec.run(s);
  EXPECT_VEC(p.download(), (std::vector<int>{0, 10}));
  // The graph keeps what it had.
  hipKernelNodeParams seen{};
  HIP(hipGraphKernelNodeGetParams(node, &seen));
  EXPECT_EQ(*static_cast<int*>(seen.kernelParams[1]), 1);
  Exec(graph).run(s);
  EXPECT_VEC(p.download(), (std::vector<int>{1, 10}));
  KernelParams function(store, dim3(1), dim3(1), p.get(), 77);
  HIP(hipGraphExecKernelNodeSetParams(exec, node, &function));
  exec.run(s);
  EXPECT_VEC(p.download(), (std::vector<int>{77, 10}));
  HIP_ERR(hipGraphExecKernelNodeSetParams(nullptr, node, &other), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecKernelNodeSetParams(exec, nullptr, &other), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecKernelNodeSetParams(exec, node, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecKernelNodeSetParams(exec, foreign, &other), hipErrorInvalidValue);
}

TEST(a_change_does_not_reach_launches_before_it) {
  Buffer<int> p(std::vector<int>{1, 0});
  HIP(hipDeviceSynchronize());
  Graph graph;
  const hipGraphNode_t kernel = addKernel(graph, {}, scale, p.get(), 2);
  const hipGraphNode_t fill = addFill(graph, {kernel}, p + 1, 5, 4, 1);
  addKernel(graph, {fill}, add, p.get(), 1);
  const Exec exec(graph);
  Stream s;
  {
    Gate gate(s);
    exec.launch(s);
    KernelParams other(scale, dim3(1), dim3(1), p.get(), 10);
    HIP(hipGraphExecKernelNodeSetParams(exec, kernel, &other));
    const hipMemsetParams fillOther = fillParams(p + 1, 6, 4, 1);
    HIP(hipGraphExecMemsetNodeSetParams(exec, fill, &fillOther));
    exec.launch(s);
    EXPECT(gate.held());
    gate.open();
  }
  HIP(hipStreamSynchronize(s));
  EXPECT_VEC(p.download(), (std::vector<int>{31, 6}));  // (1 * 2 + 1) * 10 + 1
}

TEST(copies_of_an_instance_change) {
  Buffer<int> p(std::vector<int>{0, 0, 0, 0});
  std::vector<int> in{1, 2}, other{3, 4}, out(4, -1);
  Graph graph;
  const hipGraphNode_t up = addCopy(graph, {}, p, in.data(), 8, hipMemcpyHostToDevice);
  hipMemcpy3DParms box{};
  box.srcPtr = make_hipPitchedPtr(p.get(), 16, 16, 1);
  box.dstPtr = make_hipPitchedPtr(out.data(), 16, 16, 1);
  box.extent = make_hipExtent(16, 1, 1);
  box.kind = hipMemcpyDeviceToHost;
  hipGraphNode_t down = nullptr;
  HIP(hipGraphAddMemcpyNode(&down, graph, &up, 1, &box));
  const Exec exec(graph);
  Stream s;
  HIP(hipGraphExecMemcpyNodeSetParams1D(exec, up, p + 2, other.data(), 8, hipMemcpyHostToDevice));
  exec.run(s);
  EXPECT_VEC(out, (std::vector<int>{0, 0, 3, 4}));
  box.srcPos = make_hipPos(8, 0, 0);
  box.extent.width = 8;
  HIP(hipGraphExecMemcpyNodeSetParams(exec, down, &box));
  exec.run(s);
  EXPECT_VEC(out, (std::vector<int>{3, 4, 3, 4}));
  // The direction stays.
  HIP_ERR(hipGraphExecMemcpyNodeSetParams1D(exec, up, out.data(), p, 8, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecMemcpyNodeSetParams1D(nullptr, up, p, in.data(), 8, hipMemcpyHostToDevice), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecMemcpyNodeSetParams1D(exec, nullptr, p, in.data(), 8, hipMemcpyHostToDevice),
          hipErrorInvalidValue);
  HIP_ERR(hipGraphExecMemcpyNodeSetParams1D(exec, up, nullptr, in.data(), 8, hipMemcpyHostToDevice),
          hipErrorInvalidValue);
  HIP_ERR(hipGraphExecMemcpyNodeSetParams1D(exec, up, p, in.data(), 0, hipMemcpyHostToDevice), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecMemcpyNodeSetParams(exec, down, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecMemcpyNodeSetParams(nullptr, down, &box), hipErrorInvalidValue);
  box.kind = hipMemcpyDeviceToDevice;
  HIP_ERR(hipGraphExecMemcpyNodeSetParams(exec, down, &box), hipErrorInvalidValue);
}

TEST(symbol_copies_of_an_instance_change) {
  std::vector<int> in{1, 2, 3, 4}, out(4, -1);
  Graph graph;
  hipGraphNode_t to = nullptr, from = nullptr;
  const void* symbol = HIP_SYMBOL(variable);
  HIP(hipGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, symbol, in.data(), 16, 0, hipMemcpyHostToDevice));
  HIP(hipGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, out.data(), symbol, 16, 0, hipMemcpyDeviceToHost));
  const Exec exec(graph);
  Stream s;
  exec.run(s);
  EXPECT_VEC(out, in);
  std::vector<int> other{9};
  HIP(hipGraphExecMemcpyNodeSetParamsToSymbol(exec, to, symbol, other.data(), 4, 8, hipMemcpyHostToDevice));
  HIP(hipGraphExecMemcpyNodeSetParamsFromSymbol(exec, from, out.data(), symbol, 8, 8, hipMemcpyDeviceToHost));
  exec.run(s);
  EXPECT_VEC(out, (std::vector<int>{9, 4, 3, 4}));
  HIP_ERR(hipGraphExecMemcpyNodeSetParamsToSymbol(exec, to, nullptr, in.data(), 4, 0, hipMemcpyHostToDevice),
          hipErrorInvalidSymbol);
  HIP_ERR(hipGraphExecMemcpyNodeSetParamsToSymbol(exec, to, symbol, nullptr, 4, 0, hipMemcpyHostToDevice),
          hipErrorInvalidValue);
  HIP_ERR(hipGraphExecMemcpyNodeSetParamsToSymbol(exec, to, symbol, in.data(), 4, 0, hipMemcpyDeviceToDevice),
          hipErrorInvalidValue);
  HIP_ERR(hipGraphExecMemcpyNodeSetParamsFromSymbol(exec, from, out.data(), nullptr, 4, 0, hipMemcpyDeviceToHost),
          hipErrorInvalidSymbol);
  HIP_ERR(hipGraphExecMemcpyNodeSetParamsFromSymbol(exec, from, nullptr, symbol, 4, 0, hipMemcpyDeviceToHost),
          hipErrorInvalidValue);
  HIP_ERR(hipGraphExecMemcpyNodeSetParamsFromSymbol(nullptr, from, out.data(), symbol, 4, 0, hipMemcpyDeviceToHost),
          hipErrorInvalidValue);
}

TEST(fills_of_an_instance_change) {
  Buffer<int> p(std::vector<int>{0, 0, 0, 0});
  Graph graph;
  const hipGraphNode_t node = addFill(graph, {}, p, 1, 4, 2);
  const Exec exec(graph);
  Stream s;
  hipMemsetParams other = fillParams(p + 2, 7, 4, 1);
  HIP(hipGraphExecMemsetNodeSetParams(exec, node, &other));
  exec.run(s);
  EXPECT_VEC(p.download(), (std::vector<int>{0, 0, 7, 0}));
  HIP_ERR(hipGraphExecMemsetNodeSetParams(nullptr, node, &other), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecMemsetNodeSetParams(exec, nullptr, &other), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecMemsetNodeSetParams(exec, node, nullptr), hipErrorInvalidValue);
  other.dst = nullptr;
  HIP_ERR(hipGraphExecMemsetNodeSetParams(exec, node, &other), hipErrorInvalidValue);
  other = fillParams(p, 7, 3, 1);
  HIP_ERR(hipGraphExecMemsetNodeSetParams(exec, node, &other), hipErrorInvalidValue);
  other = fillParams(p, 7, 4, 100);  // beyond the memory
  HIP_ERR(hipGraphExecMemsetNodeSetParams(exec, node, &other), hipErrorInvalidValue);
}

TEST(fills_of_rows_keep_their_shape) {
  Buffer<unsigned char> p(64);
  p.fill(0);
  Graph graph;
  hipMemsetParams rows{};
  rows.dst = p;
  rows.value = 1;
  rows.elementSize = 1;
  rows.width = 3;
  rows.height = 2;
  rows.pitch = 8;
  hipGraphNode_t node = nullptr;
  HIP(hipGraphAddMemsetNode(&node, graph, nullptr, 0, &rows));
  const Exec exec(graph);
  Stream s;
  rows.value = 2;
  HIP(hipGraphExecMemsetNodeSetParams(exec, node, &rows));
  exec.run(s);
  std::vector<unsigned char> expected(64, 0);
  for (int row = 0; row < 2; ++row) std::fill_n(expected.begin() + 8 * row, 3, 2);
  EXPECT_VEC(p.download(), expected);
  hipMemsetParams other = rows;
  other.width = 4;
  HIP_ERR(hipGraphExecMemsetNodeSetParams(exec, node, &other), hipErrorInvalidValue);
  other = rows;
  other.height = 3;
  HIP_ERR(hipGraphExecMemsetNodeSetParams(exec, node, &other), hipErrorInvalidValue);
}

static void addOne(void* value) {
  ++*static_cast<std::atomic<int>*>(value);
}
static void addHundred(void* value) {
  *static_cast<std::atomic<int>*>(value) += 100;
}

TEST(host_nodes_of_an_instance_change) {
  std::atomic<int> count{0}, other{0};
  Graph graph;
  const hipGraphNode_t node = addHost(graph, {}, addOne, &count);
  const Exec exec(graph);
  Stream s;
  exec.run(s);
  hipHostNodeParams params{addHundred, &other};
  HIP(hipGraphExecHostNodeSetParams(exec, node, &params));
  exec.run(s);
  Exec(graph).run(s);  // as it was
  EXPECT_EQ(count.load(), 2);
  EXPECT_EQ(other.load(), 100);
  HIP_ERR(hipGraphExecHostNodeSetParams(nullptr, node, &params), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecHostNodeSetParams(exec, nullptr, &params), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecHostNodeSetParams(exec, node, nullptr), hipErrorInvalidValue);
  params.fn = nullptr;
  HIP_ERR(hipGraphExecHostNodeSetParams(exec, node, &params), hipErrorInvalidValue);
}

TEST(events_of_an_instance_change) {
  Buffer<int> p(std::vector<int>{0});
  HIP(hipDeviceSynchronize());
  Event waited, recorded, otherWaited, otherRecorded;
  Graph graph;
  hipGraphNode_t wait = nullptr, record = nullptr;
  HIP(hipGraphAddEventWaitNode(&wait, graph, nullptr, 0, waited));
  HIP(hipGraphAddEventRecordNode(&record, graph, &wait, 1, recorded));
  const Exec exec(graph);
  HIP(hipGraphExecEventWaitNodeSetEvent(exec, wait, otherWaited));
  HIP(hipGraphExecEventRecordNodeSetEvent(exec, record, otherRecorded));
  Stream s(hipStreamNonBlocking), t(hipStreamNonBlocking);
  {
    Gate gate(t);
    HIP(hipEventRecord(otherWaited, t));
    exec.launch(s);
    HIP_ERR(hipStreamQuery(s), hipErrorNotReady);
    HIP_ERR(hipEventQuery(otherRecorded), hipErrorNotReady);
    EXPECT(gate.held());
    gate.open();
  }
  HIP(hipEventSynchronize(otherRecorded));
  HIP(hipStreamSynchronize(s));
  float ms = 0;
  HIP_ERR(hipEventElapsedTime(&ms, recorded, otherRecorded), hipErrorInvalidHandle);  // the first was never recorded
  HIP_ERR(hipGraphExecEventWaitNodeSetEvent(nullptr, wait, waited), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecEventWaitNodeSetEvent(exec, nullptr, waited), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecEventWaitNodeSetEvent(exec, wait, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecEventWaitNodeSetEvent(exec, record, waited), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecEventRecordNodeSetEvent(nullptr, record, waited), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecEventRecordNodeSetEvent(exec, nullptr, waited), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecEventRecordNodeSetEvent(exec, record, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecEventRecordNodeSetEvent(exec, wait, waited), hipErrorInvalidValue);
}

TEST(children_of_an_instance_change) {
  Buffer<int> p(std::vector<int>{1});
  Graph child, other, shorter, graph;
  hipGraphNode_t node = addKernel(child, {}, add, p.get(), 1);
  addKernel(child, {node}, scale, p.get(), 10);
  node = addKernel(other, {}, add, p.get(), 4);
  addKernel(other, {node}, scale, p.get(), 3);
  addKernel(shorter, {}, add, p.get(), 1);
  hipGraphNode_t parent = nullptr;
  HIP(hipGraphAddChildGraphNode(&parent, graph, nullptr, 0, child));
  const Exec exec(graph);
  Stream s;
  HIP(hipGraphExecChildGraphNodeSetParams(exec, parent, other));
  exec.run(s);
  EXPECT_EQ(p.download()[0], 15);
  HIP_ERR(hipGraphExecChildGraphNodeSetParams(exec, parent, shorter), hipErrorUnknown);  // another shape
  HIP_ERR(hipGraphExecChildGraphNodeSetParams(nullptr, parent, other), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecChildGraphNodeSetParams(exec, nullptr, other), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecChildGraphNodeSetParams(exec, parent, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecChildGraphNodeSetParams(exec, parent, graph), hipErrorUnknown);  // itself
}

TEST(nodes_switched_off) {
  Buffer<int> p(std::vector<int>{1});
  std::vector<int> out{-1};
  Graph graph;
  const hipGraphNode_t first = addKernel(graph, {}, add, p.get(), 1),
                       second = addKernel(graph, {first}, scale, p.get(), 10);
  const hipGraphNode_t down = addCopy(graph, {second}, out.data(), p, 4, hipMemcpyDeviceToHost);
  const hipGraphNode_t clear = addFill(graph, {down}, p, 0, 4, 1);
  const hipGraphNode_t host = addHost(graph, {clear}, [](void*) {}, nullptr);
  const Exec exec(graph);
  Stream s;
  unsigned enabled = 9;
  HIP(later::getEnabled(exec, second, &enabled));
  EXPECT_EQ(enabled, 1u);
  HIP(later::setEnabled(exec, second, 0));
  HIP(later::setEnabled(exec, clear, 0));
  HIP(later::getEnabled(exec, second, &enabled));
  EXPECT_EQ(enabled, 0u);
  exec.run(s);
  EXPECT_EQ(out[0], 2);
  EXPECT_EQ(p.download()[0], 2);
  HIP(later::setEnabled(exec, second, 1));
  HIP(later::setEnabled(exec, clear, 1));
  HIP(later::setEnabled(exec, down, 0));
  exec.run(s);
  EXPECT_EQ(out[0], 2);  // nothing came down
  EXPECT_EQ(p.download()[0], 0);
  Exec(graph).run(s);  // another instance has everything
  EXPECT_EQ(out[0], 10);
  // Only kernels, copies and fills.
  HIP_ERR(later::setEnabled(exec, host, 0), hipErrorInvalidValue);
  HIP_ERR(later::getEnabled(exec, host, &enabled), hipErrorInvalidValue);
  HIP_ERR(later::setEnabled(nullptr, first, 0), hipErrorInvalidValue);
  HIP_ERR(later::setEnabled(exec, nullptr, 0), hipErrorInvalidValue);
  HIP_ERR(later::getEnabled(exec, first, nullptr), hipErrorInvalidValue);
  Graph stranger;
  HIP_ERR(later::setEnabled(exec, addEmpty(stranger), 0), hipErrorInvalidValue);
  // An instance knows the nodes of its own graph, and no others like them.
  hipGraph_t clone = nullptr;
  hipGraphNode_t twin = nullptr;
  HIP(hipGraphClone(&clone, graph));
  HIP(hipGraphNodeFindInClone(&twin, second, clone));
  HIP_ERR(later::setEnabled(exec, twin, 0), hipErrorInvalidValue);
  HIP_ERR(later::getEnabled(exec, twin, &enabled), hipErrorInvalidValue);
  {
    Exec ofClone(clone);
    HIP(later::setEnabled(ofClone, twin, 0));
    HIP_ERR(later::setEnabled(ofClone, second, 0), hipErrorInvalidValue);
  }
  HIP(hipGraphDestroy(clone));
}

// --- updating from another graph

struct Update {
  hipError_t error;
  hipGraphExecUpdateResult result = hipGraphExecUpdateError;
  hipGraphNode_t node = nullptr;
  Update(hipGraphExec_t exec, hipGraph_t graph) { error = hipGraphExecUpdate(exec, graph, &node, &result); }
};

TEST(update) {
  Buffer<int> p(std::vector<int>{1, 0});
  std::vector<int> out(2);
  const auto build = [&](Graph& graph, int first, int second, int* fill) {
    hipGraphNode_t node = addKernel(graph, {}, add, p.get(), first);
    node = addKernel(graph, {node}, scale, p.get(), second);
    node = addFill(graph, {node}, fill, 3, 4, 1);
    addCopy(graph, {node}, out.data(), p, 8, hipMemcpyDeviceToHost);
  };
  Graph graph, other;
  build(graph, 1, 2, p + 1);
  build(other, 5, 10, p.get());
  const Exec exec(graph);
  Stream s;
  exec.run(s);
  EXPECT_VEC(out, (std::vector<int>{4, 3}));
  const Update update(exec, other);
  HIP(update.error);
  EXPECT_EQ(update.result, hipGraphExecUpdateSuccess);
  p.upload({1, 0});
  exec.run(s);
  EXPECT_VEC(out, (std::vector<int>{3, 0}));
  other.destroy();
  p.upload({1, 1});
  exec.run(s);
  EXPECT_VEC(out, (std::vector<int>{3, 1}));
}

TEST(update_with_another_kernel) {
  Buffer<int> p(std::vector<int>{5});
  Graph graph, other;
  addKernel(graph, {}, add, p.get(), 3);
  addKernel(other, {}, scale, p.get(), 3);
  const Exec exec(graph);
  const Update update(exec, other);
  HIP(update.error);
  EXPECT_EQ(update.result, hipGraphExecUpdateSuccess);
  Stream s;
  exec.run(s);
  EXPECT_EQ(p.download()[0], 15);
}

TEST(updates_that_fail) {
  Buffer<int> p(4), q(4);
  std::vector<int> host(4);
  Graph graph;
  const hipGraphNode_t a = addKernel(graph, {}, add, p.get(), 1), b = addFill(graph, {a}, p, 0, 4, 4);
  addCopy(graph, {b}, host.data(), p, 16, hipMemcpyDeviceToHost);
  const Exec exec(graph);
  {
    Graph other;  // a node less
    const hipGraphNode_t first = addKernel(other, {}, add, p.get(), 1);
    addFill(other, {first}, p, 0, 4, 4);
    const Update update(exec, other);
    HIP_ERR(update.error, hipErrorGraphExecUpdateFailure);
    EXPECT_EQ(update.result, hipGraphExecUpdateErrorTopologyChanged);
    EXPECT(update.node == nullptr);
  }
  {
    Graph other;  // the last has one more before it
    const hipGraphNode_t first = addKernel(other, {}, add, p.get(), 1), second = addFill(other, {first}, p, 0, 4, 4);
    const hipGraphNode_t third = addCopy(other, {first, second}, host.data(), p, 16, hipMemcpyDeviceToHost);
    const Update update(exec, other);
    HIP_ERR(update.error, hipErrorGraphExecUpdateFailure);
    EXPECT_EQ(update.result, hipGraphExecUpdateErrorTopologyChanged);
    EXPECT_EQ(update.node, third);
  }
  {
    Graph other;  // another type
    const hipGraphNode_t first = addKernel(other, {}, add, p.get(), 1), second = addEmpty(other, {first});
    addCopy(other, {second}, host.data(), p, 16, hipMemcpyDeviceToHost);
    const Update update(exec, other);
    HIP_ERR(update.error, hipErrorGraphExecUpdateFailure);
    EXPECT_EQ(update.result, hipGraphExecUpdateErrorNodeTypeChanged);
    EXPECT_EQ(update.node, second);
  }
  {
    Graph other;  // another direction
    const hipGraphNode_t first = addKernel(other, {}, add, p.get(), 1), second = addFill(other, {first}, p, 0, 4, 4);
    const hipGraphNode_t third = addCopy(other, {second}, q, p, 16, hipMemcpyDeviceToDevice);
    const Update update(exec, other);
    HIP_ERR(update.error, hipErrorGraphExecUpdateFailure);
    EXPECT_EQ(update.result, hipGraphExecUpdateErrorParametersChanged);
    EXPECT_EQ(update.node, third);
  }
  hipGraphNode_t node = nullptr;
  hipGraphExecUpdateResult result{};
  HIP_ERR(hipGraphExecUpdate(nullptr, graph, &node, &result), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecUpdate(exec, nullptr, &node, &result), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecUpdate(exec, graph, nullptr, &result), hipErrorInvalidValue);
  HIP_ERR(hipGraphExecUpdate(exec, graph, &node, nullptr), hipErrorInvalidValue);
}

TEST(update_from_a_capture) {
  Buffer<int> p(std::vector<int>{0});
  Stream s;
  hipGraphExec_t exec = nullptr;
  int expected = 0;
  for (int i = 1; i <= 5; ++i) {
    HIP(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
    for (int k = 0; k < 3; ++k) add<<<1, 1, 0, s>>>(p, i * (k + 1));
    hipGraph_t captured = nullptr;
    HIP(hipStreamEndCapture(s, &captured));
    Graph graph(captured);
    if (exec == nullptr) {
      HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    } else {
      const Update update(exec, graph);
      HIP(update.error);
    }
    HIP(hipGraphLaunch(exec, s));
    expected += 6 * i;
  }
  HIP(hipStreamSynchronize(s));
  HIP(hipGraphExecDestroy(exec));
  EXPECT_EQ(p.download()[0], expected);
}
