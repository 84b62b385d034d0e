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
  TestWave w(assemble("s_mov_b32 s1, 0xffffffff\n s_add_u32 s2, s1, 2\n s_mov_b64 s[4:5], -1"));
  EXPECT_EQ(w.run(), "");
  EXPECT_EQ(w->s[2], 1u);
  EXPECT_TRUE(w->scc);
  EXPECT_EQ(w->pair(4), ~0ull);
}

TEST(Wave, VectorAddHonoursExecAndModifiers) {
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
  TestWave w(
      assemble("v_mov_b32 v1, 2.0\n v_mov_b32 v2, 0.5\n v_fmac_f32 v2, 4.0, v1\n v_fma_f32 v3, v1, v1, -v2\n"
               "v_mov_b32 v4, 0\n v_mov_b32 v5, 0x40080000\n v_fma_f64 v[6:7], v[4:5], v[4:5], 1.0"));
  EXPECT_EQ(w.run(), "");
  EXPECT_EQ(f(w.v(2, 9)), 8.5f);
  EXPECT_EQ(f(w.v(3, 9)), -4.5f);
  EXPECT_EQ(w.v(7, 9), 0x40240000u);  // 10.0
}

TEST(Wave, SdwaAndDpp) {
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

TEST(Wave, UnknownInstructionNamesItself) {
  TestWave w({0xd3ff0000, 0x04020501});  // a sparse product, which gfx90a does not have
  EXPECT_NE(w.run(), "");
  ASSERT_TRUE(w.fault());
  EXPECT_EQ(w.fault()->kind, FaultKind::kIllegalInstruction);
}

}  // namespace
}  // namespace hipr::softgpu
