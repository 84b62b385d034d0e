// The common shape of a memory access: the active lanes of a wave side by side in one piece of memory.
#pragma once

#include "backends/softgpu/isa/memory.h"

namespace hipr::softgpu::HIPR_LEVEL {

// Lanes whose value is not first + lane * step.
HIPR_INLINE std::uint64_t outOfStep(Rows row, std::uint32_t first, std::uint32_t step) {
  std::uint64_t wrong = 0;
  for (int part = 0; part < kLanes; part += kVectorLanes, first += step * kVectorLanes) {
    alignas(64) std::uint32_t truth[kVectorLanes];
    for (int l = 0; l < kVectorLanes; ++l)
      store<bool>(truth, l, row[part + l] != first + step * static_cast<unsigned>(l));
    wrong |= signBits(truth) << part;
  }
  return wrong;
}

// From the first active lane, of which there is one, to the last.
struct LaneRange {
  unsigned first = 0, count = kLanes;
  HIPR_INLINE explicit LaneRange(std::uint64_t exec) {
    if (exec == ~0ull) [[likely]]
      return;
    first = static_cast<unsigned>(std::countr_zero(exec));
    count = static_cast<unsigned>(kLanes - std::countl_zero(exec)) - first;
    asm("" : "+r"(first), "+r"(count));  // a branch: when all lanes are active nothing waits for this
  }
};

// Active lanes' offsets rise by `step` from lane to lane and do not wrap.
HIPR_INLINE bool inOrder(const Wave& w, LaneRange range, Rows offsets, std::uint32_t step) {
  std::uint32_t low = offsets[range.first];
  return (outOfStep(offsets, low - range.first * step, step) & w.exec()) == 0 && low <= ~0u - range.count * step;
}

// All active lanes, of which there is one, have the same value, which goes to `value`.
HIPR_INLINE bool uniform(const Wave& w, Rows row, std::uint32_t& value) {
  value = row[std::countr_zero(w.exec())];
  return (outOfStep(row, value, 0) & w.exec()) == 0;
}

// Where the first active lane's bytes are, when `bytes` of each active lane lie lane after lane, all of it in reach;
// 0 when that is not so or no lane is active.
std::uint64_t globalSpan(Wave& w, const Inst& i, unsigned bytes);
std::uint64_t flatSpan(Wave& w, const Inst& i, unsigned bytes);
std::uint64_t ldsSpan(const Wave& w, const Inst& i, std::uint32_t offset, unsigned bytes);

// Registers <-> the memory of a span; `dwords` is 1, 2, 3 or 4. The first two are for all lanes: rows of each of the
// lanes' dwords, and lane after lane.
void loadAll(std::uint64_t from, unsigned dwords, std::uint32_t* row);
void storeAll(std::uint64_t to, unsigned dwords, Rows row);
void loadSome(Wave& w, std::uint64_t from, unsigned dwords, std::uint32_t* row);
void storeSome(Wave& w, std::uint64_t to, unsigned dwords, Rows row);
HIPR_INLINE void loadSpan(Wave& w, std::uint64_t from, unsigned dwords, std::uint32_t* row) {
  w.exec() == ~0ull ? loadAll(from, dwords, row) : loadSome(w, from, dwords, row);
}
HIPR_INLINE void storeSpan(Wave& w, std::uint64_t to, unsigned dwords, Rows row) {
  w.exec() == ~0ull ? storeAll(to, dwords, row) : storeSome(w, to, dwords, row);
}

// Private memory interleaves the lanes' dwords: at one offset for all lanes it has the shape of registers. The address
// of that, or 0 when the offset is not a dword's or out of range.
std::uint64_t privateSpan(const Wave& w, std::uint64_t offset, unsigned dwords);
void loadPrivate(Wave& w, std::uint64_t from, unsigned dwords, std::uint32_t* row);
void storePrivate(Wave& w, std::uint64_t to, unsigned dwords, Rows row);

}  // namespace hipr::softgpu::HIPR_LEVEL
