// Scalar arithmetic: results and SCC over all pairs of edge values, against models from the manual's words.
#include <gtest/gtest.h>

#include <bit>
#include <functional>

#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using I32 = std::int32_t;
using I64 = std::int64_t;

struct Result {
  U64 value;
  int scc;  // -1: as it was
};
struct Row {
  const char* name;
  std::function<Result(U64, U64)> model;
};

Result nonzero(U64 value) {
  return {value, value != 0};
}
U64 field(U64 x, U64 offset, U64 width, unsigned bits, bool sign) {
  if (width == 0) return 0;
  offset &= bits - 1;
  if (width > bits - offset) width = bits - offset;
  U64 raw = x << (64 - bits) << (bits - offset - width);
  return sign ? static_cast<U64>(static_cast<I64>(raw) >> (64 - width)) : raw >> (64 - width);
}
bool overflows(I64 x) {
  return x != static_cast<I32>(x);
}
I64 s(U64 x) {
  return static_cast<I32>(x);
}

const std::vector<Row> kRows32 = {
    {"s_add_u32", [](U64 a, U64 b) { return Result{a + b, (a + b) >> 32 != 0}; }},
    {"s_sub_u32", [](U64 a, U64 b) { return Result{a - b, b > a}; }},
    {"s_add_i32", [](U64 a, U64 b) { return Result{a + b, overflows(s(a) + s(b))}; }},
    {"s_sub_i32", [](U64 a, U64 b) { return Result{a - b, overflows(s(a) - s(b))}; }},
    {"s_addc_u32", [](U64 a, U64 b) { return Result{a + b + 1, (a + b + 1) >> 32 != 0}; }},  // SCC is 1 before each
    {"s_subb_u32", [](U64 a, U64 b) { return Result{a - b - 1, b + 1 > a}; }},
    {"s_min_i32", [](U64 a, U64 b) { return Result{s(a) < s(b) ? a : b, s(a) < s(b)}; }},
    {"s_min_u32", [](U64 a, U64 b) { return Result{a < b ? a : b, a < b}; }},
    {"s_max_i32", [](U64 a, U64 b) { return Result{s(a) > s(b) ? a : b, s(a) > s(b)}; }},
    {"s_max_u32", [](U64 a, U64 b) { return Result{a > b ? a : b, a > b}; }},
    {"s_cselect_b32", [](U64 a, U64) { return Result{a, -1}; }},
    {"s_and_b32", [](U64 a, U64 b) { return nonzero(a & b); }},
    {"s_or_b32", [](U64 a, U64 b) { return nonzero(a | b); }},
    {"s_xor_b32", [](U64 a, U64 b) { return nonzero(a ^ b); }},
    {"s_andn2_b32", [](U64 a, U64 b) { return nonzero(a & ~b & 0xffffffff); }},
    {"s_orn2_b32", [](U64 a, U64 b) { return nonzero((a | ~b) & 0xffffffff); }},
    {"s_nand_b32", [](U64 a, U64 b) { return nonzero(~(a & b) & 0xffffffff); }},
    {"s_nor_b32", [](U64 a, U64 b) { return nonzero(~(a | b) & 0xffffffff); }},
    {"s_xnor_b32", [](U64 a, U64 b) { return nonzero(~(a ^ b) & 0xffffffff); }},
    {"s_lshl_b32", [](U64 a, U64 b) { return nonzero((a << (b & 31)) & 0xffffffff); }},
    {"s_lshr_b32", [](U64 a, U64 b) { return nonzero(a >> (b & 31)); }},
    {"s_ashr_i32", [](U64 a, U64 b) { return nonzero(static_cast<U32>(s(a) >> (b & 31))); }},
    {"s_bfm_b32", [](U64 a, U64 b) { return Result{((1ull << (a & 31)) - 1) << (b & 31), -1}; }},
    {"s_mul_i32", [](U64 a, U64 b) { return Result{a * b, -1}; }},
    {"s_mul_hi_u32", [](U64 a, U64 b) { return Result{a * b >> 32, -1}; }},
    {"s_mul_hi_i32", [](U64 a, U64 b) { return Result{static_cast<U64>(s(a) * s(b)) >> 32, -1}; }},
    {"s_bfe_u32", [](U64 a, U64 b) { return nonzero(field(a, b & 31, b >> 16 & 127, 32, false)); }},
    {"s_bfe_i32", [](U64 a, U64 b) { return nonzero(static_cast<U32>(field(a, b & 31, b >> 16 & 127, 32, true))); }},
    {"s_absdiff_i32", [](U64 a, U64 b) { return nonzero(static_cast<U32>(s(a - b) < 0 ? b - a : a - b)); }},
    {"s_lshl3_add_u32", [](U64 a, U64 b) { return Result{(a << 3) + b, ((a << 3) + b) >> 32 != 0}; }},
    {"s_pack_ll_b32_b16", [](U64 a, U64 b) { return Result{(a & 0xffff) | b << 16, -1}; }},
    {"s_pack_lh_b32_b16", [](U64 a, U64 b) { return Result{(a & 0xffff) | (b & 0xffff0000), -1}; }},
    {"s_pack_hh_b32_b16", [](U64 a, U64 b) { return Result{a >> 16 | (b & 0xffff0000), -1}; }},
};

