// Floating point arithmetic over edge values in every MODE, against exact arithmetic: add, multiply, fused and unfused
// multiply-add, minima, scaling, and the modifiers of sources and results.
#include <gtest/gtest.h>

#include <cstdio>

#include "backends/softgpu/isa/alu_model.h"

namespace hipr::softgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using Model = U64 (*)(const AluModel&, const Sources&);

constexpr Type H = Type::kHalf, F = Type::kFloat, D = Type::kDouble;

EdgeCase row(const std::string& assembly, Type t, std::size_t sources, Model model) {
  return {assembly, t, std::vector<Type>(sources, t),
          [=](const Sources& x, U32 mode) { return model(AluModel(t, mode), x); }};
}

const std::vector<EdgeCase> kTwo = {
    row("v_add_f32 v6, v0, v2", F, 2, [](const AluModel& m, const Sources& x) { return m.add(x[0], x[1]); }),
    row("v_sub_f32 v6, v0, v2", F, 2, [](const AluModel& m, const Sources& x) { return m.subtract(x[0], x[1]); }),
    row("v_subrev_f32 v6, v0, v2", F, 2, [](const AluModel& m, const Sources& x) { return m.subtract(x[1], x[0]); }),
    row("v_mul_f32 v6, v0, v2", F, 2, [](const AluModel& m, const Sources& x) { return m.multiply(x[0], x[1]); }),
    row("v_min_f32 v6, v0, v2", F, 2, [](const AluModel& m, const Sources& x) { return m.min(x[0], x[1]); }),
    row("v_max_f32 v6, v0, v2", F, 2, [](const AluModel& m, const Sources& x) { return m.max(x[0], x[1]); }),
    row("v_mul_legacy_f32 v6, v0, v2", F, 2,
        [](const AluModel& m, const Sources& x) {
          bool zero = m.f.magnitude(m.in(x[0])) == 0 || m.f.magnitude(m.in(x[1])) == 0;
          return zero ? 0 : m.multiply(x[0], x[1]);
        }),
    row("v_add_f64 v[6:7], v[0:1], v[2:3]", D, 2,
        [](const AluModel& m, const Sources& x) { return m.add(x[0], x[1]); }),
    row("v_mul_f64 v[6:7], v[0:1], v[2:3]", D, 2,
        [](const AluModel& m, const Sources& x) { return m.multiply(x[0], x[1]); }),
    row("v_min_f64 v[6:7], v[0:1], v[2:3]", D, 2,
        [](const AluModel& m, const Sources& x) { return m.min(x[0], x[1]); }),
    row("v_max_f64 v[6:7], v[0:1], v[2:3]", D, 2,
        [](const AluModel& m, const Sources& x) { return m.max(x[0], x[1]); }),
    row("v_add_f16 v6, v0, v2", H, 2, [](const AluModel& m, const Sources& x) { return m.add(x[0], x[1]); }),
    row("v_sub_f16 v6, v0, v2", H, 2, [](const AluModel& m, const Sources& x) { return m.subtract(x[0], x[1]); }),
    row("v_subrev_f16 v6, v0, v2", H, 2, [](const AluModel& m, const Sources& x) { return m.subtract(x[1], x[0]); }),
    row("v_mul_f16 v6, v0, v2", H, 2, [](const AluModel& m, const Sources& x) { return m.multiply(x[0], x[1]); }),
    row("v_min_f16 v6, v0, v2", H, 2, [](const AluModel& m, const Sources& x) { return m.min(x[0], x[1]); }),
    row("v_max_f16 v6, v0, v2", H, 2, [](const AluModel& m, const Sources& x) { return m.max(x[0], x[1]); }),
};

