// What data a launched graph sees. Memory is read and written when a node runs, not when the graph was made: host
// memory that changes between launches, by the program or by the graph's own host nodes, is seen as it is then.
#include "graph_support.h"

constexpr int kInts = 1000;

__global__ void addTo(const int* from, int* to, int v, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] + v;
}
__global__ void store(int* p, int v) {
  *p = v;
}
__global__ void sum(const int* a, const int* b, int* out) {
  *out = *a + *b;
}
__global__ void increment(int* p) {
  *p += 1;
}
__global__ void say(int value) {
  printf("the graph says %d\n", value);
}
__managed__ int shared;

static hipGraphNode_t addWide(hipGraph_t graph, const Nodes& after, const int* from, int* to, int v, int n) {
  KernelParams params(addTo, dim3(blocksFor(n, 64)), dim3(64), from, to, v, n);
  hipGraphNode_t node = nullptr;
  HIP(hipGraphAddKernelNode(&node, graph, after.data(), after.size(), &params));
  return node;
}

// Up, plus seven, down again; the host memory changes before each launch.
static void roundTrips(int* in, int* out, int count) {
  const std::size_t bytes = count * sizeof(int);
  Buffer<int> a(count), b(count);
  Graph graph;
  const auto up = addCopy(graph, {}, a, in, bytes, hipMemcpyHostToDevice);
  const auto kernel = addWide(graph, {up}, a, b, 7, count);
  addCopy(graph, {kernel}, out, b, bytes, hipMemcpyDeviceToHost);
  const Exec exec(graph);
  Stream s;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < count; ++i) in[i] = round * 100000 + i;
    std::fill_n(out, count, -1);
    exec.run(s);
    int wrong = 0;
    for (int i = 0; i < count; ++i) wrong += out[i] != round * 100000 + i + 7;
    EXPECT_EQ(wrong, 0);
  }
  check::result(out, bytes);
}

TEST(pageable_memory_is_read_at_each_launch) {
  std::vector<int> in(kInts), out(kInts);
  roundTrips(in.data(), out.data(), kInts);
}
TEST(pinned_memory_is_read_at_each_launch) {
  Pinned<int> in(kInts), out(kInts);
  roundTrips(in, out, kInts);
}
TEST(registered_memory_is_read_at_each_launch) {
  std::vector<int> in(4096), out(4096);
  HIP(hipHostRegister(in.data(), in.size() * sizeof(int), 0));
  roundTrips(in.data(), out.data(), kInts);
  HIP(hipHostUnregister(in.data()));
}
TEST(large_pageable_memory_is_read_at_each_launch) {
  std::vector<int> in(3 << 18), out(3 << 18);
  roundTrips(in.data(), out.data(), 3 << 18);
}
TEST(large_pinned_memory_is_read_at_each_launch) {
  Pinned<int> in(3 << 18), out(3 << 18);
  roundTrips(in, out, 3 << 18);
}

