// Floating point vector instructions with two sources.
#include "backends/softgpu/isa/convert.h"

namespace hipr::softgpu::HIPR_LEVEL {

using I16 = std::int16_t;
using U32 = std::uint32_t;

LANE(v_add_f32, float, (float a, float b), a + b)
LANE(v_sub_f32, float, (float a, float b), a - b)
LANE(v_subrev_f32, float, (float a, float b), b - a)
LANE(v_mul_f32, float, (float a, float b), a* b)
LANE(v_min_f32, float, (float a, float b, Lane l), minNum(a, b, ieee(l)))
LANE(v_max_f32, float, (float a, float b, Lane l), maxNum(a, b, ieee(l)))
LANE(v_fmac_f32, float, (float a, float b, float c), __builtin_fmaf(a, b, c))
LANE(v_fmamk_f32, float, (float a, float k, float b), __builtin_fmaf(a, k, b))
LANE(v_fmaak_f32, float, (float a, float b, float k), __builtin_fmaf(a, b, k))
LANE(v_fmac_f64, double, (double a, double b, double c), __builtin_fma(a, b, c))

// Two roundings, and denormals are lost whatever MODE says.
static HIPR_INLINE float mulThenAdd(float a, float b, float c) {
  return flushed(flushed(flushed(a) * flushed(b)) + flushed(c));
}
LANE(v_mac_f32, float, (float a, float b, float c), mulThenAdd(a, b, c))
LANE(v_madmk_f32, float, (float a, float k, float b), mulThenAdd(a, k, b))
LANE(v_madak_f32, float, (float a, float b, float k), mulThenAdd(a, b, k))

static HIPR_INLINE Half addHalf(Half a, Half b) {
  return toHalf(toFloat(a) + toFloat(b));
}
static HIPR_INLINE Half mulHalf(Half a, Half b) {
  return toHalf(toFloat(a) * toFloat(b));
}
// Sums and products of two halves need no more than a float has, or are far from a tie.
LANE(v_add_f16, HalfFloat, (HalfFloat a, HalfFloat b), a + b)
LANE(v_sub_f16, HalfFloat, (HalfFloat a, HalfFloat b), a - b)
LANE(v_subrev_f16, HalfFloat, (HalfFloat a, HalfFloat b), b - a)
LANE(v_mul_f16, HalfFloat, (HalfFloat a, HalfFloat b), a* b)
LANE(v_mac_f16, Half, (Half a, Half b, Half c), addHalf(mulHalf(a, b), c))
LANE(v_madmk_f16, Half, (Half a, Half k, Half b), addHalf(mulHalf(a, k), b))
LANE(v_madak_f16, Half, (Half a, Half b, Half k), addHalf(mulHalf(a, b), k))
LANE(v_max_f16, Half, (Half a, Half b, Lane l), maxNum(a, b, ieee(l)))
LANE(v_min_f16, Half, (Half a, Half b, Lane l), minNum(a, b, ieee(l)))
LANE(v_ldexp_f16, Half, (Half a, I16 n), toHalf(scaled(toFloat(a), n)))

static HIPR_INLINE Half lowHalf(U32 x) {
  return {static_cast<std::uint16_t>(x)};
}
static HIPR_INLINE Half highHalf(U32 x) {
  return {static_cast<std::uint16_t>(x >> 16)};
}
LANE(v_pk_fmac_f16, U32, (U32 a, U32 b, U32 c),
     fusedHalf(lowHalf(a), lowHalf(b), lowHalf(c)).bits | U32{fusedHalf(highHalf(a), highHalf(b), highHalf(c)).bits}
                                                              << 16)
LANE(v_dot2c_f32_f16, float, (U32 a, U32 b, float c),
     __builtin_fmaf(toFloat(highHalf(a)), toFloat(highHalf(b)),
                    __builtin_fmaf(toFloat(lowHalf(a)), toFloat(lowHalf(b)), c)))

}  // namespace hipr::softgpu::HIPR_LEVEL