const std::vector<EdgeCase> kThree = {
    row("v_fma_f32 v6, v0, v2, v4", F, 3, [](const AluModel& m, const Sources& x) { return m.fma(x[0], x[1], x[2]); }),
    row("v_mov_b32 v6, v4\n v_fmac_f32 v6, v0, v2", F, 3,
        [](const AluModel& m, const Sources& x) { return m.fma(x[0], x[1], x[2]); }),
    row("v_mad_f32 v6, v0, v2, v4", F, 3, [](const AluModel& m, const Sources& x) { return m.mad(x[0], x[1], x[2]); }),
    row("v_mov_b32 v6, v4\n v_mac_f32 v6, v0, v2", F, 3,
        [](const AluModel& m, const Sources& x) { return m.mad(x[0], x[1], x[2]); }),
    row("v_mad_legacy_f32 v6, v0, v2, v4", F, 3,
        [](const AluModel& m, const Sources& x) { return m.mad(x[0], x[1], x[2], true); }),
    row("v_min3_f32 v6, v0, v2, v4", F, 3,
        [](const AluModel& m, const Sources& x) { return m.min(m.min(x[0], x[1]), x[2]); }),
    row("v_max3_f32 v6, v0, v2, v4", F, 3,
        [](const AluModel& m, const Sources& x) { return m.max(m.max(x[0], x[1]), x[2]); }),
    row("v_med3_f32 v6, v0, v2, v4", F, 3,
        [](const AluModel& m, const Sources& x) { return m.med3(x[0], x[1], x[2]); }),
    row("v_fma_f64 v[6:7], v[0:1], v[2:3], v[4:5]", D, 3,
        [](const AluModel& m, const Sources& x) { return m.fma(x[0], x[1], x[2]); }),
    row("v_pk_mov_b32 v[6:7], v[4:5], v[4:5] op_sel:[0,1]\n v_fmac_f64 v[6:7], v[0:1], v[2:3]", D, 3,
        [](const AluModel& m, const Sources& x) { return m.fma(x[0], x[1], x[2]); }),
    row("v_fma_f16 v6, v0, v2, v4", H, 3, [](const AluModel& m, const Sources& x) { return m.fma(x[0], x[1], x[2]); }),
    row("v_fma_legacy_f16 v6, v0, v2, v4", H, 3,
        [](const AluModel& m, const Sources& x) { return m.fma(x[0], x[1], x[2]); }),
    row("v_mad_f16 v6, v0, v2, v4", H, 3, [](const AluModel& m, const Sources& x) { return m.mad(x[0], x[1], x[2]); }),
    row("v_mad_legacy_f16 v6, v0, v2, v4", H, 3,
        [](const AluModel& m, const Sources& x) { return m.mad(x[0], x[1], x[2]); }),
    row("v_mov_b32 v6, v4\n v_mac_f16 v6, v0, v2", H, 3,
        [](const AluModel& m, const Sources& x) { return m.mad(x[0], x[1], x[2]); }),
    row("v_min3_f16 v6, v0, v2, v4", H, 3,
        [](const AluModel& m, const Sources& x) { return m.min(m.min(x[0], x[1]), x[2]); }),
    row("v_max3_f16 v6, v0, v2, v4", H, 3,
        [](const AluModel& m, const Sources& x) { return m.max(m.max(x[0], x[1]), x[2]); }),
    row("v_med3_f16 v6, v0, v2, v4", H, 3,
        [](const AluModel& m, const Sources& x) { return m.med3(x[0], x[1], x[2]); }),
};

