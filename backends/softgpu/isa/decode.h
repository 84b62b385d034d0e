// Instruction words to Inst, and the per-code-object cache of decoded pages.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/softgpu/isa/execute.h"
#include "backends/softgpu/isa/inst.h"

namespace hipr::softgpu {

// Decodes the instruction at words[0]; words[1] is read only when `available` > 1. Never fails: what is not an
// instruction becomes an Inst whose handler raises kIllegalInstruction.
Inst decode(const std::uint32_t* words, unsigned available, Gpu gpu);

// Every dword of a page is decoded as if an instruction began there, so a pc is an index; a page costs 16 times its
// code and is made at first use.
class CodeCache {
 public:
  CodeCache(Region code, Gpu gpu);
  ~CodeCache();

  // The decoded instruction at `address`, or null when that is not (aligned) code.
  const Inst* at(std::uint64_t address);
  // The instruction after the end of the page: `offset` is in dwords from the start of the region.
  const Inst* atOffset(std::uint64_t offset);

  std::uint64_t addressOf(const Inst& inst) const { return code_.begin + std::uint64_t{inst.offset} * 4; }
  Region region() const { return code_; }
  Gpu gpu() const { return gpu_; }

 private:
  struct Page;
  Page* makePage(std::uint64_t page);

  Region code_;
  Gpu gpu_;
  std::vector<std::atomic<Page*>> pages_;
};

}  // namespace hipr::softgpu
