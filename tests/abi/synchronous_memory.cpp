// Memory whose operations a program wants to be over when a call returns: HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS.
#include <atomic>
#include <chrono>
#include <thread>

#include "objects.h"

extern "C" {
int hipPointerSetAttribute(const void* value, int attribute, void* pointer);
int hipMemcpyAsync(void*, const void*, std::size_t, int kind, void* stream);
int hipMemsetAsync(void*, int, std::size_t, void* stream);
}

enum : int { kSync = 6, kDeviceToDevice = 3, kInvalidDevicePointer = 17 };

static std::atomic<bool> letGo{false};

// Holds the stream, for a while at most.
static void hold(const Stream& stream) {
  letGo = false;
  OK(hipStreamAddCallback(
      stream.handle,
      [](void*, int, void*) {
        for (int i = 0; i < 5000 && !letGo; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      },
      nullptr, 0));
}

// Whether the call is over when it returns: it cannot return before the stream is let go.
template <class Call>
static bool waits(const Stream& stream, Call call) {
  hold(stream);
  std::atomic<bool> returned{false};
  bool early = false;
  std::thread letting([&] {
    for (int i = 0; i < 30 && !returned; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    early = returned;
    letGo = true;
  });
  const int error = call();
  returned = true;
  const bool over = hipStreamQuery(stream.handle) == kSuccess;
  letting.join();
  IS(error, kSuccess);
  OK(hipStreamSynchronize(stream.handle));
  return !early && over;
}

TEST(copies_and_fills_are_waited_for) {
  Memory memory, other;
  Stream stream;
  const auto copy = [&] { return hipMemcpyAsync(memory.at, other.at, 256, kDeviceToDevice, stream.handle); };
  const auto copyFrom = [&] { return hipMemcpyAsync(other.at, memory.at, 256, kDeviceToDevice, stream.handle); };
  const auto fill = [&] { return hipMemsetAsync(memory.at, 3, 256, stream.handle); };
  EXPECT(!waits(stream, copy));
  unsigned on = 1, off = 0;
  OK(hipPointerSetAttribute(&on, kSync, memory.at));
  bool told = false;
  OK(hipPointerGetAttribute(&told, kSync, memory.at));
  EXPECT(told);
  EXPECT(waits(stream, copy));
  EXPECT(waits(stream, copyFrom));
  EXPECT(waits(stream, fill));
  OK(hipPointerSetAttribute(&off, kSync, memory.at));
  EXPECT(!waits(stream, copy));
  EXPECT_EQ(memory.read(1)[0], 0u);  // the copy came after the fill
}

TEST(what_can_be_set) {
  Memory memory;
  unsigned on = 1, two = 2;
  IS(hipPointerSetAttribute(nullptr, kSync, memory.at), kInvalidValue);
  IS(hipPointerSetAttribute(&on, kSync, nullptr), kInvalidValue);
  IS(hipPointerSetAttribute(&two, kSync, memory.at), kInvalidValue);
  for (int other : {1, 2, 3, 4, 5, 7, 8, 9, 99}) IS(hipPointerSetAttribute(&on, other, memory.at), kInvalidValue);
  int mine = 0;
  IS(hipPointerSetAttribute(&on, kSync, &mine), kInvalidDevicePointer);
}
