// CodeObject: one ELF for one GPU target, parsed: its kernels, its variables, and how to place it in memory.
// Immutable after parse(), so it may be shared between threads. It borrows the bytes it was made from.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "code_object/bytes.h"
#include "code_object/elf.h"
#include "code_object/kernel_descriptor.h"
#include "code_object/metadata.h"
#include "code_object/target_id.h"

namespace hipr::code {

// XXH3-128 of the whole file: the name under which a worker keeps it.
struct ContentHash {
  std::uint64_t low = 0, high = 0;
  std::string hex() const;
  bool operator==(const ContentHash&) const = default;
};
ContentHash hashContent(Bytes bytes);

struct Kernel {
  KernelMetadata metadata;
  KernelDescriptor descriptor;
  std::uint64_t descriptorAddress = 0;  // addresses are relative to the load base
  std::uint64_t entryAddress = 0;
};

struct Variable {
  std::string name;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  // For `__managed__ T x`: this variable is the 8-byte pointer the runtime fills, and its initial value lies here.
  bool managed = false;
  std::uint64_t initialAddress = 0;
  std::uint64_t initialSize = 0;
};

class CodeObject {
 public:
  CodeObject() = default;

  // REQUIRES: `bytes` outlives the result.
  static Status parse(Bytes bytes, CodeObject& out);

  const TargetId& target() const { return elf_.target; }
  int version() const { return elf_.codeObjectVersion; }
  Bytes bytes() const { return elf_.bytes; }
  ContentHash hash() const { return hashContent(elf_.bytes); }
  const std::vector<Kernel>& kernels() const { return kernels_; }
  const std::vector<Variable>& variables() const { return variables_; }
  const std::vector<std::string>& printfFormats() const { return printfFormats_; }

  const Kernel* findKernel(std::string_view name) const;
  const Variable* findVariable(std::string_view name) const;

  const std::vector<ElfSegment>& segments() const { return elf_.segments; }
  std::uint64_t loadSize() const { return loadSize_; }  // bytes from the load base to the end of the last segment
  std::uint64_t loadAlignment() const { return loadAlignment_; }

  // Fills `memory` with the loaded image as it must look at address `base`: segments copied, gaps zeroed, relocations
  // applied. REQUIRES: memory.size() >= loadSize(); base is a multiple of loadAlignment().
  Status load(std::span<std::byte> memory, std::uint64_t base) const;

 private:
  Status addKernels(Metadata metadata, const std::unordered_map<std::string_view, std::size_t>& symbols);
  void addVariables(const std::unordered_map<std::string_view, std::size_t>& symbols);
  bool loadedBytes(std::uint64_t address, std::uint64_t size, Bytes& out) const;
  Status relocate(const ElfRelocation& r, std::span<std::byte> memory, std::uint64_t base) const;

  ElfView elf_;
  std::uint64_t loadSize_ = 0, loadAlignment_ = 1;
  std::vector<Kernel> kernels_;
  std::vector<Variable> variables_;
  std::vector<std::string> printfFormats_;
  std::unordered_map<std::string, std::size_t> kernelIndex_, variableIndex_;
};

}  // namespace hipr::code
