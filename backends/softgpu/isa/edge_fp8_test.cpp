// 8-bit floats (gfx942): every code, and conversions at and around every rounding boundary, against the definition of
// the formats.
#include <gtest/gtest.h>

#include "backends/softgpu/isa/alu_model.h"

namespace hipr::softgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr Type I = Type::kI32, F = Type::kFloat;
constexpr U32 kOverflow = 1u << 23;  // MODE.FP16_OVFL: what is too large becomes the largest number, not a NaN

struct Format8 {
  int exponentBits, mantissaBits;
  int bias() const { return 1 << (exponentBits - 1); }

  U64 decode(U64 code) const { return exactFrom8Bits(exponentBits, code); }

  // In units of the place that the last mantissa bit of a number of this size has; `random` as a fraction is added
  // before cutting off, or the nearest is taken.
  U64 encode(U64 x, bool overflow, bool stochastic, U64 random) const {
    const FloatFormat f = kFloatFormat;
    U64 sign = f.isNegative(x) ? 0x80 : 0, magnitude = f.magnitude(x);
    if (magnitude > f.infinity()) return 0x80;
    U64 tooLarge = overflow ? sign | 0x7f : 0x80;
    if (magnitude == f.infinity()) return tooLarge;
    int binade = std::max(static_cast<int>(magnitude >> 23) - f.bias(), 1 - bias());
    Exact units = Exact::of(f, magnitude).scaled(mantissaBits - binade);
    if (stochastic) units = units.plus(Exact::integer(false, random).scaled(-32), Rounding::kUp);
    auto kept =
        static_cast<U64>(units.toInteger(stochastic ? Rounding::kTowardZero : Rounding::kNearestEven, 0, 1ll << 40));
    U64 code = (static_cast<U64>(binade - (1 - bias())) << mantissaBits) + kept;
    if (code > 0x7f) return tooLarge;
    return code ? sign | code : 0;
  }
};
constexpr Format8 kFp8{4, 3}, kBf8{5, 2};

// --- From 8 bits.

EdgeCase decodes(const char* assembly, const Format8& format, unsigned shift) {
  return {assembly, F, {I}, [=](const Sources& x, U32) { return format.decode(x[0] >> shift & 0xff); }};
}
const std::vector<EdgeCase> kDecodes = {
    decodes("v_cvt_f32_fp8 v6, v0", kFp8, 0),
    decodes("v_cvt_f32_bf8 v6, v0", kBf8, 0),
    decodes("v_cvt_f32_fp8_sdwa v6, v0 src0_sel:BYTE_1", kFp8, 8),
    decodes("v_cvt_f32_bf8_sdwa v6, v0 src0_sel:BYTE_2", kBf8, 16),
    decodes("v_cvt_f32_bf8_sdwa v6, v0 src0_sel:BYTE_3", kBf8, 24),
    decodes("v_cvt_pk_f32_fp8 v[240:241], v0\n v_mov_b32 v6, v240", kFp8, 0),
    decodes("v_cvt_pk_f32_fp8 v[240:241], v0\n v_mov_b32 v6, v241", kFp8, 8),
    decodes("v_cvt_pk_f32_bf8 v[240:241], v0\n v_mov_b32 v6, v240", kBf8, 0),
    decodes("v_cvt_pk_f32_bf8 v[240:241], v0\n v_mov_b32 v6, v241", kBf8, 8),
    decodes("v_cvt_pk_f32_fp8_sdwa v[240:241], v0 src0_sel:WORD_1\n v_mov_b32 v6, v240", kFp8, 16),
    decodes("v_cvt_pk_f32_bf8_sdwa v[240:241], v0 src0_sel:WORD_1\n v_mov_b32 v6, v241", kBf8, 24),
};

// --- To 8 bits.

constexpr U64 kOld = 0x55667788;

