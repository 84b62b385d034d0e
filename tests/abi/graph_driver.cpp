// Nodes as the driver's calls describe them, HIP 6 and 7: copies of boxes, fills, frees.
// ABIs: 6 7
#include <algorithm>

#include "objects.h"

struct Box {  // HIP_MEMCPY3D
  struct Side {
    std::size_t x, y, z, level;
    int type;
    void *host, *device, *array;
    std::size_t pitch, height;
  } from, to;
  std::size_t width, height, depth;
};
static_assert(sizeof(Box) == 184);
#if ABI == 6
struct Fill {  // HIP_MEMSET_NODE_PARAMS
  void* to;
  std::size_t pitch;
  unsigned value, elementSize;
  std::size_t width, height;
};
#else
struct Fill {  // hipMemsetParams
  void* to;
  unsigned elementSize;
  std::size_t height, pitch;
  unsigned value;
  std::size_t width;
};
#endif
static_assert(sizeof(Fill) == (ABI == 6 ? 40 : 48));

extern "C" {
int hipCtxGetCurrent(void**);
int hipGraphCreate(void** graph, unsigned flags);
int hipGraphDestroy(void* graph);
int hipGraphInstantiate(void** exec, void* graph, void* node, char* log, std::size_t size);
int hipGraphExecDestroy(void* exec);
int hipGraphLaunch(void* exec, void* stream);
int hipGraphNodeGetType(void* node, int* type);
int hipGraphAddMemAllocNode(void** node, void* graph, void* const* after, std::size_t count, Allocation*);
int hipDrvGraphAddMemcpyNode(void** node, void* graph, void* const* after, std::size_t count, const Box*,
                             void* context);
int hipDrvGraphMemcpyNodeGetParams(void* node, Box*);
int hipDrvGraphMemcpyNodeSetParams(void* node, const Box*);
int hipDrvGraphExecMemcpyNodeSetParams(void* exec, void* node, const Box*, void* context);
int hipDrvGraphAddMemsetNode(void** node, void* graph, void* const* after, std::size_t count, const Fill*, void*);
int hipDrvGraphExecMemsetNodeSetParams(void* exec, void* node, const Fill*, void* context);
int hipDrvGraphAddMemFreeNode(void** node, void* graph, void* const* after, std::size_t count, void* memory);
}

enum : int { kCopyNode = 1, kFillNode = 2, kFreeNode = 11 };

struct Graph {
  void *handle = nullptr, *exec = nullptr;
  Stream stream;
  Graph() { OK(hipGraphCreate(&handle, 0)); }
  Graph(const Graph&) = delete;
  ~Graph() {
    if (exec != nullptr) (void)hipGraphExecDestroy(exec);
    (void)hipGraphDestroy(handle);
  }
  void instantiate() {
    if (exec != nullptr) OK(hipGraphExecDestroy(exec));
    OK(hipGraphInstantiate(&exec, handle, nullptr, nullptr, 0));
  }
  void run() const {
    OK(hipGraphLaunch(exec, stream.handle));
    OK(hipStreamSynchronize(stream.handle));
  }
};

static void* currentContext() {
  void* context = nullptr;
  OK(hipCtxGetCurrent(&context));
  return context;
}
static int typeOf(void* node) {
  int type = -1;
  OK(hipGraphNodeGetType(node, &type));
  return type;
}

// Two layers of three rows of 8 bytes, packed.
static Box boxOf(Box::Side from, Box::Side to) {
  return {from, to, 8, 3, 2};
}
static Box::Side onHost(std::vector<std::uint32_t>& memory) {
  return {0, 0, 0, 0, kHost, memory.data(), nullptr, nullptr, 8, 3};
}
static Box::Side onDevice(const Memory& memory) {  // rows of 32 bytes, four rows a layer, from the second of each on
  return {8, 1, 0, 0, kDevice, nullptr, memory.at, nullptr, 32, 4};
}

