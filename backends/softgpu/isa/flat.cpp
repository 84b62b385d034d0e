// FLAT, GLOBAL and SCRATCH loads and stores; atomics are in flat_atomic.cpp.
#include "backends/softgpu/isa/segment.h"
#include "backends/softgpu/isa/window.h"

namespace hipr::softgpu::HIPR_LEVEL {

// The same access in all three segments: `a` and `stride` are in scope.
#define SEGMENT(name, bytes, segment, ...)                                              \
  RUN(name) {                                                                           \
    auto access = [&](Addresses& a, [[maybe_unused]] unsigned stride) { __VA_ARGS__; }; \
    segment##Access(w, i, bytes, accessor(access));                                     \
  }
#define SEGMENTS(name, bytes, ...)                   \
  SEGMENT(flat_##name, bytes, flat, __VA_ARGS__)     \
  SEGMENT(global_##name, bytes, global, __VA_ARGS__) \
  SEGMENT(scratch_##name, bytes, scratch, __VA_ARGS__)

#define LOAD_PART(name, bytes, part, place) \
  SEGMENTS(name, bytes, loadPart(w, i, a, Part::part, Place::place, w.row(i.dst)))
LOAD_PART(load_ubyte, 1, kByte, kWhole)
LOAD_PART(load_sbyte, 1, kSignedByte, kWhole)
LOAD_PART(load_ushort, 2, kShort, kWhole)
LOAD_PART(load_sshort, 2, kSignedShort, kWhole)
LOAD_PART(load_ubyte_d16, 1, kByte, kLow)
LOAD_PART(load_ubyte_d16_hi, 1, kByte, kHigh)
LOAD_PART(load_sbyte_d16, 1, kSignedByte, kLow)
LOAD_PART(load_sbyte_d16_hi, 1, kSignedByte, kHigh)
LOAD_PART(load_short_d16, 2, kShort, kLow)
LOAD_PART(load_short_d16_hi, 2, kShort, kHigh)

namespace {

// Lane after lane, not far from each other, or wherever each lane says.
template <auto Span, auto Near, auto Anywhere>
void load(Wave& w, const Inst& i, unsigned dwords) {
  if (std::uint64_t at = Span(w, i, 4 * dwords)) return loadSpan(w, at, dwords, w.row(i.dst));
  Window window;
  if (Near(w, i, 4 * dwords, window)) return loadWindow(w, window, dwords, w.row(i.dst));
  auto access = [&](Addresses& a, unsigned stride) { loadDwords(w, i, a, dwords, w.row(i.dst), stride); };
  Anywhere(w, i, 4 * dwords, accessor(access));
}
template <auto Span, auto Near, auto Anywhere>
void store(Wave& w, const Inst& i, unsigned dwords) {
  if (std::uint64_t at = Span(w, i, 4 * dwords)) return storeSpan(w, at, dwords, w.row(i.src[1]));
  Window window;
  if (Near(w, i, 4 * dwords, window)) return storeWindow(w, window, dwords, w.row(i.src[1]));
  auto access = [&](Addresses& a, unsigned stride) { storeDwords(w, i, a, dwords, w.row(i.src[1]), stride); };
  Anywhere(w, i, 4 * dwords, accessor(access));
}
void loadScratch(Wave& w, const Inst& i, unsigned dwords) {
  if (std::uint64_t at = scratchSpan(w, i, 4 * dwords)) return loadPrivate(w, at, dwords, w.row(i.dst));
  auto access = [&](Addresses& a, unsigned stride) { loadDwords(w, i, a, dwords, w.row(i.dst), stride); };
  scratchAccess(w, i, 4 * dwords, accessor(access));
}
void storeScratch(Wave& w, const Inst& i, unsigned dwords) {
  if (std::uint64_t at = scratchSpan(w, i, 4 * dwords)) return storePrivate(w, at, dwords, w.row(i.src[1]));
  auto access = [&](Addresses& a, unsigned stride) { storeDwords(w, i, a, dwords, w.row(i.src[1]), stride); };
  scratchAccess(w, i, 4 * dwords, accessor(access));
}

}  // namespace

#define DWORDS(action, scratchAction, name, dwords)               \
  RUN(flat_##name) {                                              \
    action<flatSpan, flatWindow, flatAccess>(w, i, dwords);       \
  }                                                               \
  RUN(global_##name) {                                            \
    action<globalSpan, globalWindow, globalAccess>(w, i, dwords); \
  }                                                               \
  RUN(scratch_##name) {                                           \
    scratchAction(w, i, dwords);                                  \
  }
#define LOADS(name, dwords) DWORDS(load, loadScratch, name, dwords)
#define STORES(name, dwords) DWORDS(store, storeScratch, name, dwords)
LOADS(load_dword, 1)
LOADS(load_dwordx2, 2)
LOADS(load_dwordx3, 3)
LOADS(load_dwordx4, 4)
STORES(store_dword, 1)
STORES(store_dwordx2, 2)
STORES(store_dwordx3, 3)
STORES(store_dwordx4, 4)

SEGMENTS(store_byte, 1, storePart(w, i, a, 1, false, w.row(i.src[1])))
SEGMENTS(store_byte_d16_hi, 1, storePart(w, i, a, 1, true, w.row(i.src[1])))
SEGMENTS(store_short, 2, storePart(w, i, a, 2, false, w.row(i.src[1])))
SEGMENTS(store_short_d16_hi, 2, storePart(w, i, a, 2, true, w.row(i.src[1])))

#define LOAD_LDS(name, bytes, sign)                                      \
  SEGMENT(global_##name, bytes, global, loadToLds(w, i, a, bytes, sign)) \
  SEGMENT(scratch_##name, bytes, scratch, loadToLds(w, i, a, bytes, sign))
LOAD_LDS(load_lds_ubyte, 1, false)
LOAD_LDS(load_lds_sbyte, 1, true)
LOAD_LDS(load_lds_ushort, 2, false)
LOAD_LDS(load_lds_sshort, 2, true)
LOAD_LDS(load_lds_dword, 4, false)

}  // namespace hipr::softgpu::HIPR_LEVEL
