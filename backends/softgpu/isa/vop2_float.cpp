// Floating point vector instructions with two sources.
#include "backends/softgpu/isa/convert.h"

namespace hipr::softgpu::HIPR_LEVEL {

using I16 = std::int16_t;

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

LANE(v_mac_f32, float, (float a, float b, float c), multiplyThenAdd(a, b, c))
LANE(v_madmk_f32, float, (float a, float k, float b), multiplyThenAdd(a, k, b))
LANE(v_madak_f32, float, (float a, float b, float k), multiplyThenAdd(a, b, k))

// Sums and products of two halves need no more than a float has, or are far from a tie.
LANE(v_add_f16, HalfFloat, (HalfFloat a, HalfFloat b), a + b)
LANE(v_sub_f16, HalfFloat, (HalfFloat a, HalfFloat b), a - b)
LANE(v_subrev_f16, HalfFloat, (HalfFloat a, HalfFloat b), b - a)
LANE(v_mul_f16, HalfFloat, (HalfFloat a, HalfFloat b), a* b)
LANE(v_mac_f16, Half, (Half a, Half b, Half c), multiplyThenAdd(a, b, c))
LANE(v_madmk_f16, Half, (Half a, Half k, Half b), multiplyThenAdd(a, k, b))
LANE(v_madak_f16, Half, (Half a, Half b, Half k), multiplyThenAdd(a, b, k))
LANE(v_max_f16, Half, (Half a, Half b, Lane l), maxNum(a, b, ieee(l)))
LANE(v_min_f16, Half, (Half a, Half b, Lane l), minNum(a, b, ieee(l)))
LANE(v_ldexp_f16, Half, (Half a, I16 n), toHalf(scaled(toFloat(a), n)))

}  // namespace hipr::softgpu::HIPR_LEVEL
