// Nodes of any kind by one structure, instances made with parameters, and captures that go on in a graph: HIP 6 and 7.
// ABIs: 6 7
#include "objects.h"

struct Box {  // hipMemcpy3DParms
  void* fromArray;
  std::size_t fromPosition[3];
  void* from;
  std::size_t fromPitch, fromWidth, fromHeight;
  void* toArray;
  std::size_t toPosition[3];
  void* to;
  std::size_t toPitch, toWidth, toHeight;
  std::size_t extent[3];
  int kind;
};
static_assert(sizeof(Box) == 160);
struct Kernel {  // hipKernelNodeParams
  Dim3 block;
  void** extra;
  void* function;
  Dim3 grid;
  void** arguments;
  unsigned shared;
};
static_assert(sizeof(Kernel) == 64);
struct Fill {  // hipMemsetParams
  void* to;
  unsigned elementSize;
  std::size_t height, pitch;
  unsigned value;
  std::size_t width;
};
static_assert(sizeof(Fill) == 48);
struct Node {  // hipGraphNodeParams
  int type, reserved0[3];
  union {
    long long reserved1[29];
    Kernel kernel;
    struct {
      int flags, reserved[3];
      Box box;
    } copy;
    Fill fill;
    struct {
      void (*function)(void*);
      void* user;
    } host;
    void* handle;  // a graph, or an event
    Allocation allocation;
    void* memory;  // to free
  };
  long long reserved2;
};
static_assert(sizeof(Node) == 256);
struct Instance {  // hipGraphInstantiateParams
  void* wrongNode;
  unsigned long long flags;
  int result;
  void* stream;
};
static_assert(sizeof(Instance) == 32);

enum : int {
  kKernel,
  kCopy,
  kFill,
  kHostFunction,
  kGraph,
  kEmpty,
  kWaitEvent,
  kRecordEvent,
  kSignal,
  kWaitSemaphore,
  kAllocate,
  kFree,
  kNotSupported = 801,
  kDeviceToDevice = 3
};

extern "C" {
int hipGraphCreate(void** graph, unsigned flags);
int hipGraphDestroy(void* graph);
int hipGraphInstantiate(void** exec, void* graph, void* node, char* log, std::size_t size);
int hipGraphInstantiateWithFlags(void** exec, void* graph, unsigned long long flags);
int hipGraphInstantiateWithParams(void** exec, void* graph, Instance*);
int hipGraphExecGetFlags(void* exec, unsigned long long* flags);
int hipGraphExecDestroy(void* exec);
int hipGraphLaunch(void* exec, void* stream);
int hipGraphNodeGetType(void* node, int* type);
int hipGraphGetNodes(void* graph, void** nodes, std::size_t* count);
int hipGraphNodeGetDependencies(void* node, void** before, std::size_t* count);
int hipGraphAddNode(void** node, void* graph, void* const* after, std::size_t count, Node*);
int hipGraphNodeSetParams(void* node, Node*);
int hipGraphExecNodeSetParams(void* exec, void* node, Node*);
int hipStreamBeginCaptureToGraph(void* stream, void* graph, void* const* after, const void* edges, std::size_t count,
                                 int mode);
int hipStreamEndCapture(void* stream, void** graph);
int hipMemsetAsync(void*, int, std::size_t, void* stream);
int hipEventCreate(void**);
int hipEventDestroy(void*);
int hipEventQuery(void*);
}

struct Graph {
  void *handle = nullptr, *exec = nullptr;
  Graph() { OK(hipGraphCreate(&handle, 0)); }
  Graph(const Graph&) = delete;
  ~Graph() {
    if (exec != nullptr) (void)hipGraphExecDestroy(exec);
    (void)hipGraphDestroy(handle);
  }
  void* add(Node node, std::vector<void*> after = {}) {
    void* out = nullptr;
    OK(hipGraphAddNode(&out, handle, after.data(), after.size(), &node));
    return out;
  }
  void instantiate() { OK(hipGraphInstantiate(&exec, handle, nullptr, nullptr, 0)); }
  void run(const Stream& stream) const {
    OK(hipGraphLaunch(exec, stream.handle));
    OK(hipStreamSynchronize(stream.handle));
  }
};