// A constant that follows the instruction: K is the product's second factor or the addend.
EdgeCase withConstant(const char* name, Type t, bool factor, U64 k, Model model) {
  char literal[20];
  std::snprintf(literal, sizeof literal, "0x%llx", static_cast<unsigned long long>(k));
  std::string assembly =
      std::string(name) + " v6, v0, " + (factor ? literal + std::string(", v2") : "v2, " + std::string(literal));
  return {assembly, t, {t, t}, [=](const Sources& x, U32 mode) {
            return model(AluModel(t, mode), factor ? Sources{x[0], k, x[1]} : Sources{x[0], x[1], k});
          }};
}
U64 madModel(const AluModel& m, const Sources& x) {
  return m.mad(x[0], x[1], x[2]);
}
U64 fmaModel(const AluModel& m, const Sources& x) {
  return m.fma(x[0], x[1], x[2]);
}
const std::vector<EdgeCase> kConstants90a = {
    withConstant("v_madmk_f32", F, true, 0x3f800001, madModel),
    withConstant("v_madmk_f32", F, true, 0x7f800000, madModel),
    withConstant("v_madmk_f32", F, true, 0x00400000, madModel),
    withConstant("v_madak_f32", F, false, 0x33800001, madModel),
    withConstant("v_madak_f32", F, false, 0x80000001, madModel),
    withConstant("v_madak_f32", F, false, 0xff800000, madModel),
    withConstant("v_madmk_f16", H, true, 0x3c01, madModel),
    withConstant("v_madmk_f16", H, true, 0x03ff, madModel),
    withConstant("v_madak_f16", H, false, 0x1001, madModel),
    withConstant("v_madak_f16", H, false, 0xfc00, madModel),
    withConstant("v_madak_f16", H, false, 0x8001, madModel),
};
const std::vector<EdgeCase> kConstants942 = {
    withConstant("v_fmamk_f32", F, true, 0x3f800001, fmaModel),
    withConstant("v_fmamk_f32", F, true, 0x00400000, fmaModel),
    withConstant("v_fmaak_f32", F, false, 0x33800001, fmaModel),
    withConstant("v_fmaak_f32", F, false, 0x80000001, fmaModel),
};

// Signs of sources; multipliers and limits of results; parts of registers.
const std::vector<EdgeCase> kModified = {
    row("v_add_f32_e64 v6, -v0, |v2|", F, 2,
        [](const AluModel& m, const Sources& x) { return m.add(x[0] ^ m.f.sign(), m.f.magnitude(x[1])); }),
    row("v_mul_f32_e64 v6, -|v0|, v2 clamp", F, 2,
        [](const AluModel& m, const Sources& x) { return m.out(m.clamp(m.multiply(x[0] | m.f.sign(), x[1]))); }),
    row("v_add_f32_e64 v6, v0, v2 mul:2", F, 2,
        [](const AluModel& m, const Sources& x) {
          return m.out(m.times(exactSum(m.f, m.in(x[0]), m.in(x[1]), m.rounding()), 1));
        }),
    row("v_mul_f32_e64 v6, v0, v2 mul:4", F, 2,
        [](const AluModel& m, const Sources& x) {
          return m.out(m.times(exactProduct(m.f, m.in(x[0]), m.in(x[1]), m.rounding()), 2));
        }),
    row("v_sub_f32_e64 v6, v0, v2 clamp div:2", F, 2,
        [](const AluModel& m, const Sources& x) {
          U64 difference = exactSum(m.f, m.in(x[0]), m.in(x[1]) ^ m.f.sign(), m.rounding());
          return m.out(m.clamp(m.times(difference, -1)));
        }),
    row("v_max_f32_e64 v6, |v0|, -v2", F, 2,
        [](const AluModel& m, const Sources& x) { return m.max(m.f.magnitude(x[0]), x[1] ^ m.f.sign()); }),
    row("v_add_f64 v[6:7], -v[0:1], |v[2:3]| clamp", D, 2,
        [](const AluModel& m, const Sources& x) {
          return m.out(m.clamp(m.add(x[0] ^ m.f.sign(), m.f.magnitude(x[1]))));
        }),
    row("v_mul_f64 v[6:7], v[0:1], v[2:3] mul:4", D, 2,
        [](const AluModel& m, const Sources& x) {
          return m.out(m.times(exactProduct(m.f, m.in(x[0]), m.in(x[1]), m.rounding()), 2));
        }),
    row("v_add_f16_e64 v6, -|v0|, v2 clamp", H, 2,
        [](const AluModel& m, const Sources& x) { return m.out(m.clamp(m.add(x[0] | m.f.sign(), x[1]))); }),
    row("v_mul_f16_e64 v6, v0, -v2 mul:2", H, 2,
        [](const AluModel& m, const Sources& x) {
          return m.out(m.times(exactProduct(m.f, m.in(x[0]), m.in(x[1]) ^ m.f.sign(), m.rounding()), 1));
        }),
    // A half in the high word of its register, a result in the high word.
    row("v_lshlrev_b32 v4, 16, v0\n v_add_f16_sdwa v6, -v4, |v2| dst_sel:DWORD src0_sel:WORD_1 src1_sel:WORD_0", H, 2,
        [](const AluModel& m, const Sources& x) { return m.add(x[0] ^ m.f.sign(), m.f.magnitude(x[1])); }),
    row("v_mov_b32 v6, -1\n v_mul_f16_sdwa v6, v0, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0 "
        "src1_sel:WORD_0\n v_lshrrev_b32 v6, 16, v6",
        H, 2, [](const AluModel& m, const Sources& x) { return m.multiply(x[0], x[1]); }),
    row("v_mul_f32_sdwa v6, -v0, |v2| clamp dst_sel:DWORD src0_sel:DWORD src1_sel:DWORD", F, 2,
        [](const AluModel& m, const Sources& x) {
          return m.out(m.clamp(m.multiply(x[0] ^ m.f.sign(), m.f.magnitude(x[1]))));
        }),
    row("v_add_f32_dpp v6, -v0, |v2| quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf", F, 2,
        [](const AluModel& m, const Sources& x) { return m.add(x[0] ^ m.f.sign(), m.f.magnitude(x[1])); }),
};

