// What HIP 6 and 7 added to streams: several words at a time, events recorded with flags, attributes, numbers.
// ABIs: 6 7
#include <atomic>
#include <chrono>
#include <thread>

#include "objects.h"

struct Word {  // hipStreamBatchMemOpParams
  int operation;
  void* address;
  std::uint64_t value;
  unsigned flags;
  void* alias;
  std::uint64_t room;
};
static_assert(sizeof(Word) == 48);
union Attribute {  // hipLaunchAttributeValue
  char room[64];
  int number;
  struct {
    void* base;
    int hit;
    float ratio;
    int miss;
    std::size_t bytes;
  } window;
};

extern "C" {
int hipStreamBatchMemOp(void* stream, unsigned count, Word*, unsigned flags);
int hipEventCreate(void**);
int hipEventDestroy(void*);
int hipEventQuery(void*);
int hipEventSynchronize(void*);
int hipEventRecordWithFlags(void* event, void* stream, unsigned flags);
int hipStreamBeginCapture(void* stream, int mode);
int hipStreamEndCapture(void* stream, void** graph);
int hipGraphGetNodes(void* graph, void** nodes, std::size_t* count);
int hipGraphNodeGetType(void* node, int* type);
int hipGraphDestroy(void* graph);
int hipStreamCreateWithPriority(void**, unsigned flags, int priority);
int hipDeviceGetStreamPriorityRange(int* least, int* greatest);
#if ABI >= 7
int hipStreamGetId(void* stream, unsigned long long*);
int hipStreamSetAttribute(void* stream, int attribute, const Attribute*);
int hipStreamGetAttribute(void* stream, int attribute, Attribute*);
int hipStreamCopyAttributes(void* to, void* from);
#endif
}

enum : int {
  kWait32 = 1,
  kWrite32 = 2,
  kFlush = 3,
  kWait64 = 4,
  kWrite64 = 5,
  kBarrier = 6,
  kEqual = 1,
  kRecordNode = 7,
};

TEST(words_in_a_batch) {
  Memory memory;
  Stream waiting, writing;
  auto* words = static_cast<std::uint32_t*>(memory.at);
  Word first[] = {{kWrite32, words, 7, 0, nullptr, 0},
                  {kWait32, words + 8, 5, kEqual, nullptr, 0},
                  {kWait64, words + 10, 1ull << 40, kEqual, nullptr, 0},
                  {kWrite64, words + 2, 0x900000008, 0, nullptr, 0}};
  OK(hipStreamBatchMemOp(waiting.handle, 4, first, 0));
  OK(hipStreamQuery(writing.handle));
  IS(hipStreamQuery(waiting.handle), kNotReady);
  Word second[] = {{kWrite32, words + 8, 5, 0, nullptr, 0}, {kWrite64, words + 10, 1ull << 40, 0, nullptr, 0}};
  OK(hipStreamBatchMemOp(writing.handle, 2, second, 0));
  OK(hipStreamSynchronize(waiting.handle));
  const auto got = memory.read(12);
  EXPECT_VEC(got, (std::vector<std::uint32_t>{7, 0, 8, 9, 0, 0, 0, 0, 5, 0, 0, 256}));
  check::result(got);
}

TEST(wrong_batches) {
  Memory memory;
  Stream stream;
  Word good{kWrite32, memory.at, 7, 0, nullptr, 0};
  IS(hipStreamBatchMemOp(stream.handle, 0, &good, 0), kInvalidValue);
  IS(hipStreamBatchMemOp(stream.handle, 1, nullptr, 0), kInvalidValue);
  IS(hipStreamBatchMemOp(stream.handle, 257, &good, 0), kInvalidValue);
  IS(hipStreamBatchMemOp(stream.handle, 1, &good, 1), kInvalidValue);
  for (int operation : {0, int(kFlush), int(kBarrier), 99}) {
    Word two[] = {good, {operation, memory.at, 1, 0, nullptr, 0}};
    IS(hipStreamBatchMemOp(stream.handle, 2, two, 0), kInvalidValue);
  }
  Word nowhere[] = {good, {kWrite32, nullptr, 1, 0, nullptr, 0}};
  IS(hipStreamBatchMemOp(stream.handle, 2, nowhere, 0), kInvalidValue);
  OK(hipStreamSynchronize(stream.handle));
  EXPECT_EQ(memory.read(1)[0], 0u);  // all or nothing
}

static std::atomic<bool> letGo{false};

TEST(events_with_flags) {
  Stream stream;
  void* event = nullptr;
  OK(hipEventCreate(&event));
  for (unsigned flags : {0u, 1u}) {  // external makes a difference in captures only
    letGo = false;
    OK(hipStreamAddCallback(
        stream.handle,
        [](void*, int, void*) {
          while (!letGo) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        },
        nullptr, 0));
    OK(hipEventRecordWithFlags(event, stream.handle, flags));
    IS(hipEventQuery(event), kNotReady);
    letGo = true;
    OK(hipEventSynchronize(event));
    OK(hipStreamQuery(stream.handle));
  }
  IS(hipEventRecordWithFlags(event, stream.handle, 2), kInvalidValue);
  IS(hipEventRecordWithFlags(nullptr, stream.handle, 0), kInvalidHandle);
  OK(hipEventDestroy(event));
}

