// What may be called while a stream is captured: newer versions refuse more.
#include "objects.h"

extern "C" {
int hipStreamBeginCapture(void* stream, int mode);
int hipStreamEndCapture(void* stream, void** graph);
int hipGraphDestroy(void* graph);
}

enum : int { kUnsupported = 900, kInvalidated = 901, kImplicit = 906 };

// The call's result, and that of the end of the capture during which it is made.
template <class Call>
static void during(Call call, int expected) {
  Stream stream;
  void* graph = nullptr;
  OK(hipStreamBeginCapture(stream.handle, 0));
  IS(call(stream.handle), expected);
  IS(hipStreamEndCapture(stream.handle, &graph), expected == kSuccess ? kSuccess : kInvalidated);
  if (graph != nullptr) OK(hipGraphDestroy(graph));
}

TEST(waiting_for_the_device) {
  during([](void*) { return hipDeviceSynchronize(); }, ABI >= 6 ? kUnsupported : kSuccess);
}

TEST(code_and_managed_memory) {
  const std::vector<char> code = moduleBytes();
  void *module = nullptr, *memory = nullptr;
  OK(hipModuleLoadData(&module, code.data()));
  during([&](void*) { return hipModuleUnload(module); }, ABI >= 7 ? kUnsupported : kSuccess);
  if (ABI >= 7) OK(hipModuleUnload(module));
  during([&](void*) { return hipMallocManaged(&memory, 4096, 1); }, ABI >= 7 ? kUnsupported : kSuccess);
  if (ABI < 7) OK(hipFree(memory));
}

static void count(void*, int, void* calls) {
  ++*static_cast<int*>(calls);
}

// Not a node: where it is allowed it is called once, as if nothing were captured.
TEST(callbacks) {
  int calls = 0;
  during([&](void* stream) { return hipStreamAddCallback(stream, count, &calls, 0); },
         ABI >= 7 ? kUnsupported : kSuccess);
  during([&](void*) { return hipStreamAddCallback(nullptr, count, &calls, 0); }, ABI >= 7 ? kImplicit : kSuccess);
  OK(hipDeviceSynchronize());
  EXPECT_EQ(calls, ABI >= 7 ? 0 : 2);
}
