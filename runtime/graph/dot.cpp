// hipGraphDebugDotPrint: a graph as a picture, in the language of Graphviz.
#include <cstdio>
#include <fstream>
#include <string>

#include "runtime/api.h"
#include "runtime/graph/graph.h"
#include "runtime/process.h"

namespace hipr {

namespace {

std::string text(const void* pointer) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%p", pointer);
  return buffer;
}

std::string text(const dim3& d) {
  return std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z);
}

// The name of a node, and what its parameters are when somebody wants to know.
struct Describe {
  unsigned flags;
  bool wants(unsigned which) const { return (flags & (which | hipGraphDebugDotFlagsVerbose)) != 0; }

  std::string operator()(const KernelWork& work) const {
    std::string label = wants(hipGraphDebugDotFlagsKernelNodeAttributes) ? "KERNEL\\n" : "";
    label += work.launch.function->kernel->name();
    if (wants(hipGraphDebugDotFlagsKernelNodeParams))
      label += "\\ngrid " + text(work.launch.groups) + "\\nblock " + text(work.launch.block) + "\\nshared " +
               std::to_string(work.launch.sharedBytes);
    return label;
  }
  std::string operator()(const CopyWork& work) const {
    const auto side = [](const Plane& plane) {
      return plane.array != nullptr ? "A" : plane.kind == MemoryKind::kDevice ? "D" : "H";
    };
    std::string label = std::string("MEMCPY\\n") + side(work.copy.from) + "to" + side(work.copy.to);
    if (wants(hipGraphDebugDotFlagsMemcpyNodeParams))
      label += "\\nto " + text(work.copy.to.address) + "\\nfrom " + text(work.copy.from.address) + "\\n" +
               std::to_string(work.copy.width) + " x " + std::to_string(work.copy.height) + " x " +
               std::to_string(work.copy.depth);
    return label;
  }
  std::string operator()(const FillWork& work) const {
    std::string label = "MEMSET";
    if (wants(hipGraphDebugDotFlagsMemsetNodeParams))
      label += "\\nto " + text(work.params.dst) + "\\nvalue " + std::to_string(work.params.value) + "\\n" +
               std::to_string(work.params.width) + " x " + std::to_string(work.params.height) + " of " +
               std::to_string(work.params.elementSize);
    return label;
  }
  std::string operator()(const HostWork& work) const {
    std::string label = "HOST";
    if (wants(hipGraphDebugDotFlagsHostNodeParams))
      label += "\\nfunction " + text(reinterpret_cast<const void*>(work.params.fn)) + "\\ndata " +
               text(work.params.userData);
    return label;
  }
  std::string operator()(const RecordWork& work) const { return event("EVENT_RECORD", work.event); }
  std::string operator()(const WaitWork& work) const { return event("EVENT_WAIT", work.event); }
  std::string operator()(const ChildWork& work) const { return "graph_" + std::to_string(work.graph->id); }
  std::string operator()(const AllocWork& work) const {
    return "MEM_ALLOC\\n" + std::to_string(work.params.bytesize) + " at " + text(work.params.dptr);
  }
  std::string operator()(const FreeWork& work) const { return "MEM_FREE\\n" + text(work.address); }
  std::string operator()(const WordWork& work) const {
    return "BATCH_MEM_OP\\n" + std::to_string(work.steps.size()) + " words";
  }
  std::string operator()(const EmptyWork&) const { return "EMPTY"; }

  std::string event(std::string label, hipEvent_t handle) const {
    if (wants(hipGraphDebugDotFlagsEventNodeParams)) label += "\\nevent " + text(handle);
    return label;
  }
};

void print(std::ofstream& out, const Graph& graph, unsigned flags) {
  const std::string prefix = "graph_" + std::to_string(graph.id) + "_node_";
  out << "subgraph cluster_" << graph.id << " {\nlabel=\"graph_" << graph.id << "\"\n";
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphNode& node = *graph.nodes[i];
    out << '"' << prefix << node.id << "\" [label=\"" << i << "\\n" << std::visit(Describe{flags}, node.work);
    if ((flags & hipGraphDebugDotFlagsHandles) != 0) out << "\\nhandle " << text(&node);
    out << "\"]\n";
    for (const GraphNode* later : node.before)
      out << '"' << prefix << node.id << "\" -> \"" << prefix << later->id << "\"\n";
  }
  out << "}\n";
  for (const GraphNode* node : graph.nodes)
    if (const auto* child = std::get_if<ChildWork>(&node->work)) print(out, *child->graph, flags);
}

}  // namespace

namespace api {

hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char* path, unsigned int flags) {
  Process* p;
  Graph* g;
  HIPR_TRY(findGraph(graph, p, g));
  if (path == nullptr) return hipErrorInvalidValue;
  std::ofstream out(path);
  out << "digraph dot {\n";
  print(out, *g, flags);
  out << "}\n";
  out.close();
  return out ? hipSuccess : hipErrorOperatingSystem;
}

}  // namespace api
}  // namespace hipr
