// The three helpers compilers divide with: v_div_scale moves operands away from the ends of the exponent range and says
// so in a lane mask, v_div_fmas makes the last step and undoes the scaling, v_div_fixup puts in the special cases.
//
// Two places follow the purpose, not the letter, of the manual, because the letter gives wrong quotients: v_div_fmas
// scales by 2^64 (2^128 for f64), up or down as the quotient is large or small, and rounds once; and a denominator
// whose reciprocal and quotient are both denormal is scaled down.
#include "backends/softgpu/isa/float_rules.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

template <class F>
struct Limits;
template <>
struct Limits<float> {
  static constexpr int kScale = 64, kNearMax = 96, kTiny = 23, kUnderflow = -150, kBias = 127;
  static constexpr float kUp = 0x1p64f, kDown = 0x1p-64f, kLargestWithReciprocal = 0x1p126f;
  static constexpr std::uint32_t kIndefinite = 0xffc00000;
};
template <>
struct Limits<double> {
  static constexpr int kScale = 128, kNearMax = 768, kTiny = 53, kUnderflow = -1075, kBias = 1023;
  static constexpr double kUp = 0x1p128, kDown = 0x1p-128, kLargestWithReciprocal = 0x1p1022;
  static constexpr std::uint64_t kIndefinite = 0xfff8000000000000;
};

template <class F>
HIPR_INLINE Carry<F> divScale(F x, F denominator, F numerator) {
  using L = Limits<F>;
  bool isDenominator = x == denominator, isNumerator = x == numerator;
  bool zero = denominator == 0 || numerator == 0;
  bool nearMax = exponentOf(numerator) - exponentOf(denominator) >= L::kNearMax;
  bool smallDenominator = exponentOf(denominator) == 0;  // zero is dealt with apart
  bool noReciprocal = magnitude(denominator) > L::kLargestWithReciprocal;
  bool smallQuotient = exponentOf(numerator / denominator) == 0;  // those that round to zero as well
  bool tiny = exponentOf(numerator) <= L::kTiny;
  F up = x * L::kUp, down = x * L::kDown;
  F r = tiny ? up : x;
  r = smallQuotient ? (isNumerator ? up : x) : r;
  r = noReciprocal ? down : r;
  r = noReciprocal && smallQuotient ? (isDenominator ? down : x) : r;
  r = smallDenominator ? up : r;
  r = nearMax ? (isDenominator ? up : x) : r;
  r = zero ? std::numeric_limits<F>::quiet_NaN() : r;
  return {r, !zero && (nearMax || (smallQuotient && !smallDenominator))};
}

// hi * 2^-kScale for the exact value hi + lo, where |lo| is less than half a unit of hi, rounded once.
template <class F>
HIPR_INLINE F scaledDown(F hi, F lo) {
  using L = Limits<F>;
  using U = typename Bits<F>::U;
  int exponent = exponentOf(hi) - L::kScale;
  if (exponent >= 1 || exponentOf(hi) == 0) return hi * L::kDown;
  int drop = 1 - exponent + 2;  // bits that do not fit, with two more for what lies beyond hi
  U sign = toBits(hi) & kSignBit<F>;
  U mantissa = (toBits(hi) & ((U{1} << Bits<F>::kMantissa) - 1)) | U{1} << Bits<F>::kMantissa;
  bool awayFromZero = (lo > 0) == (hi > 0);
  U exact = mantissa * 4 + (lo == 0 ? 0 : awayFromZero ? 1 : U(-1));
  if (drop >= static_cast<int>(8 * sizeof(F))) return fromBits<F>(sign);
  U kept = exact >> drop, rest = exact & ((U{1} << drop) - 1), half = U{1} << (drop - 1);
  kept += rest > half || (rest == half && (kept & 1));
  return fromBits<F>(sign | kept);
}

