// For tests that call the core directly: two gfx90a and one gfx942 device of 512 MiB, and objects that clean up.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "backends/softgpu/core.h"

namespace hipr::softgpu::testing {

inline constexpr int kDevices = 3;
inline constexpr std::size_t kDeviceBytes = std::size_t{512} << 20;

const Platform& platform();  // opens the core
SoftgpuCore& core();

// One piece of work each.
inline hipError_t copy(const Copy& work, Stream& stream, Stage until = Stage::kSent) {
  return core().submit(stream, work, until);
}
inline hipError_t fill(const Fill& work, Stream& stream, Stage until = Stage::kSent) {
  return core().submit(stream, work, until);
}
inline hipError_t record(Event& event, Stream& stream) {
  return core().submit(stream, Record{&event}, Stage::kSent);
}
inline hipError_t wait(Stream& stream, Event& event) {
  return core().submit(stream, Wait{&event}, Stage::kSent);
}
inline hipError_t hostFunction(Stream& stream, hipHostFn_t function, void* userData) {
  return core().submit(stream, HostFunction{function, userData}, Stage::kSent);
}

// What raiseAsyncError was told since the last question.
struct AsyncError {
  hipError_t error = hipSuccess;
  std::string what;
};
AsyncError takeAsyncError();

class TestStream : public Stream {
 public:
  explicit TestStream(int onDevice = 0, Kind ofKind = Kind::kCreated, unsigned withFlags = 0);
  ~TestStream();
  void sync() { ASSERT_EQ(core().synchronize(*this), hipSuccess); }
};

class TestEvent : public Event {
 public:
  explicit TestEvent(int onDevice = 0);
  ~TestEvent();
};

// Memory of any kind, released at the end.
class TestMemory : public Allocation {
 public:
  explicit TestMemory(std::size_t bytes, MemoryKind ofKind = MemoryKind::kDevice, int onDevice = 0);
  ~TestMemory();
  TestMemory(const TestMemory&) = delete;

  template <class T>
  T* as() const {
    return static_cast<T*>(devicePointer);
  }
};

// Whether the condition comes true soon: what happens after work in flight may be a moment behind the work itself.
template <class Condition>
bool soon(const Condition& condition) {
  for (int i = 0; i < 5000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

hipError_t copyBytes(Stream& stream, void* to, const void* from, std::size_t bytes, MemoryKind toKind,
                     MemoryKind fromKind, bool blocking);
hipError_t fillWords(Stream& stream, void* to, std::size_t words, std::uint32_t value);

// Holds back a stream until opened, so that a test can arrange what happens behind it.
class Gate {
 public:
  explicit Gate(Stream& stream);
  ~Gate() { open(); }
  void open();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

// A kernel (pointer, 32-bit number) made of the given instruction words. On entry s[0:1] point to its arguments.
class TestKernel {
 public:
  // `argumentBytes`: that its descriptor says it has, if not 0.
  TestKernel(int device, std::initializer_list<std::uint32_t> words, std::uint32_t argumentBytes = 0);
  ~TestKernel();
  hipError_t launch(Stream& stream, void* pointer, std::uint32_t number, unsigned groups = 1, unsigned block = 64,
                    Event* start = nullptr, Event* stop = nullptr);
  Module& module() { return module_; }

 private:
  std::vector<std::byte> image_;
  Module module_;
  Function function_;
};

extern const std::initializer_list<std::uint32_t> kAddKernel;  // every work-item adds the number to *pointer
extern const std::initializer_list<std::uint32_t> kEmptyKernel;
extern const std::initializer_list<std::uint32_t> kEndlessKernel;
extern const std::initializer_list<std::uint32_t> kTrapKernel;
extern const std::initializer_list<std::uint32_t> kIllegalKernel;

}  // namespace hipr::softgpu::testing
