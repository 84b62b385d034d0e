// The objects a HIP program holds handles to. runtime/ makes, finds and destroys them (runtime/handles.h); the core
// keeps what it needs to know about each behind `impl`. Their identity numbers are made here, so creating one needs no
// answer from anyone. Every `device` is an index into Platform::devices, whatever *_VISIBLE_DEVICES hides.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "code_object/code_object.h"
#include "hip_remote/hip.h"

namespace hipr {

struct Stream {
  enum class Kind { kCreated, kNull, kPerThread };
  std::uint64_t id = 0;  // unique in the process, never reused
  Kind kind = Kind::kCreated;
  int device = 0;
  unsigned flags = 0;
  int priority = 0;
  std::vector<std::uint32_t> cuMask;
  std::mutex attributesMutex;
  std::map<hipLaunchAttributeID, hipLaunchAttributeValue> attributes;  // those the program has set
  void* impl = nullptr;
};

struct Event {
  std::uint64_t id = 0;
  int device = 0;
  unsigned flags = 0;
  std::atomic<bool> recorded{false};
  void* impl = nullptr;
};

struct Module;

struct Function {
  std::uint64_t id = 0;
  Module* module = nullptr;
  const code::Kernel* kernel = nullptr;   // points into module->code
  std::atomic<int> maxDynamicShared{-1};  // hipFuncAttributeMaxDynamicSharedMemorySize; -1: all there is
  std::atomic<int> sharedCarveout{0};
  std::uint32_t argumentBytes = 0;  // explicit part of its kernarg segment
  void* impl = nullptr;
};

struct Module {
  std::uint64_t id = 0;
  int device = 0;
  std::shared_ptr<const code::CodeObject> code;
  std::mutex mutex;
  std::map<std::string, Function*> functions;  // by kernel name, made on first use; owned by the handle pool
  std::map<std::string, void*> variables;      // addresses already asked for
  void* impl = nullptr;
};

enum class MemoryKind {
  kPageable,    // ordinary memory of the program, unknown to the runtime
  kDevice,      // hipMalloc and friends
  kHost,        // hipHostMalloc: host memory that kernels reach at the same address
  kManaged,     // hipMallocManaged and __managed__ variables
  kRegistered,  // hipHostRegister: the program's own memory, reachable through devicePointer
};

struct Allocation {
  MemoryKind kind = MemoryKind::kDevice;
  int device = 0;
  std::size_t size = 0;
  unsigned flags = 0;
  void* host = nullptr;           // where the CPU of this process reads it, or null
  void* devicePointer = nullptr;  // where kernels read it
  std::uint64_t id = 0;
  void* impl = nullptr;
};

// One side of a copy: `height` rows of `width` bytes, `pitch` apart, in `depth` slices, `slice` apart. In copies and
// fills registered memory is named by its host address, whichever of its addresses the program used.
struct Plane {
  void* address = nullptr;
  std::size_t pitch = 0;
  std::size_t slice = 0;
  MemoryKind kind = MemoryKind::kPageable;
  int device = 0;  // owner, for kinds other than kPageable
};

struct Copy {
  Plane to{};
  Plane from{};
  std::size_t width = 0;  // bytes; a plain copy is width × 1 × 1
  std::size_t height = 1;
  std::size_t depth = 1;
  // The call is synchronous for the host: on return, pageable memory it reads may be changed, host memory it writes is
  // written, and the stream answers a query as if the call had waited for it.
  bool blocking = false;
  // A call without "Async": it need not wait, but work given to any stream after it must find it done.
  bool synchronous = false;
};

struct Fill {
  void* address = nullptr;
  std::size_t pitch = 0;
  std::size_t slice = 0;
  std::size_t width = 0;  // elements
  std::size_t height = 1;
  std::size_t depth = 1;
  std::uint32_t value = 0;
  std::uint32_t elementSize = 1;  // 1, 2 or 4 bytes
  MemoryKind kind = MemoryKind::kDevice;
  bool synchronous = false;  // as in Copy
};

struct Launch {
  Function* function = nullptr;
  dim3 groups{};   // work-groups
  dim3 block{};    // work-items per group
  dim3 threads{};  // work-items in all; groups * block unless hipExtModuleLaunchKernel asked for partial groups
  unsigned sharedBytes = 0;  // dynamic LDS
  bool cooperative = false;
  std::span<const std::byte> arguments;  // explicit part of the kernarg segment, laid out by the kernel's metadata
  Event* start = nullptr;
  Event* stop = nullptr;
};

}  // namespace hipr
