// Messages about code: modules, launches, graphs, and programs to compile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wire/stream.h"

namespace hipr::wire {

struct ModuleLoad {
  std::uint64_t module = 0;
  std::int32_t device = 0;
  Bits256 hash{};  // the digest of the code
  Bytes code{};    // empty: the worker has it under this hash
  std::vector<std::string> variables{};
  static auto fields(auto& m) { return std::tie(m.module, m.device, m.hash, m.code, m.variables); }
};
// Before a ModuleLoad without code: the code, packed for its way (net/packing.h).
struct PackedCode {
  Bits256 hash{};          // the digest of the code
  std::uint64_t size = 0;  // of the code
  Bytes packed{};          // less than that
  static auto fields(auto& m) { return std::tie(m.hash, m.size, m.packed); }
};
struct ModuleLoadReply {
  std::int32_t status = 0;
  std::vector<std::uint64_t> addresses{};  // of `variables`, in their order; 0 where the runtime has none
  static auto fields(auto& m) { return std::tie(m.status, m.addresses); }
};
struct ModuleUnload {
  std::uint64_t module = 0;
  static auto fields(auto& m) { return std::tie(m.module); }
};

struct FunctionGet {
  std::uint64_t function = 0, module = 0;
  std::string name;
  static auto fields(auto& m) { return std::tie(m.function, m.module, m.name); }
};

struct LaunchKernel {
  std::uint64_t stream = 0, function = 0;
  std::array<std::uint32_t, 3> groups{}, block{};
  std::array<std::uint32_t, 3> threads{};  // zero: groups * block
  std::uint32_t sharedBytes = 0;
  bool cooperative = false;
  std::uint64_t start = 0, stop = 0;  // events, or 0
  Bytes arguments{};
  static auto fields(auto& m) {
    return std::tie(m.stream, m.function, m.groups, m.block, m.threads, m.sharedBytes, m.cooperative, m.start, m.stop,
                    m.arguments);
  }
};

// A message of verb Work, kept for later: LaunchKernel, DeviceCopy, ArrayCopy, FillMemory or WordSteps with stream 0
// and no events.
struct GraphStep {
  std::uint16_t opcode = 0;  // 0: no work, only a place where others meet
  std::int32_t device = 0;
  std::vector<std::uint32_t> after{};  // earlier steps, in ascending order
  Bytes work{};                        // the message, encoded
  static auto fields(auto& m) { return std::tie(m.opcode, m.device, m.after, m.work); }
};
inline constexpr std::size_t kMostGraphSteps = 1 << 14;  // of one graph

struct GraphCreate {
  std::uint64_t graph = 0;
  std::int32_t device = 0;
  std::vector<GraphStep> steps{};
  static auto fields(auto& m) { return std::tie(m.graph, m.device, m.steps); }
};

// From now on these steps do something else; what they come after stays, and `after` is empty.
struct GraphUpdate {
  std::uint64_t graph = 0;
  std::vector<std::uint32_t> numbers{};
  std::vector<GraphStep> steps{};  // as many
  static auto fields(auto& m) { return std::tie(m.graph, m.numbers, m.steps); }
};

struct GraphDestroy {
  std::uint64_t graph = 0;
  static auto fields(auto& m) { return std::tie(m.graph); }
};

struct GraphLaunch {
  std::uint64_t stream = 0, graph = 0;
  static auto fields(auto& m) { return std::tie(m.stream, m.graph); }
};

// A program for hiprtc, as rtc/codec.h has it. The worker compiles only when its owner lets it.
struct CompileSource {
  Bytes request{};
  static auto fields(auto& m) { return std::tie(m.request); }
};
struct CompileSourceReply {
  std::int32_t status = 0;
  Blob result{};  // when the status is hipSuccess; the compiler's own status is in it
  static auto fields(auto& m) { return std::tie(m.status, m.result); }
};

}  // namespace hipr::wire
