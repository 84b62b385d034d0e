// Several things in one call, HIP 7: nodes of words, copies of lines and boxes, hints about ranges; and the linker.
// ABIs: 7
#include <utility>

#include "objects.h"

struct Wait {  // hipStreamMemOpWaitValueParams_t
  int operation;
  void* address;
  std::uint64_t value;
  unsigned flags;
  void* alias;
};
union Word {  // hipStreamBatchMemOpParams
  int operation;
  Wait word;
  std::uint64_t room[6];
};
static_assert(sizeof(Word) == 48);
struct Words {  // hipBatchMemOpNodeParams
  void* context;
  unsigned count;
  Word* list;
  unsigned flags;
};
struct Side {  // hipMemcpy3DOperand
  int type;
  void* memory;
  std::size_t row, rows;
  int hint[2];
};
static_assert(sizeof(Side) == 40);
struct Box {  // hipMemcpy3DBatchOp
  Side from, to;
  std::size_t extent[3];
  int order;
  unsigned flags;
};
static_assert(sizeof(Box) == 112);
struct Location {
  int type, id;
};

extern "C" {
int hipGraphCreate(void** graph, unsigned flags);
int hipGraphDestroy(void* graph);
int hipGraphInstantiate(void** exec, void* graph, void* node, char* log, std::size_t size);
int hipGraphExecDestroy(void* exec);
int hipGraphLaunch(void* exec, void* stream);
int hipGraphNodeGetType(void* node, int* type);
int hipGraphAddBatchMemOpNode(void** node, void* graph, void* const* after, std::size_t count, const Words*);
int hipGraphBatchMemOpNodeGetParams(void* node, Words*);
int hipGraphBatchMemOpNodeSetParams(void* node, Words*);
int hipGraphExecBatchMemOpNodeSetParams(void* exec, void* node, const Words*);
int hipStreamBeginCapture(void* stream, int mode);
int hipStreamEndCapture(void* stream, void** graph);
int hipStreamWriteValue32(void* stream, void* at, std::uint32_t value, unsigned flags);
int hipStreamWaitValue32(void* stream, void* at, std::uint32_t value, unsigned flags, std::uint32_t mask);
int hipGraphGetNodes(void* graph, void** nodes, std::size_t* count);
int hipMemcpyBatchAsync(void** to, void** from, std::size_t* sizes, std::size_t count, void* attributes,
                        std::size_t* indices, std::size_t attributeCount, std::size_t* failed, void* stream);
int hipMemcpy3DBatchAsync(std::size_t count, Box*, std::size_t* failed, unsigned long long flags, void* stream);
int hipMemPrefetchBatchAsync(void**, std::size_t*, std::size_t, Location*, std::size_t*, std::size_t,
                             unsigned long long, void*);
int hipMemDiscardBatchAsync(void**, std::size_t*, std::size_t, unsigned long long, void*);
int hipMemDiscardAndPrefetchBatchAsync(void**, std::size_t*, std::size_t, Location*, std::size_t*, std::size_t,
                                       unsigned long long, void*);
int hipMemRangeGetAttribute(void* data, std::size_t, int attribute, const void*, std::size_t);
int hipLinkCreate(unsigned, void*, void**, void** state);
int hipLinkAddData(void* state, int type, void*, std::size_t, const char* name, unsigned, void*, void**);
int hipLinkAddFile(void* state, int type, const char* path, unsigned, void*, void**);
int hipLinkComplete(void* state, void** binary, std::size_t* size);
int hipLinkDestroy(void* state);
}

enum : int {
  kWait32 = 1,
  kWrite32 = 2,
  kWrite64 = 5,
  kWordNode = 14,
  kPointer = 1,
  kNotSupported = 801,
  kInvalidImage = 200,
  kSpirv = 103,
  kLastPrefetch = 4
};

static Word word(int operation, void* at, std::uint64_t value, unsigned flags = 0) {
  Word out{};
  out.word = {operation, at, value, flags, nullptr};
  return out;
}

