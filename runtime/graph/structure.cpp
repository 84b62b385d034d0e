// Calls that build, walk and copy graphs, whatever their nodes do.
#include <algorithm>

#include "runtime/api.h"
#include "runtime/graph/graph.h"
#include "runtime/process.h"

namespace hipr::api {

namespace {

// HIP's way of giving a list: how many there are when no room is given, else as many as there is room for, and null
// where there are fewer.
hipError_t give(const std::vector<GraphNode*>& nodes, hipGraphNode_t* out, std::size_t* count) {
  if (out == nullptr) {
    *count = nodes.size();
    return hipSuccess;
  }
  for (std::size_t i = 0; i < *count; ++i) out[i] = i < nodes.size() ? handleOf(nodes[i]) : nullptr;
  *count = std::min(*count, nodes.size());
  return hipSuccess;
}

bool has(const std::vector<GraphNode*>& nodes, const GraphNode* node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

// Both ends of edge i, of that graph.
hipError_t findEnds(Process& p, const Graph& graph, hipGraphNode_t from, hipGraphNode_t to, GraphNode*& first,
                    GraphNode*& second) {
  first = p.graphNodes.find(from);
  second = p.graphNodes.find(to);
  if (first == nullptr || second == nullptr || first == second) return hipErrorInvalidValue;
  return first->graph == &graph && second->graph == &graph ? hipSuccess : hipErrorInvalidValue;
}

}  // namespace

hipError_t hipGraphCreate(hipGraph_t* pGraph, unsigned int flags) {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  if (pGraph == nullptr || flags != 0) return hipErrorInvalidValue;
  Graph* graph;
  HIPR_TRY(makeGraph(*p, *device, graph));
  *pGraph = handleOf(graph);
  return hipSuccess;
}

hipError_t hipGraphDestroy(hipGraph_t graph) {
  Process* p;
  Graph* g;
  HIPR_TRY(process(p));
  if (graph == nullptr) return hipErrorInvalidValue;
  g = p->graphs.find(graph);
  if (g == nullptr) return hipErrorIllegalState;
  destroyGraph(*p, g);
  return hipSuccess;
}

hipError_t hipGraphDestroyNode(hipGraphNode_t node) {
  Process* p;
  GraphNode* n;
  HIPR_TRY(findNode(node, p, n));
  if (std::holds_alternative<AllocWork>(n->work) || std::holds_alternative<FreeWork>(n->work))
    return hipErrorNotSupported;
  destroyNode(*p, n);
  return hipSuccess;
}

hipError_t hipGraphClone(hipGraph_t* pGraphClone, hipGraph_t originalGraph) {
  Process* p;
  Graph *g, *copy;
  HIPR_TRY(findGraph(originalGraph, p, g));
  if (pGraphClone == nullptr) return hipErrorInvalidValue;
  if (hasMemoryNodes(*g)) return hipErrorNotSupported;
  HIPR_TRY(copyGraph(*p, *g, copy));
  *pGraphClone = handleOf(copy);
  return hipSuccess;
}

hipError_t hipGraphNodeFindInClone(hipGraphNode_t* pNode, hipGraphNode_t originalNode, hipGraph_t clonedGraph) {
  Process* p;
  Graph* g;
  GraphNode* n;
  HIPR_TRY(findGraph(clonedGraph, p, g));
  HIPR_TRY(findNode(originalNode, p, n));
  if (pNode == nullptr || !g->isCopy) return hipErrorInvalidValue;
  GraphNode* copy = findCopy(*g, *n);
  if (copy == nullptr) return hipErrorInvalidValue;
  *pNode = handleOf(copy);
  return hipSuccess;
}

hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, size_t* numNodes) {
  Process* p;
  Graph* g;
  HIPR_TRY(findGraph(graph, p, g));
  std::vector<GraphNode*> all;
  if (numNodes == nullptr || !inOrder(*g, all)) return hipErrorInvalidValue;
  return give(all, nodes, numNodes);
}

hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t* pRootNodes, size_t* pNumRootNodes) {
  Process* p;
  Graph* g;
  HIPR_TRY(findGraph(graph, p, g));
  if (pNumRootNodes == nullptr) return hipErrorInvalidValue;
  std::vector<GraphNode*> roots;
  for (GraphNode* node : g->nodes)
    if (node->after.empty()) roots.push_back(node);
  return give(roots, pRootNodes, pNumRootNodes);
}

hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t* from, hipGraphNode_t* to, size_t* numEdges) {
  Process* p;
  Graph* g;
  HIPR_TRY(findGraph(graph, p, g));
  if (numEdges == nullptr || (from == nullptr) != (to == nullptr)) return hipErrorInvalidValue;
  std::vector<GraphNode*> first, second;
  for (GraphNode* node : g->nodes) {
    for (GraphNode* later : node->before) {
      first.push_back(node);
      second.push_back(later);
    }
  }
  std::size_t room = *numEdges;
  HIPR_TRY(give(first, from, &room));
  return give(second, to, numEdges);
}

hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t* pDependencies, size_t* pNumDependencies) {
  Process* p;
  GraphNode* n;
  HIPR_TRY(findNode(node, p, n));
  if (pNumDependencies == nullptr) return hipErrorInvalidValue;
  return give(n->after, pDependencies, pNumDependencies);
}

hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t* pDependentNodes,
                                         size_t* pNumDependentNodes) {
  Process* p;
  GraphNode* n;
  HIPR_TRY(findNode(node, p, n));
  if (pNumDependentNodes == nullptr) return hipErrorInvalidValue;
  return give(n->before, pDependentNodes, pNumDependentNodes);
}

hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t* from, const hipGraphNode_t* to,
                                   size_t numDependencies) {
  Process* p;
  Graph* g;
  HIPR_TRY(findGraph(graph, p, g));
  if (numDependencies == 0) return hipSuccess;
  if (from == nullptr || to == nullptr) return hipErrorInvalidValue;
  GraphNode *first, *second;
  for (std::size_t i = 0; i < numDependencies; ++i) HIPR_TRY(findEnds(*p, *g, from[i], to[i], first, second));
  for (std::size_t i = 0; i < numDependencies; ++i) {
    HIPR_TRY(findEnds(*p, *g, from[i], to[i], first, second));
    if (has(first->before, second)) return hipErrorInvalidValue;
    connect(*first, *second);
  }
  return hipSuccess;
}

hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t* from, const hipGraphNode_t* to,
                                      size_t numDependencies) {
  Process* p;
  Graph* g;
  HIPR_TRY(findGraph(graph, p, g));
  if (numDependencies != 0 && (from == nullptr || to == nullptr)) return hipErrorInvalidValue;
  for (std::size_t i = 0; i < numDependencies; ++i) {
    GraphNode *first, *second;
    HIPR_TRY(findEnds(*p, *g, from[i], to[i], first, second));
    if (!has(first->before, second)) return hipErrorInvalidValue;
    std::erase(first->before, second);
    std::erase(second->after, first);
  }
  return hipSuccess;
}

hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType* pType) {
  Process* p;
  GraphNode* n;
  HIPR_TRY(findNode(node, p, n));
  if (pType == nullptr) return hipErrorInvalidValue;
  *pType = typeOf(*n);
  return hipSuccess;
}

}  // namespace hipr::api
