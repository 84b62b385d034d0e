// Instructions that move values between registers, lanes and the program counter without changing them, and forks and
// joins, over edge values of what steers them: EXEC, M0, lane numbers, fields.
#include <gtest/gtest.h>

#include <bit>

#include "backends/softgpu/isa/edge.h"
#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

const EdgeTested kTested({"s_movrels_b32",     "s_movrels_b64",      "s_movreld_b32",       "s_movreld_b64",
                          "s_set_gpr_idx_on",  "s_set_gpr_idx_idx",  "v_readfirstlane_b32", "v_readlane_b32",
                          "v_writelane_b32",   "v_mbcnt_lo_u32_b32", "v_mbcnt_hi_u32_b32",  "v_swap_b32",
                          "v_accvgpr_mov_b32", "s_getpc_b64",        "s_setpc_b64",         "s_swappc_b64",
                          "s_call_b64",        "s_getreg_b32",       "s_setreg_b32",        "s_setreg_imm32_b32",
                          "s_setvskip",        "s_cbranch_g_fork",   "s_cbranch_i_fork",    "s_cbranch_join"});

const std::vector<U64> kMasks = {0,     1,    1ull << 63,         0x8000000080000000, 0xffffffff,
                                 ~0ull, 0xf0, 0x0f0f0f0f0f0f0f0f, 0xfffffffffffffffe};

TEST(Registers, ScalarsRelativeToM0) {
  NEEDS_ASSEMBLER;
  auto code = assemble(
      "s_movrels_b32 s70, s10\n s_movrels_b64 s[72:73], s[10:11]\n s_movreld_b32 s20, s4\n s_movreld_b64 s[40:41], "
      "s[4:5]");
  for (U32 m0 : {0u, 2u, 6u, 8u}) {
    TestWave w(code);
    for (U32 k = 0; k < 100; ++k) w->s[k] = 1000 + k;
    w->s[kM0] = m0;
    ASSERT_EQ(w.run(), "");
    EXPECT_EQ(w->s[70], 1010 + m0);
    EXPECT_EQ(w->s[72], 1010 + m0);
    EXPECT_EQ(w->s[73], 1011 + m0);
    for (U32 k = 20; k < 60; ++k) {
      U32 expected = k == 20 + m0 || k == 40 + m0 ? 1004 : k == 41 + m0 ? 1005 : 1000 + k;
      EXPECT_EQ(w->s[k], expected) << k << " with M0 " << m0;
    }
  }
}

TEST(Registers, VectorsRelativeToM0) {
  NEEDS_ASSEMBLER;
  auto code = assemble(
      "s_set_gpr_idx_on s4, gpr_idx(SRC0)\n v_mov_b32 v10, v20\n s_set_gpr_idx_idx s5\n v_mov_b32 v11, v20\n"
      "s_set_gpr_idx_mode gpr_idx(DST)\n v_mov_b32 v30, v21\n s_set_gpr_idx_off\n v_mov_b32 v12, v20\n"
      "s_set_gpr_idx_on s4, gpr_idx(SRC1)\n v_add_u32 v13, v20, v21\n s_set_gpr_idx_off");
  for (U32 first : {0u, 1u, 7u})
    for (U32 second : {0u, 3u}) {
      TestWave w(code);
      for (U32 k = 0; k < 40; ++k)
        for (unsigned l = 0; l < kLanes; ++l) w.v(k, l) = 100 * k + l;
      w->s[4] = first | 0xffff0000, w->s[5] = second | 0xabc00;  // eight bits count
      ASSERT_EQ(w.run(), "");
      for (unsigned l : {0u, 63u}) {
        EXPECT_EQ(w.v(10, l), 100 * (20 + first) + l);
        EXPECT_EQ(w.v(11, l), 100 * (20 + second) + l);
        EXPECT_EQ(w.v(30 + second, l), 2100 + l);
        EXPECT_EQ(w.v(12, l), 2000 + l);
        EXPECT_EQ(w.v(13, l), 2000 + l + 100 * (21 + first) + l);
      }
    }
}

TEST(Registers, LanesByNumber) {
  NEEDS_ASSEMBLER;
  auto code = assemble(
      "v_readfirstlane_b32 s20, v0\n v_readlane_b32 s21, v0, s4\n s_mov_b32 m0, s4\n"
      "v_writelane_b32 v1, s5, m0\n"
      "v_mbcnt_lo_u32_b32 v2, s6, 7\n v_mbcnt_hi_u32_b32 v3, s7, 7\n v_mov_b32 v4, 1");
  for (U64 exec : kMasks)
    for (U32 lane : {0u, 1u, 31u, 32u, 63u, 64u, 0xffffffffu})
      for (U64 bits : kMasks) {
        TestWave w(code);
        for (unsigned l = 0; l < kLanes; ++l) w.v(0, l) = 100 + l, w.v(2, l) = w.v(3, l) = w.v(4, l) = 9999;
        w->s[4] = lane, w->s[5] = 0x89abcdef;
        w->setPair(6, bits);
        w->setPair(kExecLo, exec);
        ASSERT_EQ(w.run(), "");
        EXPECT_EQ(w->s[20], 100u + (exec ? static_cast<U32>(std::countr_zero(exec)) : 0));
        EXPECT_EQ(w->s[21], 100 + lane % 64);  // EXEC plays no part
        for (unsigned l = 0; l < kLanes; ++l) {
          bool active = exec >> l & 1;
          U64 below = bits & ((1ull << l) - 1);
          ASSERT_EQ(w.v(1, l), l == lane % 64 ? 0x89abcdef : 0u);
          ASSERT_EQ(w.v(2, l), active ? 7u + static_cast<U32>(std::popcount(below & 0xffffffff)) : 9999u);
          ASSERT_EQ(w.v(3, l), active ? 7u + static_cast<U32>(std::popcount(below >> 32)) : 9999u);
          ASSERT_EQ(w.v(4, l), active ? 1u : 9999u);
        }
      }
}

