// Instructions over the bytes of a register: permutes, averages and sums of absolute differences.
#include "backends/softgpu/isa/lanes.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

HIPR_INLINE U32 byteOf(U64 x, unsigned n) {
  return static_cast<U32>(x >> (8 * n)) & 0xff;
}
HIPR_INLINE U32 distance(U32 a, U32 b) {
  return a > b ? a - b : b - a;
}
HIPR_INLINE U32 byteDistances(U32 a, U32 b) {
  return distance(byteOf(a, 0), byteOf(b, 0)) + distance(byteOf(a, 1), byteOf(b, 1)) +
         distance(byteOf(a, 2), byteOf(b, 2)) + distance(byteOf(a, 3), byteOf(b, 3));
}
// Bytes whose reference is zero do not count.
HIPR_INLINE U32 maskedDistances(U32 a, U32 reference) {
  U32 sum = 0;
  for (unsigned n = 0; n < 4; ++n) sum += byteOf(reference, n) ? distance(byteOf(a, n), byteOf(reference, n)) : 0;
  return sum;
}
HIPR_INLINE U32 addSaturated(U32 a, U32 b) {
  return a + b < a ? ~0u : a + b;
}
HIPR_INLINE U32 lerpByte(U32 a, U32 b, U32 round, unsigned n) {
  return ((byteOf(a, n) + byteOf(b, n) + (byteOf(round, n) & 1)) >> 1) << (8 * n);
}

// Selectors: 0-7 a byte of {high, low}, 8-11 the sign of bytes 1, 3, 5, 7, 12 zero, above it 0xff.
HIPR_INLINE U32 permutedByte(U64 bytes, U32 selectors, unsigned n) {
  U32 sel = byteOf(selectors, n);
  U32 plain = static_cast<U32>(bytes >> (8 * (sel & 7))) & 0xff;
  U32 sign = (bytes >> (16 * (sel & 3) + 15)) & 1 ? 0xff : 0;
  U32 value = sel < 8 ? plain : sel < 12 ? sign : sel == 12 ? 0 : 0xff;
  return value << (8 * n);
}
HIPR_INLINE U32 permuted(U64 bytes, U32 sel) {
  return permutedByte(bytes, sel, 0) | permutedByte(bytes, sel, 1) | permutedByte(bytes, sel, 2) |
         permutedByte(bytes, sel, 3);
}

// Four sums at byte offsets 0-3 of `a`, each added to 16 bits of `c`.
template <U32 Sum(U32, U32)>
HIPR_INLINE U64 quadSums(U64 a, U32 b, U64 c, bool saturate) {
  U64 result = 0;
  for (unsigned n = 0; n < 4; ++n) {
    U32 sum = Sum(static_cast<U32>(a >> (8 * n)), b) + (static_cast<U32>(c >> (16 * n)) & 0xffff);
    result |= U64{saturate && sum > 0xffff ? 0xffff : sum & 0xffff} << (16 * n);
  }
  return result;
}

}  // namespace

LANE(v_perm_b32, U32, (U32 high, U32 low, U32 sel), permuted(U64{high} << 32 | low, sel))
LANE(v_lerp_u8, U32, (U32 a, U32 b, U32 c),
     lerpByte(a, b, c, 0) | lerpByte(a, b, c, 1) | lerpByte(a, b, c, 2) | lerpByte(a, b, c, 3))
LANE_SATURATING(v_sad_u8, U32, (U32 a, U32 b, U32 c), byteDistances(a, b) + c, addSaturated(byteDistances(a, b), c))
LANE_SATURATING(v_sad_hi_u8, U32, (U32 a, U32 b, U32 c), (byteDistances(a, b) << 16) + c,
                addSaturated(byteDistances(a, b) << 16, c))
LANE_SATURATING(v_sad_u16, U32, (U32 a, U32 b, U32 c),
                distance(a & 0xffff, b & 0xffff) + distance(a >> 16, b >> 16) + c,
                addSaturated(distance(a & 0xffff, b & 0xffff) + distance(a >> 16, b >> 16), c))
LANE_SATURATING(v_sad_u32, U32, (U32 a, U32 b, U32 c), distance(a, b) + c, addSaturated(distance(a, b), c))
LANE_SATURATING(v_msad_u8, U32, (U32 a, U32 b, U32 c), maskedDistances(a, b) + c,
                addSaturated(maskedDistances(a, b), c))
LANE_SATURATING(v_qsad_pk_u16_u8, U64, (U64 a, U32 b, U64 c), quadSums<byteDistances>(a, b, c, false),
                quadSums<byteDistances>(a, b, c, true))
LANE_SATURATING(v_mqsad_pk_u16_u8, U64, (U64 a, U32 b, U64 c), quadSums<maskedDistances>(a, b, c, false),
                quadSums<maskedDistances>(a, b, c, true))

// Four 32-bit sums: source 2 and the destination are four registers.
RUN(v_mqsad_u32_u8) {
  std::uint32_t a[kWideRows], b[kWideRows], out[4 * kLanes];
  auto fetch = [&](unsigned k, Kind kind, std::uint32_t* to, unsigned rows) {
    if (i.src[k] >= kVgpr)
      std::memcpy(to, w.row(i.src[k]), rows * kLanes * sizeof *to);
    else
      splat(w, i, i.src[k], kind, to);
  };
  fetch(0, Kind::kU64, a, 2);
  fetch(1, Kind::kU32, b, 1);
  for (unsigned n = 0; n < 4; ++n) {
    // A scalar source 2 is four registers as well; a constant is its low register alone.
    unsigned code = i.src[2];
    for (int l = 0; l < kLanes; ++l) {
      std::uint32_t c = code >= kVgpr ? w.row(code)[n * kLanes + static_cast<unsigned>(l)]
                        : code < 104  ? w.s[code + n]
                        : n == 0      ? w.s[code]
                                      : 0;
      std::uint32_t sum = maskedDistances(static_cast<U32>(load<U64>(a, l, 0) >> (8 * n)), b[l]);
      out[n * kLanes + static_cast<unsigned>(l)] = i.clamp ? addSaturated(sum, c) : sum + c;
    }
  }
  storeMasked(w, w.row(i.dst), out, 4);
}

}  // namespace hipr::softgpu::HIPR_LEVEL
