// Graphs for the rows about them: one with a node of every ordinary kind, and its instance.
#pragma once

#include "tests/e2e/rows/scene.h"

namespace hipr::rows {

inline hipKernelNodeParams kernelParams(Scene& s) {
  hipKernelNodeParams params{};
  params.func = s.store;
  params.gridDim = params.blockDim = {1, 1, 1};
  params.kernelParams = s.arguments();
  return params;
}

inline hipMemsetParams fillParams(Scene& s) {
  hipMemsetParams params{};
  params.dst = s.device;
  params.elementSize = 4;
  params.width = 16;
  params.height = 1;
  return params;
}

inline hipMemcpy3DParms boxParams(Scene& s) {
  hipMemcpy3DParms params{};
  params.srcPtr = {s.other, 64, 64, 2};
  params.dstPtr = {s.device, 64, 64, 2};
  params.extent = {64, 2, 1};
  params.kind = hipMemcpyDeviceToDevice;
  return params;
}

inline HIP_MEMCPY3D driverBoxParams(Scene& s) {
  HIP_MEMCPY3D params{};
  params.srcMemoryType = params.dstMemoryType = hipMemoryTypeDevice;
  params.srcDevice = s.other;
  params.dstDevice = s.device;
  params.srcPitch = params.dstPitch = 64;
  params.srcHeight = params.dstHeight = 2;
  params.WidthInBytes = 64;
  params.Height = 2;
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
auto withDriverFill(Scene& s, Call call, unsigned value = 0) {
  hipMemsetParams params = fillParams(s);
  params.value = value;
  const HIP_MEMSET_NODE_PARAMS older{params.dst, 0, value, params.elementSize, params.width, params.height};
  return call(s.abi < 7 ? reinterpret_cast<const hipMemsetParams*>(&older) : &params);
}

inline hipCtx_t context(Scene& s) {
  hipCtx_t current = nullptr;
  HIPR_OK(s, hipCtxGetCurrent(&current));
  return current;
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
  hipGraphNode_t addKernel(unsigned groups = 1) {
    hipGraphNode_t node = nullptr;
    hipKernelNodeParams params = kernelParams(s);
    params.gridDim.x = groups;
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
    child.addKernel();
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
  hipGraphNode_t kernel = nullptr, fill = nullptr, box = nullptr, line = nullptr, toSymbol = nullptr,
                 fromSymbol = nullptr, host = nullptr, wait = nullptr, record = nullptr, inner = nullptr;
  hipGraphExec_t exec = nullptr;
};

}  // namespace hipr::rows