TEST(Registers, MovesUnderExec) {
  NEEDS_ASSEMBLER;
  auto code = assemble("v_swap_b32 v0, v1\n v_accvgpr_mov_b32 a3, a4");
  for (U64 exec : kMasks) {
    TestWave w(code);
    for (unsigned l = 0; l < kLanes; ++l) {
      w.v(0, l) = l, w.v(1, l) = 0x80000000 + l;
      w.v(256 + 3, l) = 5, w.v(256 + 4, l) = 700 + l;
    }
    w->setPair(kExecLo, exec);
    ASSERT_EQ(w.run(), "");
    for (unsigned l = 0; l < kLanes; ++l) {
      bool active = exec >> l & 1;
      ASSERT_EQ(w.v(0, l), active ? 0x80000000 + l : l);
      ASSERT_EQ(w.v(1, l), active ? l : 0x80000000 + l);
      ASSERT_EQ(w.v(256 + 3, l), active ? 700 + l : 5);
    }
  }
}

TEST(Registers, ProgramCounter) {
  NEEDS_ASSEMBLER;
  // Each step goes on at the next line; what it would run otherwise ends the program.
  TestWave w(assemble(
      "s_getpc_b64 s[10:11]\n s_add_u32 s12, s10, 20\n s_addc_u32 s13, s11, 0\n s_setpc_b64 s[12:13]\n"
      "s_endpgm\n s_endpgm\n s_add_u32 s14, s10, 40\n s_addc_u32 s15, s11, 0\n s_swappc_b64 s[16:17], s[14:15]\n"
      "s_endpgm\n s_endpgm\n s_call_b64 s[18:19], 1\n s_endpgm\n s_mov_b32 s20, 1\n s_mov_b64 s[22:23], 0"));
  U64 start = w->code->region().begin;
  ASSERT_EQ(w.run(), "");
  EXPECT_EQ(w->pair(10), start + 4);
  EXPECT_EQ(w->pair(16), start + 36);  // after s_swappc
  EXPECT_EQ(w->pair(18), start + 48);  // after s_call
  EXPECT_EQ(w->s[20], 1u);
}

// Every first bit and width of MODE.
TEST(Registers, FieldsOfMode) {
  NEEDS_ASSEMBLER;
  for (U32 first : {0u, 4u, 8u, 9u, 23u})
    for (U32 width : {1u, 2u, 4u, 8u}) {
      if (first + width > 24) continue;
      std::string field = "hwreg(HW_REG_MODE, " + std::to_string(first) + ", " + std::to_string(width) + ")";
      auto code = assemble("s_getreg_b32 s10, " + field + "\n s_setreg_b32 " + field + ", s4\n s_getreg_b32 s11, " +
                           "hwreg(HW_REG_MODE)\n s_setreg_imm32_b32 " + field + ", 0x5a5a5a5a\n s_getreg_b32 s12, " +
                           "hwreg(HW_REG_MODE)");
      for (U32 value : {0u, 0xffffffffu, 0x12345678u}) {
        TestWave w(code);
        w->s[4] = value;
        ASSERT_EQ(w.run(), "");
        U32 mask = ((1u << width) - 1) << first, before = 0x3f0;
        U32 after = (before & ~mask) | (value << first & mask);
        EXPECT_EQ(w->s[10], (before & mask) >> first);
        EXPECT_EQ(w->s[11], after);
        EXPECT_EQ(w->s[12], (after & ~mask) | (0x5a5a5a5au << first & mask));
      }
    }
}

TEST(Registers, SkippingFollowsAnyBit) {
  NEEDS_ASSEMBLER;
  auto code = assemble("s_setvskip s4, s5\n v_mov_b32 v0, 7\n s_mov_b32 s10, 1\n s_setvskip s4, s6\n v_mov_b32 v1, 8");
  for (U32 word : {0u, 1u, 0x80000000u, 0x7fffffffu})
    for (U32 bit : {0u, 31u, 32u, 63u}) {
      TestWave w(code);
      w->s[4] = word, w->s[5] = bit, w->s[6] = bit ^ 31;
      ASSERT_EQ(w.run(), "");
      EXPECT_EQ(w.v(0, 3), word >> bit % 32 & 1 ? 0u : 7u);
      EXPECT_EQ(w.v(1, 3), word >> (bit ^ 31) % 32 & 1 ? 0u : 8u);
      EXPECT_EQ(w->s[10], 1u);
    }
}

