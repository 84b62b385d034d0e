#include "runtime/graph/exec.h"

#include <algorithm>

#include "runtime/activity.h"
#include "runtime/api.h"
#include "runtime/graph/steps.h"
#include "runtime/graph/timed.h"
#include "runtime/stream.h"
#include "runtime/submit.h"

namespace hipr {

namespace {

hipError_t makeExec(Process& p, Graph& graph, unsigned long long flags, GraphExec*& out) {
  Core* core;
  HIPR_TRY(graph.owner->reach(core));
  out = p.graphExecs.create();
  if (out == nullptr) return hipErrorOutOfMemory;
  out->id = p.newId();
  out->owner = graph.owner;
  out->device = graph.owner->index;
  out->flags = flags;
  out->origin = &graph;
  out->originId = graph.id;
  hipError_t error = copyGraph(p, graph, out->graph);
  if (error == hipSuccess) error = makeSteps(p, *out);
  if (error == hipSuccess) error = core->create(*out);
  if (error == hipSuccess) return hipSuccess;
  if (p.graphs.find(out->graph) != nullptr) destroyGraph(p, out->graph);
  p.graphExecs.take(out);
  p.graphExecs.recycle(out);
  return error;
}

hipError_t instantiate(hipGraphExec_t* out, hipGraph_t handle, unsigned long long flags) {
  Process* p;
  Graph* graph;
  HIPR_TRY(process(p));
  if (out == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findGraph(handle, p, graph));
  if (graph->instantiated && hasMemoryNodes(*graph)) return hipErrorNotSupported;  // HIP lets those have one instance
  GraphExec* exec;
  HIPR_TRY(makeExec(*p, *graph, flags, exec));
  graph->instantiated = true;
  *out = reinterpret_cast<hipGraphExec_t>(exec);
  return hipSuccess;
}

template <class F>
void forEachNode(const Graph& graph, F&& visit) {
  for (GraphNode* node : graph.nodes) {
    visit(*node);
    if (const auto* child = std::get_if<ChildWork>(&node->work)) forEachNode(*child->graph, visit);
  }
}

// Memory that a launch before this one allocated and nobody has freed would be allocated twice.
bool memoryReady(const GraphExec& exec) {
  if ((exec.flags & hipGraphInstantiateFlagAutoFreeOnLaunch) != 0) return true;
  bool ready = true;
  forEachNode(*exec.graph, [&](const GraphNode& node) {
    if (const auto* alloc = std::get_if<AllocWork>(&node.work)) ready &= !alloc->memory->inUse;
  });
  return ready;
}

// What the program finds changed after a launch.
void noteLaunch(Process& p, const GraphExec& exec) {
  forEachNode(*exec.graph, [&](const GraphNode& node) {
    if (const auto* alloc = std::get_if<AllocWork>(&node.work)) alloc->memory->use(true);
    const auto* record = std::get_if<RecordWork>(&node.work);
    const auto* kernel = std::get_if<KernelWork>(&node.work);
    const hipEvent_t recorded = record != nullptr ? record->event : kernel != nullptr ? kernel->stop : nullptr;
    if (Event* event = p.events.find(recorded)) recordedElsewhere(*event);
  });
  forEachNode(*exec.graph, [&](const GraphNode& node) {
    if (const auto* free = std::get_if<FreeWork>(&node.work)) free->memory->use(false);
  });
}

// An instance knows the nodes of the graph it was made of, and not those of other copies of that graph.
bool isOfOrigin(Process& p, const GraphExec& exec, const GraphNode& node) {
  const Graph* origin = p.graphs.find(exec.origin);
  if (origin == nullptr || origin->id != exec.originId) return false;  // destroyed, and its nodes with it
  return node.graph == origin || findCopy(*origin, node) == &node;
}

bool canBeDisabled(const GraphNode& node) {
  const hipGraphNodeType type = typeOf(node);
  return type == hipGraphNodeTypeKernel || type == hipGraphNodeTypeMemcpy || type == hipGraphNodeTypeMemset;
}

}  // namespace

hipError_t findExec(hipGraphExec_t handle, Process*& p, GraphExec*& out) {
  HIPR_TRY(process(p));
  out = p->graphExecs.find(handle);
  return out != nullptr ? hipSuccess : hipErrorInvalidValue;
}

hipError_t findInstance(hipGraphExec_t handle, hipGraphNode_t of, Process*& p, GraphExec*& exec, GraphNode*& node) {
  HIPR_TRY(findExec(handle, p, exec));
  HIPR_TRY(findNode(of, p, node));
  if (!isOfOrigin(*p, *exec, *node)) return hipErrorInvalidValue;
  node = findCopy(*exec->graph, *node);
  return node != nullptr ? hipSuccess : hipErrorInvalidValue;
}

hipError_t updateStep(Process& p, GraphExec& exec, GraphNode& node) {
  std::vector<std::uint32_t> changed;
  HIPR_TRY(changeStep(p, exec, node, changed));
  if (changed.empty()) return hipSuccess;
  Core* core;
  HIPR_TRY(exec.owner->reach(core));
  return core->update(exec, changed);
}

void destroyExec(Process& p, GraphExec* exec) {
  if (p.graphExecs.take(exec) == nullptr) return;
  static_cast<void>(exec->owner->evenLost().destroy(*exec));
  exec->impl.reset();
  exec->steps.clear();
  destroyGraph(p, exec->graph);
  p.graphExecs.recycle(exec);
}

namespace api {

hipError_t hipGraphInstantiate(hipGraphExec_t* pGraphExec, hipGraph_t graph, hipGraphNode_t*, char*, size_t) {
  return instantiate(pGraphExec, graph, 0);
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* pGraphExec, hipGraph_t graph, unsigned long long flags) {
  const bool known =
      flags == 0 || flags == hipGraphInstantiateFlagAutoFreeOnLaunch || flags == hipGraphInstantiateFlagUseNodePriority;
  return known ? instantiate(pGraphExec, graph, flags) : hipErrorInvalidValue;
}

hipError_t hipGraphInstantiateWithParams(hipGraphExec_t* pGraphExec, hipGraph_t graph,
                                         hipGraphInstantiateParams* instantiateParams) {
  if (pGraphExec == nullptr || graph == nullptr || instantiateParams == nullptr) return hipErrorInvalidValue;
  const unsigned long long flags = instantiateParams->flags;
  const bool known = flags == 0 || flags == hipGraphInstantiateFlagAutoFreeOnLaunch ||
                     flags == hipGraphInstantiateFlagUpload || flags == hipGraphInstantiateFlagDeviceLaunch ||
                     flags == hipGraphInstantiateFlagUseNodePriority;
  const hipError_t error = known ? instantiate(pGraphExec, graph, flags) : hipErrorInvalidValue;
  instantiateParams->result_out = error == hipSuccess ? hipGraphInstantiateSuccess : hipGraphInstantiateError;
  if (error != hipSuccess) return error;
  instantiateParams->errNode_out = nullptr;
  if (flags != hipGraphInstantiateFlagUpload) return hipSuccess;
  return api::hipGraphUpload(*pGraphExec, instantiateParams->uploadStream);
}

hipError_t hipGraphExecDestroy(hipGraphExec_t graphExec) {
  Process* p;
  GraphExec* exec;
  HIPR_TRY(findExec(graphExec, p, exec));
  destroyExec(*p, exec);
  return hipSuccess;
}

hipError_t hipGraphExecGetFlags(hipGraphExec_t graphExec, unsigned long long* flags) {
  Process* p;
  GraphExec* exec;
  HIPR_TRY(findExec(graphExec, p, exec));
  if (flags == nullptr) return hipErrorInvalidValue;
  *flags = exec->flags;
  return hipSuccess;
}

hipError_t hipGraphLaunch(hipGraphExec_t graphExec, hipStream_t stream) {
  Process* p;
  GraphExec* exec;
  Stream* s;
  HIPR_TRY(findExec(graphExec, p, exec));
  HIPR_TRY(streamForWork(stream, p, s));
  if (s->capturing) return hand(*s, GraphLaunch{exec}, Stage::kSent);
  if (!memoryReady(*exec)) return hipErrorInvalidValue;
  if (kernelTimesWanted.load(std::memory_order_relaxed) != 0) [[unlikely]]
    HIPR_TRY(launchTimed(*p, *s, *exec));
  else
    HIPR_TRY(hand(*s, GraphLaunch{exec}, Stage::kSent));
  noteLaunch(*p, *exec);
  return afterAsync(*p, *s);
}

// Everything has travelled when the instance was made.
hipError_t hipGraphUpload(hipGraphExec_t graphExec, hipStream_t stream) {
  Process* p;
  GraphExec* exec;
  Stream* s;
  HIPR_TRY(findExec(graphExec, p, exec));
  return findStream(*p, stream, s);
}

hipError_t hipGraphNodeSetEnabled(hipGraphExec_t hGraphExec, hipGraphNode_t hNode, unsigned int isEnabled) {
  Process* p;
  GraphExec* exec;
  GraphNode* node;
  HIPR_TRY(findInstance(hGraphExec, hNode, p, exec, node));
  if (!canBeDisabled(*node)) return hipErrorInvalidValue;
  node->enabled = isEnabled != 0;
  return updateStep(*p, *exec, *node);
}

hipError_t hipGraphNodeGetEnabled(hipGraphExec_t hGraphExec, hipGraphNode_t hNode, unsigned int* isEnabled) {
  Process* p;
  GraphExec* exec;
  GraphNode* node;
  HIPR_TRY(findInstance(hGraphExec, hNode, p, exec, node));
  if (isEnabled == nullptr || !canBeDisabled(*node)) return hipErrorInvalidValue;
  *isEnabled = node->enabled ? 1 : 0;
  return hipSuccess;
}

}  // namespace api
}  // namespace hipr
