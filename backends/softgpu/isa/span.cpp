#include "backends/softgpu/isa/span.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

using U32 = std::uint32_t;
typedef U32 AnyU32 __attribute__((aligned(1), may_alias));

// Every other of kVectors vectors' worth of values, and back; unrolled, all of it stays in vector registers.
template <int kVectors>
HIPR_INLINE void split(const AnyU32* in, U32* even, U32* odd) {
#pragma GCC unroll 2
  for (int first = 0; first < kVectors * kVectorLanes; first += kVectorLanes) {
#pragma GCC ivdep
    for (int n = first; n < first + kVectorLanes; ++n) {
      even[n] = in[2 * n];
      odd[n] = in[2 * n + 1];
    }
  }
}
template <int kVectors>
HIPR_INLINE void merge(const U32* even, const U32* odd, AnyU32* out) {
#pragma GCC unroll 2
  for (int first = 0; first < kVectors * kVectorLanes; first += kVectorLanes) {
#pragma GCC ivdep
    for (int n = first; n < first + kVectorLanes; ++n) {
      out[2 * n] = even[n];
      out[2 * n + 1] = odd[n];
    }
  }
}

std::uint64_t signedOffset(const Inst& i) {
  return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(i.literal)});
}

}  // namespace

std::uint64_t globalSpan(Wave& w, const Inst& i, unsigned bytes) {
  std::uint64_t exec = w.exec();
  if (!exec) return 0;
  Rows low = w.row(i.src[0]), high = low + kLanes;
  LaneRange range(exec);
  if (!inOrder(w, range, low, bytes)) return 0;
  std::uint64_t at = low[range.first] + signedOffset(i);
  if (i.sdst == kNoOperand) {
    U32 top = high[range.first];
    if (outOfStep(high, top, 0) & exec) return 0;
    at += std::uint64_t{top} << 32;
  } else {
    at += w.pair(i.sdst);
  }
  const Region* region = reachable(w, at, range.count * bytes);
  return region ? at + region->shift : 0;
}

std::uint64_t flatSpan(Wave& w, const Inst& i, unsigned bytes) {
  if (!w.exec()) return 0;
  U32 high = w.row(i.src[0])[kLanes + std::countr_zero(w.exec())];
  return high == kSharedBase || high == kPrivateBase ? 0 : globalSpan(w, i, bytes);
}

std::uint64_t ldsSpan(const Wave& w, const Inst& i, U32 offset, unsigned bytes) {
  if (i.lds || !w.exec()) return 0;
  Rows base = w.row(i.src[0]);
  LaneRange range(w.exec());
  if (!inOrder(w, range, base, bytes)) return 0;
  std::uint64_t first = std::uint64_t{base[range.first]} + offset;
  return first + range.count * bytes <= w.lds.end - w.lds.begin ? w.lds.begin + first : 0;
}

void loadSome(Wave& w, std::uint64_t from, unsigned dwords, U32* row) {
  alignas(64) U32 lanes[4 * kLanes], values[4 * kLanes];
  LaneRange range(w.exec());
  std::memcpy(lanes + range.first * dwords, reinterpret_cast<const void*>(from), range.count * dwords * 4);
  if (dwords > 1) loadAll(reinterpret_cast<std::uint64_t>(lanes), dwords, values);
  storeMasked(w, row, dwords > 1 ? values : lanes, dwords);
}

void storeSome(Wave& w, std::uint64_t to, unsigned dwords, Rows row) {
  alignas(64) U32 lanes[4 * kLanes];
  LaneRange range(w.exec());
  if (dwords > 1) storeAll(reinterpret_cast<std::uint64_t>(lanes), dwords, row);
  Rows from = (dwords > 1 ? lanes : row) + range.first * dwords;
  auto* out = reinterpret_cast<AnyU32*>(to);
  std::uint64_t left = w.exec() >> range.first;
  if (std::has_single_bit(left + 1)) {
    std::memcpy(out, from, range.count * dwords * 4);
    return;
  }
  // What lies between active lanes is not this wave's to write.
  for (; left; left &= left - 1) {
    unsigned first = static_cast<unsigned>(std::countr_zero(left)) * dwords;
    for (unsigned k = first; k < first + dwords; ++k) out[k] = from[k];
  }
}

void loadAll(std::uint64_t from, unsigned dwords, U32* row) {
  auto* in = reinterpret_cast<const AnyU32*>(from);
  if (dwords == 1) {
    std::memcpy(row, in, kLanes * sizeof *row);
  } else if (dwords == 2) {
    for (int l = 0; l < kLanes; l += kVectorLanes) split<1>(in + 2 * l, row + l, row + l + kLanes);
  } else if (dwords == 4) {
    for (int l = 0; l < kLanes; l += kVectorLanes) {
      alignas(64) U32 even[2 * kVectorLanes], odd[2 * kVectorLanes];
      split<2>(in + 4 * l, even, odd);
      split<1>(even, row + l, row + l + 2 * kLanes);
      split<1>(odd, row + l + kLanes, row + l + 3 * kLanes);
    }
  } else {
    for (int l = 0; l < kLanes; ++l)
      for (unsigned k = 0; k < dwords; ++k) row[k * kLanes + l] = in[l * dwords + k];
  }
}

void storeAll(std::uint64_t to, unsigned dwords, Rows row) {
  auto* out = reinterpret_cast<AnyU32*>(to);
  if (dwords == 1) {
    std::memcpy(out, row, kLanes * sizeof *row);
  } else if (dwords == 2) {
    for (int l = 0; l < kLanes; l += kVectorLanes) merge<1>(row + l, row + l + kLanes, out + 2 * l);
  } else if (dwords == 4) {
    for (int l = 0; l < kLanes; l += kVectorLanes) {
      alignas(64) U32 even[2 * kVectorLanes], odd[2 * kVectorLanes];
      merge<1>(row + l, row + l + 2 * kLanes, even);
      merge<1>(row + l + kLanes, row + l + 3 * kLanes, odd);
      merge<2>(even, odd, out + 4 * l);
    }
  } else {
    for (int l = 0; l < kLanes; ++l)
      for (unsigned k = 0; k < dwords; ++k) out[l * dwords + k] = row[k * kLanes + l];
  }
}

std::uint64_t privateSpan(const Wave& w, std::uint64_t offset, unsigned dwords) {
  bool inside = offset < w.scratchBytes && 4 * dwords <= w.scratchBytes - offset;
  return inside && offset % 4 == 0 ? w.scratch.begin + offset * kLanes : 0;
}

void loadPrivate(Wave& w, std::uint64_t from, unsigned dwords, U32* row) {
  storeMasked(w, row, reinterpret_cast<const U32*>(from), dwords);
}

// What the other lanes have there is written back unchanged: the memory is this wave's alone.
void storePrivate(Wave& w, std::uint64_t to, unsigned dwords, Rows row) {
  storeMasked(w, reinterpret_cast<U32*>(to), row, dwords);
}

}  // namespace hipr::softgpu::HIPR_LEVEL
