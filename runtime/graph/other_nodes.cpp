// Nodes that fill memory, call the program, record and wait for events, hold a graph, or do nothing.
#include "runtime/api.h"
#include "runtime/graph/node_calls.h"

namespace hipr::api {

// --- fills

hipError_t hipGraphAddMemsetNode(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                                 size_t numDependencies, const hipMemsetParams* pMemsetParams) {
  return addNodeOf<FillWork>(pGraphNode, graph, pDependencies, numDependencies,
                             [&](Process& p, Graph&, FillWork& work) { return makeFillWork(p, pMemsetParams, work); });
}

hipError_t hipDrvGraphAddMemsetNode(hipGraphNode_t* phGraphNode, hipGraph_t hGraph, const hipGraphNode_t* dependencies,
                                    size_t numDependencies, const hipMemsetParams* memsetParams, hipCtx_t) {
  return api::hipGraphAddMemsetNode(phGraphNode, hGraph, dependencies, numDependencies, memsetParams);
}

hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams* pNodeParams) {
  return readNode<FillWork>(node, pNodeParams, [](const FillWork& work) { return work.params; });
}

hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams* pNodeParams) {
  return changeNode<FillWork>(
      node, [&](Process& p, GraphNode&, FillWork& work) { return makeFillWork(p, pNodeParams, work); });
}

// An instance keeps its device, and the shape of a fill of rows.
hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                           const hipMemsetParams* pNodeParams) {
  return changeInstance<FillWork>(hGraphExec, node, [&](Process& p, GraphNode&, FillWork& work) {
    const Fill before = work.fill;
    HIPR_TRY(makeFillWork(p, pNodeParams, work));
    const Fill& now = work.fill;
    const bool rows = before.height > 1 || now.height > 1;
    if (rows && (before.height != now.height || before.width != now.width)) return hipErrorInvalidValue;
    return before.owner == now.owner ? hipSuccess : hipErrorInvalidValue;
  });
}

hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                              const hipMemsetParams* memsetParams, hipCtx_t) {
  return api::hipGraphExecMemsetNodeSetParams(hGraphExec, hNode, memsetParams);
}

// --- functions of the program

hipError_t hipGraphAddHostNode(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                               size_t numDependencies, const hipHostNodeParams* pNodeParams) {
  return addNodeOf<HostWork>(pGraphNode, graph, pDependencies, numDependencies,
                             [&](Process&, Graph&, HostWork& work) { return makeHostWork(pNodeParams, work); });
}

hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams* pNodeParams) {
  return readNode<HostWork>(node, pNodeParams, [](const HostWork& work) { return work.params; });
}

hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams* pNodeParams) {
  return changeNode<HostWork>(node,
                              [&](Process&, GraphNode&, HostWork& work) { return makeHostWork(pNodeParams, work); });
}

hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                         const hipHostNodeParams* pNodeParams) {
  return changeInstance<HostWork>(
      hGraphExec, node, [&](Process&, GraphNode&, HostWork& work) { return makeHostWork(pNodeParams, work); });
}

// --- events

hipError_t hipGraphAddEventRecordNode(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                                      size_t numDependencies, hipEvent_t event) {
  return addNodeOf<RecordWork>(pGraphNode, graph, pDependencies, numDependencies,
                               [&](Process& p, Graph&, RecordWork& work) { return makeRecordWork(p, event, work); });
}

hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t* event_out) {
  return readNode<RecordWork>(node, event_out, [](const RecordWork& work) { return work.event; });
}

hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
  return changeNode<RecordWork>(
      node, [&](Process& p, GraphNode&, RecordWork& work) { return makeRecordWork(p, event, work); });
}

hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t hGraphExec, hipGraphNode_t hNode, hipEvent_t event) {
  return changeInstance<RecordWork>(
      hGraphExec, hNode, [&](Process& p, GraphNode&, RecordWork& work) { return makeRecordWork(p, event, work); });
}

hipError_t hipGraphAddEventWaitNode(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                                    size_t numDependencies, hipEvent_t event) {
  return addNodeOf<WaitWork>(pGraphNode, graph, pDependencies, numDependencies,
                             [&](Process& p, Graph&, WaitWork& work) { return makeWaitWork(p, event, work); });
}

hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t* event_out) {
  return readNode<WaitWork>(node, event_out, [](const WaitWork& work) { return work.event; });
}

hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
  return changeNode<WaitWork>(node,
                              [&](Process& p, GraphNode&, WaitWork& work) { return makeWaitWork(p, event, work); });
}

hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t hGraphExec, hipGraphNode_t hNode, hipEvent_t event) {
  return changeInstance<WaitWork>(hGraphExec, hNode,
                                  [&](Process& p, GraphNode&, WaitWork& work) { return makeWaitWork(p, event, work); });
}

// --- graphs, and nothing

hipError_t hipGraphAddChildGraphNode(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                                     size_t numDependencies, hipGraph_t childGraph) {
  return addNodeOf<ChildWork>(pGraphNode, graph, pDependencies, numDependencies,
                              [&](Process& p, Graph&, ChildWork& work) {
                                Graph* child = p.graphs.find(childGraph);
                                if (child == nullptr) return hipErrorInvalidValue;
                                return makeChildWork(p, *child, work);
                              });
}

hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t* pGraph) {
  return readNode<ChildWork>(node, pGraph, [](const ChildWork& work) { return handleOf(work.graph); });
}

hipError_t hipGraphAddEmptyNode(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                                size_t numDependencies) {
  return addNodeOf<EmptyWork>(pGraphNode, graph, pDependencies, numDependencies,
                              [](Process&, Graph&, EmptyWork&) { return hipSuccess; });
}

}  // namespace hipr::api