// In a capture an ordinary record marks a place in the graph; an external one becomes a node of it.
TEST(events_in_captures) {
  Stream stream;
  void *event = nullptr, *graph = nullptr, *node = nullptr;
  OK(hipEventCreate(&event));
  for (unsigned flags : {0u, 1u}) {
    OK(hipStreamBeginCapture(stream.handle, 0));
    OK(hipEventRecordWithFlags(event, stream.handle, flags));
    OK(hipStreamEndCapture(stream.handle, &graph));
    std::size_t count = 1;
    OK(hipGraphGetNodes(graph, &node, &count));
    EXPECT_EQ(count, std::size_t{flags});
    int type = -1;
    if (count == 1) OK(hipGraphNodeGetType(node, &type));
    EXPECT_EQ(type, flags == 1 ? int(kRecordNode) : -1);
    OK(hipGraphDestroy(graph));
  }
  OK(hipEventDestroy(event));
}

#if ABI >= 7
TEST(numbers) {
  Stream a, b;
  unsigned long long ofA = 0, again = 0, ofB = 0, ofNull = 0;
  OK(hipStreamGetId(a.handle, &ofA));
  OK(hipStreamGetId(a.handle, &again));
  OK(hipStreamGetId(b.handle, &ofB));
  OK(hipStreamGetId(nullptr, &ofNull));
  EXPECT_EQ(ofA, again);
  EXPECT(ofA != ofB && ofA != ofNull && ofB != ofNull);
  IS(hipStreamGetId(a.handle, nullptr), kInvalidValue);
}

enum : int { kWindow = 1, kCooperative = 2, kPolicy = 3, kPriority = 8, kDomain = 10, kSpin = 2, kAutomatic = 1 };

TEST(attributes) {
  Stream a, b;
  Attribute value{}, told{};
  OK(hipStreamGetAttribute(a.handle, kPolicy, &told));
  EXPECT_EQ(told.number, int(kAutomatic));
  value.number = kSpin;
  OK(hipStreamSetAttribute(a.handle, kPolicy, &value));
  OK(hipStreamGetAttribute(a.handle, kPolicy, &told));
  EXPECT_EQ(told.number, int(kSpin));
  Attribute window{};
  window.window.base = &value;
  window.window.ratio = 0.5f;
  window.window.bytes = 4096;
  OK(hipStreamSetAttribute(a.handle, kWindow, &window));
  OK(hipStreamGetAttribute(b.handle, kPolicy, &told));
  EXPECT_EQ(told.number, int(kAutomatic));  // another stream's own
  OK(hipStreamCopyAttributes(b.handle, a.handle));
  OK(hipStreamGetAttribute(b.handle, kPolicy, &told));
  EXPECT_EQ(told.number, int(kSpin));
  OK(hipStreamGetAttribute(b.handle, kWindow, &told));
  EXPECT_EQ(told.window.base, static_cast<void*>(&value));
  EXPECT_EQ(told.window.ratio, 0.5f);
  EXPECT_EQ(told.window.bytes, std::size_t{4096});
  OK(hipStreamCopyAttributes(a.handle, a.handle));
  OK(hipStreamGetAttribute(nullptr, kDomain, &told));
  EXPECT_EQ(told.number, 0);
}

TEST(the_priority_is_an_attribute) {
  int least = 0, greatest = 0;
  OK(hipDeviceGetStreamPriorityRange(&least, &greatest));
  for (int priority = greatest; priority <= least; ++priority) {
    void* stream = nullptr;
    OK(hipStreamCreateWithPriority(&stream, 0, priority));
    Attribute told{};
    OK(hipStreamGetAttribute(stream, kPriority, &told));
    EXPECT_EQ(told.number, priority);
    OK(hipStreamDestroy(stream));
  }
}

TEST(what_attributes_may_be) {
  Stream stream;
  Attribute value{};
  IS(hipStreamSetAttribute(stream.handle, kPolicy, &value), kInvalidValue);  // there is no policy 0
  IS(hipStreamSetAttribute(stream.handle, kPolicy, nullptr), kInvalidValue);
  IS(hipStreamSetAttribute(stream.handle, kCooperative, &value), kInvalidValue);  // of launches
  IS(hipStreamGetAttribute(stream.handle, kCooperative, &value), kInvalidValue);
  IS(hipStreamGetAttribute(stream.handle, kPolicy, nullptr), kInvalidValue);
  IS(hipStreamGetAttribute(&value, kPolicy, &value), kInvalidHandle);  // no stream
  IS(hipStreamSetAttribute(&value, kPolicy, &value), kInvalidHandle);
  IS(hipStreamCopyAttributes(stream.handle, &value), kInvalidHandle);
  IS(hipStreamCopyAttributes(&value, stream.handle), kInvalidHandle);
}
#endif
