// Graph calls that HIP 5 does not have, so that the conformance programs, which are built with its headers, cannot make
// them: the driver's nodes, nodes and parameters of any type, capture into a graph that exists, instantiation with
// parameters, and events recorded and waited for as nodes of a capture. Directly on softgpu and through a worker.
#include <gtest/gtest.h>

#include <vector>

#include "testing/hip.h"
#include "testing/worker_process.h"

#define OK(call) ASSERT_EQ(h.api.call, hipSuccess) << #call
#define INVALID(call) EXPECT_EQ(h.api.call, hipErrorInvalidValue) << #call

namespace hipr {
namespace {

using testing::Hip;

constexpr int kItems = 64, kRounds = 3;

class NewerGraphs : public ::testing::TestWithParam<bool> {
 protected:
  static void SetUpTestSuite() {
    worker_ = new testing::WorkerProcess;
    worker_->use();
    for (Hip* hip : {&direct_, &remote_}) {
      const Status status = hip->load(hip == &direct_ ? testing::softgpuLibrary() : testing::remoteLibrary());
      ASSERT_TRUE(status.ok()) << status.message();
    }
  }
  // The worker stays: the library says goodbye through it when the process ends.

  void SetUp() override {
    OK(hipMalloc(&device_, kBytes));
    OK(hipMalloc(&other_, kBytes));
    OK(hipMemset(device_, 0, kBytes));
    OK(hipGraphCreate(&graph_, 0));
    OK(hipCtxGetCurrent(&context_));
  }
  void TearDown() override {
    OK(hipGraphDestroy(graph_));
    OK(hipFree(device_));
    OK(hipFree(other_));
  }

  void instantiate() { OK(hipGraphInstantiate(&exec_, graph_, nullptr, nullptr, 0)); }
  void launch() {
    OK(hipGraphLaunch(exec_, h.stream));
    OK(hipStreamSynchronize(h.stream));
  }
  void run() {
    instantiate();
    launch();
    OK(hipGraphExecDestroy(exec_));
  }
  std::vector<int> download() {
    std::vector<int> to(kBytes / sizeof(int));
    EXPECT_EQ(h.api.hipMemcpy(to.data(), device_, kBytes, hipMemcpyDeviceToHost), hipSuccess);
    return to;
  }
  // What `work` leaves in the memory it is given, as bits.
  static std::vector<int> worked(int rounds) {
    std::vector<int> to;
    for (int i = 0; i < kItems; ++i) to.push_back(__builtin_bit_cast(int, testing::workResult(i, rounds)));
    return to;
  }
  hipKernelNodeParams work(void*& memory, int& rounds) {
    arguments_[0] = &memory;
    arguments_[1] = &rounds;
    hipKernelNodeParams params{};
    params.func = h.work;
    params.gridDim = {1, 1, 1};
    params.blockDim = {kItems, 1, 1};
    params.kernelParams = arguments_;
    return params;
  }
  hipMemsetParams fill(void* to, unsigned value, std::size_t count) const {
    hipMemsetParams params{};
    params.dst = to;
    params.value = value;
    params.elementSize = 4;
    params.width = count;
    params.height = 1;
    return params;
  }
  HIP_MEMCPY3D box(const void* host, void* to, std::size_t width, std::size_t height) const {
    HIP_MEMCPY3D params{};
    params.srcMemoryType = hipMemoryTypeHost;
    params.srcHost = host;
    params.dstMemoryType = hipMemoryTypeDevice;
    params.dstDevice = to;
    params.srcPitch = width;
    params.dstPitch = 2 * width;
    params.srcHeight = params.dstHeight = height;
    params.WidthInBytes = width;
    params.Height = height;
    params.Depth = 1;
    return params;
  }

  static constexpr std::size_t kBytes = kItems * sizeof(int);
  static inline testing::WorkerProcess* worker_ = nullptr;
  static inline Hip direct_, remote_;

