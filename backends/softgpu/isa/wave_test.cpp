// Small assembled programs, one or two per encoding: the framework itself.
#include <gtest/gtest.h>

#include <bit>

#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {
namespace {

float f(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}

TEST(Wave, ScalarAddSetsCarry) {
  NEEDS_ASSEMBLER;
  TestWave w(assemble("s_mov_b32 s1, 0xffffffff\n s_add_u32 s2, s1, 2\n s_mov_b64 s[4:5], -1"));
  EXPECT_EQ(w.run(), "");
  EXPECT_EQ(w->s[2], 1u);
  EXPECT_TRUE(w->scc);
  EXPECT_EQ(w->pair(4), ~0ull);
}

TEST(Wave, VectorAddHonoursExecAndModifiers) {
  NEEDS_ASSEMBLER;
  TestWave w(
      assemble("s_mov_b64 exec, 0xf0\n v_mov_b32 v1, 2.0\n v_add_f32 v2, 1.0, v1\n"
               "v_add_f32_e64 v3, -v1, |v2| clamp\n v_add_f32_e64 v4, -v1, v2 mul:4"));
  setMode(*w.operator->(), 0x100);  // OMOD exists without IEEE rules and denormals only
  for (unsigned l = 0; l < 64; ++l) w.v(2, l) = 7;
  EXPECT_EQ(w.run(), "");
  EXPECT_EQ(w.v(2, 3), 7u);
  EXPECT_EQ(f(w.v(2, 4)), 3.0f);
  EXPECT_EQ(f(w.v(3, 5)), 1.0f);
  EXPECT_EQ(f(w.v(4, 7)), 4.0f);
  EXPECT_EQ(w.v(2, 8), 7u);
}

TEST(Wave, CompareSelectAndCarry) {
  NEEDS_ASSEMBLER;
  TestWave w(
      assemble("v_mov_b32 v1, 1.0\n v_cmp_lt_f32 vcc, v0, v1\n v_cndmask_b32 v2, 5, v1, vcc\n"
               "v_mov_b32 v4, -1\n v_addc_co_u32 v3, vcc, 0, v4, vcc"));
  for (unsigned l = 0; l < 64; ++l) w.v(0, l) = std::bit_cast<std::uint32_t>(l % 2 ? 3.0f : 0.5f);
  EXPECT_EQ(w.run(), "");
  EXPECT_EQ(f(w.v(2, 0)), 1.0f);
  EXPECT_EQ(w.v(2, 1), 5u);
  EXPECT_EQ(w.v(3, 0), 0u);
  EXPECT_EQ(w.v(3, 1), ~0u);
  EXPECT_EQ(w->vcc(), 0x5555555555555555ull);
}

TEST(Wave, FusedMultiplyAdd) {
  NEEDS_ASSEMBLER;
  TestWave w(
      assemble("v_mov_b32 v1, 2.0\n v_mov_b32 v2, 0.5\n v_fmac_f32 v2, 4.0, v1\n v_fma_f32 v3, v1, v1, -v2\n"
               "v_mov_b32 v4, 0\n v_mov_b32 v5, 0x40080000\n v_fma_f64 v[6:7], v[4:5], v[4:5], 1.0"));
  EXPECT_EQ(w.run(), "");
  EXPECT_EQ(f(w.v(2, 9)), 8.5f);
  EXPECT_EQ(f(w.v(3, 9)), -4.5f);
  EXPECT_EQ(w.v(7, 9), 0x40240000u);  // 10.0
}

TEST(Wave, SdwaAndDpp) {
  NEEDS_ASSEMBLER;
  TestWave w(
      assemble("v_mov_b32 v1, 0x11223344\n"
               "v_mov_b32_sdwa v2, v1 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_3\n"
               "v_mov_b32_dpp v3, v0 row_shr:1 row_mask:0xf bank_mask:0xf\n"
               "v_mov_b32_dpp v4, v0 quad_perm:[3,2,1,0] row_mask:0x1 bank_mask:0xf bound_ctrl:0"));
  for (unsigned l = 0; l < 64; ++l) {
    w.v(0, l) = l;
    w.v(2, l) = 0xaabbccdd;
    w.v(3, l) = w.v(4, l) = 99;
  }
  EXPECT_EQ(w.run(), "");
  EXPECT_EQ(w.v(2, 0), 0xaabb11ddu);
  EXPECT_EQ(w.v(3, 0), 99u);
  EXPECT_EQ(w.v(3, 1), 0u);
  EXPECT_EQ(w.v(3, 31), 30u);
  EXPECT_EQ(w.v(4, 5), 6u);
  EXPECT_EQ(w.v(4, 16), 99u);
}

TEST(Wave, NoOpsAreSteppedOver) {
  NEEDS_ASSEMBLER;
  TestWave w(assemble("s_getpc_b64 s[0:1]\n s_nop 0\n s_waitcnt 0\n s_mov_b32 s2, 1\n s_mov_b32 s3, 1"));
  EXPECT_EQ(w.run(2), "");
  EXPECT_EQ(w->pair(0), w->code->region().begin + 4);
  EXPECT_EQ(w->s[2], 1u);
  EXPECT_EQ(w->s[3], 0u);
}

// More of them than a step or a page of decoded code has room for, and jumps into their midst.
TEST(Wave, ManyNoOps) {
  NEEDS_ASSEMBLER;
  TestWave w(
      assemble("s_branch to\n back: .rept 1100\n s_nop 0\n .endr\n s_add_u32 s2, s2, 1\n s_endpgm\n"
               ".rept 500\n s_nop 0\n .endr\n to: .rept 3\n s_nop 0\n .endr\n s_add_u32 s2, s2, 2\n s_branch back"));
  EXPECT_EQ(w.run(), "");
  EXPECT_EQ(w->s[2], 3u);
  EXPECT_EQ(w->state, WaveState::kEnded);
}

TEST(Wave, BudgetIsExactAndGoesOn) {
  NEEDS_ASSEMBLER;
  TestWave w(
      assemble("s_mov_b32 s2, 1\n s_set_gpr_idx_on s2, gpr_idx(DST)\n v_mov_b32 v4, 7\n s_set_gpr_idx_off\n"
               "s_barrier\n s_mov_b32 s3, 1\n s_mov_b32 s4, 1"));
  EXPECT_EQ(w.run(2), "");
  EXPECT_EQ(w.v(5, 0), 0u);
  EXPECT_EQ(w.run(), "");
  EXPECT_EQ(w->state, WaveState::kBarrier);
  EXPECT_EQ(w.v(5, 0), 7u);
  EXPECT_EQ(w.v(4, 0), 0u);
  EXPECT_EQ(w->s[3], 0u);
  EXPECT_EQ(w.run(1), "");
  EXPECT_EQ(w->s[3], 1u);
  EXPECT_EQ(w->s[4], 0u);
}

TEST(Wave, UnknownInstructionNamesItself) {
  TestWave w({0xd3ff0000, 0x04020501});  // a sparse product, which gfx90a does not have
  EXPECT_NE(w.run(), "");
  ASSERT_TRUE(w.fault());
  EXPECT_EQ(w.fault()->kind, FaultKind::kIllegalInstruction);
}

}  // namespace
}  // namespace hipr::softgpu