static std::vector<std::uint32_t> counted(std::uint32_t from) {
  std::vector<std::uint32_t> out(12);
  for (std::uint32_t& each : out) each = from++;
  return out;
}

TEST(copies_of_boxes) {
  auto in = counted(1), other = counted(100);
  std::vector<std::uint32_t> out(12);
  Memory memory;
  Graph graph;
  void *up = nullptr, *down = nullptr;
  Box there = boxOf(onHost(in), onDevice(memory)), back = boxOf(onDevice(memory), onHost(out));
  OK(hipDrvGraphAddMemcpyNode(&up, graph.handle, nullptr, 0, &there, currentContext()));
  OK(hipDrvGraphAddMemcpyNode(&down, graph.handle, &up, 1, &back, currentContext()));
  EXPECT_EQ(typeOf(up), int(kCopyNode));
  graph.instantiate();
  graph.run();
  EXPECT_VEC(out, in);
  const auto words = memory.read(64);
  EXPECT_EQ(words[(1 * 32 + 8) / 4], 1u);       // first layer, second row, third word
  EXPECT_EQ(words[(4 * 32 + 32 + 8) / 4], 7u);  // second layer
  EXPECT_EQ(words[(1 * 32 + 16) / 4], 0u);      // right of the box
  check::result(words);

  Box told{};
  OK(hipDrvGraphMemcpyNodeGetParams(up, &told));
  EXPECT_EQ(told.from.host, static_cast<void*>(in.data()));
  EXPECT_EQ(told.to.device, memory.at);
  EXPECT_EQ(told.to.type, kDevice);
  EXPECT_EQ(told.to.pitch, std::size_t{32});
  EXPECT_EQ(told.depth, std::size_t{2});

  // The instance alone, then the graph.
  there.from = onHost(other);
  OK(hipDrvGraphExecMemcpyNodeSetParams(graph.exec, up, &there, currentContext()));
  graph.run();
  EXPECT_VEC(out, other);
  OK(hipDrvGraphMemcpyNodeGetParams(up, &told));
  EXPECT_EQ(told.from.host, static_cast<void*>(in.data()));
  OK(hipDrvGraphMemcpyNodeSetParams(up, &there));
  OK(hipDrvGraphMemcpyNodeGetParams(up, &told));
  EXPECT_EQ(told.from.host, static_cast<void*>(other.data()));
  std::fill(out.begin(), out.end(), 0);
  graph.instantiate();
  graph.run();
  EXPECT_VEC(out, other);
}

TEST(wrong_copies) {
  auto in = counted(1);
  Memory memory;
  Graph graph;
  void* node = nullptr;
  Box box = boxOf(onHost(in), onDevice(memory));
  IS(hipDrvGraphAddMemcpyNode(&node, graph.handle, nullptr, 0, nullptr, currentContext()), kInvalidValue);
  IS(hipDrvGraphAddMemcpyNode(nullptr, graph.handle, nullptr, 0, &box, currentContext()), kInvalidValue);
  IS(hipDrvGraphAddMemcpyNode(&node, nullptr, nullptr, 0, &box, currentContext()), kInvalidValue);
  IS(hipDrvGraphAddMemcpyNode(&node, graph.handle, nullptr, 1, &box, currentContext()), kInvalidValue);
  OK(hipDrvGraphAddMemcpyNode(&node, graph.handle, nullptr, 0, &box, currentContext()));
  graph.instantiate();
  IS(hipDrvGraphMemcpyNodeGetParams(node, nullptr), kInvalidValue);
  IS(hipDrvGraphMemcpyNodeGetParams(nullptr, &box), kInvalidValue);
  IS(hipDrvGraphMemcpyNodeSetParams(node, nullptr), kInvalidValue);
  IS(hipDrvGraphMemcpyNodeSetParams(nullptr, &box), kInvalidValue);
  IS(hipDrvGraphExecMemcpyNodeSetParams(graph.exec, node, nullptr, currentContext()), kInvalidValue);
  IS(hipDrvGraphExecMemcpyNodeSetParams(nullptr, node, &box, currentContext()), kInvalidValue);
}

