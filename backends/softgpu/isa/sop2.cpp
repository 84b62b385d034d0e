// Scalar instructions with two sources, and scalar compares.
#include "backends/softgpu/isa/scalar.h"

namespace hipr::softgpu::HIPR_LEVEL {

using U32 = std::uint32_t;
using I32 = std::int32_t;
using U64 = std::uint64_t;
using I64 = std::int64_t;

// a and b are the sources; SCC tells whether the result is not zero.
#define LOGIC32(name, expression)                 \
  RUN(name) {                                     \
    U32 a = src32(w, i, 0), b = src32(w, i, 1);   \
    setScc32(w, i, static_cast<U32>(expression)); \
  }
#define LOGIC64(name, expression)                 \
  RUN(name) {                                     \
    U64 a = src64(w, i, 0), b = src64(w, i, 1);   \
    setScc64(w, i, static_cast<U64>(expression)); \
  }
// The same without SCC.
#define PLAIN32(name, expression)               \
  RUN(name) {                                   \
    U32 a = src32(w, i, 0), b = src32(w, i, 1); \
    w.s[i.dst] = static_cast<U32>(expression);  \
  }

RUN(s_add_u32) {
  U64 sum = U64{src32(w, i, 0)} + src32(w, i, 1);
  w.scc = sum >> 32;
  w.s[i.dst] = static_cast<U32>(sum);
}
RUN(s_sub_u32) {
  U32 a = src32(w, i, 0), b = src32(w, i, 1);
  w.scc = b > a;
  w.s[i.dst] = a - b;
}
RUN(s_addc_u32) {
  U64 sum = U64{src32(w, i, 0)} + src32(w, i, 1) + w.scc;
  w.scc = sum >> 32;
  w.s[i.dst] = static_cast<U32>(sum);
}
RUN(s_subb_u32) {
  U64 a = src32(w, i, 0), b = U64{src32(w, i, 1)} + w.scc;
  w.scc = b > a;
  w.s[i.dst] = static_cast<U32>(a - b);
}
RUN(s_add_i32) {
  I64 sum = I64{static_cast<I32>(src32(w, i, 0))} + static_cast<I32>(src32(w, i, 1));
  w.scc = sum != static_cast<I32>(sum);
  w.s[i.dst] = static_cast<U32>(sum);
}
RUN(s_sub_i32) {
  I64 difference = I64{static_cast<I32>(src32(w, i, 0))} - static_cast<I32>(src32(w, i, 1));
  w.scc = difference != static_cast<I32>(difference);
  w.s[i.dst] = static_cast<U32>(difference);
}

// SCC: the first source was chosen.
#define CHOOSE(name, type, order)                            \
  RUN(name) {                                                \
    U32 a = src32(w, i, 0), b = src32(w, i, 1);              \
    w.scc = static_cast<type>(a) order static_cast<type>(b); \
    w.s[i.dst] = w.scc ? a : b;                              \
  }
CHOOSE(s_min_i32, I32, <)
CHOOSE(s_min_u32, U32, <)
CHOOSE(s_max_i32, I32, >)
CHOOSE(s_max_u32, U32, >)

PLAIN32(s_cselect_b32, w.scc ? a : b)
RUN(s_cselect_b64) {
  w.setPair(i.dst, w.scc ? src64(w, i, 0) : src64(w, i, 1));
}

LOGIC32(s_and_b32, a& b)
LOGIC64(s_and_b64, a& b)
LOGIC32(s_or_b32, a | b)
LOGIC64(s_or_b64, a | b)
LOGIC32(s_xor_b32, a ^ b)
LOGIC64(s_xor_b64, a ^ b)
LOGIC32(s_andn2_b32, a & ~b)
LOGIC64(s_andn2_b64, a & ~b)
LOGIC32(s_orn2_b32, a | ~b)
LOGIC64(s_orn2_b64, a | ~b)
LOGIC32(s_nand_b32, ~(a& b))
LOGIC64(s_nand_b64, ~(a& b))
LOGIC32(s_nor_b32, ~(a | b))
LOGIC64(s_nor_b64, ~(a | b))
LOGIC32(s_xnor_b32, ~(a ^ b))
LOGIC64(s_xnor_b64, ~(a ^ b))

LOGIC32(s_lshl_b32, a << (b & 31))
LOGIC32(s_lshr_b32, a >> (b & 31))
LOGIC32(s_ashr_i32, static_cast<I32>(a) >> (b & 31))
RUN(s_lshl_b64) {
  setScc64(w, i, src64(w, i, 0) << (src32(w, i, 1) & 63));
}
RUN(s_lshr_b64) {
  setScc64(w, i, src64(w, i, 0) >> (src32(w, i, 1) & 63));
}
RUN(s_ashr_i64) {
  setScc64(w, i, static_cast<U64>(static_cast<I64>(src64(w, i, 0, Kind::kI64)) >> (src32(w, i, 1) & 63)));
}

PLAIN32(s_bfm_b32, ((1u << (a & 31)) - 1) << (b & 31))
RUN(s_bfm_b64) {
  w.setPair(i.dst, ((1ull << (src32(w, i, 0) & 63)) - 1) << (src32(w, i, 1) & 63));
}

// A field: offset in the low bits of b, width in bits 16-22.
static HIPR_INLINE U64 field(U64 a, U32 b, unsigned size, bool isSigned) {
  unsigned offset = b & (size - 1), width = (b >> 16) & 0x7f;
  if (width == 0) return 0;
  if (width > size - offset) width = size - offset;
  U64 top = a << (64 - offset - width);
  return isSigned ? static_cast<U64>(static_cast<I64>(top) >> (64 - width)) : top >> (64 - width);
}
LOGIC32(s_bfe_u32, field(a, b, 32, false))
LOGIC32(s_bfe_i32, field(a, b, 32, true))
RUN(s_bfe_u64) {
  setScc64(w, i, field(src64(w, i, 0), src32(w, i, 1), 64, false));
}
RUN(s_bfe_i64) {
  setScc64(w, i, field(src64(w, i, 0, Kind::kI64), src32(w, i, 1), 64, true));
}

PLAIN32(s_mul_i32, a* b)
PLAIN32(s_mul_hi_u32, (U64{a} * b) >> 32)
PLAIN32(s_mul_hi_i32, static_cast<U64>(I64{static_cast<I32>(a)} * static_cast<I32>(b)) >> 32)
LOGIC32(s_absdiff_i32, static_cast<I32>(a - b) < 0 ? b - a : a - b)

static HIPR_INLINE void shiftAdd(Wave& w, const Inst& i, unsigned by) {
  U64 sum = (U64{src32(w, i, 0)} << by) + src32(w, i, 1);
  w.scc = (sum >> 32) != 0;
  w.s[i.dst] = static_cast<U32>(sum);
}
RUN(s_lshl1_add_u32) {
  shiftAdd(w, i, 1);
}
RUN(s_lshl2_add_u32) {
  shiftAdd(w, i, 2);
}
RUN(s_lshl3_add_u32) {
  shiftAdd(w, i, 3);
}
RUN(s_lshl4_add_u32) {
  shiftAdd(w, i, 4);
}

PLAIN32(s_pack_ll_b32_b16, (a & 0xffff) | b << 16)
PLAIN32(s_pack_lh_b32_b16, (a & 0xffff) | (b & 0xffff0000))
PLAIN32(s_pack_hh_b32_b16, a >> 16 | (b & 0xffff0000))

#define COMPARE(name, type, expression)                                                \
  RUN(name) {                                                                          \
    auto a = static_cast<type>(src32(w, i, 0)), b = static_cast<type>(src32(w, i, 1)); \
    w.scc = (expression);                                                              \
  }
COMPARE(s_cmp_eq_i32, I32, a == b)
COMPARE(s_cmp_lg_i32, I32, a != b)
COMPARE(s_cmp_gt_i32, I32, a > b)
COMPARE(s_cmp_ge_i32, I32, a >= b)
COMPARE(s_cmp_lt_i32, I32, a < b)
COMPARE(s_cmp_le_i32, I32, a <= b)
COMPARE(s_cmp_eq_u32, U32, a == b)
COMPARE(s_cmp_lg_u32, U32, a != b)
COMPARE(s_cmp_gt_u32, U32, a > b)
COMPARE(s_cmp_ge_u32, U32, a >= b)
COMPARE(s_cmp_lt_u32, U32, a < b)
COMPARE(s_cmp_le_u32, U32, a <= b)
COMPARE(s_bitcmp0_b32, U32, !((a >> (b & 31)) & 1))
COMPARE(s_bitcmp1_b32, U32, (a >> (b & 31)) & 1)
RUN(s_bitcmp0_b64) {
  w.scc = !((src64(w, i, 0) >> (src32(w, i, 1) & 63)) & 1);
}
RUN(s_bitcmp1_b64) {
  w.scc = (src64(w, i, 0) >> (src32(w, i, 1) & 63)) & 1;
}
RUN(s_cmp_eq_u64) {
  w.scc = src64(w, i, 0) == src64(w, i, 1);
}
RUN(s_cmp_lg_u64) {
  w.scc = src64(w, i, 0) != src64(w, i, 1);
}

// The second source field is not an operand here but the four enable bits.
RUN(s_set_gpr_idx_on) {
  w.s[kM0] = (w.s[kM0] & ~0xf0ffu) | (src32(w, i, 0) & 0xff) | (i.src[1] & 15u) << 12;
  changeMode(w, w.mode | kGprIndexing);
}
RUN(s_setvskip) {
  bool skip = (src32(w, i, 0) >> (src32(w, i, 1) & 31)) & 1;
  changeMode(w, skip ? w.mode | kVectorSkip : w.mode & ~kVectorSkip);
}

}  // namespace hipr::softgpu::HIPR_LEVEL
