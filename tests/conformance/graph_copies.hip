// Nodes that copy and fill: boxes, lines, symbols; their parameters, and what is refused.
#include "graph_support.h"

__device__ int variable[4] = {1, 2, 3, 4};
__constant__ int constants[4] = {10, 20, 30, 40};

static void run(hipGraph_t graph) {
  Stream s;
  Exec(graph).run(s);
}

// --- copies

TEST(copies_of_boxes) {
  constexpr int kWidth = 8, kHeight = 4, kDepth = 3;
  std::vector<int> in(kWidth * kHeight * kDepth), out(in.size(), -1);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i);
  hipPitchedPtr block{};
  HIP(hipMalloc3D(&block, make_hipExtent(kWidth * sizeof(int), kHeight, kDepth)));
  hipMemcpy3DParms up{};
  up.srcPtr = make_hipPitchedPtr(in.data(), kWidth * sizeof(int), kWidth * sizeof(int), kHeight);
  up.dstPtr = block;
  up.extent = make_hipExtent(kWidth * sizeof(int), kHeight, kDepth);
  up.kind = hipMemcpyHostToDevice;
  Graph graph;
  hipGraphNode_t first = nullptr, second = nullptr;
  HIP(hipGraphAddMemcpyNode(&first, graph, nullptr, 0, &up));
  hipMemcpy3DParms down{};  // the inner part
  down.srcPtr = block;
  down.srcPos = make_hipPos(2 * sizeof(int), 1, 1);
  down.dstPtr = make_hipPitchedPtr(out.data(), kWidth * sizeof(int), kWidth * sizeof(int), kHeight);
  down.extent = make_hipExtent(3 * sizeof(int), 2, 2);
  down.kind = hipMemcpyDeviceToHost;
  HIP(hipGraphAddMemcpyNode(&second, graph, &first, 1, &down));
  run(graph);
  std::vector<int> expected(in.size(), -1);
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 3; ++x)
        expected[(z * kHeight + y) * kWidth + x] = in[((z + 1) * kHeight + y + 1) * kWidth + x + 2];
  EXPECT_VEC(out, expected);
  check::result(out);

  hipMemcpy3DParms seen{};
  HIP(hipGraphMemcpyNodeGetParams(second, &seen));
  EXPECT_EQ(seen.dstPtr.ptr, static_cast<void*>(out.data()));
  EXPECT_EQ(seen.extent.width, 3 * sizeof(int));
  EXPECT_EQ(seen.srcPos.x, 2 * sizeof(int));
  EXPECT_EQ(seen.kind, hipMemcpyDeviceToHost);
  seen.extent = make_hipExtent(sizeof(int), 1, 1);
  seen.dstPos = make_hipPos(4, 0, 0);
  HIP(hipGraphMemcpyNodeSetParams(second, &seen));
  std::fill(out.begin(), out.end(), -1);
  run(graph);
  expected.assign(in.size(), -1);
  expected[1] = in[(kHeight + 1) * kWidth + 2];
  EXPECT_VEC(out, expected);
  HIP(hipFree(block.ptr));
}