static Node nodeOf(int type) {
  Node node;
  std::memset(&node, 0, sizeof node);
  node.type = type;
  return node;
}
static Node fillOf(void* to, unsigned value, std::size_t count) {
  Node node = nodeOf(kFill);
  node.fill = {to, 4, 1, 0, value, count};
  return node;
}
static Node copyOf(void* to, void* from, std::size_t bytes) {
  Node node = nodeOf(kCopy);
  Box& box = node.copy.box;
  box.from = from, box.to = to;
  box.fromPitch = box.toPitch = box.fromWidth = box.toWidth = bytes;
  box.fromHeight = box.toHeight = 1;
  box.extent[0] = bytes, box.extent[1] = box.extent[2] = 1;
  box.kind = kDeviceToDevice;
  return node;
}
static int typeOf(void* node) {
  int type = -1;
  OK(hipGraphNodeGetType(node, &type));
  return type;
}

TEST(fills_copies_kernels) {
  Memory memory, copied;
  Stream stream;
  Registered code;
  ScaleArguments arguments(memory.at, 2, 64);
  Graph graph;
  const float one = 1.5f;
  unsigned bits = 0;
  std::memcpy(&bits, &one, 4);
  Node kernel = nodeOf(kKernel);
  kernel.kernel = {{64, 1, 1}, nullptr, &code.scale, {1, 1, 1}, arguments.list, 0};
  void* first = graph.add(fillOf(memory.at, bits, 64));
  void* second = graph.add(kernel, {first});
  void* third = graph.add(copyOf(copied.at, memory.at, 256), {second});
  EXPECT_EQ(typeOf(first), int(kFill));
  EXPECT_EQ(typeOf(second), int(kKernel));
  EXPECT_EQ(typeOf(third), int(kCopy));
  void* before[2] = {};
  std::size_t count = 2;
  OK(hipGraphNodeGetDependencies(third, before, &count));
  EXPECT(count == 1 && before[0] == second);
  graph.instantiate();
  graph.run(stream);
  auto got = copied.read<float>(8);
  EXPECT_VEC(got, (std::vector<float>{3, 6, 9, 12, 3, 6, 9, 12}));
  // The instance alone.
  Node other = fillOf(memory.at, 0x40000000, 64);  // 2.0f
  OK(hipGraphExecNodeSetParams(graph.exec, first, &other));
  arguments.by = 10;
  OK(hipGraphExecNodeSetParams(graph.exec, second, &kernel));
  graph.run(stream);
  EXPECT_VEC(copied.read<float>(4), (std::vector<float>{20, 40, 60, 80}));
  // The graph, for instances to come.
  other = copyOf(static_cast<char*>(copied.at) + 1024, memory.at, 16);
  OK(hipGraphNodeSetParams(third, &other));
  OK(hipGraphExecDestroy(graph.exec));
  graph.instantiate();
  graph.run(stream);
  got = copied.read<float>(260);
  EXPECT_EQ(got[0], 20.0f);  // as the instance before left it
  EXPECT_EQ(got[256], 3.0f);
  check::result(got);
}

