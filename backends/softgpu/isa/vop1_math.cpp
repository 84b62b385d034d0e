// Vector instructions with one source: rounding, decomposition and the transcendental unit. The latter's hardware is
// good to about one unit in the last place and so is this; where the result is exactly defined (sqrt, 1/x) it is
// rounded correctly.
#include "backends/softgpu/isa/convert.h"

namespace hipr::softgpu::HIPR_LEVEL {

using I16 = std::int16_t;
using I32 = std::int32_t;

// A whole number has its argument's sign. Said again because what compilers make of floor() for CPUs without such an
// instruction loses it of zeros while the host rounds down.
template <class F>
static HIPR_INLINE F signedAs(F argument, F whole) {
  return std::copysign(whole, argument);
}

LANE(v_trunc_f32, float, (float a), signedAs(a, std::trunc(a)))
LANE(v_ceil_f32, float, (float a), signedAs(a, std::ceil(a)))
LANE(v_floor_f32, float, (float a), signedAs(a, std::floor(a)))
LANE(v_rndne_f32, float, (float a), __builtin_roundevenf(a))
LANE(v_fract_f32, float, (float a), fraction(a, 0x1.fffffep-1f))
LANE(v_trunc_f64, double, (double a), signedAs(a, std::trunc(a)))
LANE(v_ceil_f64, double, (double a), signedAs(a, std::ceil(a)))
LANE(v_floor_f64, double, (double a), signedAs(a, std::floor(a)))
LANE(v_rndne_f64, double, (double a), __builtin_roundeven(a))
LANE(v_fract_f64, double, (double a), fraction(a, 0x1.fffffffffffffp-1))
LANE(v_trunc_f16, Half, (Half a), toHalf(signedAs(toFloat(a), std::trunc(toFloat(a)))))
LANE(v_ceil_f16, Half, (Half a), toHalf(signedAs(toFloat(a), std::ceil(toFloat(a)))))
LANE(v_floor_f16, Half, (Half a), toHalf(signedAs(toFloat(a), std::floor(toFloat(a)))))
LANE(v_rndne_f16, Half, (Half a), toHalf(__builtin_roundevenf(toFloat(a))))
LANE(v_fract_f16, Half, (Half a), toHalf(fraction(toFloat(a), 0x1.ffcp-1f)))

LANE(v_frexp_exp_i32_f32, I32, (float a), exponent(a))
LANE(v_frexp_mant_f32, float, (float a), mantissa(a))
LANE(v_frexp_exp_i32_f64, I32, (double a), exponent(a))
LANE(v_frexp_mant_f64, double, (double a), mantissa(a))
LANE(v_frexp_exp_i16_f16, I16, (Half a), static_cast<I16>(exponent(toFloat(a))))
LANE(v_frexp_mant_f16, Half, (Half a), toHalf(mantissa(toFloat(a))))

static HIPR_INLINE float reciprocalRoot(float x) {
  return static_cast<float>(1.0 / std::sqrt(double{x}));
}
// The argument of sine and cosine is in turns. Exact reduction first, to a quarter of a turn around a zero; past 256
// the hardware gives 0 and 1.
static HIPR_INLINE float sineOf(double turns) {
  return static_cast<float>(std::sin(turns * 6.283185307179586476925));
}
static HIPR_INLINE double partOfTurn(float turns) {
  return double{turns} - std::nearbyint(double{turns});
}
static HIPR_INLINE float sine(float turns) {
  if (!(std::fabs(turns) <= 256.0f)) return turns - turns == 0 ? 0.0f : std::numeric_limits<float>::quiet_NaN();
  double t = partOfTurn(turns);
  t = std::fabs(t) > 0.25 ? std::copysign(0.5 - std::fabs(t), t) : t;
  return turns == 0 ? turns : sineOf(t);
}
static HIPR_INLINE float cosine(float turns) {
  if (!(std::fabs(turns) <= 256.0f)) return turns - turns == 0 ? 1.0f : std::numeric_limits<float>::quiet_NaN();
  return sineOf(0.25 - std::fabs(partOfTurn(turns)));
}

// Of f32, and of no other format, these neither take nor give denormals, whatever MODE says.
LANE(v_exp_f32, float, (float a), flushed(::exp2f(flushed(a))))
LANE(v_log_f32, float, (float a), flushed(::log2f(flushed(a))))
LANE(v_exp_legacy_f32, float, (float a), flushed(::exp2f(flushed(a))))
LANE(v_log_legacy_f32, float, (float a), flushed(::log2f(flushed(a))))
LANE(v_rcp_f32, float, (float a), flushed(1.0f / flushed(a)))
LANE(v_rcp_iflag_f32, float, (float a), flushed(1.0f / flushed(a)))
LANE(v_rsq_f32, float, (float a), reciprocalRoot(flushed(a)))
LANE(v_sqrt_f32, float, (float a), std::sqrt(flushed(a)))
LANE(v_sin_f32, float, (float a), sine(a))
LANE(v_cos_f32, float, (float a), cosine(a))
LANE(v_rcp_f64, double, (double a), 1.0 / a)
LANE(v_rsq_f64, double, (double a), 1.0 / std::sqrt(a))
LANE(v_sqrt_f64, double, (double a), std::sqrt(a))
LANE(v_rcp_f16, Half, (Half a), toHalf(1.0f / toFloat(a)))
LANE(v_sqrt_f16, Half, (Half a), toHalf(std::sqrt(toFloat(a))))
LANE(v_rsq_f16, Half, (Half a), toHalf(reciprocalRoot(toFloat(a))))
LANE(v_log_f16, Half, (Half a), toHalf(::log2f(toFloat(a))))
LANE(v_exp_f16, Half, (Half a), toHalf(::exp2f(toFloat(a))))
LANE(v_sin_f16, Half, (Half a), toHalf(sine(toFloat(a))))
LANE(v_cos_f16, Half, (Half a), toHalf(cosine(toFloat(a))))

}  // namespace hipr::softgpu::HIPR_LEVEL
