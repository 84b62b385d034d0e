// Nodes that write words of memory and wait for them, as hipStreamBatchMemOp does.
#include "runtime/api.h"
#include "runtime/graph/node_calls.h"
#include "runtime/stream_memory.h"

namespace hipr {

hipError_t makeWordWork(Process& p, const hipBatchMemOpNodeParams* params, WordWork& out) {
  if (params == nullptr || params->paramArray == nullptr || params->flags != 0 || params->count == 0 ||
      params->count > kMostWordSteps)
    return hipErrorInvalidValue;
  const std::span<const hipStreamBatchMemOpParams> batch(params->paramArray, params->count);
  std::vector<WordStep> steps;
  HIPR_TRY(makeWordSteps(p, batch, steps));
  // Only now: the program may have passed what GetParams gave it.
  std::vector<hipStreamBatchMemOpParams> kept(batch.begin(), batch.end());
  out.context = params->ctx;
  out.batch = std::move(kept);
  out.steps = std::move(steps);
  return hipSuccess;
}

WordWork makeWordWork(std::span<const WordStep> steps) {
  WordWork out;
  out.steps.assign(steps.begin(), steps.end());
  for (const WordStep& step : steps) out.batch.push_back(inBatch(step.action, step.bytes, step.address, step.value));
  return out;
}

namespace api {

hipError_t hipGraphAddBatchMemOpNode(hipGraphNode_t* phGraphNode, hipGraph_t hGraph, const hipGraphNode_t* dependencies,
                                     size_t numDependencies, const hipBatchMemOpNodeParams* nodeParams) {
  return addNodeOf<WordWork>(phGraphNode, hGraph, dependencies, numDependencies,
                             [&](Process& p, Graph&, WordWork& work) { return makeWordWork(p, nodeParams, work); });
}

// The array is the node's own, as long as the node is not changed.
hipError_t hipGraphBatchMemOpNodeGetParams(hipGraphNode_t hNode, hipBatchMemOpNodeParams* nodeParams_out) {
  return readNode<WordWork>(hNode, nodeParams_out, [](WordWork& work) {
    hipBatchMemOpNodeParams out{};
    out.ctx = work.context;
    out.count = static_cast<unsigned>(work.batch.size());
    out.paramArray = work.batch.data();
    return out;
  });
}

hipError_t hipGraphBatchMemOpNodeSetParams(hipGraphNode_t hNode, hipBatchMemOpNodeParams* nodeParams) {
  return changeNode<WordWork>(
      hNode, [&](Process& p, GraphNode&, WordWork& work) { return makeWordWork(p, nodeParams, work); });
}

hipError_t hipGraphExecBatchMemOpNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                               const hipBatchMemOpNodeParams* nodeParams) {
  return changeInstance<WordWork>(
      hGraphExec, hNode, [&](Process& p, GraphNode&, WordWork& work) { return makeWordWork(p, nodeParams, work); });
}

}  // namespace api
}  // namespace hipr
