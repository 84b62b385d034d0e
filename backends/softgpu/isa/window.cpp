#include "backends/softgpu/isa/window.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

using U32 = std::uint32_t;

// In integers: the base alone may lie outside of everything. It is passed by value, because the compiler must take it
// that a store through the result changes a window's.
HIPR_INLINE char* place(std::uint64_t base, U32 offset) {
  return reinterpret_cast<char*>(base + offset);
}

// kVectorLanes neighbours lie side by side, `step` bytes each.
HIPR_INLINE bool together(Rows offsets, U32 step) {
  alignas(64) U32 truth[kVectorLanes];
  U32 first = offsets[0];
  for (int l = 0; l < kVectorLanes; ++l) store<bool>(truth, l, offsets[l] != first + step * static_cast<unsigned>(l));
  return signBits(truth) == 0 && first <= ~0u - step * kVectorLanes;
}

// Rows of lanes that lie together, as those of two-dimensional tiles do, or read one place go as vectors. Lanes of
// several dwords are put side by side, from where vectors take them apart.
template <unsigned N>
void gather(const Window& window, U32* row) {
  const std::uint64_t base = window.base;
  if (window.low == window.high) {
    U32 value[N];
    std::memcpy(value, place(base, window.low), sizeof value);
    for (unsigned k = 0; k < N; ++k)
      for (int l = 0; l < kLanes; ++l) row[k * kLanes + static_cast<unsigned>(l)] = value[k];
    return;
  }
  alignas(64) U32 lanes[N * kLanes];
  U32* to = N == 1 ? row : lanes;
  for (int part = 0; part < kLanes; part += kVectorLanes) {
    Rows offsets = window.offsets + part;
    U32* out = to + N * static_cast<unsigned>(part);
    if (together(offsets, 4 * N)) {
      std::memcpy(out, place(base, offsets[0]), 4 * N * kVectorLanes);
    } else if (N == 1 && together(offsets, 0)) {
      U32 value;
      std::memcpy(&value, place(base, offsets[0]), 4);
      for (int l = 0; l < kVectorLanes; ++l) out[l] = value;
    } else {
      for (unsigned l = 0; l < kVectorLanes; ++l) std::memcpy(out + N * l, place(base, offsets[l]), 4 * N);
    }
  }
  if (N > 1) loadAll(reinterpret_cast<std::uint64_t>(lanes), N, row);
}

template <unsigned N>
void scatter(const Window& window, std::uint64_t exec, Rows row) {
  const std::uint64_t base = window.base;
  if (window.low == window.high) {  // the last one stays
    unsigned last = kLanes - 1 - static_cast<unsigned>(std::countl_zero(exec));
    for (unsigned k = 0; k < N; ++k) std::memcpy(place(base, window.low) + 4 * k, row + k * kLanes + last, 4);
    return;
  }
  alignas(64) U32 lanes[N * kLanes];
  if (N > 1) storeAll(reinterpret_cast<std::uint64_t>(lanes), N, row);
  Rows from = N == 1 ? row : lanes;
  constexpr std::uint64_t kAll = (1ull << kVectorLanes) - 1;
  for (int part = 0; part < kLanes; part += kVectorLanes) {
    Rows offsets = window.offsets + part, in = from + N * static_cast<unsigned>(part);
    std::uint64_t active = (exec >> part) & kAll;
    if (active == kAll && together(offsets, 4 * N)) {
      std::memcpy(place(base, offsets[0]), in, 4 * N * kVectorLanes);
      continue;
    }
    for (; active; active &= active - 1) {
      auto l = static_cast<unsigned>(std::countr_zero(active));
      std::memcpy(place(base, offsets[l]), in + N * l, 4 * N);
    }
  }
}

}  // namespace

void takeOffsets(Wave& w, Rows offsets, Window& window) {
  window.offsets = offsets;
  U32 some;
  if (uniform(w, offsets, some)) {
    window.low = window.high = some;
    return;
  }
  if (std::uint64_t exec = w.exec(); exec != ~0ull) {
    for (U32& offset : window.repeated) offset = some;
    storeLanes(w, exec, window.repeated, offsets, 1);
    window.offsets = window.repeated;
  }
  Rows row = window.offsets;
  U32 low = ~0u, high = 0;
  for (int l = 0; l < kLanes; ++l) {
    low = row[l] < low ? row[l] : low;
    high = row[l] > high ? row[l] : high;
  }
  window.low = low;
  window.high = high;
}

bool placeWindow(Wave& w, unsigned bytes, Window& window) {
  const Region* region = reachable(w, window.base + window.low, std::uint64_t{window.high} - window.low + bytes);
  if (region) window.base += region->shift;
  return region != nullptr;
}

bool globalWindow(Wave& w, const Inst& i, unsigned bytes, Window& window) {
  if (!w.exec()) return false;
  Rows low = w.row(i.src[0]);
  window.base = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(i.literal)});
  if (i.sdst == kNoOperand) {
    U32 high;
    if (!uniform(w, low + kLanes, high)) return false;
    window.base += std::uint64_t{high} << 32;
  } else {
    window.base += w.pair(i.sdst);
  }
  takeOffsets(w, low, window);
  return placeWindow(w, bytes, window);
}

bool flatWindow(Wave& w, const Inst& i, unsigned bytes, Window& window) {
  U32 high;
  if (!w.exec() || !uniform(w, w.row(i.src[0]) + kLanes, high)) return false;
  return high != kSharedBase && high != kPrivateBase && globalWindow(w, i, bytes, window);
}

bool ldsWindow(Wave& w, const Inst& i, U32 offset, unsigned bytes, Window& window) {
  if (!w.exec() || i.lds) return false;
  takeOffsets(w, w.row(i.src[0]), window);
  window.base = w.lds.begin + offset;
  return std::uint64_t{window.high} + offset + bytes <= w.lds.end - w.lds.begin;
}

void loadWindow(Wave& w, const Window& window, unsigned dwords, U32* row) {
  alignas(64) U32 values[4 * kLanes];
  bool all = w.exec() == ~0ull;
  U32* to = all ? row : values;
  if (dwords == 1)
    gather<1>(window, to);
  else if (dwords == 2)
    gather<2>(window, to);
  else if (dwords == 3)
    gather<3>(window, to);
  else
    gather<4>(window, to);
  if (!all) storeMasked(w, row, values, dwords);
}

void storeWindow(const Wave& w, const Window& window, unsigned dwords, Rows row) {
  if (dwords == 1)
    scatter<1>(window, w.exec(), row);
  else if (dwords == 2)
    scatter<2>(window, w.exec(), row);
  else if (dwords == 3)
    scatter<3>(window, w.exec(), row);
  else
    scatter<4>(window, w.exec(), row);
}

}  // namespace hipr::softgpu::HIPR_LEVEL
