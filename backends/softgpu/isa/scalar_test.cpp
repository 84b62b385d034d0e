// Scalar arithmetic, against models from the manual's words.
#include <gtest/gtest.h>

#include <bit>

#include "backends/softgpu/isa/scalar_edges.h"

namespace hipr::softgpu {
namespace {

using U64 = std::uint64_t;
using I64 = std::int64_t;

constexpr U64 kLow = 0xffffffff;

ScalarOut plain(U64 value) {
  return {value};
}
ScalarOut nonzero(U64 value) {
  return {value, value != 0};
}
ScalarOut nonzero32(U64 value) {
  return nonzero(value & kLow);
}
U64 field(U64 x, U64 offset, U64 width, unsigned bits, bool sign) {
  if (width == 0) return 0;
  offset &= bits - 1;
  if (width > bits - offset) width = bits - offset;
  U64 raw = x << (64 - bits) << (bits - offset - width);
  return sign ? static_cast<U64>(static_cast<I64>(raw) >> (64 - width)) : raw >> (64 - width);
}
U64 reversed(U64 x, int bits) {
  U64 r = 0;
  for (int k = 0; k < bits; ++k) r |= (x >> k & 1) << (bits - 1 - k);
  return r;
}
// From the highest bit down, how many are like the sign; -1 if all.
U64 signBits(U64 x, int bits) {
  for (int k = bits - 2; k >= 0; --k)
    if ((x >> k & 1) != (x >> (bits - 1) & 1)) return static_cast<U64>(bits - 1 - k);
  return ~0ull;
}
U64 quads(U64 x, bool whole) {
  U64 r = 0;
  for (unsigned q = 0; q < 16; ++q)
    if (x >> (4 * q) & 15) r |= whole ? 15ull << (4 * q) : 1ull << q;
  return r;
}

const std::vector<ScalarCase> kTwoSources = {
    {"s_add_u32 d, a, b", [](const ScalarIn& i) { return ScalarOut{i.a + i.b, (i.a + i.b) >> 32 != 0}; }},
    {"s_sub_u32 d, a, b", [](const ScalarIn& i) { return ScalarOut{i.a - i.b, i.b > i.a}; }},
    {"s_add_i32 d, a, b",
     [](const ScalarIn& i) { return ScalarOut{i.a + i.b, overflows32(signed32(i.a) + signed32(i.b))}; }},
    {"s_sub_i32 d, a, b",
     [](const ScalarIn& i) { return ScalarOut{i.a - i.b, overflows32(signed32(i.a) - signed32(i.b))}; }},
    {"s_addc_u32 d, a, b",
     [](const ScalarIn& i) { return ScalarOut{i.a + i.b + i.scc, (i.a + i.b + i.scc) >> 32 != 0}; }},
    {"s_subb_u32 d, a, b", [](const ScalarIn& i) { return ScalarOut{i.a - i.b - i.scc, i.b + i.scc > i.a}; }},
    {"s_min_i32 d, a, b",
     [](const ScalarIn& i) {
       return ScalarOut{signed32(i.a) < signed32(i.b) ? i.a : i.b, signed32(i.a) < signed32(i.b)};
     }},
    {"s_min_u32 d, a, b", [](const ScalarIn& i) { return ScalarOut{i.a < i.b ? i.a : i.b, i.a < i.b}; }},
    {"s_max_i32 d, a, b",
     [](const ScalarIn& i) {
       return ScalarOut{signed32(i.a) > signed32(i.b) ? i.a : i.b, signed32(i.a) > signed32(i.b)};
     }},
    {"s_max_u32 d, a, b", [](const ScalarIn& i) { return ScalarOut{i.a > i.b ? i.a : i.b, i.a > i.b}; }},
    {"s_cselect_b32 d, a, b", [](const ScalarIn& i) { return plain(i.scc ? i.a : i.b); }},
    {"s_cselect_b64 D, A, B", [](const ScalarIn& i) { return plain(i.scc ? i.a : i.b); }},
    {"s_and_b32 d, a, b", [](const ScalarIn& i) { return nonzero(i.a & i.b); }},
    {"s_and_b64 D, A, B", [](const ScalarIn& i) { return nonzero(i.a & i.b); }},
    {"s_or_b32 d, a, b", [](const ScalarIn& i) { return nonzero(i.a | i.b); }},
    {"s_or_b64 D, A, B", [](const ScalarIn& i) { return nonzero(i.a | i.b); }},
    {"s_xor_b32 d, a, b", [](const ScalarIn& i) { return nonzero(i.a ^ i.b); }},
    {"s_xor_b64 D, A, B", [](const ScalarIn& i) { return nonzero(i.a ^ i.b); }},
    {"s_andn2_b32 d, a, b", [](const ScalarIn& i) { return nonzero32(i.a & ~i.b); }},
    {"s_andn2_b64 D, A, B", [](const ScalarIn& i) { return nonzero(i.a & ~i.b); }},
    {"s_orn2_b32 d, a, b", [](const ScalarIn& i) { return nonzero32(i.a | ~i.b); }},
    {"s_orn2_b64 D, A, B", [](const ScalarIn& i) { return nonzero(i.a | ~i.b); }},
    {"s_nand_b32 d, a, b", [](const ScalarIn& i) { return nonzero32(~(i.a & i.b)); }},
    {"s_nand_b64 D, A, B", [](const ScalarIn& i) { return nonzero(~(i.a & i.b)); }},
    {"s_nor_b32 d, a, b", [](const ScalarIn& i) { return nonzero32(~(i.a | i.b)); }},
    {"s_nor_b64 D, A, B", [](const ScalarIn& i) { return nonzero(~(i.a | i.b)); }},
    {"s_xnor_b32 d, a, b", [](const ScalarIn& i) { return nonzero32(~(i.a ^ i.b)); }},
    {"s_xnor_b64 D, A, B", [](const ScalarIn& i) { return nonzero(~(i.a ^ i.b)); }},
    {"s_lshl_b32 d, a, b", [](const ScalarIn& i) { return nonzero32(i.a << (i.b & 31)); }},
    {"s_lshl_b64 D, A, b", [](const ScalarIn& i) { return nonzero(i.a << (i.b & 63)); }},
    {"s_lshr_b32 d, a, b", [](const ScalarIn& i) { return nonzero(i.a >> (i.b & 31)); }},
    {"s_lshr_b64 D, A, b", [](const ScalarIn& i) { return nonzero(i.a >> (i.b & 63)); }},
    {"s_ashr_i32 d, a, b", [](const ScalarIn& i) { return nonzero32(static_cast<U64>(signed32(i.a) >> (i.b & 31))); }},
    {"s_ashr_i64 D, A, b",
     [](const ScalarIn& i) { return nonzero(static_cast<U64>(static_cast<I64>(i.a) >> (i.b & 63))); }},
    {"s_bfm_b32 d, a, b", [](const ScalarIn& i) { return plain(((1ull << (i.a & 31)) - 1) << (i.b & 31)); }},
    {"s_bfm_b64 D, a, b", [](const ScalarIn& i) { return plain(((1ull << (i.a & 63)) - 1) << (i.b & 63)); }},
    {"s_mul_i32 d, a, b", [](const ScalarIn& i) { return plain(i.a * i.b); }},
    {"s_mul_hi_u32 d, a, b", [](const ScalarIn& i) { return plain(i.a * i.b >> 32); }},
    {"s_mul_hi_i32 d, a, b",
     [](const ScalarIn& i) { return plain(static_cast<U64>(signed32(i.a) * signed32(i.b)) >> 32); }},
    {"s_bfe_u32 d, a, b", [](const ScalarIn& i) { return nonzero(field(i.a, i.b & 31, i.b >> 16 & 127, 32, false)); }},
    {"s_bfe_i32 d, a, b", [](const ScalarIn& i) { return nonzero32(field(i.a, i.b & 31, i.b >> 16 & 127, 32, true)); }},
    {"s_bfe_u64 D, A, b", [](const ScalarIn& i) { return nonzero(field(i.a, i.b & 63, i.b >> 16 & 127, 64, false)); }},
    {"s_bfe_i64 D, A, b", [](const ScalarIn& i) { return nonzero(field(i.a, i.b & 63, i.b >> 16 & 127, 64, true)); }},
    {"s_absdiff_i32 d, a, b",
     [](const ScalarIn& i) { return nonzero32(signed32(i.a - i.b) < 0 ? i.b - i.a : i.a - i.b); }},
    {"s_lshl1_add_u32 d, a, b", [](const ScalarIn& i) { return ScalarOut{2 * i.a + i.b, (2 * i.a + i.b) >> 32 != 0}; }},
    {"s_lshl2_add_u32 d, a, b", [](const ScalarIn& i) { return ScalarOut{4 * i.a + i.b, (4 * i.a + i.b) >> 32 != 0}; }},
    {"s_lshl3_add_u32 d, a, b", [](const ScalarIn& i) { return ScalarOut{8 * i.a + i.b, (8 * i.a + i.b) >> 32 != 0}; }},
    {"s_lshl4_add_u32 d, a, b",
     [](const ScalarIn& i) { return ScalarOut{16 * i.a + i.b, (16 * i.a + i.b) >> 32 != 0}; }},
    {"s_pack_ll_b32_b16 d, a, b", [](const ScalarIn& i) { return plain((i.a & 0xffff) | i.b << 16); }},
    {"s_pack_lh_b32_b16 d, a, b", [](const ScalarIn& i) { return plain((i.a & 0xffff) | (i.b & 0xffff0000)); }},
    {"s_pack_hh_b32_b16 d, a, b", [](const ScalarIn& i) { return plain(i.a >> 16 | (i.b & 0xffff0000)); }},
};

const std::vector<ScalarCase> kOneSource = {
    {"s_mov_b32 d, a", [](const ScalarIn& i) { return plain(i.a); }},
    {"s_mov_b64 D, A", [](const ScalarIn& i) { return plain(i.a); }},
    {"s_cmov_b32 d, a", [](const ScalarIn& i) { return plain(i.scc ? i.a : i.d); }},
    {"s_cmov_b64 D, A", [](const ScalarIn& i) { return plain(i.scc ? i.a : i.d); }},
    {"s_not_b32 d, a", [](const ScalarIn& i) { return nonzero32(~i.a); }},
    {"s_not_b64 D, A", [](const ScalarIn& i) { return nonzero(~i.a); }},
    {"s_wqm_b32 d, a", [](const ScalarIn& i) { return nonzero(quads(i.a, true)); }},
    {"s_wqm_b64 D, A", [](const ScalarIn& i) { return nonzero(quads(i.a, true)); }},
    {"s_quadmask_b32 d, a", [](const ScalarIn& i) { return nonzero(quads(i.a, false)); }},
    {"s_quadmask_b64 D, A", [](const ScalarIn& i) { return nonzero(quads(i.a, false)); }},
    {"s_brev_b32 d, a", [](const ScalarIn& i) { return plain(reversed(i.a, 32)); }},
    {"s_brev_b64 D, A", [](const ScalarIn& i) { return plain(reversed(i.a, 64)); }},
    {"s_bcnt0_i32_b32 d, a", [](const ScalarIn& i) { return nonzero(static_cast<U64>(32 - std::popcount(i.a))); }},
    {"s_bcnt0_i32_b64 d, A", [](const ScalarIn& i) { return nonzero(static_cast<U64>(64 - std::popcount(i.a))); }},
    {"s_bcnt1_i32_b32 d, a", [](const ScalarIn& i) { return nonzero(static_cast<U64>(std::popcount(i.a))); }},
    {"s_bcnt1_i32_b64 d, A", [](const ScalarIn& i) { return nonzero(static_cast<U64>(std::popcount(i.a))); }},
    {"s_ff0_i32_b32 d, a",
     [](const ScalarIn& i) { return plain(i.a == kLow ? ~0ull : static_cast<U64>(std::countr_one(i.a))); }},
    {"s_ff0_i32_b64 d, A",
     [](const ScalarIn& i) { return plain(i.a == ~0ull ? ~0ull : static_cast<U64>(std::countr_one(i.a))); }},
    {"s_ff1_i32_b32 d, a",
     [](const ScalarIn& i) { return plain(i.a ? static_cast<U64>(std::countr_zero(i.a)) : ~0ull); }},
    {"s_ff1_i32_b64 d, A",
     [](const ScalarIn& i) { return plain(i.a ? static_cast<U64>(std::countr_zero(i.a)) : ~0ull); }},
    {"s_flbit_i32_b32 d, a",
     [](const ScalarIn& i) { return plain(i.a ? static_cast<U64>(std::countl_zero(i.a)) - 32 : ~0ull); }},
    {"s_flbit_i32_b64 d, A",
     [](const ScalarIn& i) { return plain(i.a ? static_cast<U64>(std::countl_zero(i.a)) : ~0ull); }},
    {"s_flbit_i32 d, a", [](const ScalarIn& i) { return plain(signBits(i.a, 32)); }},
    {"s_flbit_i32_i64 d, A", [](const ScalarIn& i) { return plain(signBits(i.a, 64)); }},
    {"s_sext_i32_i8 d, a", [](const ScalarIn& i) { return plain(static_cast<U64>(static_cast<std::int8_t>(i.a))); }},
    {"s_sext_i32_i16 d, a", [](const ScalarIn& i) { return plain(static_cast<U64>(static_cast<std::int16_t>(i.a))); }},
    {"s_abs_i32 d, a", [](const ScalarIn& i) { return nonzero32(signed32(i.a) < 0 ? -i.a : i.a); }},
    {"s_bitset0_b32 d, a", [](const ScalarIn& i) { return plain(i.d & ~(1ull << i.a % 32)); }},
    {"s_bitset0_b64 D, a", [](const ScalarIn& i) { return plain(i.d & ~(1ull << i.a % 64)); }},
    {"s_bitset1_b32 d, a", [](const ScalarIn& i) { return plain(i.d | 1ull << i.a % 32); }},
    {"s_bitset1_b64 D, a", [](const ScalarIn& i) { return plain(i.d | 1ull << i.a % 64); }},
    {"s_bitreplicate_b64_b32 D, a",
     [](const ScalarIn& i) {
       U64 r = 0;
       for (int k = 0; k < 64; ++k) r |= (i.a >> k / 2 & 1) << k;
       return plain(r);
     }},
};

const EdgeTested kTested[] = {EdgeTested::in(kTwoSources), EdgeTested::in(kOneSource)};

TEST(ScalarAlu, TwoSources) {
  compareScalars(kTwoSources);
}
TEST(ScalarAlu, OneSource) {
  compareScalars(kOneSource);
}

}  // namespace
}  // namespace hipr::softgpu
