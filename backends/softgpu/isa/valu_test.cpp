// Instructions LLVM does not fold, against models written here from the manual's words, and what is around a result:
// EXEC, op_sel, MODE, lane moves.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>

#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using Model = std::function<U64(U64 a, U64 b, U64 c)>;

const std::vector<U64> kEdges = {0,          1,          0x7f,       0x80,       0xff,       0x100,
                                 0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffffff, 0x80000000,
                                 0xfffffffe, 0xffffffff, 0x12345678, 0x89abcdef, 0x00ff00ff, 0xff00ff00};

// Sources v[0:1], v[2:3], v[4:5] (high halves: the complement of the low ones), result v[6:7].
void compare(const std::string& assembly, const Model& model, U64 mask = 0xffffffff) {
  std::vector<U32> code = assemble(assembly);
  if (code.empty()) GTEST_SKIP() << "llvm-mc-19 is not installed";
  std::vector<std::array<U64, 3>> inputs;
  for (U64 a : kEdges)
    for (U64 b : kEdges)
      for (U64 c : kEdges) inputs.push_back({a | ~a << 32, b | ~b << 32, c | ~c << 32});
  for (std::size_t first = 0; first < inputs.size(); first += kLanes) {
    TestWave w(code);
    std::size_t count = std::min<std::size_t>(kLanes, inputs.size() - first);
    for (unsigned l = 0; l < count; ++l)
      for (unsigned k = 0; k < 3; ++k) {
        w.v(2 * k, l) = static_cast<U32>(inputs[first + l][k]);
        w.v(2 * k + 1, l) = static_cast<U32>(inputs[first + l][k] >> 32);
      }
    ASSERT_EQ(w.run(), "");
    for (unsigned l = 0; l < count; ++l) {
      auto [a, b, c] = inputs[first + l];
      U64 got = w.v(6, l) | U64{w.v(7, l)} << 32;
      ASSERT_EQ(got & mask, model(a, b, c) & mask)
          << assembly << std::hex << " a " << a << " b " << b << " c " << c << " lane " << l;
    }
  }
}

U64 byteAt(U64 x, int n) {
  return (x >> (8 * n)) & 0xff;
}
std::int64_t sext(U64 x, int bits) {
  return static_cast<std::int64_t>(x << (64 - bits)) >> (64 - bits);
}
U64 sad(U64 a, U64 b, bool masked) {
  U64 sum = 0;
  for (int n = 0; n < 4; ++n)
    if (!masked || byteAt(b, n)) sum += static_cast<U64>(std::abs(sext(byteAt(a, n), 32) - sext(byteAt(b, n), 32)));
  return sum;
}

