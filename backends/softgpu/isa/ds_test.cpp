// LDS and global wave sync: addressing of one and two elements, lane exchange, atomics, counters, limits.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {
namespace {

using U32 = std::uint32_t;

// v0 is the lane number, v1 four times that; LDS holds its own dword numbers.
struct Lds {
  TestWave wave;
  explicit Lds(const std::string& assembly, unsigned bytes = 4096) : wave(assemble(assembly), Gpu::kGfx90a, bytes) {
    for (U32 l = 0; l < 64; ++l) wave.v(0, l) = l, wave.v(1, l) = 4 * l;
    for (U32 k = 0; k < bytes / 4; ++k) word(k) = k;
  }
  U32& word(U32 k) { return reinterpret_cast<U32*>(wave->lds.begin)[k]; }
};

TEST(Ds, OneAndTwoElements) {
  NEEDS_ASSEMBLER;
  Lds l(
      "ds_read_b32 v2, v1 offset:8\n ds_read2_b32 v[4:5], v1 offset0:1 offset1:3\n ds_read2st64_b32 v[6:7], v1 "
      "offset0:1 offset1:2\n ds_write2_b32 v1, v0, v2 offset0:64 offset1:128\n v_lshlrev_b32 v3, 4, v0\n"
      "ds_read_b128 v[8:11], v3\n ds_read_u16_d16_hi v12, v1 offset:2\n ds_read_i8 v13, v1");
  l.word(9) = 0xfedc00f0;
  ASSERT_EQ(l.wave.run(), "");
  EXPECT_EQ(l.wave.v(2, 5), 7u);
  EXPECT_EQ(l.wave.v(4, 5), 6u);
  EXPECT_EQ(l.wave.v(5, 5), 8u);
  EXPECT_EQ(l.wave.v(6, 5), 69u);
  EXPECT_EQ(l.wave.v(7, 5), 133u);
  EXPECT_EQ(l.word(64 + 10), 10u);
  EXPECT_EQ(l.word(128 + 10), 12u);
  EXPECT_EQ(l.wave.v(11, 3), 15u);
  EXPECT_EQ(l.wave.v(12, 9) >> 16, 0xfedcu);
  EXPECT_EQ(l.wave.v(13, 9), 0xfffffff0u);
}

// Loads of 16 bits clear the half that is not theirs, as GPUs with ECC do.
TEST(Ds, HalvesClearTheOther) {
  NEEDS_ASSEMBLER;
  Lds l(
      "v_mov_b32 v2, -1\n v_mov_b32 v3, -1\n v_mov_b32 v4, -1\n v_mov_b32 v5, -1\n ds_read_u16_d16 v2, v1\n"
      "ds_read_u16_d16_hi v3, v1\n ds_read_i8_d16 v4, v1\n ds_read_u8_d16_hi v5, v1");
  l.word(9) = 0x123456f8;
  ASSERT_EQ(l.wave.run(), "");
  EXPECT_EQ(l.wave.v(2, 9), 0x56f8u);
  EXPECT_EQ(l.wave.v(3, 9), 0x56f80000u);
  EXPECT_EQ(l.wave.v(4, 9), 0xfff8u);
  EXPECT_EQ(l.wave.v(5, 9), 0x00f80000u);
}

TEST(Ds, Atomics) {
  NEEDS_ASSEMBLER;
  Lds l(
      "v_mov_b32 v2, 0\n ds_add_rtn_u32 v3, v2, v0\n v_mov_b32 v4, 2.0\n ds_add_f32 v2, v4 offset:8\n"
      "ds_max_i32 v2, v0 offset:12\n v_mov_b32 v5, 4\n v_mov_b32 v6, 77\n ds_cmpst_rtn_b32 v7, v2, v5, v6 offset:16\n"
      "v_mov_b32 v8, 1\n v_mov_b32 v9, 0\n ds_add_u64 v2, v[8:9] offset:24\n ds_inc_rtn_u32 v10, v2, v5 offset:32");
  l.word(2) = std::bit_cast<U32>(0.5f);
  l.word(6) = ~0u, l.word(7) = 0;
  l.word(8) = 3;
  ASSERT_EQ(l.wave.run(), "");
  EXPECT_EQ(l.word(0), 63u * 32);
  EXPECT_EQ(l.wave.v(3, 3), 3u);  // 0 + 1 + 2, in order of lanes
  EXPECT_EQ(std::bit_cast<float>(l.word(2)), 128.5f);
  EXPECT_EQ(l.word(3), 63u);
  EXPECT_EQ(l.word(4), 77u);
  EXPECT_EQ(l.wave.v(7, 0), 4u);
  EXPECT_EQ(l.wave.v(7, 1), 77u);
  EXPECT_EQ(l.word(6), 63u);
  EXPECT_EQ(l.word(7), 1u);
  EXPECT_EQ(l.wave.v(10, 2), 0u);  // 3, 4, then it wraps
}

TEST(Ds, LanesExchange) {
  NEEDS_ASSEMBLER;
  Lds l(
      "v_xor_b32 v2, 4, v1\n ds_bpermute_b32 v3, v2, v0\n ds_permute_b32 v4, v2, v0\n"
      "ds_swizzle_b32 v5, v0 offset:swizzle(QUAD_PERM,3,2,1,0)\n ds_swizzle_b32 v6, v0 offset:swizzle(SWAP,16)\n"
      "s_mov_b64 exec, 0xf\n v_mov_b32 v7, 0x50\n ds_bpermute_b32 v8, v7, v0");
  ASSERT_EQ(l.wave.run(), "");
  EXPECT_EQ(l.wave.v(3, 10), 11u);
  EXPECT_EQ(l.wave.v(4, 10), 11u);
  EXPECT_EQ(l.wave.v(5, 9), 10u);
  EXPECT_EQ(l.wave.v(6, 33), 49u);
  EXPECT_EQ(l.wave.v(8, 2), 0u);  // from a lane that is off
}

TEST(Ds, AppendAndConsumeCountLanes) {
  NEEDS_ASSEMBLER;
  Lds l(
      "s_mov_b32 m0, 0\n s_mov_b64 exec, 0xff\n ds_append v2 offset:16\n s_mov_b64 exec, 7\n ds_consume v3 offset:16");
  ASSERT_EQ(l.wave.run(), "");
  EXPECT_EQ(l.wave.v(2, 0), 4u);
  EXPECT_EQ(l.wave.v(3, 0), 12u);
  EXPECT_EQ(l.word(4), 9u);
}

// Past the end reads give zero and writes are lost, lane by lane and element by element; an element that straddles the
// end is past it.
TEST(Ds, PastTheEnd) {
  NEEDS_ASSEMBLER;
  Lds l(
      "v_mov_b32 v2, 7\n v_mov_b32 v3, -1\n v_mov_b32 v4, -1\n v_mov_b32 v5, -1\n v_mov_b32 v6, -1\n v_mov_b32 v7, -1\n"
      "ds_write_b32 v1, v2 offset:32\n ds_read_b32 v3, v1 offset:32\n ds_add_rtn_u32 v4, v1, v2 offset:32\n"
      "ds_add_rtn_u32 v5, v1, v2 offset:32\n ds_read2_b32 v[6:7], v1 offset0:1 offset1:20\n"
      "v_mov_b32 v8, 0xfc\n v_mov_b32 v9, -1\n ds_read_u16 v9, v8 offset:3\n"
      "v_mov_b32 v10, -1\n v_mov_b32 v11, -1\n ds_read_b64 v[10:11], v8",
      256);
  ASSERT_EQ(l.wave.run(), "");
  for (U32 lane = 0; lane < 64; ++lane) {
    const bool inside = lane < 56;
    EXPECT_EQ(l.wave.v(3, lane), inside ? 7u : 0) << lane;
    EXPECT_EQ(l.wave.v(4, lane), inside ? 7u : 0) << lane;
    EXPECT_EQ(l.wave.v(5, lane), inside ? 14u : 0) << lane;
    EXPECT_EQ(l.wave.v(6, lane), lane + 1 < 8 ? lane + 1 : lane + 1 < 64 ? 21u : 0) << lane;
    EXPECT_EQ(l.wave.v(7, lane), lane + 20 < 64 ? 21u : 0) << lane;
    EXPECT_EQ(l.wave.v(9, lane), 0u) << lane;
    EXPECT_EQ(l.wave.v(10, lane), 0u) << lane;
    EXPECT_EQ(l.wave.v(11, lane), 0u) << lane;
  }
  EXPECT_EQ(l.word(7), 7u);
  EXPECT_EQ(l.word(8), 21u);
  EXPECT_EQ(l.word(63), 21u);
}

TEST(Ds, PastTheEndThroughAPointer) {
  NEEDS_ASSEMBLER;
  Lds l(
      "s_mov_b64 s[0:1], src_shared_base\n v_mov_b32 v3, s1\n v_add_u32 v2, 32, v1\n v_mov_b32 v4, 9\n"
      "v_mov_b32 v5, -1\n flat_store_dword v[2:3], v4\n flat_load_dword v5, v[2:3]",
      256);
  ASSERT_EQ(l.wave.run(), "");
  for (U32 lane = 0; lane < 64; ++lane) EXPECT_EQ(l.wave.v(5, lane), lane < 56 ? 9u : 0) << lane;
  EXPECT_EQ(l.word(7), 7u);
  EXPECT_EQ(l.word(63), 9u);
}

TEST(Gws, SemaphoresAndTheBarrierOfOneWave) {
  NEEDS_ASSEMBLER;
  Lds l(
      "s_mov_b32 m0, 0\n v_mov_b32 v2, 0\n ds_gws_init v2 gds\n ds_gws_barrier v2 gds\n ds_gws_sema_p gds\n"
      "ds_gws_sema_v gds\n ds_gws_sema_p gds\n v_mov_b32 v3, 5\n ds_gws_sema_p gds\n v_mov_b32 v3, 6");
  ASSERT_EQ(l.wave.run(), "");
  EXPECT_EQ(l.wave.v(3, 0), 5u);  // the last one waits for somebody else
  EXPECT_EQ(l.wave->state, WaveState::kGws);
}

}  // namespace
}  // namespace hipr::softgpu
