// Buffer and scalar memory instructions: descriptors, bounds, swizzling, formats, atomics.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {
namespace {

using U32 = std::uint32_t;

// A buffer of 1 KiB with its descriptor in s[4:7]; v0 holds the lane number. word3 as compilers set it: 32 bits.
struct Buffer {
  alignas(64) U32 words[256];
  TestWave wave;

  explicit Buffer(const std::string& assembly, U32 bytes = 1024, U32 stride = 0, U32 word3 = 0x00027000,
                  const char* cpu = "gfx90a")
      : wave(assemble(assembly, cpu), std::string(cpu) == "gfx90a" ? Gpu::kGfx90a : Gpu::kGfx942) {
    for (U32 k = 0; k < 256; ++k) words[k] = 0x01010101 * k;
    auto base = reinterpret_cast<std::uint64_t>(words);
    wave->setPair(2, base);
    wave->s[4] = static_cast<U32>(base);
    wave->s[5] = static_cast<U32>(base >> 32) | stride << 16;
    wave->s[6] = bytes;
    wave->s[7] = word3;
    for (U32 l = 0; l < 64; ++l) wave.v(0, l) = l;
  }
};

TEST(Buffer, LanesPastTheEndReadZeroAndWriteNothing) {
  NEEDS_ASSEMBLER;
  Buffer b(
      "v_lshlrev_b32 v1, 2, v0\n buffer_load_dword v2, v1, s[4:7], 0 offen\n"
      "buffer_store_dword v0, v1, s[4:7], 0 offen offset:4",
      100);
  ASSERT_EQ(b.wave.run(), "");
  EXPECT_EQ(b.wave.v(2, 24), 24 * 0x01010101u);
  EXPECT_EQ(b.wave.v(2, 25), 0u);
  EXPECT_EQ(b.words[24], 23u);
  EXPECT_EQ(b.words[25], 25 * 0x01010101u);
}

TEST(Buffer, IndexCountsRecordsOfAStride) {
  NEEDS_ASSEMBLER;
  Buffer b("buffer_load_ushort v2, v0, s[4:7], 0 idxen offset:2\n buffer_load_sbyte v3, v0, s[4:7], 0 idxen", 40, 8);
  ASSERT_EQ(b.wave.run(), "");
  EXPECT_EQ(b.wave.v(2, 39), 2u * 39 * 0x0101);
  EXPECT_EQ(b.wave.v(2, 40), 0u);
  EXPECT_EQ(b.wave.v(3, 30), 60u);
}

TEST(Buffer, SwizzledRecordsInterleaveLanes) {
  NEEDS_ASSEMBLER;
  // Stride 16, index stride 8, swizzle on: dword d of record r lies at block r/8, then d, then r%8.
  Buffer b("buffer_load_dwordx2 v[2:3], v0, s[4:7], 0 idxen offset:4", 64, 16 | 0x8000, 0x00007000);
  ASSERT_EQ(b.wave.run(), "");
  for (U32 r : {0u, 7u, 8u, 19u, 63u})
    for (U32 d : {0u, 1u})
      EXPECT_EQ(b.wave.v(2 + d, r), ((r / 8) * 32 + (d + 1) * 8 + r % 8) * 0x01010101u) << r << " " << d;
}

TEST(Buffer, SwizzledBytesKeepTheirPlaces) {
  NEEDS_ASSEMBLER;
  // What is stored at an odd offset is there when read byte by byte.
  Buffer b(
      "v_mov_b32 v1, 0x44332211\n buffer_store_dword v1, v0, s[4:7], 0 idxen offset:3\n"
      "buffer_load_ubyte v2, v0, s[4:7], 0 idxen offset:4\n buffer_load_ushort v3, v0, s[4:7], 0 idxen offset:3\n"
      "buffer_load_dword v4, v0, s[4:7], 0 idxen offset:3\n buffer_store_short v2, v0, s[4:7], 0 idxen offset:7\n"
      "buffer_load_sshort v5, v0, s[4:7], 0 idxen offset:7",
      64, 16 | 0x8000, 0x00007000);
  ASSERT_EQ(b.wave.run(), "");
  for (U32 lane : {0u, 7u, 8u, 63u}) {
    EXPECT_EQ(b.wave.v(2, lane), 0x22u);
    EXPECT_EQ(b.wave.v(3, lane), 0x2211u);
    EXPECT_EQ(b.wave.v(4, lane), 0x44332211u);
    EXPECT_EQ(b.wave.v(5, lane), 0x22u);
  }
}

// The stack's descriptor, as kernels are given it, in s[4:7].
void describeStack(TestWave& wave) {
  wave->setPair(4, wave->scratch.begin | 1ull << 63);
  wave->s[6] = 0xffffffff;
  wave->s[7] = 0x00e00000;
}

TEST(Buffer, NegativeStackOffsetsAddUp) {
  NEEDS_ASSEMBLER;
  // v1 is -128 in all lanes, v2 -128 or -124.
  Buffer b(
      "v_and_b32 v3, 1, v0\n v_mov_b32 v1, 0xffffff80\n v_lshl_add_u32 v2, v3, 2, v1\n"
      "buffer_store_dword v0, off, s[4:7], 0 offset:64\n buffer_store_dword v3, off, s[4:7], 0 offset:68\n"
      "buffer_load_dword v4, v1, s[4:7], 0 offen offset:192\n buffer_load_dword v5, v2, s[4:7], 0 offen offset:192\n"
      "buffer_load_ubyte v6, v2, s[4:7], 0 offen offset:192\n buffer_load_dwordx2 v[8:9], v1, s[4:7], 0 offen "
      "offset:192\n"
      "buffer_store_short v0, v2, s[4:7], 0 offen offset:200\n buffer_load_ushort v7, off, s[4:7], 0 offset:72");
  describeStack(b.wave);
  ASSERT_EQ(b.wave.run(), "");
  for (U32 lane : {0u, 2u, 31u, 63u}) {
    EXPECT_EQ(b.wave.v(4, lane), lane);
    EXPECT_EQ(b.wave.v(5, lane), lane & 1 ? 1 : lane);
    EXPECT_EQ(b.wave.v(6, lane), lane & 1 ? 1 : lane);
    EXPECT_EQ(b.wave.v(8, lane), lane);
    EXPECT_EQ(b.wave.v(9, lane), lane & 1);
    EXPECT_EQ(b.wave.v(7, lane), lane & 1 ? 0 : lane);
  }
}

TEST(Buffer, NegativeOffsetsOfOtherBuffersAreOutside) {
  NEEDS_ASSEMBLER;
  Buffer b("v_mov_b32 v1, 0xffffff80\n v_mov_b32 v2, 7\n buffer_load_dword v2, v1, s[4:7], 0 offen offset:192");
  ASSERT_EQ(b.wave.run(), "");
  EXPECT_EQ(b.wave.v(2, 3), 0u);
}

TEST(Buffer, HalvesAndDwordsOfMany) {
  NEEDS_ASSEMBLER;
  Buffer b(
      "v_lshlrev_b32 v1, 4, v0\n v_mov_b32 v6, -1\n buffer_load_dwordx4 v[2:5], v1, s[4:7], 0 offen\n"
      "buffer_load_short_d16_hi v6, v1, s[4:7], 0 offen offset:4\n buffer_store_byte_d16_hi v6, v1, s[4:7], 0 offen");
  ASSERT_EQ(b.wave.run(), "");
  for (U32 k = 0; k < 4; ++k) EXPECT_EQ(b.wave.v(2 + k, 63), (252 + k) * 0x01010101u);
  EXPECT_EQ(b.wave.v(6, 3), 0x0d0d0000u);  // the other half is cleared
  EXPECT_EQ(b.words[12] & 0xff, 0x0du);
}

TEST(Buffer, AtomicsReturnTheOldValue) {
  NEEDS_ASSEMBLER;
  Buffer b(
      "v_mov_b32 v1, 1\n buffer_atomic_add v1, off, s[4:7], 0 offset:8 glc\n v_mov_b32 v2, 100\n v_mov_b32 v3, 66\n"
      "s_mov_b64 exec, 1\n buffer_atomic_cmpswap v[2:3], off, s[4:7], 0 offset:8 glc");
  ASSERT_EQ(b.wave.run(), "");
  EXPECT_EQ(b.words[2], 0x02020202u + 64);
  EXPECT_EQ(b.wave.v(1, 5), 0x02020202u + 5);
  EXPECT_EQ(b.wave.v(2, 0), 0x02020202u + 64);  // not 66, so not exchanged
}

TEST(Buffer, TypedLoadsConvert) {
  NEEDS_ASSEMBLER;
  // 8_8_8_8 (10) as UNORM (0), SNORM (1), UINT (4) and SSCALED (3); 16_16 (5) FLOAT (7); 2_10_10_10 (9) UINT.
  Buffer b(
      "v_lshlrev_b32 v1, 2, v0\n"
      "tbuffer_load_format_xyzw v[2:5], v1, s[4:7], dfmt:10, nfmt:0, 0 offen\n"
      "tbuffer_load_format_xy v[6:7], v1, s[4:7], dfmt:10, nfmt:1, 0 offen\n"
      "tbuffer_load_format_x v8, v1, s[4:7], dfmt:10, nfmt:4, 0 offen\n"
      "tbuffer_load_format_d16_xy v9, v1, s[4:7], dfmt:10, nfmt:3, 0 offen\n"
      "tbuffer_load_format_xyzw v[10:13], v1, s[4:7], dfmt:5, nfmt:7, 0 offen\n"
      "tbuffer_load_format_xyzw v[14:17], v1, s[4:7], dfmt:9, nfmt:4, 0 offen");
  b.words[1] = 0x80ff7f00;
  b.words[2] = 0xc0003c00;  // 1.0, -2.0
  ASSERT_EQ(b.wave.run(), "");
  auto f = [&](unsigned reg, unsigned lane) { return std::bit_cast<float>(b.wave.v(reg, lane)); };
  EXPECT_EQ(f(2, 1), 0.0f);
  EXPECT_EQ(f(3, 1), 127.0f / 255);
  EXPECT_EQ(f(4, 1), 1.0f);
  EXPECT_EQ(f(5, 1), 128.0f / 255);
  EXPECT_EQ(f(7, 1), 1.0f);
  EXPECT_EQ(b.wave.v(8, 33), 33u);
  EXPECT_EQ(b.wave.v(9, 3), 0x42004200u);  // 3.0 twice
  EXPECT_EQ(f(10, 2), 1.0f);
  EXPECT_EQ(f(11, 2), -2.0f);
  EXPECT_EQ(f(12, 2), 0.0f);
  EXPECT_EQ(f(13, 2), 1.0f);  // a component the format lacks
  EXPECT_EQ(b.wave.v(15, 1), 0x80ff7f00u >> 10 & 0x3ff);
  EXPECT_EQ(b.wave.v(17, 1), 2u);
}

TEST(Buffer, TypedStoresConvertBack) {
  NEEDS_ASSEMBLER;
  // The descriptor says 16_16_16_16 (12), SNORM; components as they are (4, 5, 6, 7).
  U32 word3 = 4 | 5 << 3 | 6 << 6 | 7 << 9 | 1 << 12 | 12 << 15;
  Buffer b(
      "v_mov_b32 v2, 1.0\n v_mov_b32 v3, -4.0\n v_mov_b32 v4, 0.5\n v_mov_b32 v5, 0\n"
      "buffer_store_format_xyzw v[2:5], v0, s[4:7], 0 idxen\n buffer_load_format_xyzw v[6:9], v0, s[4:7], 0 idxen\n"
      "v_mov_b32 v2, 0xc0003c00\n tbuffer_store_format_d16_xy v2, off, s[4:7], dfmt:11, nfmt:7, 0 offset:64",
      128, 8, word3);
  ASSERT_EQ(b.wave.run(), "");
  EXPECT_EQ(b.words[2], 0x80017fffu);
  EXPECT_EQ(b.words[3], 0x00004000u);
  EXPECT_EQ(b.wave.v(7, 9), 0xbf800000u);
  EXPECT_EQ(b.words[16], 0x3f800000u);
  EXPECT_EQ(b.words[17], 0xc0000000u);
}

TEST(Scalar, LoadsStoresAndAtomics) {
  NEEDS_ASSEMBLER;
  Buffer b(
      "s_load_dwordx8 s[8:15], s[2:3], 0x20\n s_movk_i32 s0, 0x40\n s_load_dwordx2 s[16:17], s[2:3], s0 offset:0x4\n"
      "s_store_dwordx2 s[8:9], s[2:3], 0x80\n s_buffer_load_dwordx4 s[20:23], s[4:7], 0x58\n"
      "s_movk_i32 s18, 5\n s_atomic_add s18, s[2:3], 0x90 glc\n s_scratch_store_dword s8, s[2:3], 0xa0\n"
      "s_scratch_load_dword s19, s[2:3], 0xa0",
      96);
  ASSERT_EQ(b.wave.run(), "");
  for (U32 k = 0; k < 8; ++k) EXPECT_EQ(b.wave->s[8 + k], (8 + k) * 0x01010101u);
  EXPECT_EQ(b.wave->s[16], 17 * 0x01010101u);
  EXPECT_EQ(b.words[33], 9 * 0x01010101u);
  EXPECT_EQ(b.wave->s[21], 23 * 0x01010101u);
  EXPECT_EQ(b.wave->s[22], 0u);  // past the 96 bytes of the buffer
  EXPECT_EQ(b.wave->s[18], 36 * 0x01010101u);
  EXPECT_EQ(b.words[36], 36 * 0x01010101u + 5);
  EXPECT_EQ(b.wave->s[19], 8 * 0x01010101u);
}

TEST(Scalar, MisalignedAtomicIsAFault) {
  NEEDS_ASSEMBLER;
  Buffer b("s_atomic_add_x2 s[8:9], s[2:3], 0x4");
  EXPECT_NE(b.wave.run().find("misaligned"), std::string::npos);
}

TEST(Scalar, SkippedVectorInstructionsDoNothing) {
  NEEDS_ASSEMBLER;
  Buffer b(
      "s_mov_b32 s20, 1\n s_setvskip s20, 0\n v_mov_b32 v0, 7\n s_mov_b32 s21, 9\n s_setvskip s20, 1\n v_mov_b32 v1, "
      "8");
  ASSERT_EQ(b.wave.run(), "");
  EXPECT_EQ(b.wave.v(0, 3), 3u);
  EXPECT_EQ(b.wave->s[21], 9u);
  EXPECT_EQ(b.wave.v(1, 3), 8u);
}

}  // namespace
}  // namespace hipr::softgpu
