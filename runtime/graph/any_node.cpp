// The calls that take any kind of node, described by one structure.
#include "runtime/api.h"
#include "runtime/graph/node_calls.h"

namespace hipr::api {

hipError_t hipGraphAddNode(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                           size_t numDependencies, hipGraphNodeParams* nodeParams) {
  if (nodeParams == nullptr) return hipErrorInvalidValue;
  const auto add = [&](auto call, auto params) {
    return call(pGraphNode, graph, pDependencies, numDependencies, params);
  };
  switch (nodeParams->type) {
    case hipGraphNodeTypeKernel:
      return add(&api::hipGraphAddKernelNode, &nodeParams->kernel);
    case hipGraphNodeTypeMemcpy:
      return add(&api::hipGraphAddMemcpyNode, &nodeParams->memcpy.copyParams);
    case hipGraphNodeTypeMemset:
      return add(&api::hipGraphAddMemsetNode, &nodeParams->memset);
    case hipGraphNodeTypeHost:
      return add(&api::hipGraphAddHostNode, &nodeParams->host);
    case hipGraphNodeTypeGraph:
      return add(&api::hipGraphAddChildGraphNode, nodeParams->graph.graph);
    case hipGraphNodeTypeEmpty:
      return api::hipGraphAddEmptyNode(pGraphNode, graph, pDependencies, numDependencies);
    case hipGraphNodeTypeWaitEvent:
      return add(&api::hipGraphAddEventWaitNode, nodeParams->eventWait.event);
    case hipGraphNodeTypeEventRecord:
      return add(&api::hipGraphAddEventRecordNode, nodeParams->eventRecord.event);
    case hipGraphNodeTypeMemAlloc:
      return add(&api::hipGraphAddMemAllocNode, &nodeParams->alloc);
    case hipGraphNodeTypeMemFree:
      return addNodeOf<FreeWork>(
          pGraphNode, graph, pDependencies, numDependencies,
          [&](Process& p, Graph&, FreeWork& work) { return makeFreeWork(p, nodeParams->free.dptr, work); });
    case hipGraphNodeTypeExtSemaphoreSignal:
    case hipGraphNodeTypeExtSemaphoreWait:
      return hipErrorNotSupported;
    default:
      return hipErrorInvalidValue;
  }
}

hipError_t hipGraphNodeSetParams(hipGraphNode_t node, hipGraphNodeParams* nodeParams) {
  Process* p;
  GraphNode* n;
  HIPR_TRY(findNode(node, p, n));
  if (nodeParams == nullptr) return hipErrorInvalidValue;
  switch (nodeParams->type) {
    case hipGraphNodeTypeKernel:
      return api::hipGraphKernelNodeSetParams(node, &nodeParams->kernel);
    case hipGraphNodeTypeMemcpy:
      return api::hipGraphMemcpyNodeSetParams(node, &nodeParams->memcpy.copyParams);
    case hipGraphNodeTypeMemset:
      return api::hipGraphMemsetNodeSetParams(node, &nodeParams->memset);
    case hipGraphNodeTypeHost:
      return api::hipGraphHostNodeSetParams(node, &nodeParams->host);
    case hipGraphNodeTypeGraph:
      return changeNode<ChildWork>(node, [&](Process& process, GraphNode&, ChildWork& work) {
        const Graph* graph = process.graphs.find(nodeParams->graph.graph);
        if (graph == nullptr) return hipErrorInvalidValue;
        Graph* before = work.graph;
        HIPR_TRY(makeChildWork(process, *graph, work));
        destroyGraph(process, before);
        return hipSuccess;
      });
    case hipGraphNodeTypeWaitEvent:
      return api::hipGraphEventWaitNodeSetEvent(node, nodeParams->eventWait.event);
    case hipGraphNodeTypeEventRecord:
      return api::hipGraphEventRecordNodeSetEvent(node, nodeParams->eventRecord.event);
    case hipGraphNodeTypeExtSemaphoreSignal:
    case hipGraphNodeTypeExtSemaphoreWait:
    case hipGraphNodeTypeMemAlloc:
    case hipGraphNodeTypeMemFree:
      return hipErrorNotSupported;
    default:
      return hipErrorInvalidValue;
  }
}

hipError_t hipGraphExecNodeSetParams(hipGraphExec_t graphExec, hipGraphNode_t node, hipGraphNodeParams* nodeParams) {
  Process* p;
  GraphExec* exec;
  GraphNode* n;
  HIPR_TRY(findInstance(graphExec, node, p, exec, n));
  if (nodeParams == nullptr) return hipErrorInvalidValue;
  switch (nodeParams->type) {
    case hipGraphNodeTypeKernel:
      return api::hipGraphExecKernelNodeSetParams(graphExec, node, &nodeParams->kernel);
    case hipGraphNodeTypeMemcpy:
      return api::hipGraphExecMemcpyNodeSetParams(graphExec, node, &nodeParams->memcpy.copyParams);
    case hipGraphNodeTypeMemset:
      return api::hipGraphExecMemsetNodeSetParams(graphExec, node, &nodeParams->memset);
    case hipGraphNodeTypeHost:
      return api::hipGraphExecHostNodeSetParams(graphExec, node, &nodeParams->host);
    case hipGraphNodeTypeGraph:
      return api::hipGraphExecChildGraphNodeSetParams(graphExec, node, nodeParams->graph.graph);
    case hipGraphNodeTypeWaitEvent:
      return api::hipGraphExecEventWaitNodeSetEvent(graphExec, node, nodeParams->eventWait.event);
    case hipGraphNodeTypeEventRecord:
      return api::hipGraphExecEventRecordNodeSetEvent(graphExec, node, nodeParams->eventRecord.event);
    case hipGraphNodeTypeExtSemaphoreSignal:
    case hipGraphNodeTypeExtSemaphoreWait:
    case hipGraphNodeTypeMemAlloc:
    case hipGraphNodeTypeMemFree:
      return hipErrorNotSupported;
    default:
      return hipErrorInvalidValue;
  }
}

}  // namespace hipr::api
