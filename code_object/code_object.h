// CodeObject: AMD's format of GpuCode, one ELF for one GPU target, parsed: its kernels, its variables, and how to place
// it in memory. Immutable after parse(), so it may be shared between threads. It borrows the bytes it was made from.
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
#include "code_object/gpu_code.h"
#include "code_object/kernel_descriptor.h"
#include "code_object/metadata.h"
#include "code_object/target_id.h"

namespace hipr::code {

struct Kernel : GpuKernel {
  KernelMetadata metadata;
  KernelDescriptor descriptor;
  std::uint64_t descriptorAddress = 0;  // addresses are relative to the load base
  std::uint64_t entryAddress = 0;

  const std::string& name() const override { return metadata.name; }
  Resources resources() const override;
  int groupsPerUnit(const Unit& unit, int groupSize) const override;
  bool wantsBarrierAcrossDevices() const override;
  std::optional<Place> argument(std::size_t index) const override;
  std::uint32_t argumentBytes() const override;
  std::vector<std::size_t> argumentOffsets() const override;
  Status packParams(void* const* params, std::span<std::byte> room) const override;
  Status packBuffer(Bytes buffer, std::span<std::byte> room) const override;
};

class CodeObject : public GpuCode {
 public:
  CodeObject() = default;

  // REQUIRES: `bytes` outlives the result.
  static Status parse(Bytes bytes, CodeObject& out);

  const TargetId& target() const { return elf_.target; }
  int version() const { return elf_.codeObjectVersion; }
  const std::vector<Kernel>& kernels() const { return kernels_; }
  const std::vector<std::string>& printfFormats() const { return printfFormats_; }

  const Kernel* findKernel(std::string_view name) const;

  Bytes bytes() const override { return elf_.bytes; }
  std::vector<const GpuKernel*> allKernels() const override;
  const GpuKernel* kernel(std::string_view name) const override { return findKernel(name); }
  const std::vector<Variable>& variables() const override { return variables_; }
  const Variable* findVariable(std::string_view name) const override;
  std::vector<std::byte> initialBytes(std::uint64_t address, std::uint64_t size) const override;

  const std::vector<ElfSegment>& segments() const { return elf_.segments; }
  std::uint64_t loadSize() const { return loadSize_; }  // bytes from the load base to the end of the last segment
  std::uint64_t loadAlignment() const { return loadAlignment_; }
  std::uint64_t footprint() const;  // bytes of memory that this object takes, besides the code itself; about

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
