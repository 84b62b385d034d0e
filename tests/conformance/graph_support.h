// What the programs about graphs share: graphs that end with their scope, kernel nodes made from a kernel and its
// arguments, node types by name, and calls that are younger than the headers of HIP 5.2.
#pragma once
#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "later.h"
#include "support.h"
#include "system.h"

using Nodes = std::vector<hipGraphNode_t>;

struct Graph {
  hipGraph_t handle = nullptr;
  Graph() { HIP(hipGraphCreate(&handle, 0)); }
  explicit Graph(hipGraph_t from) : handle(from) {}
  Graph(const Graph&) = delete;
  ~Graph() {
    if (handle != nullptr) (void)hipGraphDestroy(handle);
  }
  operator hipGraph_t() const { return handle; }
  void destroy() { HIP(hipGraphDestroy(std::exchange(handle, nullptr))); }
};

struct Exec {
  hipGraphExec_t handle = nullptr;
  explicit Exec(hipGraph_t graph) { HIP(hipGraphInstantiate(&handle, graph, nullptr, nullptr, 0)); }
  Exec(const Exec&) = delete;
  ~Exec() {
    if (handle != nullptr) (void)hipGraphExecDestroy(handle);
  }
  operator hipGraphExec_t() const { return handle; }
  void launch(hipStream_t stream) const { HIP(hipGraphLaunch(handle, stream)); }
  void run(hipStream_t stream) const {
    launch(stream);
    HIP(hipStreamSynchronize(stream));
  }
};

// Host memory that the device copies to and from without the help of the CPU.
template <class T>
class Pinned {
 public:
  explicit Pinned(std::size_t count) {
    HIP(hipHostMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T), 0));
    std::fill_n(data_, count, T{});
  }
  Pinned(const Pinned&) = delete;
  ~Pinned() { (void)hipHostFree(data_); }
  operator T*() const { return data_; }

 private:
  T* data_ = nullptr;
};

// --- nodes

// Parameters of a kernel node; they stay right as long as this object lives.
template <class... P>
class KernelParams {
 public:
  template <class... Q>
  KernelParams(void (*kernel)(P...), dim3 grid, dim3 block, Q... arguments) : arguments_(arguments...) {
    std::apply([this](P&... each) { pointers_ = {&each...}; }, arguments_);
    params_.func = reinterpret_cast<void*>(kernel);
    params_.gridDim = grid;
    params_.blockDim = block;
    params_.kernelParams = pointers_.data();
  }
  KernelParams(const KernelParams&) = delete;
  hipKernelNodeParams* operator&() { return &params_; }
  hipKernelNodeParams* operator->() { return &params_; }

 private:
  std::tuple<P...> arguments_;
  std::array<void*, sizeof...(P)> pointers_;
  hipKernelNodeParams params_{};
};
template <class... P, class... Q>
KernelParams(void (*)(P...), dim3, dim3, Q...) -> KernelParams<P...>;

// A kernel node of one work-item.
template <class... P, class... Q>
hipGraphNode_t addKernel(hipGraph_t graph, const Nodes& after, void (*kernel)(P...), Q... arguments) {
  KernelParams params(kernel, dim3(1), dim3(1), arguments...);
  hipGraphNode_t node = nullptr;
  HIP(hipGraphAddKernelNode(&node, graph, after.data(), after.size(), &params));
  return node;
}
inline hipGraphNode_t addEmpty(hipGraph_t graph, const Nodes& after = {}) {
  hipGraphNode_t node = nullptr;
  HIP(hipGraphAddEmptyNode(&node, graph, after.data(), after.size()));
  return node;
}
inline hipGraphNode_t addCopy(hipGraph_t graph, const Nodes& after, void* to, const void* from, std::size_t bytes,
                              hipMemcpyKind kind) {
  hipGraphNode_t node = nullptr;
  HIP(hipGraphAddMemcpyNode1D(&node, graph, after.data(), after.size(), to, from, bytes, kind));
  return node;
}
inline hipGraphNode_t addHost(hipGraph_t graph, const Nodes& after, hipHostFn_t function, void* user) {
  const hipHostNodeParams params{function, user};
  hipGraphNode_t node = nullptr;
  HIP(hipGraphAddHostNode(&node, graph, after.data(), after.size(), &params));
  return node;
}
// `count` elements of `size` bytes.
inline hipMemsetParams fillParams(void* to, unsigned value, unsigned size, std::size_t count) {
  hipMemsetParams params{};
  params.dst = to;
  params.value = value;
  params.elementSize = size;
  params.width = count;
  params.height = 1;
  return params;
}
inline hipGraphNode_t addFill(hipGraph_t graph, const Nodes& after, void* to, unsigned value, unsigned size,
                              std::size_t count) {
  const hipMemsetParams params = fillParams(to, value, size, count);
  hipGraphNode_t node = nullptr;
  HIP(hipGraphAddMemsetNode(&node, graph, after.data(), after.size(), &params));
  return node;
}

