// Floating point instructions that exist in the VOP3 encoding only, but for division (vop3_div.cpp).
#include "backends/softgpu/isa/convert.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

using U32 = std::uint32_t;
using I32 = std::int32_t;

HIPR_INLINE float legacyMultiplyThenAdd(float a, float b, float c) {
  return flushed(flushed(legacyProduct(flushed(a), flushed(b))) + flushed(c));
}
HIPR_INLINE float number(Half x) {
  return toFloat(x);
}

// Cube maps: the face is the axis of the largest coordinate, z before y before x.
struct Cube {
  float x, y, z;
  HIPR_INLINE bool zFace() const { return magnitude(z) >= magnitude(x) && magnitude(z) >= magnitude(y); }
  HIPR_INLINE bool yFace() const { return !zFace() && magnitude(y) >= magnitude(x); }
};
HIPR_INLINE float cubeFace(Cube c) {
  return c.zFace() ? (c.z < 0 ? 5.0f : 4.0f) : c.yFace() ? (c.y < 0 ? 3.0f : 2.0f) : (c.x < 0 ? 1.0f : 0.0f);
}
HIPR_INLINE float cubeS(Cube c) {
  return c.zFace() ? (c.z < 0 ? -c.x : c.x) : c.yFace() ? c.x : (c.x < 0 ? c.z : -c.z);
}
HIPR_INLINE float cubeT(Cube c) {
  return c.zFace() ? -c.y : c.yFace() ? (c.y < 0 ? -c.z : c.z) : -c.y;
}
HIPR_INLINE float cubeMajor(Cube c) {
  return 2.0f * (c.zFace() ? c.z : c.yFace() ? c.y : c.x);
}

HIPR_INLINE U32 signedNorm(float x) {
  return static_cast<U32>(toSignedNorm(x)) & 0xffff;
}
HIPR_INLINE U32 unsignedNorm(float x) {
  return static_cast<U32>(toUnsignedNorm(x));
}
// Rounded as MODE says for f32.
HIPR_INLINE U32 toByte(float x, Lane l) {
  float limited = x > 0.0f ? (x < 255.0f ? x : 255.0f) : 0.0f;
  float up = std::ceil(limited), down = std::floor(limited), nearest = __builtin_roundevenf(limited);
  unsigned rounding = l.mode & 3;
  return static_cast<U32>(static_cast<I32>(rounding == 0 ? nearest : rounding == 1 ? up : down));
}
HIPR_INLINE U32 withByte(U32 old, U32 position, U32 byte) {
  U32 shift = 8 * (position & 3);
  return (old & ~(0xffu << shift)) | byte << shift;
}

// 2/pi, the fraction's most significant bits first.
constexpr std::uint64_t kTwoOverPi[] = {0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
                                        0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
                                        0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
                                        0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
                                        0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};

// 53 bits of 2/pi from the segment an argument of that size needs. The manual's fraction has 1201 bits, zeros after.
HIPR_INLINE double trigSegment(double x, U32 segment) {
  unsigned exponent = static_cast<unsigned>(exponentOf(x));
  unsigned shift = (segment & 31) * 53 + (exponent > 1077 ? exponent - 1077 : 0);
  std::uint64_t bits = 0;
  for (unsigned n = shift; n < shift + 53; ++n)
    bits = bits << 1 | (n < 1201 ? (kTwoOverPi[n / 64] >> (63 - n % 64)) & 1 : 0);
  int scale = -53 - static_cast<int>(shift) + (exponent >= 1968 ? 128 : 0);
  return isNan(x) ? quiet(x) : scaled(static_cast<double>(bits), scale);
}

template <bool kGeneral>
void fusedHalves(Wave& w, const Inst& i) {
  if (roundsHalvesOneWay(w.mode)) return runGeneral(w, i, Lanes<fusedOneWay>::kShape, Lanes<fusedOneWay>::loop);
  kGeneral ? Lanes<fusedToNearest>::general(w, i) : Lanes<fusedToNearest>::plain(w, i);
}

}  // namespace

