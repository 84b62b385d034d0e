// hipGraphExecUpdate and its like: an instance takes over what another graph of the same shape does.
#include "runtime/api.h"
#include "runtime/graph/exec.h"
#include "runtime/graph/steps.h"

namespace hipr {

namespace {

struct Difference {
  hipGraphExecUpdateResult result = hipGraphExecUpdateSuccess;
  GraphNode* node = nullptr;  // of the new graph
};

bool needsDevice(const GraphNode& node) {
  return !std::holds_alternative<HostWork>(node.work) && !std::holds_alternative<EmptyWork>(node.work);
}

// What keeps the second graph from replacing the first. The shape must be the same, and every node of the same kind.
Difference compare(const Graph& instance, const Graph& graph) {
  std::vector<GraphNode*> mine, theirs;
  if (!inOrder(graph, theirs) || !inOrder(instance, mine) || mine.size() != theirs.size())
    return {hipGraphExecUpdateErrorTopologyChanged};
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const GraphNode &now = *mine[i], &next = *theirs[i];
    if (typeOf(now) != typeOf(next)) return {hipGraphExecUpdateErrorNodeTypeChanged, theirs[i]};
    if (needsDevice(now) && now.device != next.device)
      return {hipGraphExecUpdateErrorUnsupportedFunctionChange, theirs[i]};
    if (now.after.size() != next.after.size()) return {hipGraphExecUpdateErrorTopologyChanged, theirs[i]};
    if (const auto* copy = std::get_if<CopyWork>(&now.work))
      if (copy->kind != std::get<CopyWork>(next.work).kind)
        return {hipGraphExecUpdateErrorParametersChanged, theirs[i]};
    if (const auto* child = std::get_if<ChildWork>(&now.work)) {
      const Difference inside = compare(*child->graph, *std::get<ChildWork>(next.work).graph);
      if (inside.result != hipGraphExecUpdateSuccess) return inside;
    }
  }
  return {};
}

// REQUIRES: they do not differ in shape.
hipError_t takeOver(Process& p, GraphExec& exec, const Graph& instance, const Graph& graph,
                    std::vector<std::uint32_t>& changed) {
  std::vector<GraphNode*> mine, theirs;
  inOrder(instance, mine);
  inOrder(graph, theirs);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (const auto* child = std::get_if<ChildWork>(&mine[i]->work)) {
      HIPR_TRY(takeOver(p, exec, *child->graph, *std::get<ChildWork>(theirs[i]->work).graph, changed));
      continue;
    }
    if (std::holds_alternative<AllocWork>(mine[i]->work) || std::holds_alternative<FreeWork>(mine[i]->work)) continue;
    mine[i]->work = theirs[i]->work;
    HIPR_TRY(changeStep(p, exec, *mine[i], changed));
  }
  return hipSuccess;
}

hipError_t replace(Process& p, GraphExec& exec, const Graph& instance, const Graph& graph) {
  std::vector<std::uint32_t> changed;
  HIPR_TRY(takeOver(p, exec, instance, graph, changed));
  if (changed.empty()) return hipSuccess;
  Core* core;
  HIPR_TRY(exec.owner->reach(core));
  return core->update(exec, changed);
}

}  // namespace

namespace api {

hipError_t hipGraphExecUpdate(hipGraphExec_t hGraphExec, hipGraph_t hGraph, hipGraphNode_t* hErrorNode_out,
                              hipGraphExecUpdateResult* updateResult_out) {
  Process* p;
  GraphExec* exec;
  Graph* graph;
  HIPR_TRY(findExec(hGraphExec, p, exec));
  HIPR_TRY(findGraph(hGraph, p, graph));
  if (hErrorNode_out == nullptr || updateResult_out == nullptr) return hipErrorInvalidValue;
  Difference difference = compare(*exec->graph, *graph);
  if (difference.result == hipGraphExecUpdateSuccess && replace(*p, *exec, *exec->graph, *graph) != hipSuccess)
    difference = {hipGraphExecUpdateErrorNotSupported};
  *updateResult_out = difference.result;
  *hErrorNode_out = difference.node != nullptr ? handleOf(difference.node) : nullptr;
  return difference.result == hipGraphExecUpdateSuccess ? hipSuccess : hipErrorGraphExecUpdateFailure;
}

hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node, hipGraph_t childGraph) {
  Process* p;
  GraphExec* exec;
  GraphNode* n;
  Graph* graph;
  HIPR_TRY(findInstance(hGraphExec, node, p, exec, n));
  HIPR_TRY(findGraph(childGraph, p, graph));
  const auto* child = std::get_if<ChildWork>(&n->work);
  if (child == nullptr) return hipErrorInvalidValue;
  if (p->graphNodes.find(node)->graph == graph) return hipErrorUnknown;
  if (compare(*child->graph, *graph).result != hipGraphExecUpdateSuccess) return hipErrorUnknown;
  return replace(*p, *exec, *child->graph, *graph);
}

}  // namespace api
}  // namespace hipr
