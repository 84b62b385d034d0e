// What is around a result: EXEC, op_sel, MODE, lane moves. Results themselves: edge_*_test.cpp.
#include <gtest/gtest.h>

#include <array>
#include <bit>

#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

TEST(Valu, MixedPrecision) {
  NEEDS_ASSEMBLER;
  TestWave w(
      assemble("v_fma_mix_f32 v6, v0, -|v2|, v4 op_sel:[1,0,0] op_sel_hi:[1,0,0]\n"
               "v_mov_b32 v7, -1\n v_fma_mixhi_f16 v7, v0, v2, v4 op_sel_hi:[1,0,0]\n"
               "v_dot2_f32_f16 v8, v0, v0, v4 neg_lo:[1,0,0]"));
  w.v(0, 0) = 0x40003c00;  // 2, 1
  w.v(2, 0) = std::bit_cast<U32>(-3.0f);
  w.v(4, 0) = std::bit_cast<U32>(0.5f);
  EXPECT_EQ(w.run(), "");
  EXPECT_EQ(std::bit_cast<float>(w.v(6, 0)), 2.0f * -3.0f + 0.5f);
  EXPECT_EQ(w.v(7, 0), 0xc100ffffu);  // 1 * -3 + 0.5
  EXPECT_EQ(std::bit_cast<float>(w.v(8, 0)), -1.0f + 4.0f + 0.5f);
}

TEST(Valu, LanesAndMasks) {
  NEEDS_ASSEMBLER;
  TestWave w(assemble(
      "v_mbcnt_lo_u32_b32 v1, -1, 0\n v_mbcnt_hi_u32_b32 v1, -1, v1\n v_readlane_b32 s4, v1, 37\n"
      "s_mov_b32 s5, 9\n s_mov_b32 m0, s4\n v_writelane_b32 v2, s5, m0\n v_cmpx_gt_u32 vcc, 10, v1\n v_mov_b32 v3, 1"));
  EXPECT_EQ(w.run(), "");
  for (unsigned l = 0; l < kLanes; ++l) {
    EXPECT_EQ(w.v(1, l), l);
    EXPECT_EQ(w.v(2, l), l == 37 ? 9u : 0u);
    EXPECT_EQ(w.v(3, l), l < 10 ? 1u : 0u);
  }
  EXPECT_EQ(w->exec(), 0x3ffull);
  EXPECT_EQ(w->vcc(), 0x3ffull);
}

TEST(Valu, ModeRoundsAndFlushes) {
  NEEDS_ASSEMBLER;
  const char* kProgram =
      "v_add_f32 v6, v0, v2\n v_add_f64 v[8:9], v[0:1], v[2:3]\n v_min_f32 v10, v0, v4\n v_pk_add_f16 v11, v4, v4";
  auto run = [&](U32 mode) {
    TestWave w(assemble(kProgram));
    setMode(*w.operator->(), mode);
    w.v(0, 0) = 0x3f800000, w.v(1, 0) = 0x3ff00000;
    w.v(2, 0) = 0x2f800000, w.v(3, 0) = 0x2f800000;  // far below the last bit
    w.v(4, 0) = 0x00000001;
    EXPECT_EQ(w.run(), "");
    return std::array<U32, 4>{w.v(6, 0), w.v(8, 0), w.v(10, 0), w.v(11, 0)};
  };
  EXPECT_EQ(run(0x3f0), (std::array<U32, 4>{0x3f800000, 0x3f800000, 1, 2}));
  EXPECT_EQ(run(0x3f5)[0], 0x3f800001u);  // both round up
  EXPECT_EQ(run(0x3f5)[1], 0x3f800001u);
  EXPECT_EQ(run(0x3ff)[0], 0x3f800000u);  // toward zero
  EXPECT_EQ(run(0x3c0)[2], 0u);           // f32 denormals flushed
  EXPECT_EQ(run(0x3c0)[3], 2u);
  EXPECT_EQ(run(0x330)[3], 0u);  // f16 and f64 denormals flushed
}

TEST(Valu, SignalingNansAndClamp) {
  NEEDS_ASSEMBLER;
  TestWave w(assemble(
      "v_max_f32 v6, v0, v2\n v_min3_f32 v7, v0, v2, v2\n v_add_f32_e64 v8, v0, v2 clamp\n v_max_f32 v9, v4, v2"));
  w.v(0, 0) = 0x7f800001;  // signaling
  w.v(2, 0) = 0x3f800000;
  w.v(4, 0) = 0x7fc00000;  // quiet
  EXPECT_EQ(w.run(), "");
  EXPECT_EQ(w.v(6, 0), 0x7fc00001u);
  EXPECT_EQ(w.v(7, 0), 0x3f800000u);
  EXPECT_EQ(w.v(8, 0), 0u);
  EXPECT_EQ(w.v(9, 0), 0x3f800000u);
}

}  // namespace
}  // namespace hipr::softgpu
