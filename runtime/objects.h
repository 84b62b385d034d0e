// The objects a HIP program holds handles to. runtime/ makes, finds and destroys them (runtime/handles.h); the core
// keeps what it needs to know about each in `impl`. Their identity numbers are made here, so creating one needs no
// answer from anyone. `owner` is the device as the program sees it, and leads to the core; `device` is its number
// there.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "code_object/gpu_code.h"
#include "hip_remote/hip.h"
#include "runtime/stream_order.h"

namespace hipr {

namespace platform {
class SharedMemory;
}

struct Device;
struct SharedEvent;

// What a core attaches to an object of the runtime. Ends with it, at the latest when its slot is reused.
struct CoreObject {
  virtual ~CoreObject() = default;
};

struct Stream {
  enum class Kind { kCreated, kNull, kPerThread };
  std::uint64_t id = 0;  // unique in the process, never reused
  Kind kind = Kind::kCreated;
  Device* owner = nullptr;
  int device = 0;
  unsigned flags = 0;
  int priority = 0;
  std::vector<std::uint32_t> cuMask;
  std::mutex attributesMutex;
  std::map<hipLaunchAttributeID, hipLaunchAttributeValue> attributes;  // those the program has set
  StreamOrder order;
  std::atomic<bool> capturing{false};  // what it is given becomes a graph
  std::unique_ptr<CoreObject> impl;
};

struct Event {
  std::uint64_t id = 0;
  Device* owner = nullptr;
  int device = 0;
  unsigned flags = 0;
  std::atomic<bool> recorded{false};
  RecordPlace place;
  std::atomic<bool> captured{false};    // recorded on a stream that is captured
  std::shared_ptr<SharedEvent> shared;  // that several processes use (shared_event.h)
  std::unique_ptr<CoreObject> impl;
};

// It was recorded by something else than hipEventRecord, at a place nobody notes.
inline void recordedElsewhere(Event& event) {
  event.place.set({});
  event.recorded = true;
}

struct Module;
struct Library;

// What a program has asked for a kernel of a library (hipKernelSetAttribute), by hipFuncAttribute. What it asks for the
// kernel's function (hipFuncSetAttribute) goes before.
struct KernelWishes {
  static constexpr int kNone = INT_MIN, kFirst = hipFuncAttributeMaxDynamicSharedMemorySize;
  std::array<std::atomic<int>, hipFuncAttributeMax - kFirst> values;
  KernelWishes() {
    for (auto& value : values) value = kNone;
  }
  std::atomic<int>& at(int attribute) { return values[attribute - kFirst]; }
  int get(int attribute, int otherwise) const {
    const int value = values[attribute - kFirst].load(std::memory_order_relaxed);
    return value != kNone ? value : otherwise;
  }
};

struct Function {
  std::uint64_t id = 0;
  Module* module = nullptr;
  const code::GpuKernel* kernel = nullptr;  // points into module->code
  std::atomic<int> maxDynamicShared{-1};    // hipFuncAttributeMaxDynamicSharedMemorySize; -1: all there is
  std::atomic<int> sharedCarveout{0};
  KernelWishes asKernel;
  std::atomic<const void*> host{nullptr};  // its stand-in, if it was found by one
  std::uint32_t argumentBytes = 0;         // explicit part of its kernarg segment
  std::atomic<bool> introduced{false};     // for a core that has to be told of it before its first launch
};

struct Module {
  std::uint64_t id = 0;
  Device* owner = nullptr;
  int device = 0;
  std::shared_ptr<const code::GpuCode> code;
  Library* library = nullptr;  // whose code it is, on this device; null when the program loaded it by itself
  std::mutex mutex;
  std::map<std::string, Function*> functions;  // by kernel name, made on first use; owned by the handle pool
  std::map<std::string, void*> variables;      // addresses already asked for
  std::unique_ptr<CoreObject> impl;
};

enum class MemoryKind {
  kPageable,    // ordinary memory of the program, unknown to the runtime
  kDevice,      // hipMalloc and friends
  kHost,        // hipHostMalloc: host memory that kernels reach at the same address
  kManaged,     // hipMallocManaged and __managed__ variables
  kRegistered,  // hipHostRegister: the program's own memory, reachable through devicePointer
};

// An array as programs see it: those of HIP 5 may look.
struct ArrayHead {
  void* data = nullptr;
  hipChannelFormatDesc desc{};
  unsigned type = 0;
  unsigned width = 0, height = 0, depth = 0;  // in texels, as asked for: 0 where it has no such dimension
  hipArray_Format format = HIP_AD_FORMAT_UNSIGNED_INT8;
  unsigned channels = 1;
  bool isDriver = false;
  unsigned textureType = 0;
  unsigned flags = 0;
};
static_assert(sizeof(ArrayHead) == 64);

// Texels in an order of the device's own. Its handle is its address.
struct Array {
  ArrayHead head;
  std::uint64_t id = 0;
  Device* owner = nullptr;
  int device = 0;
  std::size_t texelBytes = 1;
  std::unique_ptr<CoreObject> impl;

  std::size_t rowBytes() const { return head.width * texelBytes; }
  std::size_t rows() const { return std::max(head.height, 1u); }
  std::size_t slices() const { return std::max(head.depth, 1u); }
};

// What kernels read an array or plain memory through, or, as a surface, write an array through.
struct Texture {
  std::uint64_t id = 0;
  Device* owner = nullptr;
  int device = 0;
  bool surface = false;
  Array* array = nullptr;  // what it shows; null: the memory that `resource` describes
  hipResourceDesc resource{};
  hipTextureDesc reading{};
  std::optional<hipResourceViewDesc> view;
  void* object = nullptr;  // what the program, and so its kernels, know it by: the core's choice
  std::unique_ptr<CoreObject> impl;
};

// By which a core finds memory of another process; what it means is the core's business.
using SharedName = std::array<std::uint64_t, 3>;

struct Allocation {
  MemoryKind kind = MemoryKind::kDevice;
  Device* owner = nullptr;
  int device = 0;
  std::size_t size = 0;
  unsigned flags = 0;
  void* host = nullptr;           // where the CPU of this process reads it, or null
  void* devicePointer = nullptr;  // where kernels read it
  std::uint64_t id = 0;
  bool ownPages = false;     // kRegistered: whole pages that the runtime made; a core may put others in their place
  bool synchronous = false;  // HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS: copies and fills of it are waited for
  std::shared_ptr<platform::SharedMemory> pages{};  // of host memory that other cores admit, where it has such
};

}  // namespace hipr
