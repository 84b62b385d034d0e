// Graphs as data: nodes, dependencies, roots, edges, destroyed nodes, clones, child graphs, what is refused, and the
// drawing of a graph. What nodes do is in graph_nodes.hip, running them in graph_exec.hip.
#include "graph_support.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>

__global__ void add(int* p, int v) {
  *p += v;
}
__global__ void scale(int* p, int v) {
  *p *= v;
}

TEST(create_and_destroy) {
  hipGraph_t graph = nullptr;
  HIP(hipGraphCreate(&graph, 0));
  EXPECT(graph != nullptr);
  HIP(hipGraphDestroy(graph));
  HIP_ERR(hipGraphDestroy(graph), hipErrorIllegalState);
  HIP_ERR(hipGraphDestroy(nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGraphCreate(nullptr, 0), hipErrorInvalidValue);
  HIP_ERR(hipGraphCreate(&graph, 1), hipErrorInvalidValue);
}

// A diamond with a tail: a before b and c, both before d, d before e.
struct Diamond {
  Graph graph;
  hipGraphNode_t a = addEmpty(graph), b = addEmpty(graph, {a}), c = addEmpty(graph, {a}), d = addEmpty(graph, {b, c}),
                 e = addEmpty(graph, {d});
};

TEST(nodes_are_listed_in_an_order_that_respects_their_dependencies) {
  Diamond g;
  const Nodes nodes = nodesOf(g.graph);
  EXPECT(sameNodes(nodes, {g.a, g.b, g.c, g.d, g.e}));
  const auto at = [&](hipGraphNode_t node) { return std::find(nodes.begin(), nodes.end(), node) - nodes.begin(); };
  for (const auto& [from, to] : edgesOf(g.graph)) EXPECT(at(from) < at(to));
  // Added first, but behind a node that was added later.
  Graph other;
  const hipGraphNode_t last = addEmpty(other), first = addEmpty(other);
  HIP(hipGraphAddDependencies(other, &first, &last, 1));
  EXPECT(nodesOf(other) == (Nodes{first, last}));
}

TEST(lists_are_cut_or_filled_up) {
  Diamond g;
  hipGraphNode_t nodes[7];
  std::size_t count = 2;
  HIP(hipGraphGetNodes(g.graph, nodes, &count));
  EXPECT_EQ(count, std::size_t(2));
  EXPECT_EQ(nodes[0], g.a);
  std::fill_n(nodes, 7, g.a);
  count = 7;
  HIP(hipGraphGetNodes(g.graph, nodes, &count));
  EXPECT_EQ(count, std::size_t(5));
  EXPECT(nodes[5] == nullptr && nodes[6] == nullptr);

  std::fill_n(nodes, 7, g.b);
  count = 3;
  HIP(hipGraphGetRootNodes(g.graph, nodes, &count));
  EXPECT_EQ(count, std::size_t(1));
  EXPECT(nodes[0] == g.a && nodes[1] == nullptr && nodes[2] == nullptr);

  hipGraphNode_t to[7];
  count = 7;
  HIP(hipGraphGetEdges(g.graph, nodes, to, &count));
  EXPECT_EQ(count, std::size_t(5));
  EXPECT(nodes[5] == nullptr && to[6] == nullptr);
  count = 1;
  HIP(hipGraphGetEdges(g.graph, nodes, to, &count));
  EXPECT_EQ(count, std::size_t(1));

  count = 3;
  HIP(hipGraphNodeGetDependencies(g.d, nodes, &count));
  EXPECT_EQ(count, std::size_t(2));
  EXPECT(nodes[2] == nullptr);
  count = 1;
  HIP(hipGraphNodeGetDependentNodes(g.a, nodes, &count));
  EXPECT_EQ(count, std::size_t(1));
  EXPECT(nodes[0] == g.b || nodes[0] == g.c);
}

TEST(roots_edges_and_neighbours) {
  Diamond g;
  EXPECT(rootsOf(g.graph) == Nodes{g.a});
  std::vector<Edge> expected = {{g.a, g.b}, {g.a, g.c}, {g.b, g.d}, {g.c, g.d}, {g.d, g.e}};
  std::sort(expected.begin(), expected.end());
  EXPECT(edgesOf(g.graph) == expected);
  EXPECT(dependenciesOf(g.a).empty());
  EXPECT(sameNodes(dependenciesOf(g.d), {g.b, g.c}));
  EXPECT(sameNodes(dependentsOf(g.a), {g.b, g.c}));
  EXPECT(dependentsOf(g.e).empty());
  Graph none;
  EXPECT(nodesOf(none).empty() && rootsOf(none).empty() && edgesOf(none).empty());
}

TEST(dependencies_come_and_go) {
  Graph graph;
  const hipGraphNode_t a = addEmpty(graph), b = addEmpty(graph), c = addEmpty(graph);
  const hipGraphNode_t from[] = {a, b}, to[] = {b, c};
  HIP(hipGraphAddDependencies(graph, from, to, 2));
  EXPECT(rootsOf(graph) == Nodes{a});
  EXPECT_EQ(edgesOf(graph).size(), std::size_t(2));
  HIP_ERR(hipGraphAddDependencies(graph, from, to, 1), hipErrorInvalidValue);  // is there already
  HIP(hipGraphRemoveDependencies(graph, from, to, 1));
  EXPECT(sameNodes(rootsOf(graph), {a, b}));
  HIP_ERR(hipGraphRemoveDependencies(graph, from, to, 1), hipErrorInvalidValue);  // is gone
  HIP(hipGraphAddDependencies(graph, nullptr, nullptr, 0));
  HIP(hipGraphRemoveDependencies(graph, nullptr, nullptr, 0));
  EXPECT_EQ(edgesOf(graph).size(), std::size_t(1));
}

TEST(wrong_dependencies) {
  Graph graph, other;
  const hipGraphNode_t a = addEmpty(graph), b = addEmpty(graph), foreign = addEmpty(other);
  hipGraphNode_t node = nullptr, none = nullptr;
  HIP_ERR(hipGraphAddDependencies(nullptr, &a, &b, 1), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddDependencies(graph, nullptr, &b, 1), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddDependencies(graph, &a, nullptr, 1), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddDependencies(graph, &a, &a, 1), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddDependencies(graph, &a, &none, 1), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddDependencies(graph, &a, &foreign, 1), hipErrorInvalidValue);
  HIP_ERR(hipGraphRemoveDependencies(nullptr, &a, &b, 1), hipErrorInvalidValue);
  HIP_ERR(hipGraphRemoveDependencies(graph, nullptr, &b, 1), hipErrorInvalidValue);
  HIP_ERR(hipGraphRemoveDependencies(graph, &a, &foreign, 1), hipErrorInvalidValue);
  EXPECT(edgesOf(graph).empty());
  HIP_ERR(hipGraphAddEmptyNode(nullptr, graph, nullptr, 0), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddEmptyNode(&node, nullptr, nullptr, 0), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddEmptyNode(&node, graph, nullptr, 1), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddEmptyNode(&node, graph, &foreign, 1), hipErrorInvalidValue);
  const hipGraphNode_t twice[] = {a, a};
  HIP_ERR(hipGraphAddEmptyNode(&node, graph, twice, 2), hipErrorInvalidValue);
}

TEST(wrong_questions) {
  Graph graph;
  const hipGraphNode_t a = addEmpty(graph);
  hipGraphNode_t node = nullptr;
  std::size_t count = 1;
  HIP_ERR(hipGraphGetNodes(nullptr, nullptr, &count), hipErrorInvalidValue);
  HIP_ERR(hipGraphGetNodes(graph, &node, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGraphGetRootNodes(nullptr, nullptr, &count), hipErrorInvalidValue);
  HIP_ERR(hipGraphGetRootNodes(graph, &node, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGraphGetEdges(nullptr, nullptr, nullptr, &count), hipErrorInvalidValue);
  HIP_ERR(hipGraphGetEdges(graph, nullptr, nullptr, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGraphGetEdges(graph, &node, nullptr, &count), hipErrorInvalidValue);
  HIP_ERR(hipGraphGetEdges(graph, nullptr, &node, &count), hipErrorInvalidValue);
  HIP_ERR(hipGraphNodeGetDependencies(nullptr, nullptr, &count), hipErrorInvalidValue);
  HIP_ERR(hipGraphNodeGetDependencies(a, nullptr, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGraphNodeGetDependentNodes(nullptr, nullptr, &count), hipErrorInvalidValue);
  HIP_ERR(hipGraphNodeGetDependentNodes(a, nullptr, nullptr), hipErrorInvalidValue);
  hipGraphNodeType type{};
  HIP_ERR(hipGraphNodeGetType(nullptr, &type), hipErrorInvalidValue);
  HIP_ERR(hipGraphNodeGetType(a, nullptr), hipErrorInvalidValue);
}

TEST(a_circle_cannot_be_instantiated) {
  Graph graph;
  const hipGraphNode_t a = addEmpty(graph), b = addEmpty(graph, {a}), c = addEmpty(graph, {b});
  HIP(hipGraphAddDependencies(graph, &c, &a, 1));
  hipGraphExec_t exec = nullptr;
  HIP_ERR(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0), hipErrorInvalidValue);
  HIP(hipGraphRemoveDependencies(graph, &c, &a, 1));
  HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  HIP(hipGraphExecDestroy(exec));
}

TEST(a_destroyed_node_takes_its_edges_along) {
  Diamond g;
  HIP(hipGraphDestroyNode(g.d));
  EXPECT(sameNodes(nodesOf(g.graph), {g.a, g.b, g.c, g.e}));
  EXPECT(sameNodes(rootsOf(g.graph), {g.a, g.e}));
  EXPECT_EQ(edgesOf(g.graph).size(), std::size_t(2));
  EXPECT(dependentsOf(g.b).empty());
  EXPECT(dependenciesOf(g.e).empty());
  hipGraphNodeType type{};
  HIP_ERR(hipGraphNodeGetType(g.d, &type), hipErrorInvalidValue);
  HIP_ERR(hipGraphDestroyNode(g.d), hipErrorInvalidValue);
  HIP_ERR(hipGraphDestroyNode(nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddDependencies(g.graph, &g.d, &g.e, 1), hipErrorInvalidValue);
}

TEST(nodes_go_with_their_graph) {
  hipGraphNode_t node = nullptr;
  {
    Graph graph;
    node = addEmpty(graph);
  }
  hipGraphNodeType type{};
  HIP_ERR(hipGraphNodeGetType(node, &type), hipErrorInvalidValue);
}

TEST(clones) {
  Diamond g;
  hipGraph_t copy = nullptr;
  HIP(hipGraphClone(&copy, g.graph));
  Graph clone(copy);
  EXPECT_EQ(nodesOf(clone).size(), std::size_t(5));
  std::vector<Edge> expected;
  for (const auto& [from, to] : edgesOf(g.graph)) {
    Edge edge;
    HIP(hipGraphNodeFindInClone(&edge.first, from, clone));
    HIP(hipGraphNodeFindInClone(&edge.second, to, clone));
    EXPECT(edge.first != from && edge.second != to);
    expected.push_back(edge);
  }
  std::sort(expected.begin(), expected.end());
  EXPECT(edgesOf(clone) == expected);
  // What happens to one afterwards does not happen to the other.
  const hipGraphNode_t late = addEmpty(g.graph);
  hipGraphNode_t found = nullptr;
  HIP_ERR(hipGraphNodeFindInClone(&found, late, clone), hipErrorInvalidValue);
  EXPECT_EQ(nodesOf(clone).size(), std::size_t(5));
  HIP(hipGraphNodeFindInClone(&found, g.d, clone));
  HIP(hipGraphDestroyNode(found));
  HIP_ERR(hipGraphNodeFindInClone(&found, g.d, clone), hipErrorInvalidValue);
  EXPECT_EQ(nodesOf(g.graph).size(), std::size_t(6));
}

TEST(wrong_clones) {
  Graph graph, other;
  const hipGraphNode_t node = addEmpty(graph);
  hipGraph_t clone = nullptr;
  hipGraphNode_t found = nullptr;
  HIP_ERR(hipGraphClone(nullptr, graph), hipErrorInvalidValue);
  HIP_ERR(hipGraphClone(&clone, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGraphNodeFindInClone(&found, node, other), hipErrorInvalidValue);  // not a clone
  HIP_ERR(hipGraphNodeFindInClone(nullptr, node, other), hipErrorInvalidValue);
  HIP_ERR(hipGraphNodeFindInClone(&found, nullptr, other), hipErrorInvalidValue);
  HIP_ERR(hipGraphNodeFindInClone(&found, node, nullptr), hipErrorInvalidValue);
}

TEST(a_clone_outlives_its_original) {
  Buffer<int> p(std::vector<int>{3});
  hipGraph_t copy = nullptr, second = nullptr;
  {
    Graph graph;
    const hipGraphNode_t first = addKernel(graph, {}, add, p.get(), 4);
    addKernel(graph, {first}, scale, p.get(), 10);
    HIP(hipGraphClone(&copy, graph));
  }
  HIP(hipGraphClone(&second, copy));  // and a clone of a clone
  Graph clone(copy), cloneOfClone(second);
  Stream s;
  Exec(clone).run(s);
  EXPECT_EQ(p.download()[0], 70);
  Exec(cloneOfClone).run(s);
  EXPECT_EQ(p.download()[0], 740);
}

TEST(child_graphs) {
  Buffer<int> p(std::vector<int>{1});
  Graph child, graph;
  const hipGraphNode_t inner = addKernel(child, {}, add, p.get(), 5);
  addKernel(child, {inner}, scale, p.get(), 2);
  const hipGraphNode_t before = addKernel(graph, {}, add, p.get(), 1);
  hipGraphNode_t node = nullptr;
  HIP(hipGraphAddChildGraphNode(&node, graph, &before, 1, child));
  addKernel(graph, {node}, add, p.get(), 100);
  EXPECT_EQ(typeOf(node), std::string("graph"));
  // The node has its own copy.
  hipGraph_t embedded = nullptr;
  HIP(hipGraphChildGraphNodeGetGraph(node, &embedded));
  EXPECT(embedded != nullptr && embedded != child.handle);
  EXPECT_EQ(chainOf(embedded), std::string("kernel kernel"));
  addKernel(child, {}, add, p.get(), 1000);
  EXPECT_EQ(nodesOf(embedded).size(), std::size_t(2));
  child.destroy();
  EXPECT_EQ(nodesOf(graph).size(), std::size_t(3));  // a child counts as one
  Stream s;
  const Exec exec(graph);
  exec.run(s);
  EXPECT_EQ(p.download()[0], 114);  // ((1 + 1) + 5) * 2 + 100
  exec.run(s);
  EXPECT_EQ(p.download()[0], 340);
}

TEST(children_of_children) {
  Buffer<int> p(std::vector<int>{0});
  Graph inner;
  addKernel(inner, {}, add, p.get(), 1);
  hipGraph_t current = inner.handle;
  std::vector<std::unique_ptr<Graph>> outer;
  for (int depth = 0; depth < 5; ++depth) {
    outer.push_back(std::make_unique<Graph>());
    hipGraphNode_t first = nullptr, second = nullptr;
    HIP(hipGraphAddChildGraphNode(&first, *outer.back(), nullptr, 0, current));
    HIP(hipGraphAddChildGraphNode(&second, *outer.back(), &first, 1, current));
    current = outer.back()->handle;
  }
  Stream s;
  Exec(current).run(s);
  EXPECT_EQ(p.download()[0], 32);
}

TEST(wrong_children) {
  Graph graph, child;
  hipGraphNode_t node = nullptr;
  hipGraph_t found = nullptr;
  HIP_ERR(hipGraphAddChildGraphNode(nullptr, graph, nullptr, 0, child), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddChildGraphNode(&node, nullptr, nullptr, 0, child), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddChildGraphNode(&node, graph, nullptr, 1, child), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddChildGraphNode(&node, graph, nullptr, 0, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGraphChildGraphNodeGetGraph(nullptr, &found), hipErrorInvalidValue);
  HIP_ERR(hipGraphChildGraphNodeGetGraph(addEmpty(graph), &found), hipErrorInvalidValue);
  HIP(hipGraphAddChildGraphNode(&node, graph, nullptr, 0, child));
  HIP_ERR(hipGraphChildGraphNodeGetGraph(node, nullptr), hipErrorInvalidValue);
}

static void nothing(void*) {}

TEST(every_node_says_its_type) {
  Buffer<int> p(4);
  std::vector<int> host(4);
  Event e;
  Graph graph, child;
  EXPECT_EQ(typeOf(addKernel(graph, {}, add, p.get(), 1)), std::string("kernel"));
  EXPECT_EQ(typeOf(addCopy(graph, {}, p, host.data(), 16, hipMemcpyHostToDevice)), std::string("copy"));
  EXPECT_EQ(typeOf(addFill(graph, {}, p, 1, 4, 4)), std::string("fill"));
  EXPECT_EQ(typeOf(addHost(graph, {}, nothing, nullptr)), std::string("host"));
  EXPECT_EQ(typeOf(addEmpty(graph)), std::string("empty"));
  hipGraphNode_t node = nullptr;
  HIP(hipGraphAddEventRecordNode(&node, graph, nullptr, 0, e));
  EXPECT_EQ(typeOf(node), std::string("record"));
  HIP(hipGraphAddEventWaitNode(&node, graph, nullptr, 0, e));
  EXPECT_EQ(typeOf(node), std::string("wait"));
  HIP(hipGraphAddChildGraphNode(&node, graph, nullptr, 0, child));
  EXPECT_EQ(typeOf(node), std::string("graph"));
  auto params = later::allocParams(4096);
  HIP(later::addAlloc(&node, graph, {}, &params));
  EXPECT_EQ(typeOf(node), std::string("alloc"));
  hipGraphNode_t release = nullptr;
  HIP(later::addFree(&release, graph, {node}, params.memory));
  EXPECT_EQ(typeOf(release), std::string("free"));
  // Those two can neither be destroyed one by one nor cloned.
  HIP_ERR(hipGraphDestroyNode(node), hipErrorNotSupported);
  HIP_ERR(hipGraphDestroyNode(release), hipErrorNotSupported);
  hipGraph_t clone = nullptr;
  HIP_ERR(hipGraphClone(&clone, graph), hipErrorNotSupported);
}

static std::string readFile(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
static int countOf(const std::string& text, const std::string& what) {
  int count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

TEST(a_graph_is_drawn_in_the_language_of_graphviz) {
  Buffer<int> p(4);
  std::vector<int> host(4);
  Graph graph, child;
  addKernel(child, {}, scale, p.get(), 3);
  const hipGraphNode_t kernel = addKernel(graph, {}, add, p.get(), 1);
  const hipGraphNode_t fill = addFill(graph, {kernel}, p, 1, 4, 4);
  hipGraphNode_t node = nullptr;
  HIP(hipGraphAddChildGraphNode(&node, graph, &fill, 1, child));
  const std::string path = os::temporaryPath("graph") + ".dot";
  for (unsigned flags : {0u, 1u, 4u, 16u}) {
    std::remove(path.c_str());
    HIP(later::printDot(graph, path.c_str(), flags));
    const std::string text = readFile(path);
    EXPECT_EQ(text.rfind("digraph", 0), std::size_t(0));
    EXPECT_EQ(countOf(text, "{") > 0, true);
    EXPECT_EQ(countOf(text, "{"), countOf(text, "}"));
    EXPECT_EQ(countOf(text, "->"), 2);
    EXPECT(text.find("add") != std::string::npos);    // the kernel's name
    EXPECT(text.find("scale") != std::string::npos);  // that of the child
    EXPECT(text.find("MEMSET") != std::string::npos);
  }
  std::remove(path.c_str());
  HIP_ERR(later::printDot(graph, "/nowhere/at/all.dot", 0), hipErrorOperatingSystem);
  HIP_ERR(later::printDot(nullptr, path.c_str(), 0), hipErrorInvalidValue);
  HIP_ERR(later::printDot(graph, nullptr, 0), hipErrorInvalidValue);
}

TEST(large_graphs) {
  constexpr int kNodes = 2000;
  Buffer<int> p(std::vector<int>{0});
  Graph graph;
  Nodes previous;
  for (int i = 0; i < kNodes; ++i) previous = {addKernel(graph, previous, add, p.get(), i)};
  EXPECT_EQ(nodesOf(graph).size(), std::size_t(kNodes));
  EXPECT_EQ(edgesOf(graph).size(), std::size_t(kNodes - 1));
  Stream s;
  Exec(graph).run(s);
  EXPECT_EQ(p.download()[0], kNodes * (kNodes - 1) / 2);
}