const std::vector<EdgeCase> kModifiedThree = {
    row("v_fma_f32 v6, -v0, |v2|, -|v4| clamp", F, 3,
        [](const AluModel& m, const Sources& x) {
          return m.out(m.clamp(m.fma(x[0] ^ m.f.sign(), m.f.magnitude(x[1]), x[2] | m.f.sign())));
        }),
    row("v_mad_f32 v6, |v0|, -v2, -v4 clamp", F, 3,
        [](const AluModel& m, const Sources& x) {
          return m.clamp(m.mad(m.f.magnitude(x[0]), x[1] ^ m.f.sign(), x[2] ^ m.f.sign()));
        }),
    row("v_med3_f32 v6, -v0, v2, |v4|", F, 3,
        [](const AluModel& m, const Sources& x) { return m.med3(x[0] ^ m.f.sign(), x[1], m.f.magnitude(x[2])); }),
    row("v_fma_f64 v[6:7], -v[0:1], v[2:3], |v[4:5]|", D, 3,
        [](const AluModel& m, const Sources& x) { return m.fma(x[0] ^ m.f.sign(), x[1], m.f.magnitude(x[2])); }),
    row("v_lshlrev_b32 v2, 16, v2\n v_fma_f16 v6, -v0, v2, |v4| op_sel:[0,1,0,0] clamp\n v_lshrrev_b32 v2, 16, v2", H,
        3,
        [](const AluModel& m, const Sources& x) {
          return m.out(m.clamp(m.fma(x[0] ^ m.f.sign(), x[1], m.f.magnitude(x[2]))));
        }),
    row("v_mad_f16 v6, v0, v2, v4 op_sel:[0,0,0,1]\n v_lshrrev_b32 v6, 16, v6", H, 3,
        [](const AluModel& m, const Sources& x) { return m.mad(x[0], x[1], x[2]); }),
};

const EdgeTested kTested[] = {EdgeTested::in(kTwo), EdgeTested::in(kThree), EdgeTested::in(kConstants90a),
                              EdgeTested::in(kConstants942)};

TEST(EdgeFloat, TwoSources) {
  compareEdges(kTwo, everyMode());
}
TEST(EdgeFloat, ThreeSources) {
  compareEdges(kThree, mainModes());
}
TEST(EdgeFloat, Constants) {
  compareEdges(kConstants90a, mainModes());
  compareEdges(kConstants942, mainModes(), Gpu::kGfx942);
}
TEST(EdgeFloat, Modifiers) {
  compareEdges(kModified, everyMode());
  compareEdges(kModifiedThree, mainModes());
}

}  // namespace
}  // namespace hipr::softgpu