TEST(a_capture_does_not_keep_host_memory_either) {
  Buffer<int> p(std::vector<int>{0});
  std::vector<int> in{1}, out{0};
  Stream s;
  HIP(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
  HIP(hipMemcpyAsync(p, in.data(), 4, hipMemcpyHostToDevice, s));
  increment<<<1, 1, 0, s>>>(p);
  HIP(hipMemcpyAsync(out.data(), p, 4, hipMemcpyDeviceToHost, s));
  hipGraph_t captured = nullptr;
  HIP(hipStreamEndCapture(s, &captured));
  Graph graph(captured);
  in[0] = 41;
  const Exec exec(graph);
  in[0] = 71;
  exec.run(s);
  EXPECT_EQ(out[0], 72);
  in[0] = 81;
  exec.run(s);
  EXPECT_EQ(out[0], 82);
}

TEST(device_memory_is_read_at_each_launch) {
  Buffer<int> p(std::vector<int>{1}), q(std::vector<int>{0});
  Graph graph;
  const auto copy = addCopy(graph, {}, q, p, 4, hipMemcpyDeviceToDevice);
  addKernel(graph, {copy}, increment, q.get());
  const Exec exec(graph);
  Stream s;
  exec.run(s);
  EXPECT_EQ(q.download()[0], 2);
  p.upload({10});
  exec.run(s);
  EXPECT_EQ(q.download()[0], 11);
}

// Several launches one after the other without waiting: each must see what the ones before it left, and whatever the
// host nodes between did to host memory.
TEST(launches_follow_each_other_without_waiting) {
  Buffer<int> p(std::vector<int>{0});
  Pinned<int> host(1);
  host[0] = 0;
  Graph graph;
  const auto up = addCopy(graph, {}, p, host, 4, hipMemcpyHostToDevice);
  const auto kernel = addKernel(graph, {up}, increment, p.get());
  const auto down = addCopy(graph, {kernel}, host, p, 4, hipMemcpyDeviceToHost);
  addHost(graph, {down}, [](void* data) { *static_cast<int*>(data) *= 2; }, host);
  const Exec exec(graph);
  Stream s;
  for (int i = 0; i < 10; ++i) exec.launch(s);
  HIP(hipStreamSynchronize(s));
  EXPECT_EQ(host[0], 2046);  // x becomes (x + 1) * 2
}

struct Feed {
  int* to;
  int next = 0, count = 0;
  std::vector<int> seen;
};

TEST(a_host_node_writes_what_the_next_copy_sends) {
  for (bool pinned : {true, false}) {
    Pinned<int> fixed(kInts);
    std::vector<int> ordinary(kInts), out(kInts);
    int* const buffer = pinned ? static_cast<int*>(fixed) : ordinary.data();
    Feed feed{buffer, 0, kInts, {}};
    Buffer<int> p(kInts);
    Graph graph;
    const auto write = addHost(
        graph, {},
        [](void* user) {
          auto& f = *static_cast<Feed*>(user);
          ++f.next;
          for (int i = 0; i < f.count; ++i) f.to[i] = f.next * 1000 + i;
        },
        &feed);
    const auto up = addCopy(graph, {write}, p, buffer, p.bytes(), hipMemcpyHostToDevice);
    const auto kernel = addWide(graph, {up}, p, p, 1, kInts);
    addCopy(graph, {kernel}, out.data(), p, p.bytes(), hipMemcpyDeviceToHost);
    const Exec exec(graph);
    Stream s;
    for (int round = 1; round <= 3; ++round) {
      exec.run(s);
      int wrong = 0;
      for (int i = 0; i < kInts; ++i) wrong += out[i] != round * 1000 + i + 1;
      EXPECT_EQ(wrong, 0);
    }
  }
}

TEST(a_host_node_reads_what_the_copy_before_it_brought) {
  for (bool pinned : {true, false}) {
    Pinned<int> fixed(kInts);
    std::vector<int> ordinary(kInts);
    int* const buffer = pinned ? static_cast<int*>(fixed) : ordinary.data();
    Feed feed{buffer, 0, kInts, {}};
    Buffer<int> p(std::vector<int>(kInts, 5));
    Graph graph;
    const auto kernel = addWide(graph, {}, p, p, 3, kInts);
    const auto down = addCopy(graph, {kernel}, buffer, p, p.bytes(), hipMemcpyDeviceToHost);
    addHost(
        graph, {down},
        [](void* user) {
          auto& f = *static_cast<Feed*>(user);
          f.seen.push_back(f.to[0]);
          f.seen.push_back(f.to[f.count - 1]);
        },
        &feed);
    const Exec exec(graph);
    Stream s;
    for (int round = 0; round < 4; ++round) exec.launch(s);
    HIP(hipStreamSynchronize(s));
    EXPECT_VEC(feed.seen, (std::vector<int>{8, 8, 11, 11, 14, 14, 17, 17}));
  }
}

// Kernel, host, kernel: the host node works on memory that both kernels reach directly.
TEST(kernels_and_host_nodes_share_pinned_memory) {
  Pinned<int> cell(1);
  int* device = nullptr;
  HIP(hipHostGetDevicePointer(reinterpret_cast<void**>(&device), cell, 0));
  Graph graph;
  const auto first = addKernel(graph, {}, increment, device);
  const auto host = addHost(graph, {first}, [](void* data) { *static_cast<int*>(data) *= 10; }, cell);
  addKernel(graph, {host}, increment, device);
  const Exec exec(graph);
  Stream s;
  cell[0] = 4;
  exec.run(s);
  EXPECT_EQ(cell[0], 51);
  cell[0] = 9;  // the program writes between launches
  exec.run(s);
  EXPECT_EQ(cell[0], 101);
  exec.launch(s);
  exec.run(s);
  EXPECT_EQ(cell[0], 10221);  // (x + 1) * 10 + 1, twice
}

TEST(kernels_use_managed_memory) {
  int* p = nullptr;
  HIP(hipMallocManaged(reinterpret_cast<void**>(&p), sizeof(int), hipMemAttachGlobal));
  Graph graph;
  const auto first = addKernel(graph, {}, increment, p);
  const auto host = addHost(graph, {first}, [](void* data) { *static_cast<int*>(data) *= 10; }, p);
  addKernel(graph, {host}, increment, p);
  const Exec exec(graph);
  Stream s;
  for (int start : {3, 7, 20}) {
    *p = start;
    exec.run(s);
    EXPECT_EQ(*p, (start + 1) * 10 + 1);
  }
  HIP(hipFree(p));
}

TEST(kernels_use_managed_variables) {
  Graph graph;
  addKernel(graph, {}, increment, &shared);
  const Exec exec(graph);
  Stream s;
  shared = 5;
  exec.run(s);
  EXPECT_EQ(shared, 6);
  shared = 50;
  exec.run(s);
  EXPECT_EQ(shared, 51);
}

TEST(a_diamond_waits_for_both_sides) {
  Buffer<int> cells(std::vector<int>{0, 0, 0, 0});
  std::vector<int> in{1}, out{0};
  Graph graph;
  const auto top = addCopy(graph, {}, cells, in.data(), 4, hipMemcpyHostToDevice);
  const auto left = addWide(graph, {top}, cells, cells + 1, 10, 1);
  const auto right = addWide(graph, {top}, cells, cells + 2, 100, 1);
  const auto bottom = addKernel(graph, {left, right}, sum, cells + 1, cells + 2, cells + 3);
  addCopy(graph, {bottom}, out.data(), cells + 3, 4, hipMemcpyDeviceToHost);
  const Exec exec(graph);
  Stream s;
  for (int value = 1; value <= 20; ++value) {
    in[0] = value;
    exec.run(s);
    EXPECT_EQ(out[0], 2 * value + 110);
  }
}

TEST(many_branches_come_together) {
  constexpr int kBranches = 32, kDepth = 5;
  Buffer<int> cells(kBranches + 1);
  std::vector<int> out(kBranches);
  Graph graph;
  const auto start = addFill(graph, {}, cells, 0, 4, kBranches + 1);
  Nodes ends;
  for (int b = 0; b < kBranches; ++b) {
    hipGraphNode_t node = addKernel(graph, {start}, store, cells + b, b);
    for (int d = 1; d < kDepth; ++d) node = addKernel(graph, {node}, increment, cells + b);
    ends.push_back(node);
  }
  addCopy(graph, ends, out.data(), cells, kBranches * sizeof(int), hipMemcpyDeviceToHost);
  const Exec exec(graph);
  Stream s;
  for (int round = 0; round < 5; ++round) {
    std::fill(out.begin(), out.end(), -1);
    exec.run(s);
    for (int b = 0; b < kBranches; ++b) EXPECT_EQ(out[b], b + kDepth - 1);
  }
  check::result(out);
}

TEST(many_roots) {
  Buffer<int> cells(std::vector<int>{0, 0});
  Graph graph;
  for (int i = 0; i < 50; ++i) {
    addKernel(graph, {}, store, cells.get(), 1);
    addKernel(graph, {}, store, cells + 1, 2);
  }
  Stream s;
  Exec(graph).run(s);
  EXPECT_VEC(cells.download(), (std::vector<int>{1, 2}));
}

TEST(copies_of_every_direction_in_one_graph) {
  std::vector<int> in(kInts), out(kInts, 0), copy(kInts, 0);
  for (int i = 0; i < kInts; ++i) in[i] = 3 * i;
  Buffer<int> a(kInts), b(kInts);
  Pinned<int> between(kInts);
  Graph graph;
  const std::size_t bytes = a.bytes();
  const auto up = addCopy(graph, {}, a, in.data(), bytes, hipMemcpyHostToDevice);
  const auto across = addCopy(graph, {up}, b, a, bytes, hipMemcpyDeviceToDevice);
  const auto down = addCopy(graph, {across}, between, b, bytes, hipMemcpyDeviceToHost);
  const auto again = addCopy(graph, {down}, a, between, bytes, hipMemcpyDefault);
  const auto plus = addWide(graph, {again}, a, b, 1, kInts);
  addCopy(graph, {plus}, out.data(), b, bytes, hipMemcpyDefault);
  Stream s;
  Exec(graph).run(s);
  for (int i = 0; i < kInts; ++i) copy[i] = in[i] + 1;
  EXPECT_VEC(out, copy);
}

TEST(a_launch_reads_host_memory_before_it_is_over_and_not_later) {
  Buffer<int> p(std::vector<int>{0});
  std::vector<int> in{1};
  Graph graph;
  addCopy(graph, {}, p, in.data(), 4, hipMemcpyHostToDevice);
  const Exec exec(graph);
  Stream s;
  exec.run(s);
  in[0] = 2;
  HIP(hipDeviceSynchronize());
  EXPECT_EQ(p.download()[0], 1);
}

// What kernels print is there when the stream has been waited for.
TEST(kernels_of_a_graph_print) {
  Graph graph;
  hipGraphNode_t node = addKernel(graph, {}, say, 1);
  node = addKernel(graph, {node}, say, 22);
  const Exec exec(graph);
  Stream s;
  exec.run(s);  // the first printing kernel may have something to prepare
  Captured printed;
  const hipError_t launched = hipGraphLaunch(exec, s), over = hipStreamSynchronize(s);
  const std::string text = printed.text();
  HIP(launched);
  HIP(over);
  EXPECT_EQ(text, std::string("the graph says 1\nthe graph says 22\n"));
}
