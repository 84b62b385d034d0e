// Graphs and capture as a core sees them: which steps it gets, in which order, and how little an update tells it.
#include <thread>

#include "code_object/test_image.h"
#include "runtime/fake_core.h"
#include "runtime/process.h"

namespace hipr {
namespace {

using testing::fake;

class GraphTest : public testing::RuntimeTest {
 protected:
  GraphTest() : elf(code::testing::sampleElf()) {
    EXPECT_EQ(api::hipModuleLoadData(&module, elf.data()), hipSuccess);
    EXPECT_EQ(api::hipModuleGetFunction(&scale, module, "scale"), hipSuccess);
    EXPECT_EQ(api::hipStreamCreate(&stream), hipSuccess);
    EXPECT_EQ(api::hipMalloc(&memory, 256), hipSuccess);
    params[0] = &memory;
    params[1] = &factor;
  }

  hipKernelNodeParams kernel(unsigned groups = 1) {
    return {.blockDim = {64, 1, 1},
            .extra = nullptr,
            .func = scale,
            .gridDim = {groups, 1, 1},
            .kernelParams = params,
            .sharedMemBytes = 0};
  }
  hipGraphNode_t add(hipGraph_t graph, std::vector<hipGraphNode_t> after, unsigned groups = 1) {
    const hipKernelNodeParams work = kernel(groups);
    hipGraphNode_t node = nullptr;
    EXPECT_EQ(api::hipGraphAddKernelNode(&node, graph, after.data(), after.size(), &work), hipSuccess);
    return node;
  }
  void launchOn(hipStream_t on) {
    EXPECT_EQ(api::hipModuleLaunchKernel(scale, 1, 1, 1, 64, 1, 1, 0, on, params, nullptr), hipSuccess);
  }
  static const GraphExec& steps(hipGraphExec_t exec) { return *openedProcess()->graphExecs.find(exec); }
  static unsigned groupsOf(const GraphStep& step) { return std::get<Launch>(*step.work).groups.x; }

