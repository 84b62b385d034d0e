// Operation: everything a stream can be given, and Stage: when it is over.
//
// Copies, fills, launches, events and host functions differ in what they do, not in how they get there: each is
// one alternative of one variant, and Core::submit is the one way to hand it over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "hip_remote/hip.h"
#include "runtime/objects.h"
#include "types/word_step.h"

namespace hipr {

struct GraphExec;

// How far an operation must have come before the call that submits it returns. Each stage includes those before it, and
// no other word is used for any of this.
enum class Stage {
  // It has its place in its stream, and pageable memory that it reads may change.
  kSent,
  // The device has carried it out, for everybody who comes later: whatever is submitted afterwards, to any stream of
  // any device of its core, starts after it.
  kDone,
  // And the host cannot tell that it did not wait for it: host memory it writes is written, and queries of its stream
  // and of events before it say that they are finished. A core need not really wait where nobody can see the
  // difference.
  kVisible,
};

// One side of a copy: `height` rows of `width` bytes, `pitch` apart, in `depth` slices, `slice` apart. In copies and
// fills registered memory is named by its host address, whichever of its addresses the program used.
struct Plane {
  void* address = nullptr;
  std::size_t pitch = 0;
  std::size_t slice = 0;
  MemoryKind kind = MemoryKind::kPageable;
  Device* owner = nullptr;   // null for kPageable
  int device = 0;            // its number within the core
  bool synchronous = false;  // nothing that touches it goes on behind the program's back
  // Instead of an address: a box of this array, of kind kDevice, from byte x of a row, row y and slice z on.
  Array* array = nullptr;
  std::size_t x = 0, y = 0, z = 0;
  bool operator==(const Plane&) const = default;
};

struct Copy {
  Plane to{};
  Plane from{};
  std::size_t width = 0;  // bytes; a plain copy is width × 1 × 1
  std::size_t height = 1;
  std::size_t depth = 1;
  bool operator==(const Copy&) const = default;
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
  Device* owner = nullptr;
  bool synchronous = false;
  bool operator==(const Fill&) const = default;
};

struct Launch {
  Function* function = nullptr;
  dim3 groups{};   // work-groups
  dim3 block{};    // work-items per group
  dim3 threads{};  // work-items in all; groups * block unless hipExtModuleLaunchKernel asked for partial groups
  unsigned sharedBytes = 0;  // dynamic LDS
  bool cooperative = false;
  std::span<const std::byte> arguments;  // explicit part of the kernarg segment, laid out by the kernel's metadata
  Event* start = nullptr;                // recorded when it starts
  Event* stop = nullptr;                 // recorded when it is done
};

struct Record {
  Event* event = nullptr;
  bool operator==(const Record&) const = default;
};

// The stream goes on when the event's last record before now is reached.
struct Wait {
  Event* event = nullptr;
  bool operator==(const Wait&) const = default;
};

// Runs in stream order, on a thread of ours. It may call HIP.
struct HostFunction {
  hipHostFn_t function = nullptr;
  void* userData = nullptr;
  bool operator==(const HostFunction&) const = default;
};

// Everything in an instantiated graph (graph_exec.h), each step after those it names. The graph may be changed or
// destroyed as soon as this is submitted.
struct GraphLaunch {
  GraphExec* exec = nullptr;
};

// One word of memory that the stream writes, or waits for.
struct WordStep {
  WordAction action = WordAction::kWrite;
  std::uint8_t bytes = 4;   // or 8
  void* address = nullptr;  // of registered memory: the host's
  Device* owner = nullptr;
  std::uint64_t value = 0, mask = 0;
  MemoryKind kind = MemoryKind::kDevice;
};

struct WordSteps {
  std::span<const WordStep> list;  // not empty
};

using Operation = std::variant<Copy, Fill, Launch, Record, Wait, HostFunction, GraphLaunch, WordSteps>;

}  // namespace hipr
