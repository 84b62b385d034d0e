// FakeHip: graphs. A node is what it gives to a stream; a launch gives all of them, in the order in which they were
// added, which respects what each comes after.
#include <algorithm>
#include <array>
#include <cstring>

#include "worker/fake_hip.h"

namespace hipr::worker {
namespace {

using Node = std::uintptr_t;
using Work = std::function<hipError_t(hipStream_t)>;
using Nodes = std::map<Node, Work>;

std::mutex mutex;
std::map<std::uintptr_t, Nodes> graphs, execs;
std::uintptr_t last = 16;
std::size_t edges = 0;
HipTable streams;  // what nodes are made of

template <class Handle>
Handle handleOf(std::uintptr_t number) {
  return reinterpret_cast<Handle>(number);
}
std::uintptr_t numberOf(const void* handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}

hipError_t add(hipGraphNode_t* out, hipGraph_t graph, const hipGraphNode_t* after, std::size_t count, Work work) {
  const std::lock_guard lock(mutex);
  const auto found = graphs.find(numberOf(graph));
  if (found == graphs.end()) return hipErrorInvalidValue;
  for (std::size_t i = 0; i < count; ++i) {
    if (!found->second.contains(numberOf(after[i])) || std::find(after, after + i, after[i]) != after + i)
      return hipErrorInvalidValue;
  }
  edges += count;
  found->second[last += 16] = std::move(work);
  *out = handleOf<hipGraphNode_t>(last);
  return hipSuccess;
}

hipError_t set(hipGraphExec_t exec, hipGraphNode_t node, Work work) {
  const std::lock_guard lock(mutex);
  const auto found = execs.find(numberOf(exec));
  if (found == execs.end() || !found->second.contains(numberOf(node))) return hipErrorInvalidValue;
  found->second[numberOf(node)] = std::move(work);
  return hipSuccess;
}

// The arguments of the one kernel there is are copied when the node is made.
Work kernel(const hipKernelNodeParams& p) {
  std::array<std::byte, 12> packed;
  std::memcpy(packed.data(), p.kernelParams[0], 8);
  std::memcpy(packed.data() + 8, p.kernelParams[1], 4);
  return [p, packed](hipStream_t stream) mutable {
    std::size_t size = packed.size();
    void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, packed.data(), HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     HIP_LAUNCH_PARAM_END};
    return streams.hipModuleLaunchKernel(static_cast<hipFunction_t>(p.func), p.gridDim.x, p.gridDim.y, p.gridDim.z,
                                         p.blockDim.x, p.blockDim.y, p.blockDim.z, p.sharedMemBytes, stream, nullptr,
                                         extra);
  };
}

Work line(void* to, const void* from, std::size_t size) {
  return [=](hipStream_t stream) { return streams.hipMemcpyAsync(to, from, size, hipMemcpyDefault, stream); };
}

Work plane(const hipMemcpy3DParms& p) {
  return [p](hipStream_t stream) {
    if (p.srcArray || p.dstArray) return streams.hipMemcpy3DAsync(&p, stream);
    if (p.extent.depth != 1) return hipErrorInvalidValue;
    return streams.hipMemcpy2DAsync(p.dstPtr.ptr, p.dstPtr.pitch, p.srcPtr.ptr, p.srcPtr.pitch, p.extent.width,
                                    p.extent.height, p.kind, stream);
  };
}

Work filling(const hipMemsetParams& p) {
  return [p](hipStream_t stream) {
    if (p.elementSize == 1)
      return streams.hipMemset2DAsync(p.dst, p.pitch, static_cast<int>(p.value), p.width, p.height, stream);
    if (p.height != 1) return hipErrorNotSupported;
    if (p.elementSize == 2)
      return streams.hipMemsetD16Async(p.dst, static_cast<unsigned short>(p.value), p.width, stream);
    return streams.hipMemsetD32Async(p.dst, static_cast<int>(p.value), p.width, stream);
  };
}

}  // namespace

std::size_t FakeHip::liveGraphs() {
  const std::lock_guard lock(mutex);
  return graphs.size() + execs.size();
}