const std::vector<Row> kRows32One = {
    {"s_not_b32", [](U64 a, U64) { return nonzero(~a & 0xffffffff); }},
    {"s_abs_i32", [](U64 a, U64) { return nonzero(static_cast<U32>(s(a) < 0 ? -a : a)); }},
    {"s_bcnt0_i32_b32", [](U64 a, U64) { return nonzero(32 - std::popcount(a)); }},
    {"s_bcnt1_i32_b32", [](U64 a, U64) { return nonzero(std::popcount(a)); }},
    {"s_ff0_i32_b32", [](U64 a, U64) { return Result{a == 0xffffffff ? ~0ull : std::countr_one(a), -1}; }},
    {"s_ff1_i32_b32", [](U64 a, U64) { return Result{a ? std::countr_zero(a) : ~0ull, -1}; }},
    {"s_flbit_i32_b32", [](U64 a, U64) { return Result{a ? std::countl_zero(a) - 32 : ~0ull, -1}; }},
    {"s_sext_i32_i8", [](U64 a, U64) { return Result{static_cast<U32>(static_cast<std::int8_t>(a)), -1}; }},
    {"s_sext_i32_i16", [](U64 a, U64) { return Result{static_cast<U32>(static_cast<std::int16_t>(a)), -1}; }},
    {"s_brev_b32",
     [](U64 a, U64) {
       U64 r = 0;
       for (int k = 0; k < 32; ++k) r |= (a >> k & 1) << (31 - k);
       return Result{r, -1};
     }},
};

const std::vector<Row> kRows64 = {
    {"s_and_b64", [](U64 a, U64 b) { return nonzero(a & b); }},
    {"s_or_b64", [](U64 a, U64 b) { return nonzero(a | b); }},
    {"s_xor_b64", [](U64 a, U64 b) { return nonzero(a ^ b); }},
    {"s_andn2_b64", [](U64 a, U64 b) { return nonzero(a & ~b); }},
    {"s_orn2_b64", [](U64 a, U64 b) { return nonzero(a | ~b); }},
    {"s_nand_b64", [](U64 a, U64 b) { return nonzero(~(a & b)); }},
    {"s_nor_b64", [](U64 a, U64 b) { return nonzero(~(a | b)); }},
    {"s_xnor_b64", [](U64 a, U64 b) { return nonzero(~(a ^ b)); }},
    {"s_cselect_b64", [](U64 a, U64) { return Result{a, -1}; }},
};

// Results at s[20:21] and up, SCC after each as 0 or 1 at s60 and up; SCC is 1 before each.
void compare(const std::vector<Row>& rows, bool wide, bool two) {
  const std::vector<U64> edges = {0,          1,          2,          31,         32,         0x7fffffff,
                                  0x80000000, 0xffffffff, 0x12345678, 0x00080004, 0x00200010, 0x89abcdef};
  for (std::size_t first = 0; first < rows.size(); first += 16) {
    std::vector<Row> part(rows.begin() + static_cast<long>(first),
                          rows.begin() + static_cast<long>(std::min(rows.size(), first + 16)));
    std::string source;
    for (std::size_t k = 0; k < part.size(); ++k) {
      std::string d = std::to_string(20 + 2 * k), pair = "s[" + d + ":" + std::to_string(21 + 2 * k) + "]";
      source += "s_cmp_eq_u32 s0, s0\n" + std::string(part[k].name) + " " + (wide ? pair : "s" + d) +
                (wide ? ", s[0:1]" : ", s0") + (two ? (wide ? ", s[2:3]\n" : ", s2\n") : "\n") + "s_cselect_b32 s" +
                std::to_string(60 + k) + ", 1, 0\n";
    }
    std::vector<U32> code = assemble(source);
    if (code.empty()) GTEST_SKIP() << "llvm-mc-19 is not installed";
    for (U64 a : edges)
      for (U64 b : edges) {
        TestWave w(code);
        U64 x = wide ? a | ~b << 32 : a, y = wide ? b | a << 32 : b;
        w->setPair(0, x), w->setPair(2, y);
        ASSERT_EQ(w.run(), "");
        for (std::size_t k = 0; k < part.size(); ++k) {
          Result expected = part[k].model(x, y);
          U64 got = wide ? w->pair(static_cast<unsigned>(20 + 2 * k)) : w->s[20 + 2 * k];
          ASSERT_EQ(got, wide ? expected.value : expected.value & 0xffffffff)
              << part[k].name << std::hex << " " << x << " " << y;
          ASSERT_EQ(w->s[60 + k], expected.scc < 0 ? 1u : static_cast<U32>(expected.scc))
              << "SCC of " << part[k].name << std::hex << " " << x << " " << y;
        }
      }
  }
}

TEST(ScalarAlu, TwoSources) {
  compare(kRows32, false, true);
}
TEST(ScalarAlu, OneSource) {
  compare(kRows32One, false, false);
}
TEST(ScalarAlu, Wide) {
  compare(kRows64, true, true);
}

}  // namespace
}  // namespace hipr::softgpu
