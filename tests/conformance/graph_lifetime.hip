// What graphs keep alive: user objects and memory.
#include "graph_support.h"

#include <atomic>
#include <thread>

__global__ void add(int* p, int v) {
  *p += v;
}

// Destructors of user objects may run a moment later.
static void ended(void* count) {
  ++*static_cast<std::atomic<int>*>(count);
}
static bool becomes(const std::atomic<int>& count, int value) {
  for (int i = 0; i < 500 && count != value; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return count == value;
}
static later::UserObject makeObject(std::atomic<int>& count, unsigned references = 1) {
  later::UserObject object = nullptr;
  HIP(later::createObject(&object, &count, ended, references, later::kNoDestructorSync));
  return object;
}

TEST(user_objects_end_with_their_last_reference) {
  std::atomic<int> count{0};
  later::UserObject object = makeObject(count, 2);
  HIP(later::retainObject(object, 3));
  HIP(later::releaseObject(object, 1));
  HIP(later::releaseObject(object, 3));
  EXPECT_EQ(count.load(), 0);
  HIP(later::releaseObject(object, 1));
  EXPECT(becomes(count, 1));
}

TEST(graphs_hold_references) {
  std::atomic<int> count{0};
  later::UserObject object = makeObject(count);
  Graph graph;
  HIP(later::graphRetain(graph, object, 2, 0));
  HIP(later::releaseObject(object, 1));
  HIP(later::graphRelease(graph, object, 1));
  EXPECT_EQ(count.load(), 0);
  graph.destroy();
  EXPECT(becomes(count, 1));
}

TEST(references_move_into_a_graph) {
  std::atomic<int> count{0};
  later::UserObject object = makeObject(count);
  Graph graph;
  HIP(later::graphRetain(graph, object, 1, later::kMove));
  EXPECT_EQ(count.load(), 0);
  HIP(later::graphRelease(graph, object, 1));
  EXPECT(becomes(count, 1));
}

TEST(clones_and_instances_hold_references_too) {
  std::atomic<int> count{0};
  Buffer<int> p(std::vector<int>{0});
  Graph graph;
  addKernel(graph, {}, add, p.get(), 1);
  HIP(later::graphRetain(graph, makeObject(count), 1, later::kMove));
  hipGraph_t copy = nullptr;
  HIP(hipGraphClone(&copy, graph));
  hipGraphExec_t exec = nullptr;
  HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  graph.destroy();
  EXPECT_EQ(count.load(), 0);
  HIP(hipGraphDestroy(copy));
  EXPECT_EQ(count.load(), 0);
  Stream s;
  HIP(hipGraphLaunch(exec, s));
  HIP(hipStreamSynchronize(s));
  HIP(hipGraphExecDestroy(exec));
  EXPECT(becomes(count, 1));
}

TEST(wrong_user_objects) {
  std::atomic<int> count{0};
  later::UserObject object = nullptr;
  HIP_ERR(later::createObject(nullptr, &count, ended, 1, 1), hipErrorInvalidValue);
  HIP_ERR(later::createObject(&object, &count, nullptr, 1, 1), hipErrorInvalidValue);
  HIP_ERR(later::createObject(&object, &count, ended, 0, 1), hipErrorInvalidValue);
  HIP_ERR(later::createObject(&object, &count, ended, 1, 0), hipErrorInvalidValue);
  HIP_ERR(later::createObject(&object, &count, ended, 0x80000000u, 1), hipErrorInvalidValue);
  object = makeObject(count);
  HIP_ERR(later::retainObject(nullptr, 1), hipErrorInvalidValue);
  HIP_ERR(later::retainObject(object, 0), hipErrorInvalidValue);
  HIP_ERR(later::releaseObject(nullptr, 1), hipErrorInvalidValue);
  HIP_ERR(later::releaseObject(object, 0), hipErrorInvalidValue);
  Graph graph;
  HIP_ERR(later::graphRetain(nullptr, object, 1, 0), hipErrorInvalidValue);
  HIP_ERR(later::graphRetain(graph, nullptr, 1, 0), hipErrorInvalidValue);
  HIP_ERR(later::graphRetain(graph, object, 0, 0), hipErrorInvalidValue);
  HIP_ERR(later::graphRetain(graph, object, 1, 7), hipErrorInvalidValue);
  HIP_ERR(later::graphRelease(nullptr, object, 1), hipErrorInvalidValue);
  HIP_ERR(later::graphRelease(graph, nullptr, 1), hipErrorInvalidValue);
  HIP_ERR(later::graphRelease(graph, object, 0), hipErrorInvalidValue);
  EXPECT_EQ(count.load(), 0);
  HIP(later::releaseObject(object, 1));
  EXPECT(becomes(count, 1));
}

// --- memory of graphs

static std::uint64_t ask(later::MemoryAttribute attribute) {
  std::uint64_t value = ~0ull;
  HIP(later::getMemory(0, attribute, &value));
  return value;
}

TEST(memory_attributes) {
  constexpr std::size_t kBytes = 1 << 20;
  HIP(hipDeviceSynchronize());
  std::uint64_t zero = 0;
  HIP(later::trim(0));
  HIP(later::setMemory(0, later::kUsedHigh, &zero));
  HIP(later::setMemory(0, later::kReservedHigh, &zero));
  const std::uint64_t used = ask(later::kUsed);
  Graph graph;
  auto params = later::allocParams(kBytes);
  hipGraphNode_t node = nullptr;
  HIP(later::addAlloc(&node, graph, {}, &params));
  const Exec exec(graph);
  Stream s;
  exec.run(s);
  EXPECT(ask(later::kUsed) >= used + kBytes);
  EXPECT(ask(later::kUsedHigh) >= used + kBytes);
  EXPECT(ask(later::kReserved) >= kBytes);
  EXPECT(ask(later::kReservedHigh) >= ask(later::kReserved));
  HIP(hipFreeAsync(params.memory, s));
  HIP(hipStreamSynchronize(s));
  EXPECT_EQ(ask(later::kUsed), used);
  EXPECT(ask(later::kUsedHigh) >= used + kBytes);
  const std::uint64_t reserved = ask(later::kReserved);
  HIP(later::trim(0));
  EXPECT(ask(later::kReserved) <= reserved);
}

TEST(wrong_memory_attributes) {
  std::uint64_t value = 0;
  HIP_ERR(later::getMemory(99, later::kUsed, &value), hipErrorInvalidDevice);
  HIP_ERR(later::getMemory(-1, later::kUsed, &value), hipErrorInvalidDevice);
  HIP_ERR(later::getMemory(0, later::kUsed, nullptr), hipErrorInvalidValue);
  HIP_ERR(later::getMemory(0, static_cast<later::MemoryAttribute>(3 + 4), &value), hipErrorInvalidValue);
  HIP_ERR(later::setMemory(99, later::kUsedHigh, &value), hipErrorInvalidDevice);
  HIP_ERR(later::setMemory(0, later::kUsedHigh, nullptr), hipErrorInvalidValue);
  HIP_ERR(later::setMemory(0, later::kUsed, &value), hipErrorInvalidValue);
  HIP_ERR(later::setMemory(0, later::kReserved, &value), hipErrorInvalidValue);
  value = 5;  // high-water marks start anew from zero only
  HIP_ERR(later::setMemory(0, later::kUsedHigh, &value), hipErrorInvalidValue);
  HIP_ERR(later::trim(99), hipErrorInvalidDevice);
  HIP_ERR(later::trim(-1), hipErrorInvalidDevice);
}

TEST(memory_freed_at_the_next_launch) {
  Graph graph;
  auto params = later::allocParams(4096);
  hipGraphNode_t alloc = nullptr;
  HIP(later::addAlloc(&alloc, graph, {}, &params));
  int* const p = static_cast<int*>(params.memory);
  addFill(graph, {alloc}, p, 6, 4, 1024);
  hipGraphExec_t exec = nullptr;
  HIP(hipGraphInstantiateWithFlags(&exec, graph, hipGraphInstantiateFlagAutoFreeOnLaunch));
  Stream s;
  for (int round = 0; round < 3; ++round) {
    HIP(hipGraphLaunch(exec, s));
    add<<<1, 1, 0, s>>>(p, round);
    int seen = 0;
    HIP(hipMemcpyAsync(&seen, p, 4, hipMemcpyDeviceToHost, s));
    HIP(hipStreamSynchronize(s));
    EXPECT_EQ(seen, 6 + round);
  }
  HIP(hipFreeAsync(p, s));
  HIP(hipStreamSynchronize(s));
  HIP(hipGraphExecDestroy(exec));
}