TEST(functions_graphs_events) {
  static int calls = 0;
  calls = 0;
  Memory memory;
  Stream stream;
  void* event = nullptr;
  OK(hipEventCreate(&event));
  Graph inner, graph;
  inner.add(fillOf(memory.at, 5, 4));
  Node child = nodeOf(kGraph), function = nodeOf(kHostFunction), record = nodeOf(kRecordEvent),
       wait = nodeOf(kWaitEvent), empty = nodeOf(kEmpty);
  child.handle = inner.handle;
  int step = 1;
  function.host.function = [](void* user) { calls += *static_cast<int*>(user); };
  function.host.user = &step;
  record.handle = wait.handle = event;
  void* a = graph.add(child);
  void* b = graph.add(record, {a});
  void* c = graph.add(wait, {b});
  void* d = graph.add(function, {c});
  void* e = graph.add(empty, {d});
  const std::vector<int> types = {typeOf(a), typeOf(b), typeOf(c), typeOf(d), typeOf(e)};
  EXPECT_VEC(types, (std::vector<int>{kGraph, kRecordEvent, kWaitEvent, kHostFunction, kEmpty}));
  graph.instantiate();
  graph.run(stream);
  EXPECT_EQ(calls, 1);
  EXPECT_VEC(memory.read(5), (std::vector<std::uint32_t>{5, 5, 5, 5, 0}));
  OK(hipEventQuery(event));
  int hundred = 100;
  function.host.user = &hundred;
  OK(hipGraphExecNodeSetParams(graph.exec, d, &function));
  graph.run(stream);
  EXPECT_EQ(calls, 101);
  Graph larger;
  larger.add(fillOf(memory.at, 7, 2));
  child.handle = larger.handle;
  OK(hipGraphNodeSetParams(a, &child));
  OK(hipGraphExecDestroy(graph.exec));
  graph.instantiate();
  graph.run(stream);
  EXPECT_EQ(calls, 102);
  EXPECT_VEC(memory.read(3), (std::vector<std::uint32_t>{7, 7, 5}));
  OK(hipEventDestroy(event));
}

TEST(memory_that_a_graph_allocates) {
  Stream stream;
  Memory out;
  Graph graph;
  Node allocate = nodeOf(kAllocate), release = nodeOf(kFree);
  allocate.allocation.type = 1;  // pinned
  allocate.allocation.location[0] = 1;
  allocate.allocation.bytes = 4096;
  void* a = nullptr;
  OK(hipGraphAddNode(&a, graph.handle, nullptr, 0, &allocate));
  void* memory = allocate.allocation.memory;
  REQUIRE(memory != nullptr);  // known before it is allocated
  void* b = graph.add(fillOf(memory, 9, 8), {a});
  void* c = graph.add(copyOf(out.at, memory, 32), {b});
  release.memory = memory;
  void* d = graph.add(release, {c});
  EXPECT_EQ(typeOf(a), int(kAllocate));
  EXPECT_EQ(typeOf(d), int(kFree));
  graph.instantiate();
  graph.run(stream);
  graph.run(stream);
  EXPECT_VEC(out.read(8), std::vector<std::uint32_t>(8, 9));
  IS(hipGraphNodeSetParams(a, &allocate), kNotSupported);
  IS(hipGraphExecNodeSetParams(graph.exec, d, &release), kNotSupported);
}

TEST(what_nodes_may_not_be) {
  Memory memory;
  Graph graph;
  void* node = nullptr;
  Node fill = fillOf(memory.at, 1, 4), signal = nodeOf(kSignal), unknown = nodeOf(99);
  IS(hipGraphAddNode(&node, graph.handle, nullptr, 0, nullptr), kInvalidValue);
  IS(hipGraphAddNode(nullptr, graph.handle, nullptr, 0, &fill), kInvalidValue);
  IS(hipGraphAddNode(&node, nullptr, nullptr, 0, &fill), kInvalidValue);
  IS(hipGraphAddNode(&node, graph.handle, nullptr, 1, &fill), kInvalidValue);
  IS(hipGraphAddNode(&node, graph.handle, nullptr, 0, &unknown), kInvalidValue);
  IS(hipGraphAddNode(&node, graph.handle, nullptr, 0, &signal), kNotSupported);
  EXPECT(node == nullptr);
  node = graph.add(fill);
  graph.instantiate();
  Node copy = copyOf(memory.at, static_cast<char*>(memory.at) + 64, 16);
  IS(hipGraphNodeSetParams(node, &copy), kInvalidValue);  // a fill stays a fill
  IS(hipGraphExecNodeSetParams(graph.exec, node, &copy), kInvalidValue);
  IS(hipGraphNodeSetParams(node, nullptr), kInvalidValue);
  IS(hipGraphNodeSetParams(nullptr, &fill), kInvalidValue);
  IS(hipGraphExecNodeSetParams(graph.exec, node, nullptr), kInvalidValue);
  IS(hipGraphExecNodeSetParams(nullptr, node, &fill), kInvalidValue);
}

