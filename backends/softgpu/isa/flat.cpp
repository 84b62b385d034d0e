// FLAT, GLOBAL and SCRATCH loads and stores; atomics are in flat_atomic.cpp.
#include "backends/softgpu/isa/segment.h"

namespace hipr::softgpu::HIPR_LEVEL {

// The same access in all three segments: `a` and `stride` are in scope.
#define SEGMENT(name, bytes, segment, ...)                                                    \
  RUN(name) {                                                                                 \
    auto access = [&](const Addresses& a, [[maybe_unused]] unsigned stride) { __VA_ARGS__; }; \
    segment##Access(w, i, bytes, accessor(access));                                           \
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

SEGMENTS(load_dword, 4, loadDwords(w, i, a, 1, w.row(i.dst), stride))
SEGMENTS(load_dwordx2, 8, loadDwords(w, i, a, 2, w.row(i.dst), stride))
SEGMENTS(load_dwordx3, 12, loadDwords(w, i, a, 3, w.row(i.dst), stride))
SEGMENTS(load_dwordx4, 16, loadDwords(w, i, a, 4, w.row(i.dst), stride))

SEGMENTS(store_byte, 1, storePart(w, i, a, 1, false, w.row(i.src[1])))
SEGMENTS(store_byte_d16_hi, 1, storePart(w, i, a, 1, true, w.row(i.src[1])))
SEGMENTS(store_short, 2, storePart(w, i, a, 2, false, w.row(i.src[1])))
SEGMENTS(store_short_d16_hi, 2, storePart(w, i, a, 2, true, w.row(i.src[1])))
SEGMENTS(store_dword, 4, storeDwords(w, i, a, 1, w.row(i.src[1]), stride))
SEGMENTS(store_dwordx2, 8, storeDwords(w, i, a, 2, w.row(i.src[1]), stride))
SEGMENTS(store_dwordx3, 12, storeDwords(w, i, a, 3, w.row(i.src[1]), stride))
SEGMENTS(store_dwordx4, 16, storeDwords(w, i, a, 4, w.row(i.src[1]), stride))

#define LOAD_LDS(name, bytes, sign)                                      \
  SEGMENT(global_##name, bytes, global, loadToLds(w, i, a, bytes, sign)) \
  SEGMENT(scratch_##name, bytes, scratch, loadToLds(w, i, a, bytes, sign))
LOAD_LDS(load_lds_ubyte, 1, false)
LOAD_LDS(load_lds_sbyte, 1, true)
LOAD_LDS(load_lds_ushort, 2, false)
LOAD_LDS(load_lds_sshort, 2, true)
LOAD_LDS(load_lds_dword, 4, false)

}  // namespace hipr::softgpu::HIPR_LEVEL