TEST(nodes_of_words) {
  Memory memory;
  Stream stream;
  auto* words = static_cast<std::uint32_t*>(memory.at);
  void *graph = nullptr, *exec = nullptr, *first = nullptr, *second = nullptr;
  OK(hipGraphCreate(&graph, 0));
  Word writes[] = {word(kWrite32, words, 7), word(kWrite64, words + 2, 0x500000003)};
  Word waits[] = {word(kWait32, words, 7, 1), word(kWrite32, words + 1, 9)};
  Words one{nullptr, 2, writes, 0}, two{nullptr, 2, waits, 0};
  OK(hipGraphAddBatchMemOpNode(&first, graph, nullptr, 0, &one));
  OK(hipGraphAddBatchMemOpNode(&second, graph, &first, 1, &two));
  int type = -1;
  OK(hipGraphNodeGetType(second, &type));
  EXPECT_EQ(type, int(kWordNode));
  Words read{};
  OK(hipGraphBatchMemOpNodeGetParams(second, &read));
  EXPECT_EQ(read.count, 2u);
  EXPECT_EQ(read.list[1].word.value, std::uint64_t{9});
  OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  OK(hipGraphLaunch(exec, stream.handle));
  OK(hipStreamSynchronize(stream.handle));
  EXPECT_VEC(memory.read(4), (std::vector<std::uint32_t>{7, 9, 3, 5}));
  waits[1] = word(kWrite32, words + 1, 11);
  OK(hipGraphExecBatchMemOpNodeSetParams(exec, second, &two));
  OK(hipGraphLaunch(exec, stream.handle));
  OK(hipStreamSynchronize(stream.handle));
  EXPECT_EQ(memory.read(2)[1], 11u);
  OK(hipGraphBatchMemOpNodeGetParams(second, &read));
  EXPECT_EQ(read.list[1].word.value, std::uint64_t{9});  // the instance's own
  OK(hipGraphBatchMemOpNodeSetParams(second, &two));
  two.count = 0;
  EXPECT_EQ(hipGraphBatchMemOpNodeSetParams(second, &two), int(kInvalidValue));
  EXPECT_EQ(hipGraphAddBatchMemOpNode(&second, graph, nullptr, 0, nullptr), int(kInvalidValue));
  OK(hipGraphExecDestroy(exec));
  OK(hipGraphDestroy(graph));
}

// Nodes that do not depend on each other run beside each other: one may wait for what another writes.
TEST(words_that_a_parallel_node_writes) {
  Memory memory;
  Stream stream;
  auto* words = static_cast<std::uint32_t*>(memory.at);
  void *graph = nullptr, *exec = nullptr, *waiting = nullptr, *writing = nullptr;
  OK(hipGraphCreate(&graph, 0));
  Word waits[] = {word(kWait32, words, 5, 1), word(kWrite32, words + 1, 6)}, writes[] = {word(kWrite32, words, 5)};
  Words one{nullptr, 2, waits, 0}, two{nullptr, 1, writes, 0};
  OK(hipGraphAddBatchMemOpNode(&waiting, graph, nullptr, 0, &one));
  OK(hipGraphAddBatchMemOpNode(&writing, graph, nullptr, 0, &two));
  OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  OK(hipGraphLaunch(exec, stream.handle));
  OK(hipStreamSynchronize(stream.handle));
  EXPECT_VEC(memory.read(2), (std::vector<std::uint32_t>{5, 6}));
  OK(hipGraphExecDestroy(exec));
  OK(hipGraphDestroy(graph));
}

