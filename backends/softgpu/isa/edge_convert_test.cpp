// Conversions, scaling and decomposition over edge values in every MODE, against exact arithmetic.
#include <gtest/gtest.h>

#include "backends/softgpu/isa/alu_model.h"

namespace hipr::softgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using I64 = std::int64_t;

constexpr Type S = Type::kI16, I = Type::kI32, H = Type::kHalf, F = Type::kFloat, D = Type::kDouble;

// --- To and from integers.

// A float as an integer, after `scale` and rounded; a NaN is 0.
I64 integerOf(const AluModel& m, U64 x, Rounding r, I64 low, I64 high) {
  x = m.in(x);
  if (m.f.isNan(x)) return 0;
  if (m.f.isInfinite(x)) return m.f.isNegative(x) ? low : high;
  return Exact::of(m.f, x).toInteger(r, low, high);
}
EdgeCase toInteger(const char* assembly, Type from, Type to, Rounding r, I64 low, I64 high) {
  return {assembly, to, {from}, [=](const Sources& x, U32 mode) {
            return static_cast<U64>(integerOf(AluModel(from, mode), x[0], r, low, high));
          }};
}
EdgeCase fromInteger(const char* assembly, Type from, Type to, bool isSigned, unsigned shift = 0, unsigned bits = 0) {
  return {
      assembly, to, {from}, [=](const Sources& x, U32 mode) {
        unsigned width = bits ? bits : from == S ? 16 : 32;
        U64 field = x[0] >> shift & ((1ull << width) - 1);
        bool negative = isSigned && (field >> (width - 1) & 1);
        AluModel m(to, mode);
        return m.out(Exact::integer(negative, negative ? (1ull << width) - field : field).rounded(m.f, m.rounding()));
      }};
}
EdgeCase between(const char* assembly, Type from, Type to) {
  return {assembly, to, {from}, [=](const Sources& x, U32 mode) {
            AluModel source(from, mode), result(to, mode);
            return result.out(exactConvert(source.f, result.f, source.in(x[0]), result.rounding()));
          }};
}

constexpr I64 kMin32 = -(1ll << 31), kMax32 = (1ll << 31) - 1, kMaxU32 = (1ll << 32) - 1;
const std::vector<EdgeCase> kConversions = {
    toInteger("v_cvt_i32_f32 v6, v0", F, I, Rounding::kTowardZero, kMin32, kMax32),
    toInteger("v_cvt_u32_f32 v6, v0", F, I, Rounding::kTowardZero, 0, kMaxU32),
    toInteger("v_cvt_flr_i32_f32 v6, v0", F, I, Rounding::kDown, kMin32, kMax32),
    toInteger("v_cvt_i32_f64 v6, v[0:1]", D, I, Rounding::kTowardZero, kMin32, kMax32),
    toInteger("v_cvt_u32_f64 v6, v[0:1]", D, I, Rounding::kTowardZero, 0, kMaxU32),
    toInteger("v_cvt_i16_f16 v6, v0", H, S, Rounding::kTowardZero, -32768, 32767),
    toInteger("v_cvt_u16_f16 v6, v0", H, S, Rounding::kTowardZero, 0, 65535),
    fromInteger("v_cvt_f32_i32 v6, v0", I, F, true),
    fromInteger("v_cvt_f32_u32 v6, v0", I, F, false),
    fromInteger("v_cvt_f64_i32 v[6:7], v0", I, D, true),
    fromInteger("v_cvt_f64_u32 v[6:7], v0", I, D, false),
    fromInteger("v_cvt_f16_i16 v6, v0", S, H, true),
    fromInteger("v_cvt_f16_u16 v6, v0", S, H, false),
    fromInteger("v_cvt_f32_ubyte0 v6, v0", I, F, false, 0, 8),
    fromInteger("v_cvt_f32_ubyte1 v6, v0", I, F, false, 8, 8),
    fromInteger("v_cvt_f32_ubyte2 v6, v0", I, F, false, 16, 8),
    fromInteger("v_cvt_f32_ubyte3 v6, v0", I, F, false, 24, 8),
    between("v_cvt_f16_f32 v6, v0", F, H),
    between("v_cvt_f32_f16 v6, v0", H, F),
    between("v_cvt_f32_f64 v6, v[0:1]", D, F),
    between("v_cvt_f64_f32 v[6:7], v0", F, D),
    // To the nearest integer, halves upward.
    {"v_cvt_rpi_i32_f32 v6, v0",
     I,
     {F},
     [](const Sources& x, U32 mode) -> U64 {
       AluModel m(F, mode);
       if (m.f.isNan(x[0]) || m.f.isInfinite(x[0]))
         return static_cast<U64>(integerOf(m, x[0], Rounding::kDown, kMin32, kMax32));
       Exact half = Exact::of(m.f, 0x3f000000);
       return static_cast<U64>(
           Exact::of(m.f, m.in(x[0])).plus(half, Rounding::kUp).toInteger(Rounding::kDown, kMin32, kMax32));
     }},
    // Sixteenths of a signed four-bit field.
    {"v_cvt_off_f32_i4 v6, v0",
     F,
     {I},
     [](const Sources& x, U32) {
       int field = static_cast<int>(x[0] & 15), value = field < 8 ? field : field - 16;
       return exactScale(kFloatFormat,
                         Exact::integer(value < 0, static_cast<U64>(value < 0 ? -value : value))
                             .rounded(kFloatFormat, Rounding::kNearestEven),
                         -4, Rounding::kNearestEven);
     }},
};