EdgeCase pair(const char* name, const Format8& format, bool high, const char* signs = "") {
  bool signed0 = *signs != 0;  // -|v0|
  std::string assembly = std::string("v_mov_b32 v6, 0x55667788\n ") + name + " v6, " + (signed0 ? "-|v0|" : "v0") +
                         ", v2" + (high ? " op_sel:[0,0,1]" : "");
  return {assembly, I, {F, F, I}, [=](const Sources& x, U32 mode) {
            AluModel m(F, mode);
            auto code = [&](U64 value) { return format.encode(m.in(value), mode & kOverflow, false, 0); };
            U64 both = code(signed0 ? x[0] | m.f.sign() : x[0]) | code(x[1]) << 8;
            return high ? (kOld & 0xffff) | both << 16 : (kOld & 0xffff0000) | both;
          }};
}
EdgeCase stochastic(const char* name, const Format8& format, unsigned byte) {
  static const char* const kPlaces[] = {"", " op_sel:[0,0,1,0]", " op_sel:[0,0,0,1]", " op_sel:[0,0,1,1]"};
  return {std::string("v_mov_b32 v6, 0x55667788\n ") + name + " v6, v0, v4" + kPlaces[byte],
          I,
          {F, F, I},
          [=](const Sources& x, U32 mode) {
            U64 code = format.encode(x[0], mode & kOverflow, true, x[2] & 0xffffffff);
            return (kOld & ~(0xffull << 8 * byte)) | code << 8 * byte;
          }};
}
const std::vector<EdgeCase> kEncodes = {
    pair("v_cvt_pk_fp8_f32", kFp8, false),        pair("v_cvt_pk_fp8_f32", kFp8, true, "-||"),
    pair("v_cvt_pk_bf8_f32", kBf8, false, "-||"), pair("v_cvt_pk_bf8_f32", kBf8, true),
    stochastic("v_cvt_sr_fp8_f32", kFp8, 0),      stochastic("v_cvt_sr_fp8_f32", kFp8, 1),
    stochastic("v_cvt_sr_fp8_f32", kFp8, 2),      stochastic("v_cvt_sr_bf8_f32", kBf8, 0),
    stochastic("v_cvt_sr_bf8_f32", kBf8, 3),
};

const EdgeTested kTested[] = {EdgeTested::in(kDecodes), EdgeTested::in(kEncodes)};

TEST(EdgeFp8, EveryCode) {
  std::vector<Sources> codes;
  for (U64 code = 0; code < 256; ++code)
    codes.push_back({code | (code ^ 0x3c) << 8 | (code ^ 0xc3) << 16 | (255 - code) << 24});
  compareEdges(kDecodes, codes, {kUsualMode}, Gpu::kGfx942);
}

// Halfway between neighbours, and one float to either side of it; beyond the largest; edge values of floats.
TEST(EdgeFp8, EveryBoundary) {
  std::vector<U64> values;
  for (const Format8& format : {kFp8, kBf8})
    for (U64 code = 0; code < 0x7f; ++code) {
      U64 a = format.decode(code), b = format.decode(code + 1);
      U64 middle =
          exactScale(kFloatFormat, exactSum(kFloatFormat, a, b, Rounding::kNearestEven), -1, Rounding::kNearestEven);
      for (U64 x : {a, a + 1, middle - 1, middle, middle + 1}) values.push_back(x);
    }
  for (U64 top : {0x43780000u, 0x437fffffu, 0x43800000u, 0x47700000u, 0x4773ffffu, 0x47740000u, 0x47800000u})
    values.push_back(top);
  for (const Sources& x : edgeInputs({F}, true)) values.push_back(x[0]);
  std::vector<Sources> inputs;
  constexpr U64 kRandom[] = {0, 0xffffffff, 0x80000000, 0x7fffffff, 0x00001000, 0xfffff000, 0x12345678};
  for (std::size_t n = 0; n < values.size(); ++n)
    for (U64 random : kRandom)
      inputs.push_back({values[n] ^ (n % 3 == 0 ? 1u << 31 : 0), values[(5 * n + 1) % values.size()], random});
  compareEdges(kEncodes, inputs, {kUsualMode, kUsualMode | kOverflow}, Gpu::kGfx942);
}

}  // namespace
}  // namespace hipr::softgpu
