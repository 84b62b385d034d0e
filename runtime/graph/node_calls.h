// What the calls that add, ask about and change nodes have in common.
#pragma once

#include "runtime/graph/exec.h"
#include "runtime/graph/works.h"

namespace hipr {

// Adds a node whose work `make(p, graph, work)` makes.
template <class Work, class Make>
hipError_t addNodeOf(hipGraphNode_t* out, hipGraph_t handle, const hipGraphNode_t* after, std::size_t count,
                     Make&& make) {
  Process* p;
  Graph* graph;
  HIPR_TRY(process(p));
  if (out == nullptr || (after == nullptr && count != 0)) return hipErrorInvalidValue;
  HIPR_TRY(findGraph(handle, p, graph));
  Work work;
  HIPR_TRY(make(*p, *graph, work));
  GraphNode* node;
  HIPR_TRY(addNode(*p, *graph, after, count, std::move(work), node));
  node->byHand = p->captures.any();
  *out = handleOf(node);
  return hipSuccess;
}

// A node that does this kind of work.
template <class Work>
hipError_t findNodeOf(hipGraphNode_t handle, Process*& p, GraphNode*& node, Work*& work) {
  HIPR_TRY(findNode(handle, p, node));
  work = std::get_if<Work>(&node->work);
  return work != nullptr ? hipSuccess : hipErrorInvalidValue;
}

// What a node does, as a call that asks wants it: read(work) gives it.
template <class Work, class Out, class Read>
hipError_t readNode(hipGraphNode_t handle, Out* out, Read&& read) {
  Process* p;
  GraphNode* node;
  Work* work;
  HIPR_TRY(findNodeOf(handle, p, node, work));
  if (out == nullptr) return hipErrorInvalidValue;
  *out = read(*work);
  return hipSuccess;
}

// Changes what a node does: `make(p, node, work)` starts from what it did and may fail. A node of a graph that has
// been instantiated keeps what the instance does.
template <class Work, class Make>
hipError_t changeNode(hipGraphNode_t handle, Make&& make) {
  Process* p;
  GraphNode* node;
  Work* work;
  HIPR_TRY(findNodeOf(handle, p, node, work));
  Work changed = *work;
  HIPR_TRY(make(*p, *node, changed));
  *work = std::move(changed);
  return hipSuccess;
}

// The same for the copy of the node in an instance, whose core learns of it.
template <class Work, class Make>
hipError_t changeInstance(hipGraphExec_t handle, hipGraphNode_t of, Make&& make) {
  Process* p;
  GraphExec* exec;
  GraphNode* node;
  HIPR_TRY(findInstance(handle, of, p, exec, node));
  Work* work = std::get_if<Work>(&node->work);
  if (work == nullptr) return hipErrorInvalidValue;
  Work changed = *work;
  HIPR_TRY(make(*p, *node, changed));
  *work = std::move(changed);
  return updateStep(*p, *exec, *node);
}

}  // namespace hipr
