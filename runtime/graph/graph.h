// Graphs as the program builds them: nodes, what each of them does, and what it comes after. Like HIP's own they are
// not made for use by several threads at once; only the handles may be looked up by anyone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <variant>
#include <vector>

#include "hip_remote/hip.h"
#include "runtime/graph/memory.h"
#include "runtime/operation.h"

namespace hipr {

struct GraphNode;
struct Process;

// --- what a node does: what the program said, for the calls that ask, and what follows from it

struct EmptyWork {};

struct KernelWork {
  void* name = nullptr;       // how the program named it: by a stand-in on the host or by a handle
  Launch launch;              // without its arguments and events
  hipEvent_t stop = nullptr;  // recorded when it is done
  std::vector<std::byte> arguments;
  std::vector<void*> params;  // where each of them lies, for hipGraphKernelNodeGetParams
  std::map<hipLaunchAttributeID, hipLaunchAttributeValue> attributes;

  KernelWork() = default;
  KernelWork(const KernelWork& other) { *this = other; }
  KernelWork& operator=(const KernelWork& other);  // params point into arguments
  KernelWork(KernelWork&&) = default;
  KernelWork& operator=(KernelWork&&) = default;
};

struct CopyWork {
  enum class Form { kBox, kLine, kDriver, kToSymbol, kFromSymbol };
  Form form = Form::kBox;
  hipMemcpyKind kind = hipMemcpyDefault;
  hipMemcpy3DParms box{};  // every form can be told this way
  HIP_MEMCPY3D driver{};   // only of kDriver
  Copy copy;
};

struct FillWork {
  hipMemsetParams params{};
  Fill fill;
};

struct HostWork {
  hipHostNodeParams params{};
};

struct RecordWork {
  hipEvent_t event = nullptr;
};

struct WaitWork {
  hipEvent_t event = nullptr;
};

struct ChildWork {
  Graph* graph = nullptr;  // belongs to the node
};

struct AllocWork {
  hipMemAllocNodeParams params{};
  std::shared_ptr<GraphMemory> memory;
};

struct FreeWork {
  void* address = nullptr;
  std::shared_ptr<GraphMemory> memory;
};

struct WordWork {
  hipCtx_t context = nullptr;
  std::vector<hipStreamBatchMemOpParams> batch;
  std::vector<WordStep> steps;
};

using NodeWork = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, RecordWork, WaitWork, ChildWork,
                              AllocWork, FreeWork, WordWork>;

// --- nodes and graphs

struct GraphNode {
  std::uint64_t id = 0;  // copies of a node in copies of its graph have the same
  Graph* graph = nullptr;
  Device* device = nullptr;  // where it runs
  NodeWork work;
  std::vector<GraphNode*> after;   // what it comes after, in the order it was said
  std::vector<GraphNode*> before;  // what comes after it
  bool enabled = true;
  bool byHand = false;     // added by a call while its graph was being captured
  std::uint32_t step = 0;  // in a graph that was instantiated
};

struct UserObject;

struct Graph {
  std::uint64_t id = 0;
  Device* owner = nullptr;  // current when it was made
  std::vector<GraphNode*> nodes;
  std::map<UserObject*, unsigned> objects;  // and how many references to each belong to the graph
  bool isCopy = false;                      // of another graph
  bool instantiated = false;
};

hipGraphNodeType typeOf(const GraphNode& node);
bool hasMemoryNodes(const Graph& graph);  // that allocate or free

// hipErrorInvalidValue for what is no live graph or node.
hipError_t findGraph(hipGraph_t handle, Process*& p, Graph*& out);
hipError_t findNode(hipGraphNode_t handle, Process*& p, GraphNode*& out);

hipError_t makeGraph(Process& p, Device& device, Graph*& out);
void destroyGraph(Process& p, Graph* graph);
void destroyNode(Process& p, GraphNode* node);

// Adds a node behind `after`, whose nodes must be different ones of that graph.
hipError_t addNode(Process& p, Graph& graph, const hipGraphNode_t* after, std::size_t count, NodeWork work,
                   GraphNode*& out);
void connect(GraphNode& from, GraphNode& to);

// A copy with everything in it. `from` itself stays as it is.
hipError_t copyGraph(Process& p, const Graph& from, Graph*& out);
// The node of a graph, or of a child graph in it, that is `node` or a copy of it.
GraphNode* findCopy(const Graph& graph, const GraphNode& node);

// Every node after those it comes after; false when there is a circle.
bool inOrder(const Graph& graph, std::vector<GraphNode*>& out);

inline hipGraph_t handleOf(Graph* graph) {
  return reinterpret_cast<hipGraph_t>(graph);
}
inline hipGraphNode_t handleOf(GraphNode* node) {
  return reinterpret_cast<hipGraphNode_t>(node);
}

}  // namespace hipr