  code::testing::Buffer elf;
  hipModule_t module = nullptr;
  hipFunction_t scale = nullptr;
  hipStream_t stream = nullptr;
  void* memory = nullptr;
  float factor = 2;
  void* params[2];
};

TEST_F(GraphTest, ChildGraphsAreLaidOutBetweenWhatSurroundsThem) {
  hipGraph_t outer = nullptr, inner = nullptr;
  ASSERT_EQ(api::hipGraphCreate(&outer, 0), hipSuccess);
  ASSERT_EQ(api::hipGraphCreate(&inner, 0), hipSuccess);
  add(inner, {}, 2);
  add(inner, {}, 3);
  const hipGraphNode_t first = add(outer, {}, 1);
  hipGraphNode_t child = nullptr;
  ASSERT_EQ(api::hipGraphAddChildGraphNode(&child, outer, &first, 1, inner), hipSuccess);
  add(outer, {child}, 4);
  hipGraphExec_t exec = nullptr;
  ASSERT_EQ(api::hipGraphInstantiate(&exec, outer, nullptr, nullptr, 0), hipSuccess);

  const std::vector<GraphStep>& s = steps(exec).steps;
  ASSERT_EQ(s.size(), 6u);  // first, the child's begin, two kernels, its end, last
  EXPECT_EQ(groupsOf(s[0]), 1u);
  EXPECT_FALSE(s[1].work);
  EXPECT_EQ(s[2].after, std::vector<std::uint32_t>{1});
  EXPECT_EQ(s[3].after, std::vector<std::uint32_t>{1});
  EXPECT_FALSE(s[4].work);
  EXPECT_EQ(s[4].after, (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(groupsOf(s[5]), 4u);
  EXPECT_EQ(s[5].after, std::vector<std::uint32_t>{4});
}

TEST_F(GraphTest, ACircleCannotBeInstantiated) {
  hipGraph_t graph = nullptr;
  ASSERT_EQ(api::hipGraphCreate(&graph, 0), hipSuccess);
  const hipGraphNode_t a = add(graph, {}), b = add(graph, {a});
  ASSERT_EQ(api::hipGraphAddDependencies(graph, &b, &a, 1), hipSuccess);
  hipGraphExec_t exec = nullptr;
  EXPECT_EQ(api::hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0), hipErrorInvalidValue);
  EXPECT_EQ(fake().count("graphCreate"), 0);
}

TEST_F(GraphTest, AnUpdateTellsOnlyWhatHasChanged) {
  hipGraph_t graph = nullptr, other = nullptr;
  ASSERT_EQ(api::hipGraphCreate(&graph, 0), hipSuccess);
  ASSERT_EQ(api::hipGraphCreate(&other, 0), hipSuccess);
  const hipGraphNode_t a = add(graph, {}, 1), b = add(graph, {a}, 2);
  add(graph, {b}, 3);
  const hipGraphNode_t x = add(other, {}, 1), y = add(other, {x}, 7);
  add(other, {y}, 3);
  hipGraphExec_t exec = nullptr;
  ASSERT_EQ(api::hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0), hipSuccess);
  hipGraphNode_t error = nullptr;
  hipGraphExecUpdateResult result{};
  ASSERT_EQ(api::hipGraphExecUpdate(exec, other, &error, &result), hipSuccess);
  EXPECT_EQ(fake().updatedSteps, std::vector<std::uint32_t>{1});
  EXPECT_EQ(groupsOf(steps(exec).steps[1]), 7u);

  hipKernelNodeParams work = kernel(7);
  ASSERT_EQ(api::hipGraphExecKernelNodeSetParams(exec, b, &work), hipSuccess);
  EXPECT_EQ(fake().count("graphUpdate"), 1) << "it does that already";
  ASSERT_EQ(api::hipGraphNodeSetEnabled(exec, a, 0), hipSuccess);
  EXPECT_FALSE(steps(exec).steps[0].work);
  ASSERT_EQ(api::hipGraphNodeSetEnabled(exec, a, 1), hipSuccess);
  EXPECT_EQ(groupsOf(steps(exec).steps[0]), 1u);
  EXPECT_EQ(fake().count("graphUpdate"), 3);
}

TEST_F(GraphTest, ParametersThatWereGivenMayBeGivenBack) {
  hipGraph_t graph = nullptr;
  ASSERT_EQ(api::hipGraphCreate(&graph, 0), hipSuccess);
  const hipGraphNode_t node = add(graph, {});
  hipKernelNodeParams got{};
  ASSERT_EQ(api::hipGraphKernelNodeGetParams(node, &got), hipSuccess);
  EXPECT_EQ(*static_cast<float*>(got.kernelParams[1]), 2.0F);
  *static_cast<float*>(got.kernelParams[1]) = 5;
  got.gridDim.x = 9;
  ASSERT_EQ(api::hipGraphKernelNodeSetParams(node, &got), hipSuccess);
  ASSERT_EQ(api::hipGraphKernelNodeGetParams(node, &got), hipSuccess);
  EXPECT_EQ(*static_cast<float*>(got.kernelParams[1]), 5.0F);
  EXPECT_EQ(got.gridDim.x, 9u);
}

TEST_F(GraphTest, CapturedWorkNeverReachesTheCore) {
  hipStream_t side = nullptr;
  hipEvent_t fork = nullptr, join = nullptr;
  ASSERT_EQ(api::hipStreamCreate(&side), hipSuccess);
  ASSERT_EQ(api::hipEventCreate(&fork), hipSuccess);
  ASSERT_EQ(api::hipEventCreate(&join), hipSuccess);
  const std::size_t before = fake().stages.size();
  ASSERT_EQ(api::hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
  launchOn(stream);
  ASSERT_EQ(api::hipEventRecord(fork, stream), hipSuccess);
  ASSERT_EQ(api::hipStreamWaitEvent(side, fork, 0), hipSuccess);
  launchOn(side);
  ASSERT_EQ(api::hipMemsetAsync(memory, 1, 256, stream), hipSuccess);
  ASSERT_EQ(api::hipEventRecord(join, side), hipSuccess);
  ASSERT_EQ(api::hipStreamWaitEvent(stream, join, 0), hipSuccess);
  launchOn(stream);
  hipGraph_t graph = nullptr;
  ASSERT_EQ(api::hipStreamEndCapture(stream, &graph), hipSuccess);
  EXPECT_EQ(fake().stages.size(), before);

  hipGraphExec_t exec = nullptr;
  ASSERT_EQ(api::hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0), hipSuccess);
  const std::vector<GraphStep>& s = steps(exec).steps;
  ASSERT_EQ(s.size(), 4u);
  EXPECT_EQ(s[1].after, std::vector<std::uint32_t>{0});
  EXPECT_EQ(s[2].after, std::vector<std::uint32_t>{0});
  EXPECT_EQ(s[3].after.size(), 2u);
  launchOn(side);
  EXPECT_EQ(fake().stages.size(), before + 1) << "the streams are free again";
}

TEST_F(GraphTest, WhatDisturbsACaptureEndsIt) {
  const auto captured = [&](auto disturb) {
    EXPECT_EQ(api::hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
    disturb();
    hipStreamCaptureStatus status{};
    EXPECT_EQ(api::hipStreamIsCapturing(stream, &status), hipSuccess);
    EXPECT_EQ(status, hipStreamCaptureStatusInvalidated);
    hipGraph_t graph = nullptr;
    EXPECT_EQ(api::hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
    EXPECT_EQ(graph, nullptr);
  };
  captured([&] { EXPECT_EQ(api::hipStreamSynchronize(stream), hipErrorStreamCaptureUnsupported); });
  captured([&] { EXPECT_EQ(api::hipDeviceSynchronize(), hipErrorStreamCaptureUnsupported); });
  captured([&] { EXPECT_EQ(api::hipMemset(memory, 0, 256), hipErrorStreamCaptureImplicit); });
  captured([&] {
    EXPECT_EQ(api::hipMemcpyWithStream(memory, &factor, sizeof factor, hipMemcpyHostToDevice, stream),
              hipErrorStreamCaptureUnsupported);
  });
  captured([&] {
    void* more = nullptr;
    EXPECT_EQ(api::hipMalloc(&more, 16), hipErrorStreamCaptureUnsupported);
  });
  const auto callback = [](hipStream_t, hipError_t, void*) {};
  captured(
      [&] { EXPECT_EQ(api::hipStreamAddCallback(stream, callback, nullptr, 0), hipErrorStreamCaptureUnsupported); });
  captured([&] { EXPECT_EQ(api::hipStreamAddCallback(nullptr, callback, nullptr, 0), hipErrorStreamCaptureImplicit); });
}

TEST_F(GraphTest, OlderCallsTakeNoNoticeOfCaptures) {
  ASSERT_EQ(api::hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
  const std::size_t before = fake().stages.size();
  {
    const IgnoringCapture scope;
    void* more = nullptr;
    EXPECT_EQ(api::hipMallocManaged(&more, 16, hipMemAttachGlobal), hipSuccess);
    EXPECT_EQ(api::hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(api::hipStreamAddCallback(stream, [](hipStream_t, hipError_t, void*) {}, nullptr, 0), hipSuccess);
  }
  EXPECT_EQ(fake().stages.size(), before + 1) << "the core has the callback";
  hipGraph_t graph = nullptr;
  ASSERT_EQ(api::hipStreamEndCapture(stream, &graph), hipSuccess);
  std::size_t nodes = 7;
  ASSERT_EQ(api::hipGraphGetNodes(graph, nullptr, &nodes), hipSuccess);
  EXPECT_EQ(nodes, 0u);
}

TEST_F(GraphTest, ACaptureEndsWhereItBegan) {
  hipGraph_t graph = nullptr;
  ASSERT_EQ(api::hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal), hipSuccess);
  hipError_t elsewhere = hipSuccess;
  std::thread([&] { elsewhere = api::hipStreamEndCapture(stream, &graph); }).join();
  EXPECT_EQ(elsewhere, hipErrorStreamCaptureWrongThread);
  ASSERT_EQ(api::hipStreamEndCapture(stream, &graph), hipSuccess);
  EXPECT_EQ(api::hipStreamEndCapture(stream, &graph), hipErrorIllegalState);
}

TEST_F(GraphTest, AForkMustBeJoined) {
  hipStream_t side = nullptr;
  hipEvent_t fork = nullptr;
  ASSERT_EQ(api::hipStreamCreate(&side), hipSuccess);
  ASSERT_EQ(api::hipEventCreate(&fork), hipSuccess);
  ASSERT_EQ(api::hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
  launchOn(stream);
  ASSERT_EQ(api::hipEventRecord(fork, stream), hipSuccess);
  ASSERT_EQ(api::hipStreamWaitEvent(side, fork, 0), hipSuccess);
  launchOn(side);
  hipGraph_t graph = nullptr;
  EXPECT_EQ(api::hipStreamEndCapture(side, &graph), hipErrorStreamCaptureUnmatched);
  EXPECT_EQ(api::hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureUnjoined);
}

TEST_F(GraphTest, MemoryOfAGraphHasItsOwnRules) {
  hipGraph_t graph = nullptr;
  ASSERT_EQ(api::hipGraphCreate(&graph, 0), hipSuccess);
  hipMemAllocNodeParams params{};
  params.poolProps.allocType = hipMemAllocationTypePinned;
  params.poolProps.location = {hipMemLocationTypeDevice, 0};
  params.bytesize = 4096;
  hipGraphNode_t node = nullptr;
  ASSERT_EQ(api::hipGraphAddMemAllocNode(&node, graph, nullptr, 0, &params), hipSuccess);
  hipGraphExec_t exec = nullptr;
  ASSERT_EQ(api::hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0), hipSuccess);
  EXPECT_EQ(api::hipFree(params.dptr), hipErrorInvalidValue) << "no launch has allocated it";
  ASSERT_EQ(api::hipGraphLaunch(exec, stream), hipSuccess);
  EXPECT_EQ(api::hipGraphLaunch(exec, stream), hipErrorInvalidValue) << "it is in use";
  std::uint64_t used = 0;
  ASSERT_EQ(api::hipDeviceGetGraphMemAttribute(0, hipGraphMemAttrUsedMemCurrent, &used), hipSuccess);
  EXPECT_EQ(used, 4096u);
  ASSERT_EQ(api::hipFree(params.dptr), hipSuccess);
  ASSERT_EQ(api::hipGraphLaunch(exec, stream), hipSuccess);
  const int live = fake().live;
  ASSERT_EQ(api::hipGraphExecDestroy(exec), hipSuccess);
  ASSERT_EQ(api::hipGraphDestroy(graph), hipSuccess);
  EXPECT_EQ(fake().live, live) << "the program has it";
  ASSERT_EQ(api::hipFree(params.dptr), hipSuccess);
  EXPECT_EQ(fake().live, live - 1);
}

}  // namespace
}  // namespace hipr