// --- what a graph looks like

inline Nodes nodesOf(hipGraph_t graph) {
  std::size_t count = 0;
  HIP(hipGraphGetNodes(graph, nullptr, &count));
  Nodes nodes(count);
  if (count > 0) HIP(hipGraphGetNodes(graph, nodes.data(), &count));
  return nodes;
}
inline Nodes rootsOf(hipGraph_t graph) {
  std::size_t count = 0;
  HIP(hipGraphGetRootNodes(graph, nullptr, &count));
  Nodes nodes(count);
  if (count > 0) HIP(hipGraphGetRootNodes(graph, nodes.data(), &count));
  return nodes;
}
using Edge = std::pair<hipGraphNode_t, hipGraphNode_t>;
inline std::vector<Edge> edgesOf(hipGraph_t graph) {
  std::size_t count = 0;
  HIP(hipGraphGetEdges(graph, nullptr, nullptr, &count));
  Nodes from(count), to(count);
  if (count > 0) HIP(hipGraphGetEdges(graph, from.data(), to.data(), &count));
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < count; ++i) edges.push_back({from[i], to[i]});
  std::sort(edges.begin(), edges.end());
  return edges;
}
inline Nodes dependenciesOf(hipGraphNode_t node) {
  std::size_t count = 0;
  HIP(hipGraphNodeGetDependencies(node, nullptr, &count));
  Nodes nodes(count);
  if (count > 0) HIP(hipGraphNodeGetDependencies(node, nodes.data(), &count));
  return nodes;
}
inline Nodes dependentsOf(hipGraphNode_t node) {
  std::size_t count = 0;
  HIP(hipGraphNodeGetDependentNodes(node, nullptr, &count));
  Nodes nodes(count);
  if (count > 0) HIP(hipGraphNodeGetDependentNodes(node, nodes.data(), &count));
  return nodes;
}
inline bool sameNodes(Nodes a, Nodes b) {  // in any order
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b;
}

// Types were renumbered after HIP 5.2, from zero on, and copies of every kind became one type: so by name.
inline std::string typeOf(hipGraphNode_t node) {
  static const int first = [] {
    Graph graph;
    hipGraphNodeType type{};
    HIP(hipGraphNodeGetType(addEmpty(graph), &type));
    return static_cast<int>(type) - 5;
  }();
  hipGraphNodeType type{};
  HIP(hipGraphNodeGetType(node, &type));
  static const std::map<int, std::string> names = {
      {0, "kernel"}, {1, "copy"},   {2, "fill"},  {3, "host"},  {4, "graph"}, {5, "empty"},  {6, "wait"},
      {7, "record"}, {10, "alloc"}, {11, "free"}, {12, "copy"}, {13, "copy"}, {14, "memops"}};
  const int number = static_cast<int>(type) - first;
  if (first == 1 && number >= 8 && number <= 10) return "copy";
  const auto name = names.find(number);
  return name == names.end() ? "type " + std::to_string(number) : name->second;
}
// The types of all nodes, in the order the graph tells them.
inline std::string typesOf(hipGraph_t graph) {
  std::string all;
  for (hipGraphNode_t node : nodesOf(graph)) all += (all.empty() ? "" : " ") + typeOf(node);
  return all;
}
// Of a graph in which every node but the first follows one other: from the first to the last.
inline std::string chainOf(hipGraph_t graph) {
  const Nodes roots = rootsOf(graph);
  if (roots.empty()) return "";
  if (roots.size() > 1) return "several roots";
  std::string all = typeOf(roots[0]);
  for (Nodes next = dependentsOf(roots[0]); !next.empty(); next = dependentsOf(next[0])) {
    if (next.size() > 1) return all + " fork";
    all += " " + typeOf(next[0]);
  }
  return all;
}

// --- calls that are younger than HIP 5.2