LANE(v_fma_f32, float, (float a, float b, float c), __builtin_fmaf(a, b, c))
LANE(v_fma_f64, double, (double a, double b, double c), __builtin_fma(a, b, c))
const Impl v_fma_f16{fusedHalves<false>, fusedHalves<true>};
const Impl v_fma_legacy_f16 = v_fma_f16;
LANE(v_mad_f32, float, (float a, float b, float c), multiplyThenAdd(a, b, c))
LANE(v_mad_legacy_f32, float, (float a, float b, float c), legacyMultiplyThenAdd(a, b, c))
LANE(v_mad_f16, Half, (Half a, Half b, Half c), multiplyThenAdd(a, b, c))
const Impl v_mad_legacy_f16 = v_mad_f16;
LANE(v_mul_legacy_f32, float, (float a, float b), legacyProduct(a, b))
LANE(v_add_f64, double, (double a, double b), a + b)
LANE(v_mul_f64, double, (double a, double b), a* b)
LANE(v_min_f64, double, (double a, double b, Lane l), minNum(a, b, ieee(l)))
LANE(v_max_f64, double, (double a, double b, Lane l), maxNum(a, b, ieee(l)))
LANE(v_ldexp_f32, float, (float a, I32 n), scaled(a, n))
LANE(v_ldexp_f64, double, (double a, I32 n), scaled(a, n))

LANE(v_min3_f32, float, (float a, float b, float c, Lane l), minNum(minNum(a, b, ieee(l)), c, ieee(l)))
LANE(v_max3_f32, float, (float a, float b, float c, Lane l), maxNum(maxNum(a, b, ieee(l)), c, ieee(l)))
LANE(v_med3_f32, float, (float a, float b, float c, Lane l), med3(a, b, c, ieee(l)))
LANE(v_min3_f16, Half, (Half a, Half b, Half c, Lane l), minNum(minNum(a, b, ieee(l)), c, ieee(l)))
LANE(v_max3_f16, Half, (Half a, Half b, Half c, Lane l), maxNum(maxNum(a, b, ieee(l)), c, ieee(l)))
LANE(v_med3_f16, Half, (Half a, Half b, Half c, Lane l), toHalf(med3(number(a), number(b), number(c), ieee(l))))

LANE(v_cubeid_f32, float, (float x, float y, float z), cubeFace({x, y, z}))
LANE(v_cubesc_f32, float, (float x, float y, float z), cubeS({x, y, z}))
LANE(v_cubetc_f32, float, (float x, float y, float z), cubeT({x, y, z}))
LANE(v_cubema_f32, float, (float x, float y, float z), cubeMajor({x, y, z}))
LANE(v_trig_preop_f64, double, (double x, U32 segment), trigSegment(x, segment))

LANE(v_cvt_pkrtz_f16_f32, U32, (float a, float b), toHalfTowardZero(a).bits | U32{toHalfTowardZero(b).bits} << 16)
LANE(v_cvt_pknorm_i16_f32, U32, (float a, float b), signedNorm(a) | signedNorm(b) << 16)
LANE(v_cvt_pknorm_u16_f32, U32, (float a, float b), unsignedNorm(a) | unsignedNorm(b) << 16)
LANE(v_cvt_pknorm_i16_f16, U32, (Half a, Half b), signedNorm(number(a)) | signedNorm(number(b)) << 16)
LANE(v_cvt_pknorm_u16_f16, U32, (Half a, Half b), unsignedNorm(number(a)) | unsignedNorm(number(b)) << 16)
LANE(v_cvt_pk_u8_f32, U32, (float a, U32 position, U32 old, Lane l), withByte(old, position, toByte(a, l)))
// Accumulating: the byte replaces the destination's own.
LANE(v_cvt_pkaccum_u8_f32, U32, (float a, U32 position, U32 old, Lane l), withByte(old, position, toByte(a, l)))
LANE(v_pack_b32_f16, U32, (Half a, Half b), a.bits | U32{b.bits} << 16)

}  // namespace hipr::softgpu::HIPR_LEVEL