TEST(captured_words) {
  Memory memory;
  Stream stream;
  void *graph = nullptr, *exec = nullptr;
  OK(hipStreamBeginCapture(stream.handle, 0));
  OK(hipStreamWriteValue32(stream.handle, memory.at, 3, 0));
  OK(hipStreamWaitValue32(stream.handle, memory.at, 3, 0, ~0u));
  OK(hipStreamWriteValue32(stream.handle, static_cast<char*>(memory.at) + 4, 4, 0));
  OK(hipStreamEndCapture(stream.handle, &graph));
  EXPECT_EQ(memory.read(1)[0], 0u);
  void* nodes[4] = {};
  std::size_t count = 4;
  OK(hipGraphGetNodes(graph, nodes, &count));
  EXPECT_EQ(count, std::size_t{3});
  int type = -1;
  OK(hipGraphNodeGetType(nodes[0], &type));
  EXPECT_EQ(type, int(kWordNode));
  OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  OK(hipGraphLaunch(exec, stream.handle));
  OK(hipStreamSynchronize(stream.handle));
  EXPECT_VEC(memory.read(2), (std::vector<std::uint32_t>{3, 4}));
  OK(hipGraphExecDestroy(exec));
  OK(hipGraphDestroy(graph));
}

TEST(lines) {
  std::vector<std::uint32_t> in(16), out(8);
  for (std::uint32_t i = 0; i < 16; ++i) in[i] = i + 1;
  Memory first, second;
  Stream stream;
  auto* words = static_cast<std::uint32_t*>(second.at);
  // One after the other: the later ones read what the earlier ones wrote.
  void* to[] = {first.at, words + 4, words, out.data()};
  void* from[] = {in.data(), first.at, static_cast<std::uint32_t*>(first.at) + 12, second.at};
  std::size_t sizes[] = {64, 16, 16, 32}, failed = 7;
  OK(hipMemcpyBatchAsync(to, from, sizes, 4, nullptr, nullptr, 0, &failed, stream.handle));
  EXPECT_EQ(failed, SIZE_MAX);
  OK(hipStreamSynchronize(stream.handle));
  EXPECT_VEC(out, (std::vector<std::uint32_t>{13, 14, 15, 16, 1, 2, 3, 4}));
  check::result(out);
  OK(hipMemcpyBatchAsync(to, from, sizes, 2, nullptr, nullptr, 0, nullptr, stream.handle));
  const auto refused = [&](void** t, void** f, std::size_t* s, std::size_t n) {
    EXPECT_EQ(hipMemcpyBatchAsync(t, f, s, n, nullptr, nullptr, 0, &failed, stream.handle), int(kInvalidValue));
  };
  refused(nullptr, from, sizes, 4);
  refused(to, nullptr, sizes, 4);
  refused(to, from, nullptr, 4);
  refused(to, from, sizes, 0);
  // Nothing is copied of what makes no sense as a whole; only a size of 0 is told by its place.
  OK(hipMemset(second.at, 0, 64));
  EXPECT_EQ(hipMemcpyBatchAsync(to, from, sizes, 4, nullptr, nullptr, 0, &failed, &first), int(kInvalidHandle));
  void* const third = std::exchange(from[2], nullptr);
  refused(to, from, sizes, 4);
  EXPECT_EQ(failed, SIZE_MAX);
  from[2] = third;
  sizes[3] = 4097;  // more than there is
  refused(to, from, sizes, 4);
  EXPECT_EQ(failed, SIZE_MAX);
  sizes[1] = 0;
  refused(to, from, sizes, 4);
  EXPECT_EQ(failed, std::size_t{1});
  OK(hipStreamSynchronize(stream.handle));
  EXPECT_VEC(second.read(8), std::vector<std::uint32_t>(8));
}

