// Graphs for the rows about them: one with a node of every ordinary kind, and its instance.
#pragma once

#include "tests/e2e/rows/scene.h"

namespace hipr::rows {

inline hipKernelNodeParams kernelParams(Scene& s, unsigned groups = 1) {
  hipKernelNodeParams params{};
  params.func = s.store;
  params.gridDim = {groups, 1, 1};
  params.blockDim = {1, 1, 1};
  params.kernelParams = s.arguments();
  return params;
}

inline hipMemsetParams fillParams(Scene& s, std::size_t width = 16) {
  hipMemsetParams params{};
  params.dst = s.device;
  params.elementSize = 4;
  params.width = width;
  params.height = 1;
  return params;
}

inline hipMemcpy3DParms boxParams(Scene& s, std::size_t height = 2) {
  hipMemcpy3DParms params{};
  params.srcPtr = {s.other, 64, 64, 2};
  params.dstPtr = {s.device, 64, 64, 2};
  params.extent = {64, height, 1};
  params.kind = hipMemcpyDeviceToDevice;
  return params;
}

inline HIP_MEMCPY3D driverBoxParams(Scene& s, std::size_t height = 2) {
  HIP_MEMCPY3D params{};
  params.srcMemoryType = params.dstMemoryType = hipMemoryTypeDevice;
  params.srcDevice = s.other;
  params.dstDevice = s.device;
  params.srcPitch = params.dstPitch = 64;
  params.srcHeight = params.dstHeight = 2;
  params.WidthInBytes = 64;
  params.Height = height;
  params.Depth = 1;
  return params;
}

inline hipMemAllocNodeParams allocParams(std::size_t bytes) {
  hipMemAllocNodeParams params{};
  params.poolProps.allocType = hipMemAllocationTypePinned;
  params.poolProps.location = {hipMemLocationTypeDevice, 0};
  params.bytesize = bytes;
  return params;
}

inline hipHostNodeParams hostParams() {
  return {[](void*) {}, nullptr};
}

// Version 6 has the parameters of a driver's fill in an order of their own.
template <class Call>
auto withDriverFill(Scene& s, std::size_t width, Call call) {
  const hipMemsetParams params = fillParams(s, width);
  const HIP_MEMSET_NODE_PARAMS older{params.dst, 0, 0, params.elementSize, params.width, params.height};
  return call(s.abi < 7 ? reinterpret_cast<const hipMemsetParams*>(&older) : &params);
}

inline hipCtx_t context(Scene& s) {
  hipCtx_t current = nullptr;
  HIPR_OK(s, hipCtxGetCurrent(&current));
  return current;
}

// Code of which nobody has used anything so far; `use(variable)` does.
template <class Use>
void withUnusedCode(Scene& s, Use use) {
  char kernel = 0, variable = 0;
  Scene::Wrapper wrapper{.image = Scene::code()};
  void** code = s.registerCode(wrapper, &kernel, &variable);
  use(&variable);
  s.hip.__hipUnregisterFatBinary(code);
}

// An empty graph, destroyed with this object.
struct OwnGraph {
  explicit OwnGraph(Scene& scene) : s(scene) { HIPR_OK(s, hipGraphCreate(&graph, 0)); }
  ~OwnGraph() { HIPR_OK(s, hipGraphDestroy(graph)); }
  OwnGraph(const OwnGraph&) = delete;
  OwnGraph& operator=(const OwnGraph&) = delete;

  hipGraphNode_t addEmpty() {
    hipGraphNode_t node = nullptr;
    HIPR_OK(s, hipGraphAddEmptyNode(&node, graph, nullptr, 0));
    return node;
  }
  hipGraphNode_t addKernel() {
    hipGraphNode_t node = nullptr;
    const hipKernelNodeParams params = kernelParams(s);
    HIPR_OK(s, hipGraphAddKernelNode(&node, graph, nullptr, 0, &params));
    return node;
  }

  Scene& s;
  hipGraph_t graph = nullptr;
};

// One node of each kind that every version has, and the instance of it all.
struct FullGraph : OwnGraph {
  explicit FullGraph(Scene& scene) : OwnGraph(scene), child(scene) {
    const hipMemsetParams fills = fillParams(s);
    const hipMemcpy3DParms boxes = boxParams(s);
    const hipHostNodeParams hosts = hostParams();
    kernel = addKernel();
    childKernel = child.addKernel();
    HIPR_OK(s, hipGraphAddMemsetNode(&fill, graph, &kernel, 1, &fills));
    HIPR_OK(s, hipGraphAddMemcpyNode(&box, graph, &fill, 1, &boxes));
    HIPR_OK(s, hipGraphAddMemcpyNode1D(&line, graph, &box, 1, s.device, s.other, 64, hipMemcpyDeviceToDevice));
    HIPR_OK(s, hipGraphAddMemcpyNodeToSymbol(&toSymbol, graph, &line, 1, &s.variable, s.other, 4, 0,
                                             hipMemcpyDeviceToDevice));
    HIPR_OK(s, hipGraphAddMemcpyNodeFromSymbol(&fromSymbol, graph, &toSymbol, 1, s.other, &s.variable, 4, 0,
                                               hipMemcpyDeviceToDevice));
    HIPR_OK(s, hipGraphAddHostNode(&host, graph, &fromSymbol, 1, &hosts));
    HIPR_OK(s, hipGraphAddEventWaitNode(&wait, graph, &host, 1, s.first));
    HIPR_OK(s, hipGraphAddEventRecordNode(&record, graph, &wait, 1, s.last));
    HIPR_OK(s, hipGraphAddChildGraphNode(&inner, graph, &record, 1, child.graph));
    HIPR_OK(s, hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  }
  ~FullGraph() { HIPR_OK(s, hipGraphExecDestroy(exec)); }

  OwnGraph child;
  hipGraphNode_t kernel = nullptr, childKernel = nullptr, fill = nullptr, box = nullptr, line = nullptr,
                 toSymbol = nullptr, fromSymbol = nullptr, host = nullptr, wait = nullptr, record = nullptr,
                 inner = nullptr;
  hipGraphExec_t exec = nullptr;
};

}  // namespace hipr::rows
