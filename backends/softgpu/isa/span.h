// The common shape of a memory access: all lanes of a wave side by side in one piece of memory.
#pragma once

#include "backends/softgpu/isa/memory.h"

namespace hipr::softgpu::HIPR_LEVEL {

// Lanes whose value is not first + lane * step.
HIPR_INLINE std::uint64_t outOfStep(Rows row, std::uint32_t first, std::uint32_t step) {
  std::uint64_t wrong = 0;
  for (int part = 0; part < kLanes; part += kVectorLanes) {
    alignas(64) std::uint32_t truth[kVectorLanes];
    for (int l = 0; l < kVectorLanes; ++l)
      store<bool>(truth, l, row[part + l] != first + step * static_cast<unsigned>(part + l));
    wrong |= signBits(truth) << part;
  }
  return wrong;
}

// Offsets that rise by `step` from lane to lane and do not wrap.
HIPR_INLINE bool inOrder(Rows offsets, std::uint32_t step) {
  return outOfStep(offsets, offsets[0], step) == 0 && offsets[0] <= ~0u - kLanes * step;
}

// All active lanes, of which there is one, have the same value, which goes to `value`.
HIPR_INLINE bool uniform(const Wave& w, Rows row, std::uint32_t& value) {
  value = row[std::countr_zero(w.exec())];
  return (outOfStep(row, value, 0) & w.exec()) == 0;
}

// Where `bytes` of every lane lie, lane after lane, all of it in reach; 0 when that is not so or EXEC is not full.
std::uint64_t globalSpan(Wave& w, const Inst& i, unsigned bytes);
std::uint64_t flatSpan(Wave& w, const Inst& i, unsigned bytes);
std::uint64_t ldsSpan(const Wave& w, const Inst& i, std::uint32_t offset, unsigned bytes);

// Registers <-> the memory of a span; `dwords` is 1, 2, 3 or 4.
void loadSpan(std::uint64_t from, unsigned dwords, std::uint32_t* row);
void storeSpan(std::uint64_t to, unsigned dwords, Rows row);

// Private memory interleaves the lanes' dwords: at one offset for all lanes it has the shape of registers. The address
// of that, or 0 when the offset is not a dword's or out of range.
std::uint64_t privateSpan(const Wave& w, std::uint64_t offset, unsigned dwords);
void loadPrivate(Wave& w, std::uint64_t from, unsigned dwords, std::uint32_t* row);
void storePrivate(Wave& w, std::uint64_t to, unsigned dwords, Rows row);

}  // namespace hipr::softgpu::HIPR_LEVEL