TEST(attributes_of_lines) {
  struct Attributes {  // hipMemcpyAttributes
    int order;
    Location from, to;
    unsigned flags;
  };
  Memory memory;
  Stream stream;
  auto* bytes = static_cast<char*>(memory.at);
  void *to[] = {bytes, bytes + 16}, *from[] = {bytes + 32, bytes + 48};
  std::size_t sizes[] = {16, 16};
  const auto copy = [&](std::vector<Attributes> attributes, std::vector<std::size_t> starts) {
    return hipMemcpyBatchAsync(to, from, sizes, 2, attributes.data(), starts.data(), attributes.size(), nullptr,
                               stream.handle);
  };
  const Attributes inOrder{1, {1, 0}, {1, 0}, 0}, nonsense{0, {1, 0}, {1, 0}, 0};
  OK(copy({inOrder}, {0}));
  OK(copy({inOrder, inOrder}, {0, 1}));
  for (const int error : {copy({inOrder}, {1}), copy({inOrder, inOrder}, {0, 0}), copy({inOrder, inOrder}, {0, 2}),
                          copy({inOrder, inOrder, inOrder}, {0, 1, 2}), copy({inOrder, nonsense}, {0, 1}),
                          hipMemcpyBatchAsync(to, from, sizes, 2, nullptr, nullptr, 1, nullptr, stream.handle)})
    EXPECT_EQ(error, int(kInvalidValue));
  OK(hipStreamSynchronize(stream.handle));
}

TEST(boxes) {
  std::vector<std::uint32_t> from(64), to(64);
  for (std::uint32_t i = 0; i < 64; ++i) from[i] = i + 1;
  Memory memory, packed;
  Stream stream;
  OK(hipMemcpy(memory.at, from.data(), 256, 1));
  // Two layers of three rows of 8 bytes, out of rows of 16 bytes and layers of four rows; then back to the host.
  Box boxes[2] = {};
  boxes[0] = {{kPointer, memory.at, 16, 4, {}}, {kPointer, packed.at, 0, 0, {}}, {8, 3, 2}, 1, 0};
  boxes[1] = {{kPointer, packed.at, 0, 0, {}}, {kPointer, to.data(), 0, 0, {}}, {8, 3, 2}, 1, 0};
  std::size_t failed = 0;
  OK(hipMemcpy3DBatchAsync(2, boxes, &failed, 0, stream.handle));
  EXPECT_EQ(failed, SIZE_MAX);
  OK(hipStreamSynchronize(stream.handle));
  to.resize(12);
  EXPECT_VEC(to, (std::vector<std::uint32_t>{1, 2, 5, 6, 9, 10, 17, 18, 21, 22, 25, 26}));
  EXPECT_EQ(hipMemcpy3DBatchAsync(2, boxes, &failed, 1, stream.handle), int(kInvalidValue));
  EXPECT_EQ(failed, SIZE_MAX);
  EXPECT_EQ(hipMemcpy3DBatchAsync(1, nullptr, &failed, 0, stream.handle), int(kInvalidValue));
  EXPECT_EQ(failed, SIZE_MAX);
  EXPECT_EQ(hipMemcpy3DBatchAsync(2, boxes, &failed, 0, &memory), int(kInvalidHandle));
  const auto wrong = [&](auto change) {
    Box two[2] = {boxes[0], boxes[0]};
    change(two[1]);
    failed = 7;
    EXPECT_EQ(hipMemcpy3DBatchAsync(2, two, &failed, 0, stream.handle), int(kInvalidValue));
    EXPECT_EQ(failed, std::size_t{1});
  };
  wrong([](Box& b) { b.order = 0; });
  wrong([](Box& b) { b.extent[1] = 0; });
  wrong([](Box& b) { b.from.row = 7; });
  wrong([](Box& b) { b.to.rows = 2; });
  wrong([](Box& b) { b.to.memory = nullptr; });
  OK(hipStreamSynchronize(stream.handle));
}