// --- Normalised integers: the range [-1, 1] or [0, 1] as all of a 16-bit integer, to the nearest.

U64 norm(Type from, U64 x, U32 mode, bool isSigned) {
  AluModel m(from, mode);
  x = m.in(x);
  if (m.f.isNan(x) || (!isSigned && m.f.isNegative(x))) return 0;
  if (exactCompare(m.f, m.f.magnitude(x), m.f.one()) > 0) x = (x & m.f.sign()) | m.f.one();
  U64 wide = exactConvert(m.f, kDoubleFormat, x, Rounding::kNearestEven);
  U64 top = Exact::integer(false, isSigned ? 32767 : 65535).rounded(kDoubleFormat, Rounding::kNearestEven);
  return static_cast<U64>(Exact::product(kDoubleFormat, wide, top).toInteger(Rounding::kNearestEven, -32767, 65535)) &
         0xffff;
}
EdgeCase packedNorm(const char* assembly, Type from, bool isSigned) {
  return {assembly, I, {from, from}, [=](const Sources& x, U32 mode) {
            return norm(from, x[0], mode, isSigned) | norm(from, x[1], mode, isSigned) << 16;
          }};
}

// A byte by MODE's rounding, put in place of another.
U64 byteOf(U64 x, U32 mode) {
  AluModel m(F, mode);
  return static_cast<U64>(integerOf(m, x, m.rounding(), 0, 255));
}
U64 withByte(U64 word, U64 position, U64 byte) {
  U64 shift = position % 4 * 8;
  return (word & ~(0xffull << shift)) | byte << shift;
}

