// Parts of a device and contexts made of them, HIP 7: how units are divided, and that streams carry their part.
// ABIs: 7
#include "hip_abi.h"

struct Resource {  // hipDevResource
  int type;
  unsigned char reserved[92];
  unsigned count, smallest, together, flags;
  unsigned char room[24];
  Resource* next;
};
static_assert(sizeof(Resource) == 144);
struct Group {  // hipDevSmResourceGroupParams
  unsigned count, together, preferred, flags, reserved[12];
};

extern "C" {
int hipDeviceGetDevResource(int device, Resource*, int type);
int hipStreamGetDevResource(void* stream, Resource*, int type);
int hipDevSmResourceSplitByCount(Resource* result, unsigned* groups, const Resource* input, Resource* rest,
                                 unsigned flags, unsigned least);
int hipDevSmResourceSplit(Resource* result, unsigned groups, const Resource* input, Resource* rest, unsigned flags,
                          Group*);
int hipDevResourceGenerateDesc(void** description, Resource*, unsigned count);
int hipGreenCtxCreate(void** context, void* description, int device, unsigned flags);
int hipDeviceGetExecutionCtx(void** context, int device);
int hipExecutionCtxDestroy(void* context);
int hipExecutionCtxStreamCreate(void** stream, void* context, unsigned flags, int priority);
int hipExecutionCtxGetDevResource(void* context, Resource*, int type);
int hipExecutionCtxGetDevice(int* device, void* context);
int hipExecutionCtxGetId(void* context, unsigned long long* id);
int hipExecutionCtxRecordEvent(void* context, void* event);
int hipExecutionCtxWaitEvent(void* context, void* event);
int hipExecutionCtxSynchronize(void* context);
int hipExtStreamGetCUMask(void* stream, unsigned words, unsigned* mask);
int hipEventCreate(void**);
int hipEventDestroy(void*);
int hipEventQuery(void*);
int hipEventSynchronize(void*);
int hipMemsetAsync(void*, int, std::size_t, void* stream);
int hipDeviceGetExecAffinitySupport(int*, int type, int device);
int hipDeviceFlushGPUDirectRDMAWrites(int target, int scope);
int hipOccupancyMaxActiveClusters(int*, const void* f, const void* config);
int hipOccupancyMaxPotentialClusterSize(int*, const void* f, const void* config);
}

enum : int { kSm = 1, kWorkQueue = 1000, kNotSupported = 801, kWrongType = 914, kWrongParts = 915, kUnits = 63 };

static unsigned unitsOf(int device) {
  int units = 0;
  OK(hipDeviceGetAttribute(&units, kUnits, device));
  return static_cast<unsigned>(units);
}

static Resource whole() {
  Resource r;
  OK(hipDeviceGetDevResource(0, &r, kSm));
  return r;
}

TEST(whole_devices) {
  const Resource r = whole();
  EXPECT_EQ(r.type, kSm);
  EXPECT_EQ(r.count, unitsOf(0));
  EXPECT_EQ(r.together, 2u);
  Resource other;
  IS(hipDeviceGetDevResource(0, nullptr, kSm), kInvalidValue);
  IS(hipDeviceGetDevResource(0, &other, kWorkQueue), kWrongType);
  IS(hipDeviceGetDevResource(99, &other, kSm), kInvalidDevice);
}

TEST(equal_parts) {
  const Resource input = whole();
  unsigned groups = 0;
  OK(hipDevSmResourceSplitByCount(nullptr, &groups, &input, nullptr, 0, 15));  // rounded up to 16
  EXPECT_EQ(groups, input.count / 16);
  std::vector<Resource> parts(groups);
  Resource rest;
  OK(hipDevSmResourceSplitByCount(parts.data(), &groups, &input, &rest, 0, 15));
  for (const Resource& part : parts) EXPECT_EQ(part.count, 16u);
  EXPECT_EQ(rest.count, input.count % 16);
  EXPECT_EQ(rest.type, input.count % 16 != 0 ? kSm : 0);
  groups = 2;
  OK(hipDevSmResourceSplitByCount(parts.data(), &groups, &input, &rest, 0, 16));
  EXPECT_EQ(groups, 2u);
  EXPECT_EQ(rest.count, input.count - 32);
  OK(hipDevSmResourceSplitByCount(nullptr, &groups, &input, nullptr, 0, ~0u));
  EXPECT_EQ(groups, 0u);
  Resource wrong = input;
  wrong.type = kWorkQueue;
  IS(hipDevSmResourceSplitByCount(nullptr, &groups, &wrong, nullptr, 0, 1), kWrongType);
  IS(hipDevSmResourceSplitByCount(nullptr, nullptr, &input, nullptr, 0, 1), kInvalidValue);
  IS(hipDevSmResourceSplitByCount(nullptr, &groups, nullptr, nullptr, 0, 1), kInvalidValue);
}