TEST(ranges) {
  void* ranges[2] = {};
  Stream stream;
  for (void*& range : ranges) OK(hipMallocManaged(&range, 8192, 1));
  std::size_t sizes[2] = {8192, 4096}, starts[2] = {0, 1};
  Location places[2] = {{1, 0}, {1, 0}};
  OK(hipMemPrefetchBatchAsync(ranges, sizes, 2, places, starts, 2, 0, stream.handle));
  int last = -5;
  OK(hipMemRangeGetAttribute(&last, sizeof last, kLastPrefetch, ranges[1], 4096));
  EXPECT_EQ(last, 0);
  OK(hipMemDiscardBatchAsync(ranges, sizes, 2, 0, stream.handle));
  OK(hipMemDiscardAndPrefetchBatchAsync(ranges, sizes, 2, places, starts, 1, 0, stream.handle));
  OK(hipStreamSynchronize(stream.handle));
  std::memset(ranges[0], 1, 8192);
  const auto refused = [&](void** r, std::size_t* s, std::size_t n, unsigned flags, void* on) {
    EXPECT_EQ(hipMemDiscardBatchAsync(r, s, n, flags, on), int(kInvalidValue));
  };
  refused(nullptr, sizes, 2, 0, stream.handle);
  refused(ranges, nullptr, 2, 0, stream.handle);
  refused(ranges, sizes, 0, 0, stream.handle);
  refused(ranges, sizes, 2, 1, stream.handle);
  refused(ranges, sizes, 2, 0, nullptr);
  std::size_t large[1] = {8193}, none[1] = {0};
  refused(ranges, large, 1, 0, stream.handle);
  refused(ranges, none, 1, 0, stream.handle);
  starts[0] = 1;
  EXPECT_EQ(hipMemPrefetchBatchAsync(ranges, sizes, 2, places, starts, 2, 0, stream.handle), int(kInvalidValue));
  Memory plain;
  EXPECT_EQ(hipMemDiscardBatchAsync(&plain.at, sizes + 1, 1, 0, stream.handle), int(kNotSupported));
  for (void* range : ranges) OK(hipFree(range));
}

TEST(links) {
  void* link = nullptr;
  OK(hipLinkCreate(0, nullptr, nullptr, &link));
  char text[] = "this is no SPIR-V";
  EXPECT_EQ(hipLinkAddData(link, kSpirv, nullptr, 1, "x", 0, nullptr, nullptr), int(kInvalidImage));
  for (int type : {0, 1, 2, 3, 4, 5, 100, 101, 102})
    EXPECT_EQ(hipLinkAddData(link, type, text, sizeof text, "x", 0, nullptr, nullptr), int(kInvalidValue));
  const std::string file = modulePath("text");
  EXPECT_EQ(hipLinkAddFile(link, kSpirv, nullptr, 0, nullptr, nullptr), int(kInvalidValue));
  EXPECT_EQ(hipLinkAddFile(link, 1, file.c_str(), 0, nullptr, nullptr), int(kInvalidValue));
  EXPECT_EQ(hipLinkAddFile(link, kSpirv, "/no/such/file", 0, nullptr, nullptr), int(kInvalidConfiguration));
  EXPECT_EQ(hipLinkAddFile(nullptr, kSpirv, file.c_str(), 0, nullptr, nullptr), int(kInvalidHandle));
  void* binary = nullptr;
  std::size_t size = 0;
  EXPECT_EQ(hipLinkComplete(link, nullptr, &size), int(kInvalidValue));
  EXPECT_EQ(hipLinkComplete(link, &binary, &size), int(kInvalidConfiguration));  // nothing was added
  OK(hipLinkAddFile(link, kSpirv, file.c_str(), 0, nullptr, nullptr));           // looked at when it is linked
  EXPECT_EQ(hipLinkComplete(link, &binary, &size), int(kInvalidConfiguration));
  EXPECT(binary == nullptr && size == 0);
  OK(hipLinkDestroy(link));
  EXPECT_EQ(hipLinkDestroy(link), int(kInvalidValue));
  EXPECT_EQ(hipLinkAddData(link, kSpirv, text, sizeof text, "x", 0, nullptr, nullptr), int(kInvalidHandle));
  EXPECT_EQ(hipLinkCreate(0, nullptr, nullptr, nullptr), int(kInvalidValue));
}
