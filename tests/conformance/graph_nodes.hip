// Nodes for kernels, host functions, events and memory: that each does its work, that its parameters can be asked and
// changed, and what is refused. Copies and fills are in graph_copies.hip; changing nodes of a graph that has been
// instantiated is in graph_change.hip.
#include "graph_support.h"
#include "module_support.h"

#include <atomic>

__global__ void add(int* p, int v) {
  *p += v;
}
__global__ void scale(int* p, int v) {
  *p *= v;
}
__global__ void index(int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = i + 1;
}
__global__ void reverseInShared(int* p) {
  extern __shared__ int copy[];
  copy[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = copy[blockDim.x - 1 - threadIdx.x];
}

static void run(hipGraph_t graph) {
  Stream s;
  Exec(graph).run(s);
}

// --- kernels

TEST(kernel_nodes_run_with_their_shape) {
  Buffer<int> p(256), q(64);
  p.fill(0);
  q.upload(std::vector<int>(64, 0));
  Graph graph;
  hipGraphNode_t node = nullptr;
  KernelParams shape(index, dim3(4), dim3(64), p.get());
  HIP(hipGraphAddKernelNode(&node, graph, nullptr, 0, &shape));
  KernelParams first(index, dim3(1), dim3(64), q.get()), withShared(reverseInShared, dim3(1), dim3(64), q.get());
  withShared->sharedMemBytes = 64 * sizeof(int);
  HIP(hipGraphAddKernelNode(&node, graph, nullptr, 0, &first));
  const hipGraphNode_t before = node;
  HIP(hipGraphAddKernelNode(&node, graph, &before, 1, &withShared));
  run(graph);
  std::vector<int> expected(256), reversed(64);
  for (int i = 0; i < 256; ++i) expected[i] = i + 1;
  for (int i = 0; i < 64; ++i) reversed[i] = 64 - i;
  EXPECT_VEC(p.download(), expected);
  EXPECT_VEC(q.download(), reversed);
  check::result(expected);
}

TEST(kernel_nodes_of_modules) {
  Buffer<int> p(2);
  const Module module;
  Graph graph;
  hipKernelNodeParams params{};
  params.func = reinterpret_cast<void*>(module.function("mixedArguments"));
  params.gridDim = params.blockDim = dim3(1);
  char a = 1;
  double b = 2;
  short c = 3;
  int* out = p;
  float d = 4;
  void* arguments[] = {&a, &b, &c, &out, &d};
  params.kernelParams = arguments;
  hipGraphNode_t node = nullptr;
  HIP(hipGraphAddKernelNode(&node, graph, nullptr, 0, &params));
  // The same with packed arguments.
  struct {
    char a = 5;
    double b = 6;
    short c = 7;
    int* out;
    float d = 8;
  } packed;
  packed.out = p + 1;
  std::size_t size = sizeof packed;
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  params.kernelParams = nullptr;
  params.extra = extra;
  HIP(hipGraphAddKernelNode(&node, graph, nullptr, 0, &params));
  a = 0, out = nullptr, packed.out = nullptr;  // were copied
  run(graph);
  EXPECT_VEC(p.download(), (std::vector<int>{4321, 8765}));
}

TEST(kernel_parameters_are_told) {
  Buffer<int> p(1);
  Graph graph;
  KernelParams params(add, dim3(2, 3, 4), dim3(5, 6, 7), p.get(), 77);
  params->sharedMemBytes = 256;
  hipGraphNode_t node = nullptr;
  HIP(hipGraphAddKernelNode(&node, graph, nullptr, 0, &params));
  hipKernelNodeParams seen{};
  HIP(hipGraphKernelNodeGetParams(node, &seen));
  EXPECT_EQ(seen.func, params->func);
  EXPECT(seen.gridDim.x == 2 && seen.gridDim.y == 3 && seen.gridDim.z == 4);
  EXPECT(seen.blockDim.x == 5 && seen.blockDim.y == 6 && seen.blockDim.z == 7);
  EXPECT_EQ(seen.sharedMemBytes, 256u);
  EXPECT(seen.kernelParams != nullptr && seen.kernelParams != params->kernelParams && seen.extra == nullptr);
  EXPECT_EQ(*static_cast<int**>(seen.kernelParams[0]), p.get());
  EXPECT_EQ(*static_cast<int*>(seen.kernelParams[1]), 77);
}

TEST(kernel_parameters_change) {
  Buffer<int> p(std::vector<int>{3});
  Graph graph;
  const hipGraphNode_t node = addKernel(graph, {}, add, p.get(), 4);
  KernelParams other(add, dim3(1), dim3(1), p.get(), 10);
  HIP(hipGraphKernelNodeSetParams(node, &other));
  run(graph);
  EXPECT_EQ(p.download()[0], 13);
  KernelParams function(scale, dim3(1), dim3(1), p.get(), 2);  // another kernel
  HIP(hipGraphKernelNodeSetParams(node, &function));
  run(graph);
  EXPECT_EQ(p.download()[0], 26);
  // What the node told, with one thing changed.
  hipKernelNodeParams seen{};
  HIP(hipGraphKernelNodeGetParams(node, &seen));
  *static_cast<int*>(seen.kernelParams[1]) = 3;
  HIP(hipGraphKernelNodeSetParams(node, &seen));
  run(graph);
  EXPECT_EQ(p.download()[0], 78);
}

TEST(wrong_kernel_nodes) {
  Buffer<int> p(1);
  Graph graph;
  hipGraphNode_t node = nullptr;
  KernelParams good(add, dim3(1), dim3(1), p.get(), 1);
  HIP_ERR(hipGraphAddKernelNode(nullptr, graph, nullptr, 0, &good), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddKernelNode(&node, nullptr, nullptr, 0, &good), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddKernelNode(&node, graph, nullptr, 1, &good), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddKernelNode(&node, graph, nullptr, 0, nullptr), hipErrorInvalidValue);
  hipKernelNodeParams bad = *(&good);
  bad.func = nullptr;
  HIP_ERR(hipGraphAddKernelNode(&node, graph, nullptr, 0, &bad), hipErrorInvalidValue);
  bad = *(&good);
  bad.kernelParams = nullptr;
  HIP_ERR(hipGraphAddKernelNode(&node, graph, nullptr, 0, &bad), hipErrorInvalidValue);
  bad = *(&good);
  bad.extra = bad.kernelParams;
  HIP_ERR(hipGraphAddKernelNode(&node, graph, nullptr, 0, &bad), hipErrorInvalidValue);
  bad = *(&good);
  bad.blockDim = dim3(2048);
  HIP_FAILS(hipGraphAddKernelNode(&node, graph, nullptr, 0, &bad));
  bad = *(&good);
  bad.gridDim = dim3(0);
  HIP_FAILS(hipGraphAddKernelNode(&node, graph, nullptr, 0, &bad));
  bad = *(&good);
  bad.sharedMemBytes = 1 << 30;
  HIP_FAILS(hipGraphAddKernelNode(&node, graph, nullptr, 0, &bad));
  EXPECT(nodesOf(graph).empty());

  HIP(hipGraphAddKernelNode(&node, graph, nullptr, 0, &good));
  hipKernelNodeParams seen{};
  HIP_ERR(hipGraphKernelNodeGetParams(node, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGraphKernelNodeGetParams(nullptr, &seen), hipErrorInvalidValue);
  HIP_ERR(hipGraphKernelNodeSetParams(nullptr, &good), hipErrorInvalidValue);
  HIP_ERR(hipGraphKernelNodeSetParams(node, nullptr), hipErrorInvalidValue);
  bad = *(&good);
  bad.func = nullptr;
  HIP_ERR(hipGraphKernelNodeSetParams(node, &bad), hipErrorInvalidValue);
  const hipGraphNode_t empty = addEmpty(graph);
  HIP_ERR(hipGraphKernelNodeGetParams(empty, &seen), hipErrorInvalidValue);
  HIP_ERR(hipGraphKernelNodeSetParams(empty, &good), hipErrorInvalidValue);
}

TEST(kernel_attributes) {
  Buffer<int> p(std::vector<int>{0});
  Graph graph;
  const hipGraphNode_t node = addKernel(graph, {}, add, p.get(), 1), other = addKernel(graph, {node}, add, p.get(), 1);
  hipKernelNodeAttrValue value{};
  value.cooperative = 1;
  HIP(later::setAttribute(node, hipKernelNodeAttributeCooperative, &value));
  value.cooperative = 0;
  HIP(later::getAttribute(node, hipKernelNodeAttributeCooperative, &value));
  EXPECT_EQ(value.cooperative, 1);
  HIP(later::copyAttributes(node, other));
  value.cooperative = 0;
  HIP(later::getAttribute(other, hipKernelNodeAttributeCooperative, &value));
  EXPECT_EQ(value.cooperative, 1);
  run(graph);
  EXPECT_EQ(p.download()[0], 2);

  const hipGraphNode_t third = addKernel(graph, {}, add, p.get(), 1);
  hipKernelNodeAttrValue window{};
  window.accessPolicyWindow.base_ptr = p;
  window.accessPolicyWindow.hitRatio = 0.5f;
  window.accessPolicyWindow.hitProp = hipAccessPropertyPersisting;
  window.accessPolicyWindow.missProp = hipAccessPropertyStreaming;
  HIP(later::setAttribute(third, hipKernelNodeAttributeAccessPolicyWindow, &window));
  hipKernelNodeAttrValue seen{};
  HIP(later::getAttribute(third, hipKernelNodeAttributeAccessPolicyWindow, &seen));
  EXPECT_EQ(seen.accessPolicyWindow.base_ptr, static_cast<void*>(p.get()));
  EXPECT_EQ(seen.accessPolicyWindow.hitRatio, 0.5f);
  EXPECT_EQ(seen.accessPolicyWindow.missProp, hipAccessPropertyStreaming);
  window.accessPolicyWindow.hitRatio = 1.5f;
  HIP_ERR(later::setAttribute(third, hipKernelNodeAttributeAccessPolicyWindow, &window), hipErrorInvalidValue);
  window.accessPolicyWindow.hitRatio = 0.5f;
  window.accessPolicyWindow.missProp = hipAccessPropertyPersisting;
  HIP_ERR(later::setAttribute(third, hipKernelNodeAttributeAccessPolicyWindow, &window), hipErrorInvalidValue);

  HIP_ERR(later::setAttribute(nullptr, hipKernelNodeAttributeCooperative, &value), hipErrorInvalidValue);
  HIP_ERR(later::setAttribute(node, hipKernelNodeAttributeCooperative, nullptr), hipErrorInvalidValue);
  HIP_ERR(later::setAttribute(node, static_cast<hipKernelNodeAttrID>(0), &value), hipErrorInvalidValue);
  HIP_ERR(later::getAttribute(nullptr, hipKernelNodeAttributeCooperative, &value), hipErrorInvalidValue);
  HIP_ERR(later::getAttribute(node, hipKernelNodeAttributeCooperative, nullptr), hipErrorInvalidValue);
  const hipGraphNode_t empty = addEmpty(graph);
  HIP_ERR(later::setAttribute(empty, hipKernelNodeAttributeCooperative, &value), hipErrorInvalidValue);
  HIP_ERR(later::getAttribute(empty, hipKernelNodeAttributeCooperative, &value), hipErrorInvalidValue);
  HIP_ERR(later::copyAttributes(nullptr, node), hipErrorInvalidValue);
  HIP_ERR(later::copyAttributes(node, nullptr), hipErrorInvalidValue);
}

// --- host functions and events

static void addOne(void* value) {
  ++*static_cast<std::atomic<int>*>(value);
}
static void addHundred(void* value) {
  *static_cast<std::atomic<int>*>(value) += 100;
}

TEST(host_nodes) {
  std::atomic<int> count{0}, other{0};
  Graph graph;
  const hipGraphNode_t node = addHost(graph, {}, addOne, &count);
  hipHostNodeParams params{};
  HIP(hipGraphHostNodeGetParams(node, &params));
  EXPECT(params.fn == addOne && params.userData == &count);
  run(graph);
  EXPECT_EQ(count.load(), 1);
  params = {addHundred, &other};
  HIP(hipGraphHostNodeSetParams(node, &params));
  run(graph);
  EXPECT_EQ(count.load(), 1);
  EXPECT_EQ(other.load(), 100);

  hipGraphNode_t unused = nullptr;
  HIP_ERR(hipGraphAddHostNode(nullptr, graph, nullptr, 0, &params), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddHostNode(&unused, nullptr, nullptr, 0, &params), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddHostNode(&unused, graph, nullptr, 1, &params), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddHostNode(&unused, graph, nullptr, 0, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGraphHostNodeGetParams(nullptr, &params), hipErrorInvalidValue);
  HIP_ERR(hipGraphHostNodeGetParams(node, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGraphHostNodeSetParams(nullptr, &params), hipErrorInvalidValue);
  HIP_ERR(hipGraphHostNodeSetParams(node, nullptr), hipErrorInvalidValue);
  params.fn = nullptr;
  HIP_ERR(hipGraphAddHostNode(&unused, graph, nullptr, 0, &params), hipErrorInvalidValue);
  HIP_ERR(hipGraphHostNodeSetParams(node, &params), hipErrorInvalidValue);
}

TEST(events_of_another_device_can_be_recorded_in_graphs) {
  int devices = 0;
  HIP(hipGetDeviceCount(&devices));
  if (devices < 2) return;
  HIP(hipSetDevice(1));
  Event away;
  HIP(hipSetDevice(0));
  Buffer<int> p(std::vector<int>{0});
  Graph graph;
  hipGraphNode_t node = nullptr;
  const hipGraphNode_t kernel = addKernel(graph, {}, add, p.get(), 1);
  HIP(hipGraphAddEventRecordNode(&node, graph, &kernel, 1, away));
  const Exec exec(graph);
  Stream s;
  for (int i = 1; i < 4; ++i) {
    exec.launch(s);
    HIP(hipEventSynchronize(away));
    HIP(hipEventQuery(away));
    EXPECT_EQ(p.download()[0], i);
  }
  HIP(hipStreamSynchronize(s));
}

TEST(event_record_nodes) {
  Buffer<int> p(std::vector<int>{0});
  Event first, last, other;
  Graph graph;
  hipGraphNode_t start = nullptr, stop = nullptr;
  HIP(hipGraphAddEventRecordNode(&start, graph, nullptr, 0, first));
  const hipGraphNode_t kernel = addKernel(graph, {start}, add, p.get(), 1);
  HIP(hipGraphAddEventRecordNode(&stop, graph, &kernel, 1, last));
  hipEvent_t seen = nullptr;
  HIP(hipGraphEventRecordNodeGetEvent(stop, &seen));
  EXPECT_EQ(seen, last.handle);
  const Exec exec(graph);
  Stream s;
  exec.launch(s);
  HIP(hipEventSynchronize(last));
  HIP(hipEventQuery(last));
  EXPECT_EQ(p.download()[0], 1);
  float ms = -1;
  HIP(hipEventElapsedTime(&ms, first, last));
  EXPECT(ms >= 0);
  HIP(hipGraphEventRecordNodeSetEvent(stop, other));
  HIP(hipGraphEventRecordNodeGetEvent(stop, &seen));
  EXPECT_EQ(seen, other.handle);
  HIP(hipStreamSynchronize(s));
}

TEST(work_elsewhere_waits_for_an_event_of_a_graph) {
  Buffer<int> p(std::vector<int>{1});
  HIP(hipDeviceSynchronize());
  Event e;
  Graph graph;
  const hipGraphNode_t kernel = addKernel(graph, {}, add, p.get(), 4);
  hipGraphNode_t record = nullptr;
  HIP(hipGraphAddEventRecordNode(&record, graph, &kernel, 1, e));
  const Exec exec(graph);
  Stream s(hipStreamNonBlocking), t(hipStreamNonBlocking);
  Gate gate(s);
  exec.launch(s);
  HIP_ERR(hipEventQuery(e), hipErrorNotReady);
  HIP(hipStreamWaitEvent(t, e, 0));
  scale<<<1, 1, 0, t>>>(p, 10);
  KERNEL_OK();
  HIP_ERR(hipStreamQuery(t), hipErrorNotReady);
  EXPECT(gate.held());
  gate.open();
  HIP(hipStreamSynchronize(t));
  EXPECT_EQ(p.download()[0], 50);
  HIP(hipStreamSynchronize(s));
}

TEST(event_wait_nodes) {
  Buffer<int> p(std::vector<int>{1});
  HIP(hipDeviceSynchronize());
  Event e, other;
  Graph graph;
  hipGraphNode_t wait = nullptr;
  HIP(hipGraphAddEventWaitNode(&wait, graph, nullptr, 0, e));
  addKernel(graph, {wait}, scale, p.get(), 10);
  hipEvent_t seen = nullptr;
  HIP(hipGraphEventWaitNodeGetEvent(wait, &seen));
  EXPECT_EQ(seen, e.handle);
  const Exec exec(graph);
  Stream s(hipStreamNonBlocking), t(hipStreamNonBlocking);
  {
    Gate gate(t);
    add<<<1, 1, 0, t>>>(p, 4);
    KERNEL_OK();
    HIP(hipEventRecord(e, t));
    exec.launch(s);
    HIP_ERR(hipStreamQuery(s), hipErrorNotReady);
    EXPECT(gate.held());
    gate.open();
    HIP(hipStreamSynchronize(s));
    EXPECT_EQ(p.download()[0], 50);
  }
  exec.run(s);  // the event is over
  EXPECT_EQ(p.download()[0], 500);
  HIP(hipGraphEventWaitNodeSetEvent(wait, other));
  HIP(hipGraphEventWaitNodeGetEvent(wait, &seen));
  EXPECT_EQ(seen, other.handle);
}

TEST(wrong_event_nodes) {
  Event e;
  Graph graph;
  hipGraphNode_t record = nullptr, wait = nullptr;
  hipEvent_t seen = nullptr;
  HIP_ERR(hipGraphAddEventRecordNode(nullptr, graph, nullptr, 0, e), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddEventRecordNode(&record, nullptr, nullptr, 0, e), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddEventRecordNode(&record, graph, nullptr, 1, e), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddEventRecordNode(&record, graph, nullptr, 0, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddEventWaitNode(nullptr, graph, nullptr, 0, e), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddEventWaitNode(&wait, nullptr, nullptr, 0, e), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddEventWaitNode(&wait, graph, nullptr, 1, e), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddEventWaitNode(&wait, graph, nullptr, 0, nullptr), hipErrorInvalidValue);
  HIP(hipGraphAddEventRecordNode(&record, graph, nullptr, 0, e));
  HIP(hipGraphAddEventWaitNode(&wait, graph, nullptr, 0, e));
  HIP_ERR(hipGraphEventRecordNodeGetEvent(nullptr, &seen), hipErrorInvalidValue);
  HIP_ERR(hipGraphEventRecordNodeGetEvent(record, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGraphEventRecordNodeGetEvent(wait, &seen), hipErrorInvalidValue);
  HIP_ERR(hipGraphEventRecordNodeSetEvent(wait, e), hipErrorInvalidValue);
  HIP_ERR(hipGraphEventRecordNodeSetEvent(record, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGraphEventWaitNodeGetEvent(nullptr, &seen), hipErrorInvalidValue);
  HIP_ERR(hipGraphEventWaitNodeGetEvent(wait, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGraphEventWaitNodeGetEvent(record, &seen), hipErrorInvalidValue);
  HIP_ERR(hipGraphEventWaitNodeSetEvent(record, e), hipErrorInvalidValue);
  HIP_ERR(hipGraphEventWaitNodeSetEvent(wait, nullptr), hipErrorInvalidValue);
}

// --- memory

TEST(memory_nodes) {
  Buffer<int> out(std::vector<int>{0});
  Graph graph;
  auto params = later::allocParams(8192);
  hipGraphNode_t alloc = nullptr, release = nullptr;
  HIP(later::addAlloc(&alloc, graph, {}, &params));
  EXPECT(params.memory != nullptr);
  int* const p = static_cast<int*>(params.memory);
  const hipGraphNode_t fill = addFill(graph, {alloc}, p, 3, 4, 2048);
  const hipGraphNode_t kernel = addKernel(graph, {fill}, add, p + 2047, 40);
  const hipGraphNode_t copy = addCopy(graph, {kernel}, out, p + 2047, 4, hipMemcpyDeviceToDevice);
  HIP(later::addFree(&release, graph, {copy}, p));
  later::AllocParams seen;
  HIP(later::getAlloc(alloc, &seen));
  EXPECT_EQ(seen.bytes, std::size_t(8192));
  EXPECT_EQ(seen.memory, params.memory);
  EXPECT_EQ(seen.pool.location.id, 0);
  void* freed = nullptr;
  HIP(later::getFree(release, &freed));
  EXPECT_EQ(freed, params.memory);
  const Exec exec(graph);
  Stream s;
  for (int i = 0; i < 5; ++i) {
    out.fill(0);
    exec.run(s);
    EXPECT_EQ(out.download()[0], 43);
  }
}

TEST(memory_stays_until_it_is_freed_after_the_launch) {
  Graph graph;
  auto params = later::allocParams(4096);
  hipGraphNode_t alloc = nullptr;
  HIP(later::addAlloc(&alloc, graph, {}, &params));
  int* const p = static_cast<int*>(params.memory);
  addFill(graph, {alloc}, p, 6, 4, 1024);
  const Exec exec(graph);
  Stream s;
  for (int round = 0; round < 3; ++round) {
    exec.launch(s);
    add<<<1, 1, 0, s>>>(p, round);
    int seen = 0;
    HIP(hipMemcpyAsync(&seen, p, 4, hipMemcpyDeviceToHost, s));
    HIP(hipStreamSynchronize(s));
    EXPECT_EQ(seen, 6 + round);
    HIP_ERR(hipGraphLaunch(exec, s), hipErrorInvalidValue);  // it is still there
    HIP(hipFreeAsync(p, s));
    HIP(hipStreamSynchronize(s));
  }
}

TEST(one_graph_frees_what_another_allocated) {
  Buffer<int> out(std::vector<int>{0});
  Graph first, second;
  auto params = later::allocParams(4096);
  hipGraphNode_t alloc = nullptr, release = nullptr;
  HIP(later::addAlloc(&alloc, first, {}, &params));
  int* const p = static_cast<int*>(params.memory);
  addFill(first, {alloc}, p, 9, 4, 1);
  const hipGraphNode_t copy = addCopy(second, {}, out, p, 4, hipMemcpyDeviceToDevice);
  HIP(later::addFree(&release, second, {copy}, p));
  const Exec make(first), take(second);
  Stream s;
  for (int i = 0; i < 3; ++i) {
    out.fill(0);
    make.launch(s);
    take.run(s);
    EXPECT_EQ(out.download()[0], 9);
  }
}

TEST(wrong_memory_nodes) {
  Graph graph, other;
  hipGraphNode_t node = nullptr, release = nullptr;
  const auto attempt = [&](auto change) {
    auto bad = later::allocParams(4096);
    change(bad);
    HIP_ERR(later::addAlloc(&node, graph, {}, &bad), hipErrorInvalidValue);
  };
  attempt([](auto& bad) { bad.bytes = 0; });
  attempt([](auto& bad) { bad.pool.allocType = hipMemAllocationTypeInvalid; });
  attempt([](auto& bad) { bad.pool.location.type = hipMemLocationTypeInvalid; });
  attempt([](auto& bad) { bad.pool.location.id = 99; });
  attempt([](auto& bad) { bad.pool.location.id = -1; });
  auto params = later::allocParams(4096);
  HIP_ERR(later::addAlloc(nullptr, graph, {}, &params), hipErrorInvalidValue);
  HIP_ERR(later::addAlloc(&node, nullptr, {}, &params), hipErrorInvalidValue);
  HIP_ERR(later::addAlloc(&node, graph, {}, nullptr), hipErrorInvalidValue);
  HIP(later::addAlloc(&node, graph, {}, &params));
  Buffer<int> ordinary(16);
  HIP_ERR(later::addFree(&release, graph, {node}, nullptr), hipErrorInvalidValue);
  HIP_ERR(later::addFree(&release, graph, {node}, ordinary), hipErrorInvalidValue);
  HIP_ERR(later::addFree(nullptr, graph, {node}, params.memory), hipErrorInvalidValue);
  HIP_ERR(later::addFree(&release, nullptr, {}, params.memory), hipErrorInvalidValue);
  HIP(later::addFree(&release, graph, {node}, params.memory));
  HIP_ERR(later::addFree(&release, graph, {node}, params.memory), hipErrorInvalidValue);  // once is enough
  HIP_ERR(later::addFree(&release, other, {}, params.memory), hipErrorInvalidValue);
  later::AllocParams seen;
  void* freed = nullptr;
  const hipGraphNode_t empty = addEmpty(graph);
  HIP_ERR(later::getAlloc(nullptr, &seen), hipErrorInvalidValue);
  HIP_ERR(later::getAlloc(node, nullptr), hipErrorInvalidValue);
  HIP_ERR(later::getAlloc(empty, &seen), hipErrorInvalidValue);
  HIP_ERR(later::getFree(nullptr, &freed), hipErrorInvalidValue);
  HIP_ERR(later::getFree(empty, &freed), hipErrorInvalidValue);
  // Memory belongs to one instance.
  hipGraphExec_t exec = nullptr, again = nullptr;
  HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  HIP_ERR(hipGraphInstantiate(&again, graph, nullptr, nullptr, 0), hipErrorNotSupported);
  HIP(hipGraphExecDestroy(exec));
}
