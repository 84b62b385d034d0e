// The 64-byte kernel descriptor (symbol NAME.kd) as plain fields. Bit positions: LLVM "User Guide for AMDGPU Backend",
// section Kernel Descriptor.
#pragma once

#include <cstdint>

#include "code_object/bytes.h"

namespace hipr::code {

struct KernelDescriptor {
  static constexpr std::size_t kSize = 64;

  std::uint32_t groupFixedSize = 0;
  std::uint32_t privateFixedSize = 0;
  std::uint32_t kernargSize = 0;
  std::int64_t entryOffset = 0;  // from the descriptor's own address
  std::uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
  std::uint16_t properties = 0;

  // rsrc1
  unsigned vgprGranules() const { return bits(rsrc1, 0, 6) + 1; }  // registers per granule depend on the processor
  unsigned sgprGranules() const { return bits(rsrc1, 6, 4) + 1; }
  unsigned roundMode() const { return bits(rsrc1, 12, 4); }   // 12-13 f32, 14-15 f16 and f64
  unsigned denormMode() const { return bits(rsrc1, 16, 4); }  // 16-17 f32, 18-19 f16 and f64
  bool dx10Clamp() const { return bits(rsrc1, 21, 1); }
  bool ieeeMode() const { return bits(rsrc1, 23, 1); }
  // rsrc2
  bool scratchEnabled() const { return bits(rsrc2, 0, 1); }
  unsigned userSgprCount() const { return bits(rsrc2, 1, 5); }
  bool workgroupIdX() const { return bits(rsrc2, 7, 1); }
  bool workgroupIdY() const { return bits(rsrc2, 8, 1); }
  bool workgroupIdZ() const { return bits(rsrc2, 9, 1); }
  bool workgroupInfo() const { return bits(rsrc2, 10, 1); }
  unsigned workitemIdDims() const { return bits(rsrc2, 11, 2) + 1; }
  // rsrc3 on gfx90a and gfx940: first accumulation register within the unified file; threadgroup split
  unsigned accumOffset() const { return (bits(rsrc3, 0, 6) + 1) * 4; }
  bool tgSplit() const { return bits(rsrc3, 16, 1); }
  // properties: which user SGPRs are set up, in this order
  bool privateSegmentBuffer() const { return bits(properties, 0, 1); }
  bool dispatchPtr() const { return bits(properties, 1, 1); }
  bool queuePtr() const { return bits(properties, 2, 1); }
  bool kernargSegmentPtr() const { return bits(properties, 3, 1); }
  bool dispatchId() const { return bits(properties, 4, 1); }
  bool flatScratchInit() const { return bits(properties, 5, 1); }
  bool privateSegmentSize() const { return bits(properties, 6, 1); }
  bool usesDynamicStack() const { return bits(properties, 11, 1); }

  // False when fewer than kSize bytes are given.
  static bool decode(Bytes in, KernelDescriptor& out) {
    return in.size() >= kSize && readAt(in, 0, out.groupFixedSize) && readAt(in, 4, out.privateFixedSize) &&
           readAt(in, 8, out.kernargSize) && readAt(in, 16, out.entryOffset) && readAt(in, 44, out.rsrc3) &&
           readAt(in, 48, out.rsrc1) && readAt(in, 52, out.rsrc2) && readAt(in, 56, out.properties);
  }

 private:
  static constexpr unsigned bits(std::uint32_t word, int first, int count) {
    return word >> first & ((1u << count) - 1);
  }
};

}  // namespace hipr::code