// Rows of 16 bytes.
static Fill fillOf(void* to, unsigned value, unsigned elementSize, std::size_t width, std::size_t height) {
  Fill fill{};
  fill.to = to;
  fill.value = value;
  fill.elementSize = elementSize;
  fill.width = width;
  fill.height = height;
  fill.pitch = 16;
  return fill;
}

TEST(fills) {
  Memory memory;
  Graph graph;
  void* node = nullptr;
  Fill fill = fillOf(memory.at, 0xabcd, 2, 3, 2);
  OK(hipDrvGraphAddMemsetNode(&node, graph.handle, nullptr, 0, &fill, currentContext()));
  EXPECT_EQ(typeOf(node), int(kFillNode));
  graph.instantiate();
  graph.run();
  std::vector<std::uint16_t> want(24);
  for (int row : {0, 8})
    for (int i = 0; i < 3; ++i) want[row + i] = 0xabcd;
  EXPECT_VEC(memory.read<std::uint16_t>(24), want);
  fill.value = 0x1122;
  OK(hipDrvGraphExecMemsetNodeSetParams(graph.exec, node, &fill, currentContext()));
  graph.run();
  EXPECT_EQ(memory.read<std::uint16_t>(1)[0], 0x1122);
  check::result(memory.read(64));
  fill.height = 3;  // an instance keeps the shape of rows
  IS(hipDrvGraphExecMemsetNodeSetParams(graph.exec, node, &fill, currentContext()), kInvalidValue);
  IS(hipDrvGraphExecMemsetNodeSetParams(graph.exec, node, nullptr, currentContext()), kInvalidValue);
  IS(hipDrvGraphAddMemsetNode(&node, graph.handle, nullptr, 0, nullptr, currentContext()), kInvalidValue);
  fill.elementSize = 3;
  IS(hipDrvGraphAddMemsetNode(&node, graph.handle, nullptr, 0, &fill, currentContext()), kInvalidValue);
}

TEST(frees) {
  Memory out;
  Graph graph;
  void *allocated = nullptr, *filled = nullptr, *copied = nullptr, *freed = nullptr;
  Allocation allocation{};
  allocation.type = 1;  // pinned
  allocation.location[0] = 1;
  allocation.bytes = 4096;
  OK(hipGraphAddMemAllocNode(&allocated, graph.handle, nullptr, 0, &allocation));
  const Fill fill = fillOf(allocation.memory, 6, 4, 12, 1);
  OK(hipDrvGraphAddMemsetNode(&filled, graph.handle, &allocated, 1, &fill, currentContext()));
  Box box{};
  box.from = {0, 0, 0, 0, kDevice, nullptr, allocation.memory, nullptr, 48, 1};
  box.to = {0, 0, 0, 0, kDevice, nullptr, out.at, nullptr, 48, 1};
  box.width = 48, box.height = box.depth = 1;
  OK(hipDrvGraphAddMemcpyNode(&copied, graph.handle, &filled, 1, &box, currentContext()));
  IS(hipDrvGraphAddMemFreeNode(&freed, graph.handle, &copied, 1, nullptr), kInvalidValue);
  OK(hipDrvGraphAddMemFreeNode(&freed, graph.handle, &copied, 1, allocation.memory));
  EXPECT_EQ(typeOf(freed), int(kFreeNode));
  void* again = nullptr;
  IS(hipDrvGraphAddMemFreeNode(&again, graph.handle, &freed, 1, allocation.memory), kInvalidValue);
  graph.instantiate();
  graph.run();
  graph.run();
  EXPECT_VEC(out.read(12), std::vector<std::uint32_t>(12, 6));
}