TEST(Valu, ThreeOperandIntegers) {
  compare("v_bfi_b32 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return (a & b) | (~a & c); });
  compare("v_alignbyte_b32 v6, v0, v2, v4",
          [](U64 a, U64 b, U64 c) { return ((a << 32) | (b & 0xffffffff)) >> (c % 4 * 8); });
  compare("v_xad_u32 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return (a ^ b) + c; });
  compare("v_lshl_add_u32 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return (a << (b % 32)) + c; });
  compare("v_add_lshl_u32 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return (a + b) << (c % 32); });
  compare("v_add3_u32 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return a + b + c; });
  compare("v_lshl_or_b32 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return (a << (b % 32)) | c; });
  compare("v_and_or_b32 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return (a & b) | c; });
  compare("v_or3_b32 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return a | b | c; });
  compare("v_mad_i32_i24 v6, v0, v2, v4",
          [](U64 a, U64 b, U64 c) { return static_cast<U64>(sext(a, 24) * sext(b, 24)) + c; });
  compare("v_mad_u32_u24 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return (a & 0xffffff) * (b & 0xffffff) + c; });
  compare("v_mad_u32_u16 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return (a & 0xffff) * (b & 0xffff) + c; });
  compare("v_mad_i32_i16 v6, v0, v2, v4",
          [](U64 a, U64 b, U64 c) { return static_cast<U64>(sext(a, 16) * sext(b, 16)) + c; });
  compare("v_med3_i32 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) {
    std::array<std::int64_t, 3> s{sext(a, 32), sext(b, 32), sext(c, 32)};
    std::sort(s.begin(), s.end());
    return static_cast<U64>(s[1]);
  });
  compare("v_max3_u32 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return std::max({U32(a), U32(b), U32(c)}); });
  compare("v_min3_i32 v6, v0, v2, v4",
          [](U64 a, U64 b, U64 c) { return static_cast<U64>(std::min({sext(a, 32), sext(b, 32), sext(c, 32)})); });
}

TEST(Valu, Bytes) {
  compare("v_lerp_u8 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) {
    U64 r = 0;
    for (int n = 0; n < 4; ++n) r |= ((byteAt(a, n) + byteAt(b, n) + (byteAt(c, n) & 1)) / 2) << (8 * n);
    return r;
  });
  compare("v_sad_u8 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return sad(a, b, false) + c; });
  compare("v_sad_hi_u8 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return (sad(a, b, false) << 16) + c; });
  compare("v_msad_u8 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) { return sad(a, b, true) + c; });
  compare("v_sad_u32 v6, v0, v2, v4", [](U64 a, U64 b, U64 c) {
    return static_cast<U64>(std::abs(std::int64_t(U32(a)) - std::int64_t(U32(b)))) + c;
  });
  compare(
      "v_qsad_pk_u16_u8 v[6:7], v[0:1], v2, v[4:5]",
      [](U64 a, U64 b, U64 c) {
        U64 r = 0;
        for (int n = 0; n < 4; ++n)
          r |= ((sad(a >> (8 * n), b, false) + ((c >> (16 * n)) & 0xffff)) & 0xffff) << (16 * n);
        return r;
      },
      ~0ull);
  compare(
      "v_mqsad_u32_u8 v[6:9], v[0:1], v2, v[10:13]",
      [](U64 a, U64 b, U64) { return sad(a, b, true) | sad(a >> 8, b, true) << 32; }, ~0ull);
}

TEST(Valu, WideIntegers) {
  compare(
      "v_mad_u64_u32 v[6:7], vcc, v0, v2, v[4:5]", [](U64 a, U64 b, U64 c) { return U64{U32(a)} * U32(b) + c; }, ~0ull);
  compare("v_mad_u64_u32 v[8:9], vcc, v0, v2, v[4:5]\n v_cndmask_b32 v6, 0, 1, vcc", [](U64 a, U64 b, U64 c) {
    return static_cast<U64>((static_cast<unsigned __int128>(U64{U32(a)} * U32(b)) + c) >> 64);
  });
  compare(
      "v_mad_i64_i32 v[6:7], vcc, v0, v2, v[4:5]",
      [](U64 a, U64 b, U64 c) { return static_cast<U64>(sext(a, 32) * sext(b, 32)) + c; }, ~0ull);
  compare("v_mul_hi_u32 v6, v0, v2", [](U64 a, U64 b, U64) { return U64{U32(a)} * U32(b) >> 32; });
  compare("v_mul_hi_i32 v6, v0, v2",
          [](U64 a, U64 b, U64) { return static_cast<U64>(sext(a, 32) * sext(b, 32)) >> 32; });
  compare("v_lshlrev_b64 v[6:7], v0, v[2:3]", [](U64 a, U64 b, U64) { return b << (a % 64); }, ~0ull);
  compare("v_lshrrev_b64 v[6:7], v0, v[2:3]", [](U64 a, U64 b, U64) { return b >> (a % 64); }, ~0ull);
  compare(
      "v_ashrrev_i64 v[6:7], v0, v[2:3]", [](U64 a, U64 b, U64) { return static_cast<U64>(sext(b, 64) >> (a % 64)); },
      ~0ull);
}

TEST(Valu, DotProducts) {
  auto dot = [](U64 a, U64 b, int bits, bool isSigned) {
    U64 sum = 0;
    for (int n = 0; n < 32 / bits; ++n) {
      U64 x = (a >> (bits * n)) & ((1ull << bits) - 1), y = (b >> (bits * n)) & ((1ull << bits) - 1);
      sum += isSigned ? static_cast<U64>(sext(x, bits) * sext(y, bits)) : x * y;
    }
    return sum;
  };
  compare("v_dot4_i32_i8 v6, v0, v2, v4", [&](U64 a, U64 b, U64 c) { return dot(a, b, 8, true) + c; });
  compare("v_dot4_u32_u8 v6, v0, v2, v4", [&](U64 a, U64 b, U64 c) { return dot(a, b, 8, false) + c; });
  compare("v_dot8_i32_i4 v6, v0, v2, v4", [&](U64 a, U64 b, U64 c) { return dot(a, b, 4, true) + c; });
  compare("v_dot2_u32_u16 v6, v0, v2, v4", [&](U64 a, U64 b, U64 c) { return dot(a, b, 16, false) + c; });
  compare("v_dot2_i32_i16 v6, v0, v2, v4 clamp", [&](U64 a, U64 b, U64 c) {
    std::int64_t sum = static_cast<std::int64_t>(dot(a, b, 16, true)) + sext(c, 32);
    return static_cast<U64>(std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX));
  });
}

TEST(Valu, PackedHalvesAndSelects) {
  compare("v_pk_add_u16 v6, v0, v2",
          [](U64 a, U64 b, U64) { return ((a + b) & 0xffff) | ((((a >> 16) + (b >> 16)) & 0xffff) << 16); });
  compare("v_pk_add_u16 v6, v0, v2 op_sel:[1,0] op_sel_hi:[0,0]",
          [](U64 a, U64 b, U64) { return (((a >> 16) + b) & 0xffff) | (((a + b) & 0xffff) << 16); });
  compare("v_pk_lshlrev_b16 v6, v0, v2", [](U64 a, U64 b, U64) {
    return ((b << (a % 16)) & 0xffff) | ((((b >> 16) << ((a >> 16) % 16)) & 0xffff) << 16);
  });
  compare("v_pk_ashrrev_i16 v6, 1, v2 op_sel_hi:[0,1]", [](U64, U64 b, U64) {
    return (static_cast<U64>(sext(b, 16) >> 1) & 0xffff) | (static_cast<U64>(sext(b >> 16, 16) >> 1) & 0xffff) << 16;
  });
  compare(
      "v_pk_mov_b32 v[6:7], v[0:1], v[2:3] op_sel:[1,0]", [](U64 a, U64 b, U64) { return (a >> 32) | b << 32; }, ~0ull);
  // Only the named half of the destination changes.
  compare("v_mov_b32 v6, 0x55667788\n v_mad_u16 v6, v0, v2, v4 op_sel:[0,1,0,1]",
          [](U64 a, U64 b, U64 c) { return 0x7788 | (((a & 0xffff) * ((b >> 16) & 0xffff) + c) & 0xffff) << 16; });
  compare("v_mov_b32 v6, 0x55667788\n v_add_i16 v6, v0, v2",
          [](U64 a, U64 b, U64) { return 0x55660000 | ((a + b) & 0xffff); });
  compare("v_cvt_pk_i16_i32 v6, v0, v2", [](U64 a, U64 b, U64) {
    auto limit = [](U64 x) { return static_cast<U64>(std::clamp<std::int64_t>(sext(x, 32), -32768, 32767)) & 0xffff; };
    return limit(a) | limit(b) << 16;
  });
}

TEST(Valu, MixedPrecision) {
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