TEST(wrong_copies_of_boxes) {
  Buffer<int> p(4);
  std::vector<int> host(4);
  Graph graph;
  hipGraphNode_t node = nullptr;
  hipMemcpy3DParms good{};
  good.srcPtr = make_hipPitchedPtr(host.data(), 16, 16, 1);
  good.dstPtr = make_hipPitchedPtr(p.get(), 16, 16, 1);
  good.extent = make_hipExtent(16, 1, 1);
  good.kind = hipMemcpyHostToDevice;
  HIP_ERR(hipGraphAddMemcpyNode(nullptr, graph, nullptr, 0, &good), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddMemcpyNode(&node, nullptr, nullptr, 0, &good), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddMemcpyNode(&node, graph, nullptr, 1, &good), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddMemcpyNode(&node, graph, nullptr, 0, nullptr), hipErrorInvalidValue);
  hipMemcpy3DParms bad = good;
  bad.srcPtr.ptr = nullptr;
  HIP_ERR(hipGraphAddMemcpyNode(&node, graph, nullptr, 0, &bad), hipErrorInvalidValue);
  bad = good;
  bad.dstPtr.ptr = nullptr;
  HIP_ERR(hipGraphAddMemcpyNode(&node, graph, nullptr, 0, &bad), hipErrorInvalidValue);
  bad = good;
  bad.srcPtr.pitch = 8;
  HIP_ERR(hipGraphAddMemcpyNode(&node, graph, nullptr, 0, &bad), hipErrorInvalidPitchValue);
  bad = good;
  bad.extent.width = 20;  // beyond the pitch
  HIP_ERR(hipGraphAddMemcpyNode(&node, graph, nullptr, 0, &bad), hipErrorInvalidValue);
  HIP(hipGraphAddMemcpyNode(&node, graph, nullptr, 0, &good));
  HIP_ERR(hipGraphMemcpyNodeGetParams(nullptr, &bad), hipErrorInvalidValue);
  HIP_ERR(hipGraphMemcpyNodeGetParams(node, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGraphMemcpyNodeSetParams(nullptr, &good), hipErrorInvalidValue);
  HIP_ERR(hipGraphMemcpyNodeSetParams(node, nullptr), hipErrorInvalidValue);
}

TEST(copies_of_lines) {
  std::vector<int> in{1, 2, 3, 4}, out(4, 0), changed{5, 6, 7, 8};
  Buffer<int> p(4), q(4);
  Graph graph;
  const hipGraphNode_t up = addCopy(graph, {}, p, in.data(), 16, hipMemcpyHostToDevice);
  const hipGraphNode_t across = addCopy(graph, {up}, q, p, 16, hipMemcpyDeviceToDevice);
  addCopy(graph, {across}, out.data(), q, 16, hipMemcpyDeviceToHost);
  run(graph);
  EXPECT_VEC(out, in);
  HIP(hipGraphMemcpyNodeSetParams1D(up, p, changed.data(), 8, hipMemcpyHostToDevice));
  run(graph);
  EXPECT_VEC(out, (std::vector<int>{5, 6, 3, 4}));
}

TEST(copies_between_host_memory) {
  std::vector<int> in{1, 2}, between(2), out(2);
  Buffer<int> p(2);
  Graph graph;
  const hipGraphNode_t first = addCopy(graph, {}, between.data(), in.data(), 8, hipMemcpyHostToHost);
  const hipGraphNode_t up = addCopy(graph, {first}, p, between.data(), 8, hipMemcpyHostToDevice);
  addCopy(graph, {up}, out.data(), p, 8, hipMemcpyDeviceToHost);
  const Exec exec(graph);
  Stream s;
  exec.run(s);
  EXPECT_VEC(out, in);
  in = {30, 40};
  exec.run(s);
  EXPECT_VEC(out, in);
}

TEST(wrong_copies_of_lines) {
  Buffer<int> p(4), q(4);
  std::vector<int> host(4);
  Graph graph;
  hipGraphNode_t node = nullptr;
  const auto attempt = [&](void* to, const void* from, std::size_t bytes, hipMemcpyKind kind) {
    return hipGraphAddMemcpyNode1D(&node, graph, nullptr, 0, to, from, bytes, kind);
  };
  HIP_ERR(hipGraphAddMemcpyNode1D(nullptr, graph, nullptr, 0, p, q, 16, hipMemcpyDefault), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddMemcpyNode1D(&node, nullptr, nullptr, 0, p, q, 16, hipMemcpyDefault), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddMemcpyNode1D(&node, graph, nullptr, 1, p, q, 16, hipMemcpyDefault), hipErrorInvalidValue);
  HIP_ERR(attempt(p, q, 0, hipMemcpyDefault), hipErrorInvalidValue);
  HIP_ERR(attempt(nullptr, q, 16, hipMemcpyDefault), hipErrorInvalidValue);
  HIP_ERR(attempt(p, nullptr, 16, hipMemcpyDefault), hipErrorInvalidValue);
  HIP_ERR(attempt(p, q, 16, static_cast<hipMemcpyKind>(77)), hipErrorInvalidMemcpyDirection);
  HIP_ERR(attempt(p, host.data(), 16, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  HIP_ERR(attempt(host.data(), p, 16, hipMemcpyHostToDevice), hipErrorInvalidValue);
  HIP_ERR(attempt(p, q, 17, hipMemcpyDeviceToDevice), hipErrorInvalidValue);  // beyond the memory
  HIP(attempt(p, q, 16, hipMemcpyDeviceToDevice));
  const auto change = [&](hipGraphNode_t which, void* to, const void* from, std::size_t bytes) {
    return hipGraphMemcpyNodeSetParams1D(which, to, from, bytes, hipMemcpyDeviceToDevice);
  };
  HIP_ERR(change(nullptr, p, q, 16), hipErrorInvalidValue);
  HIP_ERR(change(node, nullptr, q, 16), hipErrorInvalidValue);
  HIP_ERR(change(node, p, nullptr, 16), hipErrorInvalidValue);
  HIP_ERR(change(node, p, q, 0), hipErrorInvalidValue);
  HIP_ERR(change(node, p, p, 16), hipErrorInvalidValue);
}

TEST(copies_to_and_from_symbols) {
  std::vector<int> in{7, 8}, out(4), back(2);
  Graph graph;
  hipGraphNode_t to = nullptr, from = nullptr, part = nullptr;
  HIP(hipGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, HIP_SYMBOL(variable), in.data(), 8, 4,
                                    hipMemcpyHostToDevice));
  HIP(hipGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, out.data(), HIP_SYMBOL(variable), 16, 0,
                                      hipMemcpyDeviceToHost));
  HIP(hipGraphAddMemcpyNodeFromSymbol(&part, graph, &to, 1, back.data(), HIP_SYMBOL(constants), 8, 8,
                                      hipMemcpyDeviceToHost));
  EXPECT_EQ(typeOf(to), std::string("copy"));
  EXPECT_EQ(typeOf(from), std::string("copy"));
  run(graph);
  EXPECT_VEC(out, (std::vector<int>{1, 7, 8, 4}));
  EXPECT_VEC(back, (std::vector<int>{30, 40}));
  HIP(hipGraphMemcpyNodeSetParamsToSymbol(to, HIP_SYMBOL(variable), in.data(), 4, 12, hipMemcpyHostToDevice));
  HIP(hipGraphMemcpyNodeSetParamsFromSymbol(part, back.data(), HIP_SYMBOL(constants), 4, 0, hipMemcpyDeviceToHost));
  run(graph);
  EXPECT_VEC(out, (std::vector<int>{1, 7, 8, 7}));
  EXPECT_VEC(back, (std::vector<int>{10, 40}));
}

TEST(wrong_copies_to_and_from_symbols) {
  Graph graph;
  hipGraphNode_t node = nullptr;
  std::vector<int> host(8);
  const void* symbol = HIP_SYMBOL(variable);
  const auto kTo = hipMemcpyHostToDevice;
  HIP_ERR(hipGraphAddMemcpyNodeToSymbol(nullptr, graph, nullptr, 0, symbol, host.data(), 4, 0, kTo),
          hipErrorInvalidValue);
  HIP_ERR(hipGraphAddMemcpyNodeToSymbol(&node, nullptr, nullptr, 0, symbol, host.data(), 4, 0, kTo),
          hipErrorInvalidValue);
  HIP_ERR(hipGraphAddMemcpyNodeToSymbol(&node, graph, nullptr, 1, symbol, host.data(), 4, 0, kTo),
          hipErrorInvalidValue);
  HIP_ERR(hipGraphAddMemcpyNodeToSymbol(&node, graph, nullptr, 0, symbol, nullptr, 4, 0, kTo), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddMemcpyNodeToSymbol(&node, graph, nullptr, 0, symbol, host.data(), 0, 0, kTo),
          hipErrorInvalidValue);
  HIP_ERR(hipGraphAddMemcpyNodeToSymbol(&node, graph, nullptr, 0, symbol, host.data(), 16, 4, kTo),
          hipErrorInvalidValue);
  HIP_ERR(hipGraphAddMemcpyNodeToSymbol(&node, graph, nullptr, 0, nullptr, host.data(), 4, 0, kTo),
          hipErrorInvalidSymbol);
  const auto kFrom = hipMemcpyDeviceToHost;
  HIP_ERR(hipGraphAddMemcpyNodeFromSymbol(&node, graph, nullptr, 0, nullptr, symbol, 4, 0, kFrom),
          hipErrorInvalidValue);
  HIP_ERR(hipGraphAddMemcpyNodeFromSymbol(&node, graph, nullptr, 0, host.data(), symbol, 0, 0, kFrom),
          hipErrorInvalidValue);
  HIP_ERR(hipGraphAddMemcpyNodeFromSymbol(&node, graph, nullptr, 0, host.data(), symbol, 4, 16, kFrom),
          hipErrorInvalidValue);
  HIP_ERR(hipGraphAddMemcpyNodeFromSymbol(&node, graph, nullptr, 0, host.data(), nullptr, 4, 0, kFrom),
          hipErrorInvalidSymbol);
  HIP(hipGraphAddMemcpyNodeFromSymbol(&node, graph, nullptr, 0, host.data(), symbol, 4, 0, kFrom));
  HIP_ERR(hipGraphMemcpyNodeSetParamsFromSymbol(node, host.data(), nullptr, 4, 0, kFrom), hipErrorInvalidSymbol);
  HIP_ERR(hipGraphMemcpyNodeSetParamsFromSymbol(nullptr, host.data(), symbol, 4, 0, kFrom), hipErrorInvalidValue);
  HIP_ERR(hipGraphMemcpyNodeSetParamsFromSymbol(node, nullptr, symbol, 4, 0, kFrom), hipErrorInvalidValue);
  HIP_ERR(hipGraphMemcpyNodeSetParamsFromSymbol(node, host.data(), symbol, 0, 0, kFrom), hipErrorInvalidValue);
  HIP(hipGraphAddMemcpyNodeToSymbol(&node, graph, nullptr, 0, symbol, host.data(), 4, 0, kTo));
  HIP_ERR(hipGraphMemcpyNodeSetParamsToSymbol(node, nullptr, host.data(), 4, 0, kTo), hipErrorInvalidSymbol);
  HIP_ERR(hipGraphMemcpyNodeSetParamsToSymbol(nullptr, symbol, host.data(), 4, 0, kTo), hipErrorInvalidValue);
  HIP_ERR(hipGraphMemcpyNodeSetParamsToSymbol(node, symbol, nullptr, 4, 0, kTo), hipErrorInvalidValue);
  HIP_ERR(hipGraphMemcpyNodeSetParamsToSymbol(node, symbol, host.data(), 0, 0, kTo), hipErrorInvalidValue);
  const auto kInside = hipMemcpyDeviceToDevice;
  HIP_ERR(hipGraphMemcpyNodeSetParamsToSymbol(node, symbol, host.data(), 4, 0, kInside), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddMemcpyNodeFromSymbol(&node, graph, nullptr, 0, host.data(), symbol, 4, 0, kInside),
          hipErrorInvalidValue);
}

// --- fills

TEST(fills_of_every_width) {
  Buffer<unsigned char> p(64);
  p.fill(0);
  Graph graph;
  addFill(graph, {}, p, 0x01, 1, 5);
  addFill(graph, {}, p + 8, 0x0302, 2, 3);
  addFill(graph, {}, p + 16, 0x07060504, 4, 2);
  hipMemsetParams rows{};
  rows.dst = p + 32;
  rows.value = 9;
  rows.elementSize = 1;
  rows.width = 3;
  rows.height = 3;
  rows.pitch = 8;
  hipGraphNode_t node = nullptr;
  HIP(hipGraphAddMemsetNode(&node, graph, nullptr, 0, &rows));
  run(graph);
  std::vector<unsigned char> expected(64, 0);
  std::fill_n(expected.begin(), 5, 1);
  for (int i = 0; i < 6; ++i) expected[8 + i] = static_cast<unsigned char>(2 + i % 2);
  for (int i = 0; i < 8; ++i) expected[16 + i] = static_cast<unsigned char>(4 + i % 4);
  for (int row = 0; row < 3; ++row) std::fill_n(expected.begin() + 32 + 8 * row, 3, 9);
  EXPECT_VEC(p.download(), expected);
  check::result(expected);
}

TEST(fill_parameters) {
  Buffer<int> p(std::vector<int>{0, 0, 0, 0});
  Graph graph;
  const hipGraphNode_t node = addFill(graph, {}, p, 5, 4, 2);
  hipMemsetParams seen{};
  HIP(hipGraphMemsetNodeGetParams(node, &seen));
  EXPECT_EQ(seen.dst, static_cast<void*>(p.get()));
  EXPECT_EQ(seen.value, 5u);
  EXPECT_EQ(seen.elementSize, 4u);
  EXPECT_EQ(seen.width, std::size_t(2));
  EXPECT_EQ(seen.height, std::size_t(1));
  seen.dst = p + 1;
  seen.value = 6;
  seen.width = 3;
  HIP(hipGraphMemsetNodeSetParams(node, &seen));
  run(graph);
  EXPECT_VEC(p.download(), (std::vector<int>{0, 6, 6, 6}));
}

TEST(wrong_fills) {
  Buffer<int> p(16);
  Graph graph;
  hipGraphNode_t node = nullptr;
  const hipMemsetParams good = fillParams(p, 1, 4, 4);
  const auto attempt = [&](auto change) {
    hipMemsetParams bad = good;
    change(bad);
    HIP_ERR(hipGraphAddMemsetNode(&node, graph, nullptr, 0, &bad), hipErrorInvalidValue);
  };
  HIP_ERR(hipGraphAddMemsetNode(nullptr, graph, nullptr, 0, &good), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddMemsetNode(&node, nullptr, nullptr, 0, &good), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddMemsetNode(&node, graph, nullptr, 1, &good), hipErrorInvalidValue);
  HIP_ERR(hipGraphAddMemsetNode(&node, graph, nullptr, 0, nullptr), hipErrorInvalidValue);
  attempt([](auto& bad) { bad.dst = nullptr; });
  attempt([](auto& bad) { bad.elementSize = 3; });
  attempt([](auto& bad) { bad.elementSize = 8; });
  attempt([](auto& bad) { bad.width = 0; });
  attempt([](auto& bad) { bad.height = 0; });
  attempt([](auto& bad) { bad.width = 17; });  // beyond the memory
  attempt([](auto& bad) { bad.height = 2, bad.pitch = 8; });
  EXPECT(nodesOf(graph).empty());
  HIP(hipGraphAddMemsetNode(&node, graph, nullptr, 0, &good));
  hipMemsetParams seen{};
  HIP_ERR(hipGraphMemsetNodeGetParams(nullptr, &seen), hipErrorInvalidValue);
  HIP_ERR(hipGraphMemsetNodeGetParams(node, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGraphMemsetNodeSetParams(nullptr, &good), hipErrorInvalidValue);
  HIP_ERR(hipGraphMemsetNodeSetParams(node, nullptr), hipErrorInvalidValue);
  seen = good;
  seen.elementSize = 5;
  HIP_ERR(hipGraphMemsetNodeSetParams(node, &seen), hipErrorInvalidValue);
  seen = good;
  seen.width = 17;
  HIP_ERR(hipGraphMemsetNodeSetParams(node, &seen), hipErrorInvalidValue);
}
