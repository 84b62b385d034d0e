#include "runtime/graph/graph.h"

#include <algorithm>
#include <unordered_map>

#include "runtime/graph/user_object.h"
#include "runtime/process.h"

namespace hipr {

namespace {

hipError_t copyWork(Process& p, const NodeWork& from, NodeWork& to) {
  to = from;
  if (auto* child = std::get_if<ChildWork>(&to)) return copyGraph(p, *std::get<ChildWork>(from).graph, child->graph);
  return hipSuccess;
}

hipError_t makeNode(Process& p, Graph& graph, GraphNode*& out) {
  out = p.graphNodes.create();
  if (out == nullptr) return hipErrorOutOfMemory;
  out->graph = &graph;
  graph.nodes.push_back(out);
  return hipSuccess;
}

hipError_t findEarlier(const Process& p, const Graph& graph, const hipGraphNode_t* after, std::size_t count,
                       std::vector<GraphNode*>& out) {
  if (after == nullptr && count != 0) return hipErrorInvalidValue;
  for (std::size_t i = 0; i < count; ++i) {
    GraphNode* node = p.graphNodes.find(after[i]);
    if (node == nullptr || node->graph != &graph) return hipErrorInvalidValue;
    if (std::find(out.begin(), out.end(), node) != out.end()) return hipErrorInvalidValue;
    out.push_back(node);
  }
  return hipSuccess;
}

}  // namespace

KernelWork& KernelWork::operator=(const KernelWork& other) {
  name = other.name;
  launch = other.launch;
  stop = other.stop;
  arguments = other.arguments;
  attributes = other.attributes;
  params.clear();
  for (void* param : other.params)
    params.push_back(arguments.data() + (static_cast<std::byte*>(param) - other.arguments.data()));
  return *this;
}

hipGraphNodeType typeOf(const GraphNode& node) {
  struct {
    hipGraphNodeType operator()(const EmptyWork&) { return hipGraphNodeTypeEmpty; }
    hipGraphNodeType operator()(const KernelWork&) { return hipGraphNodeTypeKernel; }
    hipGraphNodeType operator()(const CopyWork&) { return hipGraphNodeTypeMemcpy; }
    hipGraphNodeType operator()(const FillWork&) { return hipGraphNodeTypeMemset; }
    hipGraphNodeType operator()(const HostWork&) { return hipGraphNodeTypeHost; }
    hipGraphNodeType operator()(const WordWork&) { return hipGraphNodeTypeBatchMemOp; }
    hipGraphNodeType operator()(const RecordWork&) { return hipGraphNodeTypeEventRecord; }
    hipGraphNodeType operator()(const WaitWork&) { return hipGraphNodeTypeWaitEvent; }
    hipGraphNodeType operator()(const ChildWork&) { return hipGraphNodeTypeGraph; }
    hipGraphNodeType operator()(const AllocWork&) { return hipGraphNodeTypeMemAlloc; }
    hipGraphNodeType operator()(const FreeWork&) { return hipGraphNodeTypeMemFree; }
  } type;
  return std::visit(type, node.work);
}

bool hasMemoryNodes(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const GraphNode* node) {
    return std::holds_alternative<AllocWork>(node->work) || std::holds_alternative<FreeWork>(node->work);
  });
}

hipError_t findGraph(hipGraph_t handle, Process*& p, Graph*& out) {
  HIPR_TRY(process(p));
  out = p->graphs.find(handle);
  return out != nullptr ? hipSuccess : hipErrorInvalidValue;
}

hipError_t findNode(hipGraphNode_t handle, Process*& p, GraphNode*& out) {
  HIPR_TRY(process(p));
  out = p->graphNodes.find(handle);
  return out != nullptr ? hipSuccess : hipErrorInvalidValue;
}

hipError_t makeGraph(Process& p, Device& device, Graph*& out) {
  out = p.graphs.create();
  if (out == nullptr) return hipErrorOutOfMemory;
  out->id = p.newId();
  out->owner = &device;
  return hipSuccess;
}

