// Single instructions against LLVM's constant folder: every row gives an instruction and the LLVM operations that mean
// the same, and both see all pairs or triples of edge values.
#include <gtest/gtest.h>

#include "backends/softgpu/isa/fold.h"

namespace hipr::softgpu {
namespace {

constexpr Type S = Type::kI16, I = Type::kI32, L = Type::kI64, H = Type::kHalf, F = Type::kFloat, D = Type::kDouble;

const std::vector<Case> kCases = {
    {"v_bfe_u32 v6, v0, v2, v4", "call i32 @llvm.amdgcn.ubfe.i32(i32 %a, i32 %b, i32 %c)", I, {I, I, I}},
    {"v_bfe_i32 v6, v0, v2, v4", "call i32 @llvm.amdgcn.sbfe.i32(i32 %a, i32 %b, i32 %c)", I, {I, I, I}},
    {"v_perm_b32 v6, v0, v2, v4", "call i32 @llvm.amdgcn.perm(i32 %a, i32 %b, i32 %c)", I, {I, I, I}},
    {"v_alignbit_b32 v6, v0, v2, v4", "call i32 @llvm.fshr.i32(i32 %a, i32 %b, i32 %c)", I, {I, I, I}},
    {"v_mul_lo_u32 v6, v0, v2", "mul i32 %a, %b", I, {I, I}},
    {"v_bcnt_u32_b32 v6, v0, 0", "call i32 @llvm.ctpop.i32(i32 %a)", I, {I}},
    {"v_add_i32 v6, v0, v2 clamp", "call i32 @llvm.sadd.sat.i32(i32 %a, i32 %b)", I, {I, I}},
    {"v_sub_i32 v6, v0, v2 clamp", "call i32 @llvm.ssub.sat.i32(i32 %a, i32 %b)", I, {I, I}},
    {"v_add_u32_e64 v6, v0, v2 clamp", "call i32 @llvm.uadd.sat.i32(i32 %a, i32 %b)", I, {I, I}},
    {"v_sub_u32_e64 v6, v0, v2 clamp", "call i32 @llvm.usub.sat.i32(i32 %a, i32 %b)", I, {I, I}},
    {"v_add_i16 v6, v0, v2 clamp", "call i16 @llvm.sadd.sat.i16(i16 %a, i16 %b)", S, {S, S}},
    {"v_pk_sub_u16 v6, v0, v2 clamp", "call i16 @llvm.usub.sat.i16(i16 %a, i16 %b)", S, {S, S}},
    {"v_pk_mul_lo_u16 v6, v0, v2", "mul i16 %a, %b", S, {S, S}},
    {"v_pk_max_i16 v6, v0, v2", "call i16 @llvm.smax.i16(i16 %a, i16 %b)", S, {S, S}},
    {"v_max_u16 v6, v0, v2", "call i16 @llvm.umax.i16(i16 %a, i16 %b)", S, {S, S}},
    {"v_fma_f32 v6, v0, v2, v4", "call float @llvm.fma.f32(float %a, float %b, float %c)", F, {F, F, F}},
    {"v_fma_f64 v[6:7], v[0:1], v[2:3], v[4:5]",
     "call double @llvm.fma.f64(double %a, double %b, double %c)",
     D,
     {D, D, D}},
    {"v_fma_f16 v6, v0, v2, v4", "call half @llvm.fma.f16(half %a, half %b, half %c)", H, {H, H, H}},
    {"v_pk_fma_f16 v6, v0, v2, v4", "call half @llvm.fma.f16(half %a, half %b, half %c)", H, {H, H, H}},
    {"v_pk_add_f16 v6, v0, v2", "fadd half %a, %b", H, {H, H}},
    {"v_mul_f16 v6, v0, v2", "fmul half %a, %b", H, {H, H}},
    {"v_sub_f16 v6, v0, v2", "fsub half %a, %b", H, {H, H}},
    {"v_add_f32 v6, v0, v2", "fadd float %a, %b", F, {F, F}},
    {"v_mul_f32 v6, v0, v2", "fmul float %a, %b", F, {F, F}},
    {"v_add_f64 v[6:7], v[0:1], v[2:3]", "fadd double %a, %b", D, {D, D}},
    {"v_mul_f64 v[6:7], v[0:1], v[2:3]", "fmul double %a, %b", D, {D, D}},
    {"v_min_f32 v6, v0, v2", "call float @llvm.minnum.f32(float %a, float %b)", F, {F, F}},
    {"v_max_f32 v6, v0, v2", "call float @llvm.maxnum.f32(float %a, float %b)", F, {F, F}},
    {"v_min_f64 v[6:7], v[0:1], v[2:3]", "call double @llvm.minnum.f64(double %a, double %b)", D, {D, D}},
    {"v_max_f64 v[6:7], v[0:1], v[2:3]", "call double @llvm.maxnum.f64(double %a, double %b)", D, {D, D}},
    {"v_pk_max_f16 v6, v0, v2", "call half @llvm.maxnum.f16(half %a, half %b)", H, {H, H}},
    {"v_med3_f32 v6, v0, v2, v4", "call float @llvm.amdgcn.fmed3.f32(float %a, float %b, float %c)", F, {F, F, F}},
    {"v_cubeid_f32 v6, v0, v2, v4", "call float @llvm.amdgcn.cubeid(float %a, float %b, float %c)", F, {F, F, F}},
    {"v_cubesc_f32 v6, v0, v2, v4", "call float @llvm.amdgcn.cubesc(float %a, float %b, float %c)", F, {F, F, F}},
    {"v_cubetc_f32 v6, v0, v2, v4", "call float @llvm.amdgcn.cubetc(float %a, float %b, float %c)", F, {F, F, F}},
    {"v_cubema_f32 v6, v0, v2, v4", "call float @llvm.amdgcn.cubema(float %a, float %b, float %c)", F, {F, F, F}},
    {"v_mul_legacy_f32 v6, v0, v2", "call float @llvm.amdgcn.fmul.legacy(float %a, float %b)", F, {F, F}},
    {"v_trig_preop_f64 v[6:7], v[0:1], v2", "call double @llvm.amdgcn.trig.preop.f64(double %a, i32 %b)", D, {D, I}},
    {"v_ldexp_f32 v6, v0, v2", "call float @llvm.ldexp.f32.i32(float %a, i32 %b)", F, {F, I}},
    {"v_ldexp_f64 v[6:7], v[0:1], v2", "call double @llvm.ldexp.f64.i32(double %a, i32 %b)", D, {D, I}},
    {"v_cmp_class_f32 vcc, v0, v2\n v_cndmask_b32 v6, 0, 1, vcc",
     "call i1 @llvm.amdgcn.class.f32(float %a, i32 %b)",
     I,
     {F, I}},
    {"v_cmp_class_f64 vcc, v[0:1], v2\n v_cndmask_b32 v6, 0, 1, vcc",
     "call i1 @llvm.amdgcn.class.f64(double %a, i32 %b)",
     I,
     {D, I}},
    {"v_cmp_nlt_f32 vcc, v0, v2\n v_cndmask_b32 v6, 0, 1, vcc", "fcmp uge float %a, %b", I, {F, F}},
    {"v_cmp_lg_f64 vcc, v[0:1], v[2:3]\n v_cndmask_b32 v6, 0, 1, vcc", "fcmp one double %a, %b", I, {D, D}},
    {"v_cmp_u_f16 vcc, v0, v2\n v_cndmask_b32 v6, 0, 1, vcc", "fcmp uno half %a, %b", I, {H, H}},
    {"v_cmp_gt_i64 vcc, v[0:1], v[2:3]\n v_cndmask_b32 v6, 0, 1, vcc", "icmp sgt i64 %a, %b", I, {L, L}},
    {"v_cmp_le_u16 vcc, v0, v2\n v_cndmask_b32 v6, 0, 1, vcc", "icmp ule i16 %a, %b", I, {S, S}},
    {"v_rndne_f64 v[6:7], v[0:1]", "call double @llvm.rint.f64(double %a)", D, {D}},
    {"v_floor_f32 v6, v0", "call float @llvm.floor.f32(float %a)", F, {F}},
    {"v_cvt_f16_f32 v6, v0", "fptrunc float %a to half", H, {F}},
    {"v_cvt_f32_f16 v6, v0", "fpext half %a to float", F, {H}},
    {"v_cvt_f32_f64 v6, v[0:1]", "fptrunc double %a to float", F, {D}},
    {"v_cvt_f32_u32 v6, v0", "uitofp i32 %a to float", F, {I}},
    {"v_frexp_mant_f32 v6, v0", "call float @llvm.amdgcn.frexp.mant.f32(float %a)", F, {F}},
    {"v_frexp_exp_i32_f64 v6, v[0:1]", "call i32 @llvm.amdgcn.frexp.exp.i32.f64(double %a)", I, {D}},
    {"v_fract_f32 v6, v0", "call float @llvm.amdgcn.fract.f32(float %a)", F, {F}},
};
const EdgeTested kTested = EdgeTested::in(kCases);

TEST(Fold, SameAsLlvm) {
  compareWithLlvm(kCases);
}

}  // namespace
}  // namespace hipr::softgpu