TEST(unequal_parts) {
  const Resource input = whole();
  Resource parts[3], rest;
  Group groups[3] = {};
  groups[0].count = 4;
  groups[1].count = 10;  // and the third takes what is left
  OK(hipDevSmResourceSplit(parts, 3, &input, &rest, 0, groups));
  EXPECT_EQ(parts[0].count, 4u);
  EXPECT_EQ(parts[1].count, 10u);
  EXPECT_EQ(parts[2].count, (input.count - 14) / 2 * 2);
  EXPECT_EQ(groups[2].count, parts[2].count);
  groups[0].count = 3;  // not a multiple of 2
  IS(hipDevSmResourceSplit(parts, 3, &input, &rest, 0, groups), kWrongParts);
  groups[0].count = input.count + 2;
  IS(hipDevSmResourceSplit(parts, 3, &input, &rest, 0, groups), kWrongParts);
  IS(hipDevSmResourceSplit(parts, 3, &input, &rest, 1, groups), kInvalidValue);
  IS(hipDevSmResourceSplit(parts, 3, &input, &rest, 0, nullptr), kInvalidValue);
}

static void* contextOf(Resource* parts, unsigned count) {
  void *description = nullptr, *context = nullptr;
  OK(hipDevResourceGenerateDesc(&description, parts, count));
  OK(hipGreenCtxCreate(&context, description, 0, 0));
  return context;
}

TEST(streams_carry_their_part) {
  const Resource input = whole();
  Resource parts[2], rest, told;
  unsigned groups = 2;
  OK(hipDevSmResourceSplitByCount(parts, &groups, &input, &rest, 0, 8));
  void *context = contextOf(&parts[1], 1), *stream = nullptr;
  OK(hipExecutionCtxStreamCreate(&stream, context, 1, 0));
  unsigned mask[4] = {};
  OK(hipExtStreamGetCUMask(stream, 4, mask));
  EXPECT_EQ(mask[0], 0xff00u);
  EXPECT_EQ(mask[1] | mask[2] | mask[3], 0u);
  OK(hipStreamGetDevResource(stream, &told, kSm));
  EXPECT_EQ(told.count, 8u);
  OK(hipStreamGetDevResource(nullptr, &told, kSm));
  EXPECT_EQ(told.count, input.count);
  OK(hipExecutionCtxGetDevResource(context, &told, kSm));
  EXPECT_EQ(told.count, 8u);
  int device = -1;
  unsigned long long id = 0, other = 0;
  OK(hipExecutionCtxGetDevice(&device, context));
  EXPECT_EQ(device, 0);
  OK(hipExecutionCtxGetId(context, &id));
  void* second = contextOf(parts, 2);
  OK(hipExecutionCtxGetId(second, &other));
  EXPECT(id != other);
  OK(hipExecutionCtxDestroy(second));
  // The streams outlive their context.
  OK(hipExecutionCtxDestroy(context));
  void* memory = nullptr;
  OK(hipMalloc(&memory, 4096));
  OK(hipMemsetAsync(memory, 7, 4096, stream));
  OK(hipStreamSynchronize(stream));
  OK(hipStreamDestroy(stream));
  OK(hipFree(memory));
}

TEST(order_of_all_streams_of_a_context) {
  Resource input = whole();
  void *context = contextOf(&input, 1), *a = nullptr, *b = nullptr, *event = nullptr, *memory = nullptr;
  OK(hipEventCreate(&event));
  OK(hipExecutionCtxRecordEvent(context, event));  // no streams: nothing happens
  OK(hipExecutionCtxStreamCreate(&a, context, 1, 0));
  OK(hipExecutionCtxStreamCreate(&b, context, 1, 0));
  OK(hipMalloc(&memory, 1 << 20));
  OK(hipMemsetAsync(memory, 1, 1 << 19, a));
  OK(hipMemsetAsync(static_cast<char*>(memory) + (1 << 19), 2, 1 << 19, b));
  OK(hipExecutionCtxRecordEvent(context, event));
  OK(hipEventSynchronize(event));
  OK(hipStreamQuery(b));
  OK(hipExecutionCtxWaitEvent(context, event));
  OK(hipMemsetAsync(memory, 3, 16, b));
  OK(hipExecutionCtxSynchronize(context));
  OK(hipStreamQuery(a));
  OK(hipStreamQuery(b));
  std::vector<unsigned char> got(1 << 20);
  OK(hipMemcpy(got.data(), memory, got.size(), 2));
  EXPECT_EQ(int(got[0]), 3);
  EXPECT_EQ(int(got[16]), 1);
  EXPECT_EQ(int(got.back()), 2);
  check::result(got);
  OK(hipStreamDestroy(a));
  OK(hipExecutionCtxSynchronize(context));
  OK(hipStreamDestroy(b));
  OK(hipEventDestroy(event));
  OK(hipExecutionCtxDestroy(context));
  OK(hipFree(memory));
}