void destroyGraph(Process& p, Graph* graph) {
  if (p.graphs.take(graph) == nullptr) return;
  for (GraphNode* node : graph->nodes) {
    if (p.graphNodes.take(node) == nullptr) continue;
    if (auto* child = std::get_if<ChildWork>(&node->work)) destroyGraph(p, child->graph);
    *node = {};  // a dead slot may stay unused for long
    p.graphNodes.recycle(node);
  }
  releaseObjects(p, *graph);
  *graph = {};
  p.graphs.recycle(graph);
}

void destroyNode(Process& p, GraphNode* node) {
  for (GraphNode* earlier : node->after) std::erase(earlier->before, node);
  for (GraphNode* later : node->before) std::erase(later->after, node);
  std::erase(node->graph->nodes, node);
  if (p.graphNodes.take(node) == nullptr) return;
  if (auto* child = std::get_if<ChildWork>(&node->work)) destroyGraph(p, child->graph);
  *node = {};
  p.graphNodes.recycle(node);
}

void connect(GraphNode& from, GraphNode& to) {
  from.before.push_back(&to);
  to.after.push_back(&from);
}

hipError_t addNode(Process& p, Graph& graph, const hipGraphNode_t* after, std::size_t count, NodeWork work,
                   GraphNode*& out) {
  std::vector<GraphNode*> earlier;
  hipError_t error = findEarlier(p, graph, after, count, earlier);
  if (error == hipSuccess) error = makeNode(p, graph, out);
  if (error != hipSuccess) {
    if (auto* child = std::get_if<ChildWork>(&work)) destroyGraph(p, child->graph);
    return error;
  }
  out->id = p.newId();
  out->work = std::move(work);
  const auto* kernel = std::get_if<KernelWork>(&out->work);
  out->device = kernel != nullptr ? kernel->launch.function->module->owner : graph.owner;
  for (GraphNode* node : earlier) connect(*node, *out);
  if (auto* free = std::get_if<FreeWork>(&out->work)) free->memory->freed = true;
  return hipSuccess;
}

hipError_t copyGraph(Process& p, const Graph& from, Graph*& out) {
  HIPR_TRY(makeGraph(p, *from.owner, out));
  out->isCopy = true;
  hipError_t error = hipSuccess;
  std::unordered_map<const GraphNode*, GraphNode*> copies;
  for (const GraphNode* node : from.nodes) {
    GraphNode* copy = nullptr;
    if (error == hipSuccess) error = makeNode(p, *out, copy);
    if (error != hipSuccess) break;
    copy->id = node->id;
    copy->device = node->device;
    copy->enabled = node->enabled;
    error = copyWork(p, node->work, copy->work);
    if (error != hipSuccess) copy->work = EmptyWork{};  // not the original's child
    copies.emplace(node, copy);
  }
  if (error == hipSuccess) {
    for (const GraphNode* node : from.nodes) {
      GraphNode* copy = copies.at(node);
      for (const GraphNode* earlier : node->after) copy->after.push_back(copies.at(earlier));
      for (const GraphNode* later : node->before) copy->before.push_back(copies.at(later));
    }
    retainObjects(from, *out);
    return hipSuccess;
  }
  destroyGraph(p, out);
  return error;
}

GraphNode* findCopy(const Graph& graph, const GraphNode& node) {
  for (GraphNode* candidate : graph.nodes) {
    if (candidate->id == node.id) return candidate;
    if (const auto* child = std::get_if<ChildWork>(&candidate->work))
      if (GraphNode* inside = findCopy(*child->graph, node)) return inside;
  }
  return nullptr;
}

bool inOrder(const Graph& graph, std::vector<GraphNode*>& out) {
  out.clear();
  std::unordered_map<const GraphNode*, std::size_t> waiting;
  for (GraphNode* node : graph.nodes) {
    waiting[node] = node->after.size();
    if (node->after.empty()) out.push_back(node);
  }
  for (std::size_t i = 0; i < out.size(); ++i)
    for (GraphNode* later : out[i]->before)
      if (--waiting[later] == 0) out.push_back(later);
  return out.size() == graph.nodes.size();
}

}  // namespace hipr
