// Integer vector instructions that LLVM does not fold, over triples of edge values, against models from the manual's
// words.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>

#include "backends/softgpu/isa/edge.h"

namespace hipr::softgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using I64 = std::int64_t;
using Model = std::function<U64(U64 a, U64 b, U64 c)>;

const std::vector<U64> kEdges = {0,          1,          0x7f,       0x80,       0xff,       0x100,
                                 0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffffff, 0x80000000,
                                 0xfffffffe, 0xffffffff, 0x12345678, 0x89abcdef, 0x00ff00ff, 0xff00ff00};

// High dwords are the complement of the low ones.
std::vector<Sources> inputs() {
  std::vector<Sources> all;
  for (U64 a : kEdges)
    for (U64 b : kEdges)
      for (U64 c : kEdges) all.push_back({a | ~a << 32, b | ~b << 32, c | ~c << 32});
  return all;
}

constexpr Type kWide = Type::kI64, kShort = Type::kI16;

// The model gets 64-bit sources; what the instruction does not read of them is masked off by the result's width.
EdgeCase row(const std::string& assembly, const Model& model, Type result = Type::kI32) {
  return {assembly, result, {}, [=](const Sources& x, U32) { return model(x[0], x[1], x[2]); }};
}

I64 sext(U64 x, int bits) {
  return static_cast<I64>(x << (64 - bits)) >> (64 - bits);
}
U64 low(U64 x, int bits) {
  return x & ((1ull << bits) - 1);
}
U64 limited(I64 x, int bits, bool isSigned) {
  I64 top = (1ll << (bits - isSigned)) - 1;
  return static_cast<U64>(std::clamp(x, isSigned ? -top - 1 : 0, top));
}
U64 byteAt(U64 x, int n) {
  return x >> (8 * n) & 0xff;
}
U64 distance(U64 a, U64 b) {
  return a > b ? a - b : b - a;
}
U64 sad(U64 a, U64 b, bool masked) {
  U64 sum = 0;
  for (int n = 0; n < 4; ++n)
    if (!masked || byteAt(b, n)) sum += distance(byteAt(a, n), byteAt(b, n));
  return sum;
}
// Four sums of 16 bits, each at a byte more of a.
U64 quadSad(U64 a, U64 b, U64 c, bool masked, bool clamp) {
  U64 r = 0;
  for (int n = 0; n < 4; ++n) {
    U64 sum = sad(a >> (8 * n), b, masked) + low(c >> (16 * n), 16);
    r |= (clamp ? std::min<U64>(sum, 0xffff) : sum & 0xffff) << (16 * n);
  }
  return r;
}
template <int kBits, bool kSigned>
U64 median(U64 a, U64 b, U64 c) {
  auto value = [](U64 x) { return kSigned ? sext(x, kBits) : static_cast<I64>(low(x, kBits)); };
  std::array<I64, 3> s{value(a), value(b), value(c)};
  std::sort(s.begin(), s.end());
  return static_cast<U64>(s[1]);
}
template <int kBits, bool kSigned, bool kClamp>
U64 multiplyAdd(U64 a, U64 b, U64 c) {
  auto value = [](U64 x) { return kSigned ? sext(x, kBits) : static_cast<I64>(low(x, kBits)); };
  I64 r = value(a) * value(b) + value(c);
  return kClamp ? limited(r, kBits, kSigned) : static_cast<U64>(r);
}
// Factors narrower than the sum.
template <int kFactor, bool kSigned, bool kClamp>
U64 multiplyAdd32(U64 a, U64 b, U64 c) {
  I64 r = kSigned ? sext(a, kFactor) * sext(b, kFactor) + sext(c, 32)
                  : static_cast<I64>(low(a, kFactor) * low(b, kFactor) + low(c, 32));
  return kClamp ? limited(r, 32, kSigned) : static_cast<U64>(r);
}

