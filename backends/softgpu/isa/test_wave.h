// For tests: one wave over words of code, without an executor.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/softgpu/isa/decode.h"
#include "backends/softgpu/isa/wave.h"

namespace hipr::softgpu {

// The first line of tests that assemble. What is skipped does not count as passed (./test), and CI accepts no such
// skip.
#define NEEDS_ASSEMBLER \
  if (!haveAssembler()) GTEST_SKIP() << "llvm-mc-19 is not installed"
bool haveAssembler();

// Assembles gfx90a source with llvm-mc-19; throws when that refuses. REQUIRES: haveAssembler()
std::vector<std::uint32_t> assemble(const std::string& source, const std::string& cpu = "gfx90a");

// All of the process's memory: tests hand kernels their own buffers.
class OpenMemory final : public AddressSpace {
 public:
  Region find(std::uint64_t address) const override { return address < 4096 ? Region{} : Region{4096, ~0ull}; }
};

// One buffer and nothing else.
class ClosedMemory final : public AddressSpace {
 public:
  explicit ClosedMemory(Region region) : region_(region) {}
  Region find(std::uint64_t address) const override {
    return address >= region_.begin && address < region_.end ? region_ : Region{};
  }

 private:
  Region region_;
};

// All of the process's memory, at other addresses than the process has it, in one region or a region per page.
class ShiftedMemory final : public AddressSpace {
 public:
  static constexpr std::uint64_t kShift = std::uint64_t{1} << 47, kPage = 8192;
  explicit ShiftedMemory(bool pages) : pages_(pages) {}
  Region find(std::uint64_t address) const override {
    if (address < kShift || address >= 2 * kShift) return {};
    const std::uint64_t page = address / kPage * kPage;
    return pages_ ? Region{page, page + kPage, 0 - kShift} : Region{kShift, 2 * kShift, 0 - kShift};
  }

 private:
  bool pages_;
};

class TestWave {
 public:
  // kClosed: only buffer() is reachable; the last two: ShiftedMemory.
  enum class Memory : std::uint8_t { kOpen, kClosed, kShifted, kShiftedPages };

  explicit TestWave(std::vector<std::uint32_t> code, Gpu gpu = Gpu::kGfx90a, unsigned ldsBytes = 65536,
                    Memory memory = Memory::kOpen);
  // Runs to s_endpgm, a stop or the budget; returns the fault's text, empty if none.
  std::string run(int budget = 100000);
  Wave* operator->() { return &wave_; }
  std::uint32_t& v(unsigned reg, unsigned lane) { return wave_.v[reg * kLanes + lane]; }
  std::uint64_t buffer() const { return reinterpret_cast<std::uint64_t>(buffer_.data()); }
  const std::optional<Fault>& fault() const { return shared_.fault; }

 private:
  std::vector<std::uint32_t> code_;
  std::vector<std::uint32_t> registers_;
  std::vector<std::uint8_t> scratch_;
  std::vector<std::uint8_t> buffer_;
  OpenMemory open_;
  ClosedMemory closed_;
  ShiftedMemory shifted_;
  DispatchState shared_;
  Workgroup group_;
  CodeCache cache_;
  Wave wave_{};
};

}  // namespace hipr::softgpu