HIPR_INLINE float fusedMultiplyAdd(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
HIPR_INLINE double fusedMultiplyAdd(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

template <class F>
HIPR_INLINE F divFmas(F a, F b, F c, bool undo) {
  F hi = fusedMultiplyAdd(a, b, c);
  if (!undo) return hi;
  if (exponentOf(c) > Limits<F>::kBias) return hi * Limits<F>::kUp;
  F product = a * b, productLow = fusedMultiplyAdd(a, b, -product);
  F sum = product + c, part = sum - product;
  F sumLow = (product - (sum - part)) + (c - part);
  return scaledDown(hi, (sum - hi) + (sumLow + productLow));
}

template <class F>
HIPR_INLINE F divFixup(F quotient, F denominator, F numerator) {
  using L = Limits<F>;
  constexpr F kInfinity = std::numeric_limits<F>::infinity();
  auto sign = (toBits(denominator) ^ toBits(numerator)) & kSignBit<F>;
  auto with = [&](F x) { return fromBits<F>((toBits(x) & ~kSignBit<F>) | sign); };
  F d = magnitude(denominator), n = magnitude(numerator);
  bool underflow = exponentOf(numerator) - exponentOf(denominator) < L::kUnderflow;
  // Of ordinary operands only an overflow makes the quotient's last steps a NaN (infinity minus infinity).
  F r = with(underflow ? F(0) : isNan(quotient) ? kInfinity : quotient);
  r = d == kInfinity || n == 0 ? with(F(0)) : r;
  r = d == 0 || n == kInfinity ? with(kInfinity) : r;
  r = (d == 0 && n == 0) || (d == kInfinity && n == kInfinity) ? fromBits<F>(L::kIndefinite) : r;
  r = isNan(denominator) ? quiet(denominator) : r;
  return isNan(numerator) ? quiet(numerator) : r;
}

HIPR_INLINE Half divFixupHalf(Half quotient, Half denominator, Half numerator) {
  unsigned sign = (denominator.bits ^ numerator.bits) & 0x8000u;
  unsigned d = denominator.bits & 0x7fffu, n = numerator.bits & 0x7fffu;
  unsigned q = quotient.bits & 0x7fffu;
  unsigned r = sign | (q > 0x7c00 ? 0x7c00 : q);
  r = d == 0x7c00 || n == 0 ? sign : r;
  r = d == 0 || n == 0x7c00 ? sign | 0x7c00 : r;
  r = (d == 0 && n == 0) || (d == 0x7c00 && n == 0x7c00) ? 0xfe00 : r;
  r = d > 0x7c00 ? denominator.bits | 0x200u : r;
  r = n > 0x7c00 ? numerator.bits | 0x200u : r;
  return {static_cast<std::uint16_t>(r)};
}

// Where no active lane was scaled, the whole step is a plain fma.
template <auto Plain, auto Scaled, bool kGeneral>
void divFmasWave(Wave& w, const Inst& i) {
  if ((w.vcc() & w.exec()) == 0) return kGeneral ? Lanes<Plain>::general(w, i) : Lanes<Plain>::plain(w, i);
  Lanes<Scaled>::general(w, i);
}

HIPR_INLINE float plain32(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
HIPR_INLINE double plain64(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

}  // namespace

LANE(v_div_scale_f32, Carry<float>, (float x, float d, float n), divScale(x, d, n))
LANE(v_div_scale_f64, Carry<double>, (double x, double d, double n), divScale(x, d, n))
LANE(v_div_fixup_f32, float, (float q, float d, float n), divFixup(q, d, n))
LANE(v_div_fixup_f64, double, (double q, double d, double n), divFixup(q, d, n))
LANE(v_div_fixup_f16, Half, (Half q, Half d, Half n), divFixupHalf(q, d, n))
const Impl v_div_fixup_legacy_f16 = v_div_fixup_f16;
const Impl v_div_fmas_f32{divFmasWave<plain32, divFmas<float>, false>, divFmasWave<plain32, divFmas<float>, true>};
const Impl v_div_fmas_f64{divFmasWave<plain64, divFmas<double>, false>, divFmasWave<plain64, divFmas<double>, true>};

}  // namespace hipr::softgpu::HIPR_LEVEL
