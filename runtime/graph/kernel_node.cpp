// Kernel nodes.
#include "runtime/api.h"
#include "runtime/graph/node_calls.h"

namespace hipr::api {

namespace {

bool knownAttribute(hipLaunchAttributeID attribute) {
  return attribute == hipLaunchAttributeAccessPolicyWindow || attribute == hipLaunchAttributeCooperative ||
         attribute == hipLaunchAttributePriority;
}

hipError_t checkWindow(const hipAccessPolicyWindow& window, const Device& device) {
  if (!(window.hitRatio >= 0 && window.hitRatio <= 1)) return hipErrorInvalidValue;
  if (window.missProp == hipAccessPropertyPersisting) return hipErrorInvalidValue;
  if (window.num_bytes > 0 && window.hitRatio == 0) return hipErrorInvalidValue;
  const auto most = static_cast<std::size_t>(device.info->props.accessPolicyMaxWindowSize);
  return window.num_bytes > most ? hipErrorInvalidValue : hipSuccess;
}

hipError_t setParams(Process& p, GraphNode& node, const hipKernelNodeParams* params, KernelWork& work) {
  return makeKernelWork(p, *node.device, params, work);
}

}  // namespace

hipError_t hipGraphAddKernelNode(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                                 size_t numDependencies, const hipKernelNodeParams* pNodeParams) {
  return addNodeOf<KernelWork>(pGraphNode, graph, pDependencies, numDependencies,
                               [&](Process& p, Graph&, KernelWork& work) {
                                 Device* device;
                                 HIPR_TRY(findDevice(p, threadState().device, device));
                                 return makeKernelWork(p, *device, pNodeParams, work);
                               });
}

hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams* pNodeParams) {
  Process* p;
  GraphNode* n;
  KernelWork* work;
  HIPR_TRY(findNodeOf(node, p, n, work));
  if (pNodeParams == nullptr) return hipErrorInvalidValue;
  *pNodeParams = {.blockDim = work->launch.block,
                  .extra = nullptr,
                  .func = work->name,
                  .gridDim = work->launch.groups,
                  .kernelParams = work->params.data(),
                  .sharedMemBytes = work->launch.sharedBytes};
  return hipSuccess;
}

hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams* pNodeParams) {
  return changeNode<KernelWork>(
      node, [&](Process& p, GraphNode& n, KernelWork& work) { return setParams(p, n, pNodeParams, work); });
}

hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                           const hipKernelNodeParams* pNodeParams) {
  return changeInstance<KernelWork>(
      hGraphExec, node, [&](Process& p, GraphNode& n, KernelWork& work) { return setParams(p, n, pNodeParams, work); });
}

hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t hNode, hipLaunchAttributeID attr,
                                          const hipLaunchAttributeValue* value) {
  if (value == nullptr || !knownAttribute(attr)) return hipErrorInvalidValue;
  return changeNode<KernelWork>(hNode, [&](Process&, GraphNode& n, KernelWork& work) {
    if (attr == hipLaunchAttributeAccessPolicyWindow) HIPR_TRY(checkWindow(value->accessPolicyWindow, *n.device));
    if (attr == hipLaunchAttributeCooperative) work.launch.cooperative = value->cooperative != 0;
    work.attributes[attr] = *value;
    return hipSuccess;
  });
}

hipError_t hipGraphKernelNodeGetAttribute(hipGraphNode_t hNode, hipLaunchAttributeID attr,
                                          hipLaunchAttributeValue* value) {
  Process* p;
  GraphNode* n;
  KernelWork* work;
  HIPR_TRY(process(p));
  if (value == nullptr || !knownAttribute(attr)) return hipErrorInvalidValue;
  HIPR_TRY(findNodeOf(hNode, p, n, work));
  const auto found = work->attributes.find(attr);
  *value = found != work->attributes.end() ? found->second : hipLaunchAttributeValue{};
  return hipSuccess;
}

hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t hSrc, hipGraphNode_t hDst) {
  Process* p;
  GraphNode* n;
  KernelWork* from;
  HIPR_TRY(findNodeOf(hSrc, p, n, from));
  return changeNode<KernelWork>(hDst, [&](Process&, GraphNode&, KernelWork& to) {
    to.attributes = from->attributes;
    to.launch.cooperative = from->launch.cooperative;
    return hipSuccess;
  });
}

}  // namespace hipr::api
