// Stream capture: what every kind of stream work becomes, forks and joins, and asking and changing a capture. What a
// capture forbids is in capture_rules.hip.
#include "capture_support.h"
#include "module_support.h"

#include <atomic>
#include <thread>

__global__ void add(int* p, int v) {
  *p += v;
}
__global__ void scale(int* p, int v) {
  *p *= v;
}
__global__ void sum(const int* a, const int* b, int* out) {
  *out = *a + *b;
}
__device__ int variable[4];

TEST(captured_work_is_not_done_before_the_launch) {
  Buffer<int> p(std::vector<int>{1});
  Stream s;
  int value = 5;
  void* data = p.get();
  void* arguments[] = {&data, &value};
  begin(s);
  EXPECT_EQ(statusOf(s), hipStreamCaptureStatusActive);
  HIP(hipLaunchKernel(reinterpret_cast<const void*>(add), dim3(1), dim3(1), arguments, 0, s));
  value = 1000;  // too late: arguments are read by the call
  scale<<<1, 1, 0, s>>>(p, 3);
  KERNEL_OK();
  Graph graph(end(s));
  EXPECT_EQ(statusOf(s), hipStreamCaptureStatusNone);
  EXPECT_EQ(chainOf(graph), std::string("kernel kernel"));
  EXPECT_EQ(p.download()[0], 1);
  const Exec exec(graph);
  EXPECT_EQ(p.download()[0], 1);
  exec.run(s);
  EXPECT_EQ(p.download()[0], 18);
  exec.run(s);
  EXPECT_EQ(p.download()[0], 69);
}

TEST(all_ways_to_launch_a_kernel) {
  Buffer<int> p(std::vector<int>{0, 0, 0, 0});
  const Module module;
  const hipFunction_t count = module.function("count");  // stores 6
  Stream s;
  int* data[4] = {p, p + 1, p + 2, p + 3};
  int value = 10;
  void* arguments[] = {&data[0], &value};
  std::size_t size = sizeof(int*);
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &data[1], HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   HIP_LAUNCH_PARAM_END};
  void *second[] = {&data[2]}, *third[] = {&data[3]};
  begin(s);
  add<<<1, 1, 0, s>>>(p, 1000);
  KERNEL_OK();
  HIP(hipLaunchKernel(reinterpret_cast<const void*>(add), dim3(1), dim3(1), arguments, 0, s));
  HIP(hipExtLaunchKernel(reinterpret_cast<const void*>(add), dim3(1), dim3(1), arguments, 0, s, nullptr, nullptr, 0));
  HIP(hipModuleLaunchKernel(count, 1, 1, 1, 1, 1, 1, 0, s, nullptr, extra));
  HIP(hipModuleLaunchKernel(count, 1, 1, 1, 1, 1, 1, 0, s, second, nullptr));
  HIP(hipExtModuleLaunchKernel(count, 1, 1, 1, 1, 1, 1, 0, s, third, nullptr, nullptr, nullptr, 0));
  Graph graph(end(s));
  EXPECT_EQ(chainOf(graph), std::string("kernel kernel kernel kernel kernel kernel"));
  std::fill_n(data, 4, nullptr);  // what was passed is not needed any more
  const Exec exec(graph);
  exec.run(s);
  EXPECT_VEC(p.download(), (std::vector<int>{1020, 6, 6, 6}));
  exec.run(s);
  EXPECT_EQ(p.download()[0], 2040);
}

TEST(a_launch_with_a_start_event_records_it) {
  Buffer<int> p(std::vector<int>{0});
  Event first;
  Stream s;
  int* data = p;
  int value = 10;
  void* arguments[] = {&data, &value};
  begin(s);
  HIP(hipExtLaunchKernel(reinterpret_cast<const void*>(add), dim3(1), dim3(1), arguments, 0, s, first, nullptr, 0));
  Graph graph(end(s));
  EXPECT_EQ(chainOf(graph), std::string("record kernel"));
  Exec(graph).run(s);
  HIP(hipEventQuery(first));
  EXPECT_EQ(p.download()[0], 10);
}