TEST(the_context_of_a_device) {
  void *first = nullptr, *again = nullptr;
  OK(hipDeviceGetExecutionCtx(&first, 0));
  OK(hipDeviceGetExecutionCtx(&again, 0));
  EXPECT_EQ(first, again);
  Resource r;
  OK(hipExecutionCtxGetDevResource(first, &r, kSm));
  EXPECT_EQ(r.count, unitsOf(0));
  IS(hipExecutionCtxDestroy(first), kInvalidValue);
  IS(hipDeviceGetExecutionCtx(nullptr, 0), kInvalidValue);
  IS(hipDeviceGetExecutionCtx(&first, 99), kInvalidDevice);
}

TEST(parts_that_do_not_fit) {
  const Resource input = whole();
  Resource parts[2], others[2], mixed[2];
  unsigned groups = 2;
  OK(hipDevSmResourceSplitByCount(parts, &groups, &input, nullptr, 0, 8));
  OK(hipDevSmResourceSplitByCount(others, &groups, &input, nullptr, 0, 8));
  void *description = nullptr, *context = nullptr;
  mixed[0] = parts[0], mixed[1] = others[1];
  IS(hipDevResourceGenerateDesc(&description, mixed, 2), kWrongParts);
  mixed[1] = parts[1];
  mixed[1].together = 4;
  IS(hipDevResourceGenerateDesc(&description, mixed, 2), kWrongParts);
  mixed[1].type = kWorkQueue;
  IS(hipDevResourceGenerateDesc(&description, mixed, 2), kWrongType);
  IS(hipDevResourceGenerateDesc(&description, parts, 0), kInvalidValue);
  IS(hipGreenCtxCreate(&context, nullptr, 0, 0), kInvalidValue);
  OK(hipDevResourceGenerateDesc(&description, parts, 2));
  IS(hipGreenCtxCreate(&context, description, 0, 1), kInvalidValue);
  IS(hipGreenCtxCreate(&context, description, 99, 0), kInvalidDevice);
  IS(hipExecutionCtxDestroy(nullptr), kInvalidValue);
  IS(hipExecutionCtxSynchronize(nullptr), kInvalidValue);
  IS(hipExecutionCtxStreamCreate(&context, nullptr, 0, 0), kInvalidValue);
}

TEST(what_a_device_can_bind) {
  int yes = -1;
  OK(hipDeviceGetExecAffinitySupport(&yes, 0, 0));
  EXPECT_EQ(yes, 1);
  OK(hipDeviceGetExecAffinitySupport(&yes, 4096, 0));  // single units
  EXPECT_EQ(yes, 1);
  OK(hipDeviceGetExecAffinitySupport(&yes, 4097, 0));  // pairs
  EXPECT_EQ(yes, 0);
  IS(hipDeviceGetExecAffinitySupport(nullptr, 0, 0), kInvalidValue);
  IS(hipDeviceGetExecAffinitySupport(&yes, 1, 0), kInvalidValue);
  IS(hipDeviceGetExecAffinitySupport(&yes, 0, 99), kInvalidDevice);
  IS(hipDeviceFlushGPUDirectRDMAWrites(0, 100), kNotSupported);
  IS(hipDeviceFlushGPUDirectRDMAWrites(0, 5), kInvalidValue);
  int count = 0;
  IS(hipOccupancyMaxActiveClusters(nullptr, &count, &count), kInvalidValue);
  IS(hipOccupancyMaxActiveClusters(&count, &count, &count), 98);  // not a kernel
  IS(hipOccupancyMaxPotentialClusterSize(&count, &count, nullptr), kInvalidValue);
}
