// Copy nodes, in the five forms a program can describe them.
#include "runtime/api.h"
#include "runtime/graph/node_calls.h"

namespace hipr::api {

namespace {

hipError_t currentOf(Process& p, Device*& out) {
  return findDevice(p, threadState().device, out);
}

// An instance may not turn one direction into another.
hipError_t sameKind(hipMemcpyKind before, hipMemcpyKind now) {
  return before == now ? hipSuccess : hipErrorInvalidValue;
}

bool names(const HIP_MEMCPY3D& box) {
  return (box.srcArray || box.srcHost || box.srcDevice) && (box.dstArray || box.dstHost || box.dstDevice);
}

}  // namespace

// --- a box

hipError_t hipGraphAddMemcpyNode(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                                 size_t numDependencies, const hipMemcpy3DParms* pCopyParams) {
  return addNodeOf<CopyWork>(pGraphNode, graph, pDependencies, numDependencies,
                             [&](Process& p, Graph&, CopyWork& work) { return makeBoxWork(p, pCopyParams, work); });
}

hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms* pNodeParams) {
  return readNode<CopyWork>(node, pNodeParams, [](const CopyWork& work) { return work.box; });
}

hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms* pNodeParams) {
  return changeNode<CopyWork>(
      node, [&](Process& p, GraphNode&, CopyWork& work) { return makeBoxWork(p, pNodeParams, work); });
}

hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                           hipMemcpy3DParms* pNodeParams) {
  return changeInstance<CopyWork>(hGraphExec, node, [&](Process& p, GraphNode&, CopyWork& work) {
    const hipMemcpyKind before = work.kind;
    if (makeBoxWork(p, pNodeParams, work) != hipSuccess) return hipErrorInvalidValue;
    return sameKind(before, work.kind);
  });
}

// --- a line

hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                                   size_t numDependencies, void* dst, const void* src, size_t count,
                                   hipMemcpyKind kind) {
  return addNodeOf<CopyWork>(
      pGraphNode, graph, pDependencies, numDependencies,
      [&](Process& p, Graph&, CopyWork& work) { return makeLineWork(p, dst, src, count, kind, work); });
}

hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void* dst, const void* src, size_t count,
                                         hipMemcpyKind kind) {
  if (dst == src) return hipErrorInvalidValue;
  return changeNode<CopyWork>(
      node, [&](Process& p, GraphNode&, CopyWork& work) { return makeLineWork(p, dst, src, count, kind, work); });
}

hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t hGraphExec, hipGraphNode_t node, void* dst, const void* src,
                                             size_t count, hipMemcpyKind kind) {
  if (dst == src) return hipErrorInvalidValue;
  return changeInstance<CopyWork>(hGraphExec, node, [&](Process& p, GraphNode&, CopyWork& work) {
    HIPR_TRY(sameKind(work.kind, kind));
    return makeLineWork(p, dst, src, count, kind, work);
  });
}

// --- to and from a variable

hipError_t hipGraphAddMemcpyNodeToSymbol(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                         const hipGraphNode_t* pDependencies, size_t numDependencies,
                                         const void* symbol, const void* src, size_t count, size_t offset,
                                         hipMemcpyKind kind) {
  return addNodeOf<CopyWork>(pGraphNode, graph, pDependencies, numDependencies,
                             [&](Process& p, Graph&, CopyWork& work) {
                               Device* device;
                               HIPR_TRY(currentOf(p, device));
                               return makeToSymbolWork(p, *device, symbol, src, count, offset, kind, work);
                             });
}

hipError_t hipGraphMemcpyNodeSetParamsToSymbol(hipGraphNode_t node, const void* symbol, const void* src, size_t count,
                                               size_t offset, hipMemcpyKind kind) {
  if (symbol == nullptr) return hipErrorInvalidSymbol;
  return changeNode<CopyWork>(node, [&](Process& p, GraphNode& n, CopyWork& work) {
    return makeToSymbolWork(p, *n.device, symbol, src, count, offset, kind, work);
  });
}

hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t hGraphExec, hipGraphNode_t node, const void* symbol,
                                                   const void* src, size_t count, size_t offset, hipMemcpyKind kind) {
  if (symbol == nullptr) return hipErrorInvalidSymbol;
  return changeInstance<CopyWork>(hGraphExec, node, [&](Process& p, GraphNode& n, CopyWork& work) {
    HIPR_TRY(sameKind(work.kind, kind));
    return makeToSymbolWork(p, *n.device, symbol, src, count, offset, kind, work);
  });
}

hipError_t hipGraphAddMemcpyNodeFromSymbol(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                           const hipGraphNode_t* pDependencies, size_t numDependencies, void* dst,
                                           const void* symbol, size_t count, size_t offset, hipMemcpyKind kind) {
  return addNodeOf<CopyWork>(pGraphNode, graph, pDependencies, numDependencies,
                             [&](Process& p, Graph&, CopyWork& work) {
                               Device* device;
                               HIPR_TRY(currentOf(p, device));
                               return makeFromSymbolWork(p, *device, dst, symbol, count, offset, kind, work);
                             });
}

hipError_t hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t node, void* dst, const void* symbol, size_t count,
                                                 size_t offset, hipMemcpyKind kind) {
  if (symbol == nullptr) return hipErrorInvalidSymbol;
  return changeNode<CopyWork>(node, [&](Process& p, GraphNode& n, CopyWork& work) {
    return makeFromSymbolWork(p, *n.device, dst, symbol, count, offset, kind, work);
  });
}

hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t hGraphExec, hipGraphNode_t node, void* dst,
                                                     const void* symbol, size_t count, size_t offset,
                                                     hipMemcpyKind kind) {
  if (symbol == nullptr) return hipErrorInvalidSymbol;
  return changeInstance<CopyWork>(hGraphExec, node, [&](Process& p, GraphNode& n, CopyWork& work) {
    HIPR_TRY(sameKind(work.kind, kind));
    return makeFromSymbolWork(p, *n.device, dst, symbol, count, offset, kind, work);
  });
}

// --- a box as the driver describes it

hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t* phGraphNode, hipGraph_t hGraph, const hipGraphNode_t* dependencies,
                                    size_t numDependencies, const HIP_MEMCPY3D* copyParams, hipCtx_t) {
  return addNodeOf<CopyWork>(phGraphNode, hGraph, dependencies, numDependencies,
                             [&](Process& p, Graph&, CopyWork& work) { return makeDriverWork(p, copyParams, work); });
}

hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t hNode, HIP_MEMCPY3D* nodeParams) {
  Process* p;
  GraphNode* n;
  CopyWork* work;
  HIPR_TRY(findNodeOf(hNode, p, n, work));
  if (nodeParams == nullptr || work->form != CopyWork::Form::kDriver) return hipErrorInvalidValue;
  *nodeParams = work->driver;
  return hipSuccess;
}

hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t hNode, const HIP_MEMCPY3D* nodeParams) {
  return changeNode<CopyWork>(
      hNode, [&](Process& p, GraphNode&, CopyWork& work) { return makeDriverWork(p, nodeParams, work); });
}

hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                              const HIP_MEMCPY3D* copyParams, hipCtx_t) {
  if (copyParams == nullptr || !names(*copyParams)) return hipErrorInvalidValue;
  return changeInstance<CopyWork>(hGraphExec, hNode, [&](Process& p, GraphNode&, CopyWork& work) {
    return makeDriverWork(p, copyParams, work) == hipSuccess ? hipSuccess : hipErrorInvalidValue;
  });
}

}  // namespace hipr::api