const std::vector<EdgeCase> kPacked = {
    {"v_cvt_norm_i16_f16 v6, v0", S, {H}, [](const Sources& x, U32 mode) { return norm(H, x[0], mode, true); }},
    {"v_cvt_norm_u16_f16 v6, v0", S, {H}, [](const Sources& x, U32 mode) { return norm(H, x[0], mode, false); }},
    packedNorm("v_cvt_pknorm_i16_f32 v6, v0, v2", F, true),
    packedNorm("v_cvt_pknorm_u16_f32 v6, v0, v2", F, false),
    packedNorm("v_cvt_pknorm_i16_f16 v6, v0, v2", H, true),
    packedNorm("v_cvt_pknorm_u16_f16 v6, v0, v2", H, false),
    {"v_cvt_pk_u8_f32 v6, v0, v2, v4",
     I,
     {F, I, I},
     [](const Sources& x, U32 mode) { return withByte(x[2], x[1], byteOf(x[0], mode)); }},
    {"v_mov_b32 v6, 0x55667788\n v_cvt_pkaccum_u8_f32 v6, v0, v2",
     I,
     {F, I},
     [](const Sources& x, U32 mode) { return withByte(0x55667788, x[1], byteOf(x[0], mode)); }},
    {"v_cvt_pkrtz_f16_f32 v6, v0, v2",
     H,
     {F, F},
     [](const Sources& x, U32 mode) {
       AluModel m(F, mode);
       return exactConvert(m.f, kHalfFormat, m.in(x[0]), Rounding::kTowardZero);
     }},
    {"v_cvt_pkrtz_f16_f32 v6, v0, -v2\n v_lshrrev_b32 v6, 16, v6",
     H,
     {F, F},
     [](const Sources& x, U32 mode) {
       AluModel m(F, mode);
       return exactConvert(m.f, kHalfFormat, m.in(x[1]) ^ m.f.sign(), Rounding::kTowardZero);
     }},
    {"v_pack_b32_f16 v6, v0, v2",
     I,
     {H, H},
     [](const Sources& x, U32 mode) { return AluModel(H, mode).in(x[0]) | AluModel(H, mode).in(x[1]) << 16; }},
    {"v_cvt_pk_u16_u32 v6, v0, v2",
     I,
     {I, I},
     [](const Sources& x, U32) { return std::min<U64>(x[0], 0xffff) | std::min<U64>(x[1], 0xffff) << 16; }},
    {"v_sat_pk_u8_i16 v6, v0",
     I,
     {I},
     [](const Sources& x, U32) {
       auto limit = [](U64 field) { return field & 0x8000 ? 0 : std::min<U64>(field, 255); };
       return limit(x[0] & 0xffff) | limit(x[0] >> 16) << 8;
     }},
};

// --- Exponents and mantissas.

EdgeCase scale(const char* assembly, Type t, Type power) {
  return {assembly, t, {t, power}, [=](const Sources& x, U32 mode) {
            AluModel m(t, mode);
            int n = power == S ? static_cast<std::int16_t>(x[1]) : static_cast<std::int32_t>(x[1]);
            return m.out(exactScale(m.f, m.in(x[0]), n, m.rounding()));
          }};
}

// x = mantissa * 2^exponent, mantissa in [0.5, 1); what has no exponent is its own mantissa.
int exponentOf(const AluModel& m, U64 x) {
  x = m.f.magnitude(m.in(x));
  if (x == 0 || x >= m.f.infinity()) return 0;
  int e = static_cast<int>(x >> m.f.mantissaBits);
  if (e) return e - m.f.bias() + 1;
  int bits = 64 - __builtin_clzll(x);
  return bits + 1 - m.f.bias() - static_cast<int>(m.f.mantissaBits);
}
EdgeCase exponent(const char* assembly, Type t, Type result) {
  return {assembly, result, {t}, [=](const Sources& x, U32 mode) {
            return static_cast<U64>(exponentOf(AluModel(t, mode), x[0]));
          }};
}
EdgeCase mantissa(const char* assembly, Type t) {
  return {assembly, t, {t}, [=](const Sources& x, U32 mode) {
            AluModel m(t, mode);
            return exactScale(m.f, m.in(x[0]), -exponentOf(m, x[0]), Rounding::kNearestEven);
          }};
}
// x - floor(x), below one.
EdgeCase fraction(const char* assembly, Type t) {
  return {assembly, t, {t}, [=](const Sources& x, U32 mode) {
            AluModel m(t, mode);
            U64 in = m.in(x[0]);
            if (m.f.isNan(in) || m.f.isInfinite(in)) return m.f.nan();
            I64 floor = Exact::of(m.f, in).toInteger(Rounding::kDown, -(1ll << 60), 1ll << 60);
            // Past 2^60 there is nothing after the point.
            if (floor == 1ll << 60 || floor == -(1ll << 60)) return U64{0};
            Exact negated = Exact::integer(floor > 0, static_cast<U64>(floor > 0 ? floor : -floor));
            U64 r = Exact::of(m.f, in).plus(negated, m.rounding()).rounded(m.f, m.rounding());
            if (m.f.magnitude(r) == 0) return U64{0};  // the manual does not say which
            return m.out(exactCompare(m.f, r, m.f.one()) >= 0 ? m.f.one() - 1 : r);
          }};
}
// To whole numbers.
EdgeCase whole(const char* assembly, Type t, Rounding r) {
  return {assembly, t, {t}, [=](const Sources& x, U32 mode) {
            AluModel m(t, mode);
            U64 in = m.in(x[0]);
            int wholeFrom = m.f.bias() + static_cast<int>(m.f.mantissaBits);
            if (static_cast<int>(m.f.magnitude(in) >> m.f.mantissaBits) >= wholeFrom) return in;  // NaNs as well
            I64 value = Exact::of(m.f, in).toInteger(r, -(1ll << 60), 1ll << 60);
            U64 magnitude = Exact::integer(false, static_cast<U64>(value < 0 ? -value : value)).rounded(m.f, r);
            return magnitude | (in & m.f.sign());
          }};
}