TEST(all_ways_to_copy) {
  constexpr int kCount = 16;
  constexpr std::size_t kBytes = kCount * sizeof(int);
  std::vector<int> in(kCount), out(kCount, -1), half(kCount, -1), box(kCount, -1), fromVariable(4, -1);
  for (int i = 0; i < kCount; ++i) in[i] = 100 + i;
  Buffer<int> a(kCount), b(kCount), c(kCount);
  for (Buffer<int>* each : {&a, &b, &c}) each->fill(0);
  Stream s;
  begin(s);
  HIP(hipMemcpyAsync(a, in.data(), kBytes, hipMemcpyHostToDevice, s));
  HIP(hipMemcpyAsync(b, a, kBytes, hipMemcpyDeviceToDevice, s));
  HIP(hipMemcpyAsync(out.data(), b, kBytes, hipMemcpyDeviceToHost, s));
  HIP(hipMemcpyHtoDAsync(reinterpret_cast<hipDeviceptr_t>(a.get()), in.data() + 8, 16, s));
  HIP(hipMemcpyDtoDAsync(reinterpret_cast<hipDeviceptr_t>(c.get()), reinterpret_cast<hipDeviceptr_t>(a.get()), kBytes,
                         s));
  HIP(hipMemcpyDtoHAsync(half.data(), reinterpret_cast<hipDeviceptr_t>(c.get()), 32, s));
  HIP(hipMemcpy2DAsync(c, 16, a, 32, 16, 2, hipMemcpyDeviceToDevice, s));  // rows 0 and 1 from rows 0 and 2
  hipMemcpy3DParms shape{};
  shape.srcPtr = make_hipPitchedPtr(c.get(), 16, 16, 2);
  shape.dstPtr = make_hipPitchedPtr(box.data(), 8, 8, 2);
  shape.extent = make_hipExtent(8, 2, 2);
  shape.kind = hipMemcpyDeviceToHost;
  HIP(hipMemcpy3DAsync(&shape, s));
  HIP(hipMemcpyToSymbolAsync(HIP_SYMBOL(variable), in.data(), 12, 4, hipMemcpyHostToDevice, s));
  HIP(hipMemcpyFromSymbolAsync(fromVariable.data(), HIP_SYMBOL(variable), 16, 0, hipMemcpyDeviceToHost, s));
  Graph graph(end(s));
  EXPECT_EQ(chainOf(graph), std::string("copy copy copy copy copy copy copy copy copy copy"));
  EXPECT_EQ(out[0], -1);
  Exec(graph).run(s);
  EXPECT_VEC(out, in);
  EXPECT_VEC(std::vector<int>(half.begin(), half.begin() + 8),
             (std::vector<int>{108, 109, 110, 111, 104, 105, 106, 107}));
  EXPECT_VEC(std::vector<int>(box.begin(), box.begin() + 8),
             (std::vector<int>{108, 109, 108, 109, 108, 109, 112, 113}));
  EXPECT_VEC(fromVariable, (std::vector<int>{0, 100, 101, 102}));
  check::result(out);
  check::result(box);
}

TEST(all_ways_to_fill) {
  Buffer<unsigned char> p(256);
  p.fill(0);
  Stream s;
  begin(s);
  HIP(hipMemsetAsync(p, 1, 16, s));
  HIP(hipMemsetD8Async(reinterpret_cast<hipDeviceptr_t>(p + 16), 2, 16, s));
  HIP(hipMemsetD16Async(reinterpret_cast<hipDeviceptr_t>(p + 32), 0x0403, 8, s));
  HIP(hipMemsetD32Async(reinterpret_cast<hipDeviceptr_t>(p + 48), 0x08070605, 4, s));
  HIP(hipMemset2DAsync(p + 64, 16, 9, 4, 4, s));
  HIP(hipMemset3DAsync(make_hipPitchedPtr(p + 128, 16, 16, 2), 10, make_hipExtent(8, 2, 3), s));
  Graph graph(end(s));
  EXPECT_EQ(chainOf(graph), std::string("fill fill fill fill fill fill"));
  HIP(hipDeviceSynchronize());
  EXPECT_EQ(p.download()[0], 0);
  Exec(graph).run(s);
  std::vector<unsigned char> expected(256, 0);
  for (int i = 0; i < 16; ++i) {
    expected[i] = 1;
    expected[16 + i] = 2;
    expected[32 + i] = static_cast<unsigned char>(3 + i % 2);
    expected[48 + i] = static_cast<unsigned char>(5 + i % 4);
    expected[64 + i / 4 * 16 + i % 4] = 9;
  }
  for (int row = 0; row < 6; ++row)
    for (int i = 0; i < 8; ++i) expected[128 + row * 16 + i] = 10;
  EXPECT_VEC(p.download(), expected);
}