namespace later {

struct AllocParams {
  hipMemPoolProps pool{};
  const hipMemAccessDesc* access = nullptr;
  std::size_t accessCount = 0, bytes = 0;
  void* memory = nullptr;
};
static_assert(sizeof(AllocParams) == 120, "as hipMemAllocNodeParams");
inline AllocParams allocParams(std::size_t bytes, int device = 0) {
  AllocParams params;
  params.pool.allocType = hipMemAllocationTypePinned;
  params.pool.location = {hipMemLocationTypeDevice, device};
  params.bytes = bytes;
  return params;
}
inline hipError_t addAlloc(hipGraphNode_t* node, hipGraph_t graph, const Nodes& after, AllocParams* params) {
  return LATER("hipGraphAddMemAllocNode", hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, std::size_t,
               AllocParams*)(node, graph, after.data(), after.size(), params);
}
inline hipError_t addFree(hipGraphNode_t* node, hipGraph_t graph, const Nodes& after, void* memory) {
  return LATER("hipGraphAddMemFreeNode", hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, std::size_t, void*)(
      node, graph, after.empty() ? nullptr : after.data(), after.size(), memory);
}
inline hipError_t getAlloc(hipGraphNode_t node, AllocParams* params) {
  return LATER("hipGraphMemAllocNodeGetParams", hipGraphNode_t, AllocParams*)(node, params);
}
inline hipError_t getFree(hipGraphNode_t node, void* memory) {
  return LATER("hipGraphMemFreeNodeGetParams", hipGraphNode_t, void*)(node, memory);
}

enum MemoryAttribute { kUsed, kUsedHigh, kReserved, kReservedHigh };
inline hipError_t getMemory(int device, MemoryAttribute attribute, void* value) {
  return LATER("hipDeviceGetGraphMemAttribute", int, int, void*)(device, attribute, value);
}
inline hipError_t setMemory(int device, MemoryAttribute attribute, void* value) {
  return LATER("hipDeviceSetGraphMemAttribute", int, int, void*)(device, attribute, value);
}
inline hipError_t trim(int device) {
  return LATER("hipDeviceGraphMemTrim", int)(device);
}

inline hipError_t launchHost(hipStream_t stream, hipHostFn_t function, void* user) {
  return LATER("hipLaunchHostFunc", hipStream_t, hipHostFn_t, void*)(stream, function, user);
}
inline hipError_t upload(hipGraphExec_t exec, hipStream_t stream) {
  return LATER("hipGraphUpload", hipGraphExec_t, hipStream_t)(exec, stream);
}
inline hipError_t setEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned enabled) {
  return LATER("hipGraphNodeSetEnabled", hipGraphExec_t, hipGraphNode_t, unsigned)(exec, node, enabled);
}
inline hipError_t getEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned* enabled) {
  return LATER("hipGraphNodeGetEnabled", hipGraphExec_t, hipGraphNode_t, unsigned*)(exec, node, enabled);
}
inline hipError_t setAttribute(hipGraphNode_t node, hipKernelNodeAttrID id, const hipKernelNodeAttrValue* value) {
  return LATER("hipGraphKernelNodeSetAttribute", hipGraphNode_t, hipKernelNodeAttrID, const hipKernelNodeAttrValue*)(
      node, id, value);
}
inline hipError_t getAttribute(hipGraphNode_t node, hipKernelNodeAttrID id, hipKernelNodeAttrValue* value) {
  return LATER("hipGraphKernelNodeGetAttribute", hipGraphNode_t, hipKernelNodeAttrID, hipKernelNodeAttrValue*)(node, id,
                                                                                                               value);
}
inline hipError_t copyAttributes(hipGraphNode_t from, hipGraphNode_t to) {
  return LATER("hipGraphKernelNodeCopyAttributes", hipGraphNode_t, hipGraphNode_t)(from, to);
}
inline hipError_t printDot(hipGraph_t graph, const char* path, unsigned flags) {
  return LATER("hipGraphDebugDotPrint", hipGraph_t, const char*, unsigned)(graph, path, flags);
}

typedef struct UserObjectTag* UserObject;
constexpr unsigned kNoDestructorSync = 1, kMove = 1;
inline hipError_t createObject(UserObject* object, void* data, hipHostFn_t destroy, unsigned count, unsigned flags) {
  return LATER("hipUserObjectCreate", UserObject*, void*, hipHostFn_t, unsigned, unsigned)(object, data, destroy, count,
                                                                                           flags);
}
inline hipError_t retainObject(UserObject object, unsigned count) {
  return LATER("hipUserObjectRetain", UserObject, unsigned)(object, count);
}
inline hipError_t releaseObject(UserObject object, unsigned count) {
  return LATER("hipUserObjectRelease", UserObject, unsigned)(object, count);
}
inline hipError_t graphRetain(hipGraph_t graph, UserObject object, unsigned count, unsigned flags) {
  return LATER("hipGraphRetainUserObject", hipGraph_t, UserObject, unsigned, unsigned)(graph, object, count, flags);
}
inline hipError_t graphRelease(hipGraph_t graph, UserObject object, unsigned count) {
  return LATER("hipGraphReleaseUserObject", hipGraph_t, UserObject, unsigned)(graph, object, count);
}

}  // namespace later