std::size_t FakeHip::graphEdges() {
  const std::lock_guard lock(mutex);
  return edges;
}

void FakeHip::addGraphs(HipTable& t) {
  streams = t;
  t.hipGraphCreate = [](hipGraph_t* out, unsigned) {
    const std::lock_guard lock(mutex);
    graphs[last += 16];
    *out = handleOf<hipGraph_t>(last);
    return hipSuccess;
  };
  t.hipGraphDestroy = [](hipGraph_t graph) {
    const std::lock_guard lock(mutex);
    return graphs.erase(numberOf(graph)) ? hipSuccess : hipErrorInvalidValue;
  };
  t.hipGraphInstantiate = [](hipGraphExec_t* out, hipGraph_t graph, hipGraphNode_t*, char*, std::size_t) {
    if (the_->fails("hipGraphInstantiate")) return hipErrorOutOfMemory;
    const std::lock_guard lock(mutex);
    execs[last += 16] = graphs.at(numberOf(graph));
    *out = handleOf<hipGraphExec_t>(last);
    return hipSuccess;
  };
  t.hipGraphExecDestroy = [](hipGraphExec_t exec) {
    const std::lock_guard lock(mutex);
    return execs.erase(numberOf(exec)) ? hipSuccess : hipErrorInvalidValue;
  };
  t.hipGraphLaunch = [](hipGraphExec_t exec, hipStream_t stream) {
    Nodes nodes;
    {
      const std::lock_guard lock(mutex);
      nodes = execs.at(numberOf(exec));
    }
    ++the_->graphLaunches_;
    for (auto& [node, work] : nodes)
      if (const hipError_t error = work(stream); error != hipSuccess) return error;
    return hipSuccess;
  };
  t.hipGraphAddEmptyNode = [](hipGraphNode_t* out, hipGraph_t graph, const hipGraphNode_t* after, std::size_t count) {
    return add(out, graph, after, count, [](hipStream_t) { return hipSuccess; });
  };
  t.hipGraphAddKernelNode = [](hipGraphNode_t* out, hipGraph_t graph, const hipGraphNode_t* after, std::size_t count,
                               const hipKernelNodeParams* p) { return add(out, graph, after, count, kernel(*p)); };
  t.hipGraphAddMemcpyNode1D = [](hipGraphNode_t* out, hipGraph_t graph, const hipGraphNode_t* after, std::size_t count,
                                 void* to, const void* from, std::size_t size,
                                 hipMemcpyKind) { return add(out, graph, after, count, line(to, from, size)); };
  t.hipGraphAddMemcpyNode = [](hipGraphNode_t* out, hipGraph_t graph, const hipGraphNode_t* after, std::size_t count,
                               const hipMemcpy3DParms* p) { return add(out, graph, after, count, plane(*p)); };
  t.hipGraphAddMemsetNode = [](hipGraphNode_t* out, hipGraph_t graph, const hipGraphNode_t* after, std::size_t count,
                               const hipMemsetParams* p) { return add(out, graph, after, count, filling(*p)); };
  t.hipGraphExecKernelNodeSetParams = [](hipGraphExec_t exec, hipGraphNode_t node, const hipKernelNodeParams* p) {
    if (the_->fails("hipGraphExecKernelNodeSetParams")) return hipErrorNotSupported;
    return set(exec, node, kernel(*p));
  };
  t.hipGraphExecMemcpyNodeSetParams1D = [](hipGraphExec_t exec, hipGraphNode_t node, void* to, const void* from,
                                           std::size_t size,
                                           hipMemcpyKind) { return set(exec, node, line(to, from, size)); };
  t.hipGraphExecMemcpyNodeSetParams = [](hipGraphExec_t exec, hipGraphNode_t node, hipMemcpy3DParms* p) {
    return set(exec, node, plane(*p));
  };
  t.hipGraphExecMemsetNodeSetParams = [](hipGraphExec_t exec, hipGraphNode_t node, const hipMemsetParams* p) {
    return set(exec, node, filling(*p));
  };
}

}  // namespace hipr::worker