static void addFive(void* value) {
  *static_cast<int*>(value) += 5;
}

TEST(host_functions) {
  int count = 0;
  Stream s;
  begin(s);
  HIP(later::launchHost(s, addFive, &count));
  HIP(later::launchHost(s, addFive, &count));
  Graph graph(end(s));
  EXPECT_EQ(chainOf(graph), std::string("host host"));
  EXPECT_EQ(count, 0);
  const Exec exec(graph);
  for (int i = 0; i < 3; ++i) exec.run(s);
  EXPECT_EQ(count, 30);
}

TEST(memory_of_a_capture) {
  Buffer<int> out(std::vector<int>{0});
  Stream s;
  int* p = nullptr;
  begin(s);
  HIP(hipMallocAsync(reinterpret_cast<void**>(&p), 4096, s));
  EXPECT(p != nullptr);
  HIP(hipMemsetAsync(p, 0, 4096, s));
  add<<<1, 1, 0, s>>>(p + 100, 6);
  sum<<<1, 1, 0, s>>>(p + 100, out, out);
  KERNEL_OK();
  HIP(hipFreeAsync(p, s));
  Graph graph(end(s));
  EXPECT_EQ(chainOf(graph), std::string("alloc fill kernel kernel free"));
  const Exec exec(graph);
  for (int i = 0; i < 4; ++i) exec.run(s);
  EXPECT_EQ(out.download()[0], 24);
}

// --- several streams

TEST(forks_and_joins) {
  Buffer<int> cells(std::vector<int>{2, 0, 0, 0});
  Stream origin, left, right(hipStreamNonBlocking);
  Event forked, leftOver, rightOver;
  begin(origin);
  add<<<1, 1, 0, origin>>>(cells, 5);
  HIP(hipEventRecord(forked, origin));
  HIP(hipStreamWaitEvent(left, forked, 0));
  HIP(hipStreamWaitEvent(right, forked, 0));
  EXPECT_EQ(statusOf(left), hipStreamCaptureStatusActive);
  EXPECT_EQ(statusOf(right), hipStreamCaptureStatusActive);
  sum<<<1, 1, 0, left>>>(cells, cells, cells + 1);
  sum<<<1, 1, 0, right>>>(cells, cells, cells + 2);
  scale<<<1, 1, 0, right>>>(cells + 2, 10);
  KERNEL_OK();
  HIP(hipEventRecord(leftOver, left));
  HIP(hipEventRecord(rightOver, right));
  HIP(hipStreamWaitEvent(origin, leftOver, 0));
  HIP(hipStreamWaitEvent(origin, rightOver, 0));
  sum<<<1, 1, 0, origin>>>(cells + 1, cells + 2, cells + 3);
  KERNEL_OK();
  Graph graph(end(origin));
  for (hipStream_t s : {origin.handle, left.handle, right.handle}) EXPECT_EQ(statusOf(s), hipStreamCaptureStatusNone);
  // Only the kernels are nodes; the events are their edges.
  EXPECT_EQ(typesOf(graph), std::string("kernel kernel kernel kernel kernel"));
  EXPECT_EQ(rootsOf(graph).size(), std::size_t(1));
  // A stream that waits comes after what it had before, too.
  EXPECT_EQ(edgesOf(graph).size(), std::size_t(6));
  EXPECT_EQ(dependenciesOf(nodesOf(graph).back()).size(), std::size_t(3));
  Exec(graph).run(origin);
  EXPECT_VEC(cells.download(), (std::vector<int>{7, 14, 140, 154}));
}