// --- Forks. The manual: lanes that pass go to the target, the others on. If all agree it is a branch. Else the smaller
// group goes first (those that pass, if they are as many), the other one waits in four SGPRs: EXEC and where to go on.

constexpr unsigned kDepthShift = 29;  // of the stack, in MODE

void checkFork(const char* fork, const std::vector<U32>& code, U64 exec, U64 lanes, U32 depth) {
  TestWave w(code);
  for (U32 k = 0; k < 36; ++k) w->s[k] = 0x1000 + k;
  w->setPair(60, lanes);
  w->setPair(kExecLo, exec);
  setMode(*w.operator->(), 0x3f0 | depth << kDepthShift);
  ASSERT_EQ(w.run(), "");
  U64 start = w->code->region().begin, next = start + 16, target = start + 28;
  U64 pass = exec & lanes, fail = exec & ~lanes;
  bool splits = pass && fail, passFirst = std::popcount(pass) <= std::popcount(fail);
  bool toTarget = splits ? passFirst : pass == exec;
  std::string where = std::string(fork) + " depth " + std::to_string(depth);
  EXPECT_EQ(w->s[70], toTarget ? 2u : 1u) << where << std::hex << " exec " << exec << " lanes " << lanes;
  EXPECT_EQ(w->exec(), splits ? (passFirst ? pass : fail) : exec) << where;
  EXPECT_EQ(w->mode >> kDepthShift, splits ? depth + 1 : depth) << where;
  U64 savedExec = splits ? (passFirst ? fail : pass) : 0, savedPc = passFirst ? next : target;
  for (U32 k = 0; k < 36; k += 2) {
    U64 untouched = (0x1000 + k) | U64{0x1001 + k} << 32;
    U64 expected = splits && k == 4 * depth ? savedExec : splits && k == 4 * depth + 2 ? savedPc : untouched;
    EXPECT_EQ(w->pair(k), expected) << where << " s" << k;
  }
}

TEST(Forks, SmallerGroupFirst) {
  NEEDS_ASSEMBLER;
  for (const char* fork : {"s_cbranch_g_fork s[60:61], s[64:65]", "s_cbranch_i_fork s[60:61], 3"}) {
    auto code = assemble(std::string("s_getpc_b64 s[62:63]\n s_add_u32 s64, s62, 24\n s_addc_u32 s65, s63, 0\n ") +
                         fork + "\n s_mov_b32 s70, 1\n s_endpgm\n s_nop 0\n s_mov_b32 s70, 2");
    ASSERT_FALSE(code.empty());
    for (U64 exec : kMasks)
      for (U64 lanes : kMasks)
        for (U32 depth : {0u, 1u, 6u}) checkFork(fork, code, exec, lanes, depth);
  }
}

TEST(Forks, JoinTakesTheLastEntry) {
  NEEDS_ASSEMBLER;
  auto code = assemble("s_cbranch_join s60\n s_mov_b32 s70, 1\n s_endpgm\n s_mov_b32 s70, 2");
  for (U32 depth : {1u, 2u, 7u})
    for (U32 until : {0u, 1u, 2u, 7u})
      for (U64 saved : kMasks) {
        TestWave w(code);
        U64 start = w->code->region().begin;
        w->s[60] = until;
        w->setPair(4 * (depth - 1), saved);
        w->setPair(4 * (depth - 1) + 2, start + 12);
        w->setPair(kExecLo, 0xff00);
        setMode(*w.operator->(), 0x3f0 | depth << kDepthShift);
        ASSERT_EQ(w.run(), "");
        bool through = depth == until;
        EXPECT_EQ(w->s[70], through ? 1u : 2u);
        EXPECT_EQ(w->exec(), through ? 0xff00 : saved);
        EXPECT_EQ(w->mode >> kDepthShift, through ? depth : depth - 1);
      }
}

TEST(Forks, BothPathsRunAndJoin) {
  NEEDS_ASSEMBLER;
  // Five lanes take the branch and add 100, the others add 1; after the join all add 1000.
  TestWave w(
      assemble("s_mov_b64 s[20:21], 31\n s_getreg_b32 s24, hwreg(HW_REG_MODE, 29, 3)\n s_cbranch_i_fork s[20:21], 3\n"
               "v_add_u32 v0, 1, v0\n s_nop 0\n s_branch 2\n v_add_u32 v0, 0x64, v0\n"
               "s_cbranch_join s24\n s_mov_b64 exec, -1\n v_add_u32 v0, 0x3e8, v0"));
  for (unsigned l = 0; l < kLanes; ++l) w.v(0, l) = l;
  ASSERT_EQ(w.run(), "");
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(w.v(0, l), l + (l < 5 ? 1100 : 1001)) << l;
}

}  // namespace
}  // namespace hipr::softgpu