TEST(instances_with_parameters) {
  Memory memory;
  Stream stream;
  Graph graph;
  graph.add(fillOf(memory.at, 3, 4));
  for (unsigned long long flags : {0, 1, 2, 8}) {  // free on launch, upload, priorities of nodes
    Instance params{&memory, flags, 7, stream.handle};
    void* exec = nullptr;
    OK(hipGraphInstantiateWithParams(&exec, graph.handle, &params));
    EXPECT_EQ(params.result, 0);
    EXPECT(params.wrongNode == nullptr);
    unsigned long long told = 99;
    OK(hipGraphExecGetFlags(exec, &told));
    EXPECT_EQ(told, flags);
    OK(hipMemset(memory.at, 0, 16));
    OK(hipGraphLaunch(exec, stream.handle));
    OK(hipStreamSynchronize(stream.handle));
    EXPECT_VEC(memory.read(5), (std::vector<std::uint32_t>{3, 3, 3, 3, 0}));
    IS(hipGraphExecGetFlags(exec, nullptr), kInvalidValue);
    OK(hipGraphExecDestroy(exec));
  }
  Instance params{nullptr, 0x80, 0, nullptr};
  void* exec = nullptr;
  IS(hipGraphInstantiateWithParams(&exec, graph.handle, &params), kInvalidValue);
  EXPECT_EQ(params.result, 1);
  IS(hipGraphInstantiateWithParams(&exec, graph.handle, nullptr), kInvalidValue);
  IS(hipGraphInstantiateWithParams(nullptr, graph.handle, &params), kInvalidValue);
  IS(hipGraphExecGetFlags(nullptr, &params.flags), kInvalidValue);
}

TEST(a_capture_goes_on_in_a_graph) {
  Memory memory;
  Stream stream;
  Graph graph;
  void* first = graph.add(fillOf(memory.at, 1, 4));
  OK(hipStreamBeginCaptureToGraph(stream.handle, graph.handle, &first, nullptr, 1, 0));
  OK(hipMemsetAsync(memory.at, 2, 8, stream.handle));
  void* captured = nullptr;
  OK(hipStreamEndCapture(stream.handle, &captured));
  EXPECT_EQ(captured, graph.handle);
  void* nodes[3] = {};
  std::size_t count = 3;
  OK(hipGraphGetNodes(graph.handle, nodes, &count));
  EXPECT_EQ(count, std::size_t{2});
  void* added = nodes[0] == first ? nodes[1] : nodes[0];
  void* before[2] = {};
  count = 2;
  OK(hipGraphNodeGetDependencies(added, before, &count));
  EXPECT(count == 1 && before[0] == first);
  EXPECT_EQ(memory.read(1)[0], 0u);
  graph.instantiate();
  graph.run(stream);
  EXPECT_VEC(memory.read(4), (std::vector<std::uint32_t>{0x02020202, 0x02020202, 1, 1}));
  IS(hipStreamBeginCaptureToGraph(stream.handle, nullptr, nullptr, nullptr, 0, 0), kInvalidValue);
  IS(hipStreamBeginCaptureToGraph(stream.handle, graph.handle, nullptr, nullptr, 1, 0), kInvalidValue);
  IS(hipStreamBeginCaptureToGraph(stream.handle, graph.handle, &first, nullptr, 1, 9), kInvalidValue);
}