const std::vector<EdgeCase> kParts = {
    scale("v_ldexp_f32 v6, v0, v2", F, I),
    scale("v_ldexp_f64 v[6:7], v[0:1], v2", D, I),
    scale("v_ldexp_f16 v6, v0, v2", H, S),
    exponent("v_frexp_exp_i32_f32 v6, v0", F, I),
    exponent("v_frexp_exp_i32_f64 v6, v[0:1]", D, I),
    exponent("v_frexp_exp_i16_f16 v6, v0", H, S),
    mantissa("v_frexp_mant_f32 v6, v0", F),
    mantissa("v_frexp_mant_f64 v[6:7], v[0:1]", D),
    mantissa("v_frexp_mant_f16 v6, v0", H),
    fraction("v_fract_f32 v6, v0", F),
    fraction("v_fract_f64 v[6:7], v[0:1]", D),
    fraction("v_fract_f16 v6, v0", H),
    whole("v_trunc_f32 v6, v0", F, Rounding::kTowardZero),
    whole("v_ceil_f32 v6, v0", F, Rounding::kUp),
    whole("v_floor_f32 v6, v0", F, Rounding::kDown),
    whole("v_rndne_f32 v6, v0", F, Rounding::kNearestEven),
    whole("v_trunc_f64 v[6:7], v[0:1]", D, Rounding::kTowardZero),
    whole("v_ceil_f64 v[6:7], v[0:1]", D, Rounding::kUp),
    whole("v_floor_f64 v[6:7], v[0:1]", D, Rounding::kDown),
    whole("v_rndne_f64 v[6:7], v[0:1]", D, Rounding::kNearestEven),
    whole("v_trunc_f16 v6, v0", H, Rounding::kTowardZero),
    whole("v_ceil_f16 v6, v0", H, Rounding::kUp),
    whole("v_floor_f16 v6, v0", H, Rounding::kDown),
    whole("v_rndne_f16 v6, v0", H, Rounding::kNearestEven),
};

const EdgeTested kTested[] = {EdgeTested::in(kConversions), EdgeTested::in(kPacked), EdgeTested::in(kParts)};

TEST(EdgeConvert, Formats) {
  compareEdges(kConversions, everyMode());
}
TEST(EdgeConvert, PackedAndNormalised) {
  compareEdges(kPacked, everyMode());
}
TEST(EdgeConvert, ExponentsAndMantissas) {
  compareEdges(kParts, everyMode());
}

}  // namespace
}  // namespace hipr::softgpu