TEST(a_fork_of_a_fork) {
  Buffer<int> p(std::vector<int>{1});
  Stream a, b, c;
  Event one, two, three;
  begin(a);
  add<<<1, 1, 0, a>>>(p, 1);
  HIP(hipEventRecord(one, a));
  HIP(hipStreamWaitEvent(b, one, 0));
  scale<<<1, 1, 0, b>>>(p, 10);
  HIP(hipEventRecord(two, b));
  HIP(hipStreamWaitEvent(c, two, 0));
  add<<<1, 1, 0, c>>>(p, 3);
  HIP(hipEventRecord(three, c));
  HIP(hipStreamWaitEvent(a, three, 0));
  scale<<<1, 1, 0, a>>>(p, 2);
  KERNEL_OK();
  Graph graph(end(a));
  EXPECT_EQ(nodesOf(graph).size(), std::size_t(4));
  Exec(graph).run(a);
  EXPECT_EQ(p.download()[0], 46);
}

TEST(an_event_recorded_again_moves_in_the_capture) {
  Buffer<int> p(std::vector<int>{1});
  Stream a, b;
  Event e, over;
  begin(a);
  add<<<1, 1, 0, a>>>(p, 1);
  HIP(hipEventRecord(e, a));
  scale<<<1, 1, 0, a>>>(p, 10);
  HIP(hipEventRecord(e, a));
  HIP(hipStreamWaitEvent(b, e, 0));
  add<<<1, 1, 0, b>>>(p, 4);
  HIP(hipEventRecord(over, b));
  HIP(hipStreamWaitEvent(a, over, 0));
  Graph graph(end(a));
  EXPECT_EQ(chainOf(graph), std::string("kernel kernel kernel"));
  Exec(graph).run(a);
  EXPECT_EQ(p.download()[0], 24);
}

TEST(a_fork_that_does_not_come_back) {
  Buffer<int> p(2);
  Stream a, b;
  Event forked;
  begin(a);
  add<<<1, 1, 0, a>>>(p, 1);
  HIP(hipEventRecord(forked, a));
  HIP(hipStreamWaitEvent(b, forked, 0));
  add<<<1, 1, 0, b>>>(p + 1, 1);
  add<<<1, 1, 0, a>>>(p, 1);
  hipGraph_t graph = nullptr;
  HIP_ERR(hipStreamEndCapture(a, &graph), hipErrorStreamCaptureUnjoined);
}

TEST(independent_captures_at_the_same_time) {
  Buffer<int> p(std::vector<int>{0, 0});
  Stream a, b;
  begin(a);
  begin(b, hipStreamCaptureModeThreadLocal);
  unsigned long long first = 0, second = 0;
  hipStreamCaptureStatus status{};
  HIP(hipStreamGetCaptureInfo(a, &status, &first));
  HIP(hipStreamGetCaptureInfo(b, &status, &second));
  EXPECT(first != second);
  add<<<1, 1, 0, a>>>(p, 1);
  add<<<1, 1, 0, b>>>(p + 1, 2);
  add<<<1, 1, 0, a>>>(p, 1);
  KERNEL_OK();
  Graph ofA(end(a)), ofB(end(b));
  EXPECT_EQ(chainOf(ofA), std::string("kernel kernel"));
  EXPECT_EQ(chainOf(ofB), std::string("kernel"));
  Exec(ofA).run(b);
  Exec(ofB).run(a);
  EXPECT_VEC(p.download(), (std::vector<int>{2, 2}));
}

TEST(the_stream_of_a_thread) {
  Buffer<int> p(std::vector<int>{0});
  begin(hipStreamPerThread);
  add<<<1, 1, 0, hipStreamPerThread>>>(p, 7);
  KERNEL_OK();
  Graph graph(end(hipStreamPerThread));
  EXPECT_EQ(chainOf(graph), std::string("kernel"));
  Exec(graph).run(hipStreamPerThread);
  EXPECT_EQ(p.download()[0], 7);
}

