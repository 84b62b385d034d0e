// Nodes that signal and wait for semaphores of other APIs. There is no way to get such a semaphore on a GPU server
// without a display driver (interop.cpp), so there is nothing a node could name.
#include "runtime/api.h"
#include "runtime/process.h"

namespace hipr::api {

namespace {

hipError_t none(const void* object, const void* params) {
  Process* p;
  HIPR_TRY(process(p));
  return object == nullptr || params == nullptr ? hipErrorInvalidValue : hipErrorNotSupported;
}

}  // namespace

hipError_t hipGraphAddExternalSemaphoresSignalNode(hipGraphNode_t*, hipGraph_t graph, const hipGraphNode_t*, size_t,
                                                   const hipExternalSemaphoreSignalNodeParams* nodeParams) {
  return none(graph, nodeParams);
}
hipError_t hipGraphAddExternalSemaphoresWaitNode(hipGraphNode_t*, hipGraph_t graph, const hipGraphNode_t*, size_t,
                                                 const hipExternalSemaphoreWaitNodeParams* nodeParams) {
  return none(graph, nodeParams);
}
hipError_t hipGraphExternalSemaphoresSignalNodeGetParams(hipGraphNode_t hNode,
                                                         hipExternalSemaphoreSignalNodeParams* params_out) {
  return none(hNode, params_out);
}
hipError_t hipGraphExternalSemaphoresSignalNodeSetParams(hipGraphNode_t hNode,
                                                         const hipExternalSemaphoreSignalNodeParams* nodeParams) {
  return none(hNode, nodeParams);
}
hipError_t hipGraphExternalSemaphoresWaitNodeGetParams(hipGraphNode_t hNode,
                                                       hipExternalSemaphoreWaitNodeParams* params_out) {
  return none(hNode, params_out);
}
hipError_t hipGraphExternalSemaphoresWaitNodeSetParams(hipGraphNode_t hNode,
                                                       const hipExternalSemaphoreWaitNodeParams* nodeParams) {
  return none(hNode, nodeParams);
}
hipError_t hipGraphExecExternalSemaphoresSignalNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t,
                                                             const hipExternalSemaphoreSignalNodeParams* nodeParams) {
  return none(hGraphExec, nodeParams);
}
hipError_t hipGraphExecExternalSemaphoresWaitNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t,
                                                           const hipExternalSemaphoreWaitNodeParams* nodeParams) {
  return none(hGraphExec, nodeParams);
}

}  // namespace hipr::api