  Hip& h = GetParam() ? remote_ : direct_;
  void *device_ = nullptr, *other_ = nullptr;
  hipCtx_t context_ = nullptr;
  hipGraph_t graph_ = nullptr;
  hipGraphExec_t exec_ = nullptr;
  void* arguments_[2];
};

TEST_P(NewerGraphs, DriverCopies) {
  const std::vector<int> in{1, 2, 3, 4}, changed{5, 6, 7, 8};
  HIP_MEMCPY3D params = box(in.data(), device_, 8, 2);
  hipGraphNode_t node = nullptr;
  OK(hipDrvGraphAddMemcpyNode(&node, graph_, nullptr, 0, &params, context_));
  run();
  std::vector<int> seen = download();
  EXPECT_EQ(std::vector<int>(seen.begin(), seen.begin() + 6), (std::vector<int>{1, 2, 0, 0, 3, 4}));
  HIP_MEMCPY3D told{};
  OK(hipDrvGraphMemcpyNodeGetParams(node, &told));
  EXPECT_EQ(told.srcHost, params.srcHost);
  EXPECT_EQ(told.WidthInBytes, 8u);
  EXPECT_EQ(told.dstPitch, 16u);
  params.srcHost = changed.data();
  OK(hipDrvGraphMemcpyNodeSetParams(node, &params));
  instantiate();
  launch();
  EXPECT_EQ(download()[0], 5);
  params.srcHost = in.data();
  OK(hipDrvGraphExecMemcpyNodeSetParams(exec_, node, &params, context_));
  launch();
  EXPECT_EQ(download()[0], 1);
  OK(hipGraphExecDestroy(exec_));
  hipGraphNode_t none = nullptr;
  INVALID(hipDrvGraphAddMemcpyNode(nullptr, graph_, nullptr, 0, &params, context_));
  INVALID(hipDrvGraphAddMemcpyNode(&none, nullptr, nullptr, 0, &params, context_));
  INVALID(hipDrvGraphAddMemcpyNode(&none, graph_, nullptr, 1, &params, context_));
  INVALID(hipDrvGraphAddMemcpyNode(&none, graph_, nullptr, 0, nullptr, context_));
  INVALID(hipDrvGraphMemcpyNodeGetParams(nullptr, &told));
  INVALID(hipDrvGraphMemcpyNodeGetParams(node, nullptr));
  INVALID(hipDrvGraphMemcpyNodeSetParams(nullptr, &params));
  INVALID(hipDrvGraphMemcpyNodeSetParams(node, nullptr));
}

TEST_P(NewerGraphs, DriverFills) {
  hipMemsetParams params = fill(device_, 7, 3);
  hipGraphNode_t node = nullptr;
  OK(hipDrvGraphAddMemsetNode(&node, graph_, nullptr, 0, &params, context_));
  instantiate();
  launch();
  std::vector<int> seen = download();
  EXPECT_EQ(std::vector<int>(seen.begin(), seen.begin() + 4), (std::vector<int>{7, 7, 7, 0}));
  params = fill(device_, 9, 1);
  OK(hipDrvGraphExecMemsetNodeSetParams(exec_, node, &params, context_));
  launch();
  seen = download();
  EXPECT_EQ(std::vector<int>(seen.begin(), seen.begin() + 4), (std::vector<int>{9, 7, 7, 0}));
  OK(hipGraphExecDestroy(exec_));
  hipGraphNode_t none = nullptr;
  INVALID(hipDrvGraphAddMemsetNode(nullptr, graph_, nullptr, 0, &params, context_));
  INVALID(hipDrvGraphAddMemsetNode(&none, nullptr, nullptr, 0, &params, context_));
  INVALID(hipDrvGraphAddMemsetNode(&none, graph_, nullptr, 0, nullptr, context_));
}

TEST_P(NewerGraphs, DriverFrees) {
  hipMemAllocNodeParams params{};
  params.poolProps.allocType = hipMemAllocationTypePinned;
  params.poolProps.location = {hipMemLocationTypeDevice, 0};
  params.bytesize = kBytes;
  hipGraphNode_t alloc = nullptr, filled = nullptr, copy = nullptr, release = nullptr;
  OK(hipGraphAddMemAllocNode(&alloc, graph_, nullptr, 0, &params));
  const hipMemsetParams fives = fill(params.dptr, 5, kItems);
  OK(hipGraphAddMemsetNode(&filled, graph_, &alloc, 1, &fives));
  OK(hipGraphAddMemcpyNode1D(&copy, graph_, &filled, 1, device_, params.dptr, kBytes, hipMemcpyDeviceToDevice));
  OK(hipDrvGraphAddMemFreeNode(&release, graph_, &copy, 1, params.dptr));
  run();
  EXPECT_EQ(download(), std::vector<int>(kItems, 5));
  hipGraphNode_t none = nullptr;
  INVALID(hipDrvGraphAddMemFreeNode(nullptr, graph_, &copy, 1, params.dptr));
  INVALID(hipDrvGraphAddMemFreeNode(&none, graph_, &copy, 1, nullptr));
}

TEST_P(NewerGraphs, NodesOfAnyType) {
  int called = 0, rounds = kRounds;
  hipEvent_t event = nullptr;
  OK(hipEventCreate(&event));
  hipGraph_t inner = nullptr;
  OK(hipGraphCreate(&inner, 0));
  hipGraphNode_t last = nullptr;
  const auto add = [&](hipGraph_t graph, hipGraphNodeParams params) {
    hipGraphNode_t node = nullptr;
    EXPECT_EQ(h.api.hipGraphAddNode(&node, graph, &last, last ? 1 : 0, &params), hipSuccess) << params.type;
    hipGraphNodeType type{};
    EXPECT_EQ(h.api.hipGraphNodeGetType(node, &type), hipSuccess);
    EXPECT_EQ(type, params.type);
    last = node;
    return node;
  };
  hipGraphNodeParams params{};
  params.type = hipGraphNodeTypeMemset;
  params.memset = fill(other_, 1, kItems);
  add(inner, params);
  last = nullptr;

  params = {};
  params.type = hipGraphNodeTypeKernel;
  params.kernel = work(other_, rounds);
  const hipGraphNode_t kernel = add(graph_, params);
  params = {};
  params.type = hipGraphNodeTypeMemcpy;
  params.memcpy.copyParams.srcPtr = {other_, kBytes, kBytes, 1};
  params.memcpy.copyParams.dstPtr = {device_, kBytes, kBytes, 1};
  params.memcpy.copyParams.extent = {kBytes, 1, 1};
  params.memcpy.copyParams.kind = hipMemcpyDeviceToDevice;
  add(graph_, params);
  params = {};
  params.type = hipGraphNodeTypeHost;
  params.host = {[](void* count) { ++*static_cast<int*>(count); }, &called};
  const hipGraphNode_t host = add(graph_, params);
  params = {};
  params.type = hipGraphNodeTypeGraph;
  params.graph.graph = inner;
  add(graph_, params);
  params = {};
  params.type = hipGraphNodeTypeEventRecord;
  params.eventRecord.event = event;
  add(graph_, params);
  params = {};
  params.type = hipGraphNodeTypeWaitEvent;
  params.eventWait.event = event;
  add(graph_, params);

  instantiate();
  launch();
  EXPECT_EQ(download(), worked(kRounds));
  EXPECT_EQ(called, 1);
  OK(hipEventQuery(event));

  // Parameters by the same structure, of the instance and of the graph.
  params = {};
  params.type = hipGraphNodeTypeKernel;
  rounds = kRounds + 1;
  params.kernel = work(other_, rounds);
  OK(hipGraphExecNodeSetParams(exec_, kernel, &params));
  launch();
  EXPECT_EQ(download(), worked(kRounds + 1));
  OK(hipGraphExecDestroy(exec_));
  params = {};
  params.type = hipGraphNodeTypeHost;
  params.host = {[](void* count) { *static_cast<int*>(count) += 100; }, &called};
  OK(hipGraphNodeSetParams(host, &params));
  run();
  EXPECT_EQ(called, 102);
  EXPECT_EQ(download(), worked(kRounds));

  hipGraphNode_t none = nullptr;
  INVALID(hipGraphAddNode(nullptr, graph_, nullptr, 0, &params));
  INVALID(hipGraphAddNode(&none, nullptr, nullptr, 0, &params));
  INVALID(hipGraphAddNode(&none, graph_, nullptr, 1, &params));
  INVALID(hipGraphAddNode(&none, graph_, nullptr, 0, nullptr));
  params.host.fn = nullptr;
  INVALID(hipGraphAddNode(&none, graph_, nullptr, 0, &params));
  INVALID(hipGraphNodeSetParams(nullptr, &params));
  INVALID(hipGraphNodeSetParams(host, nullptr));
  OK(hipGraphDestroy(inner));
  OK(hipEventDestroy(event));
}

TEST_P(NewerGraphs, CaptureIntoAGraphThatExists) {
  const hipMemsetParams params = fill(device_, 3, kItems);
  hipGraphNode_t before = nullptr;
  OK(hipGraphAddMemsetNode(&before, graph_, nullptr, 0, &params));
  OK(hipStreamBeginCaptureToGraph(h.stream, graph_, &before, nullptr, 1, hipStreamCaptureModeGlobal));
  OK(hipMemsetD32Async(device_, 4, 2, h.stream));
  hipGraph_t captured = nullptr;
  OK(hipStreamEndCapture(h.stream, &captured));
  EXPECT_EQ(captured, graph_);
  std::size_t count = 0;
  OK(hipGraphGetNodes(graph_, nullptr, &count));
  EXPECT_EQ(count, 2u);
  OK(hipGraphNodeGetDependentNodes(before, nullptr, &count));
  EXPECT_EQ(count, 1u);
  run();
  std::vector<int> expected(kItems, 3);
  expected[0] = expected[1] = 4;
  EXPECT_EQ(download(), expected);
  INVALID(hipStreamBeginCaptureToGraph(h.stream, nullptr, nullptr, nullptr, 0, hipStreamCaptureModeGlobal));
  INVALID(hipStreamBeginCaptureToGraph(h.stream, graph_, nullptr, nullptr, 1, hipStreamCaptureModeGlobal));
  INVALID(hipStreamBeginCaptureToGraph(h.stream, graph_, &before, nullptr, 0, hipStreamCaptureModeGlobal));
  hipStreamCaptureStatus status = hipStreamCaptureStatusActive;
  OK(hipStreamIsCapturing(h.stream, &status));
  EXPECT_EQ(status, hipStreamCaptureStatusNone);
}

// Without the flag they are edges, with it nodes: they reach outside.
TEST_P(NewerGraphs, ExternalEventsOfACapture) {
  constexpr unsigned kExternal = 1;
  hipEvent_t waited = nullptr, recorded = nullptr;
  OK(hipEventCreate(&waited));
  OK(hipEventCreate(&recorded));
  OK(hipStreamBeginCapture(h.stream, hipStreamCaptureModeRelaxed));
  OK(hipStreamWaitEvent(h.stream, waited, kExternal));
  OK(hipMemsetD32Async(device_, 6, kItems, h.stream));
  OK(hipEventRecordWithFlags(recorded, h.stream, kExternal));
  hipGraph_t captured = nullptr;
  OK(hipStreamEndCapture(h.stream, &captured));
  hipGraphNode_t nodes[4] = {};
  std::size_t count = 4;
  OK(hipGraphGetNodes(captured, nodes, &count));
  ASSERT_EQ(count, 3u);
  const hipGraphNodeType expected[] = {hipGraphNodeTypeWaitEvent, hipGraphNodeTypeMemset, hipGraphNodeTypeEventRecord};
  for (int i = 0; i < 3; ++i) {
    hipGraphNodeType type{};
    OK(hipGraphNodeGetType(nodes[i], &type));
    EXPECT_EQ(type, expected[i]);
  }
  hipEvent_t told = nullptr;
  OK(hipGraphEventWaitNodeGetEvent(nodes[0], &told));
  EXPECT_EQ(told, waited);
  OK(hipGraphEventRecordNodeGetEvent(nodes[2], &told));
  EXPECT_EQ(told, recorded);
  OK(hipEventQuery(recorded));  // not recorded yet
  OK(hipGraphInstantiate(&exec_, captured, nullptr, nullptr, 0));
  OK(hipGraphLaunch(exec_, h.stream));
  OK(hipEventSynchronize(recorded));
  EXPECT_EQ(download(), std::vector<int>(kItems, 6));
  OK(hipGraphExecDestroy(exec_));
  OK(hipGraphDestroy(captured));
  OK(hipEventDestroy(waited));
  OK(hipEventDestroy(recorded));
}

TEST_P(NewerGraphs, InstantiateWithParameters) {
  const hipMemsetParams nines = fill(device_, 9, kItems);
  hipGraphNode_t node = nullptr;
  OK(hipGraphAddMemsetNode(&node, graph_, nullptr, 0, &nines));
  for (unsigned long long flags : {0ull, 1ull, 2ull, 8ull}) {
    hipGraphInstantiateParams params{};
    params.flags = flags;
    params.uploadStream = h.stream;
    params.result_out = hipGraphInstantiateError;
    OK(hipGraphInstantiateWithParams(&exec_, graph_, &params));
    EXPECT_EQ(params.result_out, hipGraphInstantiateSuccess);
    EXPECT_EQ(params.errNode_out, nullptr);
    unsigned long long told = 99;
    OK(hipGraphExecGetFlags(exec_, &told));
    EXPECT_EQ(told, flags);
    OK(hipMemset(device_, 0, kBytes));
    launch();
    EXPECT_EQ(download(), std::vector<int>(kItems, 9));
    OK(hipGraphExecDestroy(exec_));
  }
  hipGraphInstantiateParams params{};
  params.flags = 1ull << 30;
  INVALID(hipGraphInstantiateWithParams(&exec_, graph_, &params));
  EXPECT_EQ(params.result_out, hipGraphInstantiateError);
  params.flags = 0;
  INVALID(hipGraphInstantiateWithParams(nullptr, graph_, &params));
  INVALID(hipGraphInstantiateWithParams(&exec_, nullptr, &params));
  INVALID(hipGraphInstantiateWithParams(&exec_, graph_, nullptr));
  unsigned long long told = 0;
  INVALID(hipGraphExecGetFlags(nullptr, &told));
}

INSTANTIATE_TEST_SUITE_P(Everywhere, NewerGraphs, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "ThroughAWorker" : "Directly"; });

}  // namespace
}  // namespace hipr