const std::vector<EdgeCase> kThreeSources = {
    row("v_bfi_b32 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return (a & b) | (~a & c); }),
    row("v_alignbyte_b32 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return (a << 32 | low(b, 32)) >> (c % 4 * 8); }),
    row("v_xad_u32 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return (a ^ b) + c; }),
    row("v_lshl_add_u32 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return (a << (b % 32)) + c; }),
    row("v_add_lshl_u32 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return (a + b) << (c % 32); }),
    row("v_add3_u32 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return a + b + c; }),
    row("v_lshl_or_b32 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return (a << (b % 32)) | c; }),
    row("v_and_or_b32 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return (a & b) | c; }),
    row("v_or3_b32 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return a | b | c; }),
    row("v_mad_i32_i24 v6, v0, v2, v4", multiplyAdd32<24, true, false>),
    row("v_mad_i32_i24 v6, v0, v2, v4 clamp", multiplyAdd32<24, true, true>),
    row("v_mad_u32_u24 v6, v0, v2, v4", multiplyAdd32<24, false, false>),
    row("v_mad_u32_u24 v6, v0, v2, v4 clamp", multiplyAdd32<24, false, true>),
    row("v_mad_u32_u16 v6, v0, v2, v4", multiplyAdd32<16, false, false>),
    row("v_mad_u32_u16 v6, v0, v2, v4 clamp", multiplyAdd32<16, false, true>),
    row("v_mad_i32_i16 v6, v0, v2, v4", multiplyAdd32<16, true, false>),
    row("v_mad_i32_i16 v6, v0, v2, v4 clamp", multiplyAdd32<16, true, true>),
    row("v_mad_u16 v6, v0, v2, v4 clamp", multiplyAdd<16, false, true>, kShort),
    row("v_mad_i16 v6, v0, v2, v4 clamp", multiplyAdd<16, true, true>, kShort),
    row("v_mad_legacy_u16 v6, v0, v2, v4", multiplyAdd<16, false, false>, kShort),
    row("v_mad_legacy_u16 v6, v0, v2, v4 clamp", multiplyAdd<16, false, true>, kShort),
    row("v_mad_legacy_i16 v6, v0, v2, v4", multiplyAdd<16, true, false>, kShort),
    row("v_mad_legacy_i16 v6, v0, v2, v4 clamp", multiplyAdd<16, true, true>, kShort),
    row("v_med3_i32 v6, v0, v2, v4", median<32, true>),
    row("v_med3_u32 v6, v0, v2, v4", median<32, false>),
    row("v_med3_i16 v6, v0, v2, v4", median<16, true>, kShort),
    row("v_med3_u16 v6, v0, v2, v4", median<16, false>, kShort),
    row("v_max3_u32 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return std::max({U32(a), U32(b), U32(c)}); }),
    row("v_min3_i32 v6, v0, v2, v4",
        [](U64 a, U64 b, U64 c) { return static_cast<U64>(std::min({sext(a, 32), sext(b, 32), sext(c, 32)})); }),
    // Only the named half of the destination changes.
    row("v_mov_b32 v6, 0x55667788\n v_mad_u16 v6, v0, v2, v4 op_sel:[0,1,0,1]",
        [](U64 a, U64 b, U64 c) { return 0x7788 | low(low(a, 16) * low(b >> 16, 16) + c, 16) << 16; }),
};

const std::vector<EdgeCase> kBytes = {
    row("v_lerp_u8 v6, v0, v2, v4",
        [](U64 a, U64 b, U64 c) {
          U64 r = 0;
          for (int n = 0; n < 4; ++n) r |= ((byteAt(a, n) + byteAt(b, n) + (byteAt(c, n) & 1)) / 2) << (8 * n);
          return r;
        }),
    row("v_sad_u8 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return sad(a, b, false) + c; }),
    row("v_sad_u8 v6, v0, v2, v4 clamp",
        [](U64 a, U64 b, U64 c) { return std::min<U64>(sad(a, b, false) + low(c, 32), 0xffffffff); }),
    row("v_sad_hi_u8 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return (sad(a, b, false) << 16) + c; }),
    row("v_msad_u8 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return sad(a, b, true) + c; }),
    row("v_sad_u16 v6, v0, v2, v4",
        [](U64 a, U64 b, U64 c) {
          return distance(low(a, 16), low(b, 16)) + distance(low(a >> 16, 16), low(b >> 16, 16)) + c;
        }),
    row("v_sad_u32 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return distance(low(a, 32), low(b, 32)) + c; }),
    row(
        "v_qsad_pk_u16_u8 v[6:7], v[0:1], v2, v[4:5]",
        [](U64 a, U64 b, U64 c) { return quadSad(a, b, c, false, false); }, kWide),
    row(
        "v_qsad_pk_u16_u8 v[6:7], v[0:1], v2, v[4:5] clamp",
        [](U64 a, U64 b, U64 c) { return quadSad(a, b, c, false, true); }, kWide),
    row(
        "v_mqsad_pk_u16_u8 v[6:7], v[0:1], v2, v[4:5]",
        [](U64 a, U64 b, U64 c) { return quadSad(a, b, c, true, false); }, kWide),
    row(
        "v_mqsad_u32_u8 v[240:243], v[0:1], v2, v[2:5]\n v_pk_mov_b32 v[6:7], v[240:241], v[242:243] op_sel:[0,1]",
        [](U64 a, U64 b, U64 c) { return low(sad(a, b, true) + b, 32) | (sad(a >> 24, b, true) + (c >> 32)) << 32; },
        kWide),
    row(
        "v_mqsad_u32_u8 v[240:243], v[0:1], v2, v[2:5] clamp\n v_pk_mov_b32 v[6:7], v[240:241], v[242:243] "
        "op_sel:[1,0]",
        [](U64 a, U64 b, U64 c) {
          auto sum = [&](int n, U64 addend) {
            return std::min<U64>(sad(a >> (8 * n), b, true) + low(addend, 32), 0xffffffff);
          };
          return sum(1, b >> 32) | sum(2, c) << 32;
        },
        kWide),
};

// Carries come from and go to VCC; the mask before is bit 0 of c.
U64 carries(U64 a, U64 b, U64 c, bool subtract) {
  a = low(a, 32), b = low(b, 32);
  return (subtract ? a < b + (c & 1) : (a + b + (c & 1)) >> 32) ? 1 : 0;
}
constexpr const char* kMaskIn = "v_and_b32 v240, 1, v4\n v_cmp_ne_u32 vcc, 0, v240\n ";
constexpr const char* kMaskOut = "\n v_cndmask_b32 v6, 0, 1, vcc";
EdgeCase carried(const std::string& assembly, const Model& model, bool out = false) {
  return row(kMaskIn + assembly + (out ? kMaskOut : ""), model);
}
const std::vector<EdgeCase> kCarries = {
    carried(
        "v_add_co_u32 v6, vcc, v0, v2", [](U64 a, U64 b, U64) { return carries(a, b, 0, false); }, true),
    carried(
        "v_sub_co_u32 v6, vcc, v0, v2", [](U64 a, U64 b, U64) { return carries(a, b, 0, true); }, true),
    carried("v_subrev_co_u32 v6, vcc, v0, v2", [](U64 a, U64 b, U64) { return b - a; }),
    carried(
        "v_subrev_co_u32 v6, vcc, v0, v2", [](U64 a, U64 b, U64) { return carries(b, a, 0, true); }, true),
    carried("v_addc_co_u32 v6, vcc, v0, v2, vcc", [](U64 a, U64 b, U64 c) { return a + b + (c & 1); }),
    carried(
        "v_addc_co_u32 v6, vcc, v0, v2, vcc", [](U64 a, U64 b, U64 c) { return carries(a, b, c, false); }, true),
    carried("v_subb_co_u32 v6, vcc, v0, v2, vcc", [](U64 a, U64 b, U64 c) { return a - b - (c & 1); }),
    carried(
        "v_subb_co_u32 v6, vcc, v0, v2, vcc", [](U64 a, U64 b, U64 c) { return carries(a, b, c, true); }, true),
    carried("v_subbrev_co_u32 v6, vcc, v0, v2, vcc", [](U64 a, U64 b, U64 c) { return b - a - (c & 1); }),
    carried(
        "v_subbrev_co_u32 v6, vcc, v0, v2, vcc", [](U64 a, U64 b, U64 c) { return carries(b, a, c, true); }, true),
    carried("v_cndmask_b32 v6, v0, v2, vcc", [](U64 a, U64 b, U64 c) { return c & 1 ? b : a; }),
};
const EdgeTested kCarryRows({"v_add_co_u32", "v_sub_co_u32", "v_subrev_co_u32", "v_addc_co_u32", "v_subb_co_u32",
                             "v_subbrev_co_u32", "v_cndmask_b32"});

const std::vector<EdgeCase> kOthers = {
    row(
        "v_mad_u64_u32 v[6:7], vcc, v0, v2, v[4:5]", [](U64 a, U64 b, U64 c) { return U64{U32(a)} * U32(b) + c; },
        kWide),
    row("v_mad_u64_u32 v[240:241], vcc, v0, v2, v[4:5]\n v_cndmask_b32 v6, 0, 1, vcc",
        [](U64 a, U64 b, U64 c) {
          return static_cast<U64>((static_cast<unsigned __int128>(U64{U32(a)} * U32(b)) + c) >> 64);
        }),
    row(
        "v_mad_i64_i32 v[6:7], vcc, v0, v2, v[4:5]",
        [](U64 a, U64 b, U64 c) { return static_cast<U64>(sext(a, 32) * sext(b, 32)) + c; }, kWide),
    row("v_mul_hi_u32_u24 v6, v0, v2", [](U64 a, U64 b, U64) { return low(a, 24) * low(b, 24) >> 32; }),
    row("v_mul_hi_i32_i24 v6, v0, v2",
        [](U64 a, U64 b, U64) { return static_cast<U64>(sext(a, 24) * sext(b, 24)) >> 32; }),
    row("v_xnor_b32 v6, v0, v2", [](U64 a, U64 b, U64) { return ~(a ^ b); }),
    row("v_bcnt_u32_b32 v6, v0, v2", [](U64 a, U64 b, U64) { return static_cast<U64>(std::popcount(U32(a))) + b; }),
    row("v_ffbh_u32 v6, v0",
        [](U64 a, U64, U64) { return U32(a) ? static_cast<U64>(std::countl_zero(U32(a))) : ~0ull; }),
    row("v_ffbl_b32 v6, v0",
        [](U64 a, U64, U64) { return U32(a) ? static_cast<U64>(std::countr_zero(U32(a))) : ~0ull; }),
    row("v_ffbh_i32 v6, v0",
        [](U64 a, U64, U64) {
          U32 x = U32(a) >> 31 ? ~U32(a) : U32(a);
          return x ? static_cast<U64>(std::countl_zero(x)) : ~0ull;
        }),
    row(
        "v_add_u16_e64 v6, v0, v2 clamp",
        [](U64 a, U64 b, U64) { return limited(I64(low(a, 16) + low(b, 16)), 16, false); }, kShort),
    row(
        "v_sub_u16_e64 v6, v0, v2 clamp",
        [](U64 a, U64 b, U64) { return limited(I64(low(a, 16)) - I64(low(b, 16)), 16, false); }, kShort),
    row(
        "v_sub_i16 v6, v0, v2 clamp", [](U64 a, U64 b, U64) { return limited(sext(a, 16) - sext(b, 16), 16, true); },
        kShort),
    row("v_mov_b32 v6, 0x55667788\n v_add_i16 v6, v0, v2",
        [](U64 a, U64 b, U64) { return 0x55660000 | low(a + b, 16); }),
    row("v_cvt_pk_i16_i32 v6, v0, v2",
        [](U64 a, U64 b, U64) {
          return low(limited(sext(a, 32), 16, true), 16) | low(limited(sext(b, 32), 16, true), 16) << 16;
        }),
    row(
        "v_pk_mov_b32 v[6:7], v[0:1], v[2:3] op_sel:[1,0]", [](U64 a, U64 b, U64) { return a >> 32 | b << 32; }, kWide),
    row("v_and_b32_sdwa v6, sext(v0), v2 dst_sel:WORD_1 dst_unused:UNUSED_SEXT src0_sel:BYTE_1 src1_sel:WORD_0",
        [](U64 a, U64 b, U64) {
          return static_cast<U64>(sext(static_cast<U64>(sext(a >> 8, 8)) & low(b, 16), 16)) << 16;
        }),
};
const std::vector<EdgeCase> kOnly942Cases = {
    row(
        "v_lshl_add_u64 v[6:7], v[0:1], v2, v[4:5]", [](U64 a, U64 b, U64 c) { return (a << (b & 7)) + c; }, kWide),
    row(
        "v_mov_b64 v[6:7], v[0:1]", [](U64 a, U64, U64) { return a; }, kWide),
};

const EdgeTested kTested[] = {EdgeTested::in(kThreeSources), EdgeTested::in(kBytes), EdgeTested::in(kOthers),
                              EdgeTested::in(kOnly942Cases)};

TEST(EdgeInteger, ThreeSources) {
  compareEdges(kThreeSources, inputs(), {kUsualMode}, Gpu::kGfx90a);
}
TEST(EdgeInteger, Bytes) {
  compareEdges(kBytes, inputs(), {kUsualMode}, Gpu::kGfx90a);
}
TEST(EdgeInteger, Carries) {
  compareEdges(kCarries, inputs(), {kUsualMode}, Gpu::kGfx90a);
}
TEST(EdgeInteger, Others) {
  compareEdges(kOthers, inputs(), {kUsualMode}, Gpu::kGfx90a);
  compareEdges(kOnly942Cases, inputs(), {kUsualMode}, Gpu::kGfx942);
}

}  // namespace
}  // namespace hipr::softgpu