TEST(a_graph_launched_in_a_capture_becomes_a_child) {
  Buffer<int> p(std::vector<int>{1});
  Stream s;
  begin(s);
  scale<<<1, 1, 0, s>>>(p, 10);
  add<<<1, 1, 0, s>>>(p, 1);
  Graph inner(end(s));
  const Exec innerExec(inner);
  begin(s);
  add<<<1, 1, 0, s>>>(p, 1);
  HIP(hipGraphLaunch(innerExec, s));
  add<<<1, 1, 0, s>>>(p, 3);
  KERNEL_OK();
  Graph graph(end(s));
  EXPECT_EQ(chainOf(graph), std::string("kernel graph kernel"));
  HIP(hipDeviceSynchronize());
  EXPECT_EQ(p.download()[0], 1);
  Exec(graph).run(s);
  EXPECT_EQ(p.download()[0], 24);
}

// --- asking, and changing what comes next

TEST(capture_info) {
  Buffer<int> p(std::vector<int>{0});
  Stream s, fork;
  Event e, over;
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  unsigned long long id = 0, sameId = 0, laterId = 0;
  hipGraph_t seen = nullptr;
  const hipGraphNode_t* dependencies = nullptr;
  std::size_t count = 99;
  begin(s);
  HIP(hipStreamGetCaptureInfo(s, &status, &id));
  EXPECT_EQ(status, hipStreamCaptureStatusActive);
  EXPECT(id != 0);
  HIP(hipStreamGetCaptureInfo_v2(s, &status, &sameId, &seen, &dependencies, &count));
  EXPECT_EQ(status, hipStreamCaptureStatusActive);
  EXPECT_EQ(sameId, id);
  EXPECT(seen != nullptr);
  EXPECT_EQ(count, std::size_t(0));
  add<<<1, 1, 0, s>>>(p, 1);
  add<<<1, 1, 0, s>>>(p, 1);
  HIP(hipStreamGetCaptureInfo_v2(s, &status, nullptr, nullptr, &dependencies, &count));
  EXPECT_EQ(count, std::size_t(1));
  const hipGraphNode_t last = dependencies[0];
  EXPECT_EQ(nodesOf(seen).size(), std::size_t(2));
  EXPECT_EQ(nodesOf(seen).back(), last);
  HIP(hipEventRecord(e, s));
  HIP(hipStreamWaitEvent(fork, e, 0));
  HIP(hipStreamGetCaptureInfo_v2(fork, &status, &sameId, nullptr, &dependencies, &count));
  EXPECT_EQ(sameId, id);
  EXPECT_EQ(count, std::size_t(1));
  EXPECT_EQ(dependencies[0], last);
  add<<<1, 1, 0, fork>>>(p, 1);
  HIP(hipEventRecord(over, fork));
  HIP(hipStreamWaitEvent(s, over, 0));
  HIP(hipStreamGetCaptureInfo_v2(s, &status, nullptr, nullptr, nullptr, &count));
  EXPECT_EQ(count, std::size_t(2));
  Graph graph(end(s));
  EXPECT_EQ(graph.handle, seen);
  begin(s);
  HIP(hipStreamGetCaptureInfo(s, &status, &laterId));
  EXPECT(laterId != id);
  Graph empty(end(s));
  HIP_ERR(hipStreamGetCaptureInfo(s, nullptr, &id), hipErrorInvalidValue);
  HIP_ERR(hipStreamGetCaptureInfo_v2(s, nullptr, &id, nullptr, nullptr, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipStreamIsCapturing(s, nullptr), hipErrorInvalidValue);
}

TEST(a_null_stream_cannot_say_while_a_blocking_stream_captures) {
  hipStreamCaptureStatus status{};
  unsigned long long id = 0;
  {
    Stream s;
    begin(s, hipStreamCaptureModeRelaxed);
    HIP_ERR(hipStreamIsCapturing(nullptr, &status), hipErrorStreamCaptureImplicit);
    HIP_ERR(hipStreamGetCaptureInfo(nullptr, &status, &id), hipErrorStreamCaptureImplicit);
    Graph graph(end(s));  // asking is not forbidden
  }
  Stream apart(hipStreamNonBlocking);
  begin(apart);
  status = hipStreamCaptureStatusActive;
  HIP(hipStreamIsCapturing(nullptr, &status));
  EXPECT_EQ(status, hipStreamCaptureStatusNone);
  Graph graph(end(apart));
}

static hipGraph_t graphOf(hipStream_t s) {
  hipStreamCaptureStatus status{};
  hipGraph_t graph = nullptr;
  HIP(hipStreamGetCaptureInfo_v2(s, &status, nullptr, &graph, nullptr, nullptr));
  return graph;
}
static Nodes lastOf(hipStream_t s) {
  hipStreamCaptureStatus status{};
  const hipGraphNode_t* nodes = nullptr;
  std::size_t count = 0;
  HIP(hipStreamGetCaptureInfo_v2(s, &status, nullptr, nullptr, &nodes, &count));
  return Nodes(nodes, nodes + count);
}

TEST(nodes_added_by_hand_to_a_capture) {
  Buffer<int> p(std::vector<int>{1});
  Stream s;
  begin(s);
  add<<<1, 1, 0, s>>>(p, 1);
  Nodes mine = {addKernel(graphOf(s), lastOf(s), scale, p.get(), 10)};
  HIP(hipStreamUpdateCaptureDependencies(s, mine.data(), 1, hipStreamSetCaptureDependencies));
  EXPECT(lastOf(s) == mine);
  add<<<1, 1, 0, s>>>(p, 3);
  KERNEL_OK();
  Graph graph(end(s));
  EXPECT_EQ(chainOf(graph), std::string("kernel kernel kernel"));
  Exec(graph).run(s);
  EXPECT_EQ(p.download()[0], 23);
}

TEST(dependencies_added_to_a_capture) {
  Buffer<int> p(std::vector<int>{1, 5, 0});
  Stream s;
  begin(s);
  add<<<1, 1, 0, s>>>(p, 1);
  Nodes mine = {addKernel(graphOf(s), {}, scale, p + 1, 10)};
  HIP(hipStreamUpdateCaptureDependencies(s, mine.data(), 1, hipStreamAddCaptureDependencies));
  EXPECT_EQ(lastOf(s).size(), std::size_t(2));
  sum<<<1, 1, 0, s>>>(p, p + 1, p + 2);
  KERNEL_OK();
  Graph graph(end(s));
  EXPECT_EQ(rootsOf(graph).size(), std::size_t(2));
  EXPECT_EQ(edgesOf(graph).size(), std::size_t(2));
  Exec(graph).run(s);
  EXPECT_EQ(p.download()[2], 52);
}

TEST(wrong_updates_of_dependencies) {
  Buffer<int> p(1);
  Stream s;
  Graph other;
  hipGraphNode_t foreign = addEmpty(other);
  HIP_ERR(hipStreamUpdateCaptureDependencies(s, &foreign, 1, 0), hipErrorIllegalState);
  begin(s);
  add<<<1, 1, 0, s>>>(p, 1);
  Nodes last = lastOf(s);
  HIP_ERR(hipStreamUpdateCaptureDependencies(s, &foreign, 1, 0), hipErrorInvalidValue);
  HIP_ERR(hipStreamUpdateCaptureDependencies(s, nullptr, 1, 0), hipErrorInvalidValue);
  HIP_ERR(hipStreamUpdateCaptureDependencies(s, last.data(), 1, 7), hipErrorInvalidValue);
  HIP(hipStreamUpdateCaptureDependencies(s, last.data(), 1, hipStreamAddCaptureDependencies));
  EXPECT(lastOf(s) == last);
  Graph graph(end(s));
  EXPECT_EQ(chainOf(graph), std::string("kernel"));
}

TEST(work_of_several_threads_in_one_capture) {
  Buffer<int> p(std::vector<int>{0});
  Stream s;
  begin(s, hipStreamCaptureModeRelaxed);
  for (int i = 1; i <= 4; ++i) {
    hipError_t there = hipErrorUnknown;
    std::thread([&] {
      add<<<1, 1, 0, s>>>(p, i);
      there = hipGetLastError();
    }).join();
    HIP(there);
  }
  Graph graph(end(s));
  EXPECT_EQ(chainOf(graph), std::string("kernel kernel kernel kernel"));
  Exec(graph).run(s);
  EXPECT_EQ(p.download()[0], 10);
}

TEST(destroying_an_event_during_a_capture) {
  Buffer<int> p(std::vector<int>{1});
  Stream a, b;
  hipEvent_t forked = nullptr, over = nullptr;
  HIP(hipEventCreate(&forked));
  HIP(hipEventCreate(&over));
  begin(a);
  add<<<1, 1, 0, a>>>(p, 1);
  HIP(hipEventRecord(forked, a));
  HIP(hipStreamWaitEvent(b, forked, 0));
  HIP(hipEventDestroy(forked));
  scale<<<1, 1, 0, b>>>(p, 10);
  HIP(hipEventRecord(over, b));
  HIP(hipStreamWaitEvent(a, over, 0));
  HIP(hipEventDestroy(over));
  add<<<1, 1, 0, a>>>(p, 2);
  KERNEL_OK();
  Graph graph(end(a));
  EXPECT_EQ(typesOf(graph), std::string("kernel kernel kernel"));
  Exec(graph).run(a);
  EXPECT_EQ(p.download()[0], 22);
}

TEST(nothing_captured_is_an_empty_graph) {
  Stream s;
  begin(s);
  Graph graph(end(s));
  EXPECT_EQ(nodesOf(graph).size(), std::size_t(0));
}

TEST(other_streams_work_on_during_a_capture) {
  Buffer<int> p(std::vector<int>{0, 0});
  HIP(hipDeviceSynchronize());
  Stream s, other(hipStreamNonBlocking);
  begin(s, hipStreamCaptureModeRelaxed);
  add<<<1, 1, 0, s>>>(p, 1);
  add<<<1, 1, 0, other>>>(p + 1, 2);
  KERNEL_OK();
  Graph graph(end(s));
  HIP(hipStreamSynchronize(other));
  EXPECT_VEC(p.download(), (std::vector<int>{0, 2}));
  Exec(graph).run(other);
  EXPECT_VEC(p.download(), (std::vector<int>{1, 2}));
}

TEST(events_are_free_again_after_the_capture) {
  Buffer<int> p(std::vector<int>{0});
  Stream s, other;
  Event e;
  begin(s);
  add<<<1, 1, 0, s>>>(p, 1);
  HIP(hipEventRecord(e, s));
  Graph graph(end(s));
  HIP(hipEventRecord(e, other));
  HIP(hipEventSynchronize(e));
  HIP(hipEventQuery(e));
}

TEST(threads_capture_at_the_same_time) {
  constexpr int kThreads = 4, kKernels = 20;
  Buffer<int> cells(std::vector<int>(kThreads, 0));
  HIP(hipDeviceSynchronize());
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      try {
        Stream s(hipStreamNonBlocking);
        for (int round = 0; round < 5; ++round) {
          begin(s, hipStreamCaptureModeThreadLocal);
          for (int i = 0; i < kKernels; ++i) add<<<1, 1, 0, s>>>(cells + t, 1);
          Graph graph(end(s));
          EXPECT_EQ(nodesOf(graph).size(), std::size_t(kKernels));
          const Exec exec(graph);
          exec.launch(s);
          exec.launch(s);
        }
        HIP(hipStreamSynchronize(s));  // others may capture still
      } catch (const check::Stop&) {
        ++failed;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(failed.load(), 0);
  EXPECT_VEC(cells.download(), std::vector<int>(kThreads, 5 * 2 * kKernels));
}

// An event that belongs to no capture is waited for now, not in the graph.
TEST(waiting_for_what_is_no_part_of_the_capture) {
  Buffer<int> p(std::vector<int>{0});
  Stream s, other;
  Event never, before;
  HIP(hipEventRecord(before, other));
  begin(s, hipStreamCaptureModeRelaxed);
  HIP(hipStreamWaitEvent(s, never, 0));
  HIP(hipStreamWaitEvent(s, before, 0));
  add<<<1, 1, 0, s>>>(p, 1);
  KERNEL_OK();
  Graph graph(end(s));
  EXPECT_EQ(chainOf(graph), std::string("kernel"));
  Exec(graph).run(s);
  EXPECT_EQ(p.download()[0], 1);
}
