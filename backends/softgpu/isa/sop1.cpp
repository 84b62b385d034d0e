// Scalar instructions with one source.
#include "backends/softgpu/isa/scalar.h"

namespace hipr::softgpu::HIPR_LEVEL {

using U32 = std::uint32_t;
using I32 = std::int32_t;
using U64 = std::uint64_t;
using I64 = std::int64_t;

RUN(s_mov_b32) {
  w.s[i.dst] = src32(w, i, 0);
}
RUN(s_mov_b64) {
  w.setPair(i.dst, src64(w, i, 0));
}
RUN(s_cmov_b32) {
  if (w.scc) w.s[i.dst] = src32(w, i, 0);
}
RUN(s_cmov_b64) {
  if (w.scc) w.setPair(i.dst, src64(w, i, 0));
}
RUN(s_not_b32) {
  setScc32(w, i, ~src32(w, i, 0));
}
RUN(s_not_b64) {
  setScc64(w, i, ~src64(w, i, 0));
}

// One bit per group of four that has any.
static U64 quads(U64 mask) {
  U64 result = 0;
  for (unsigned q = 0; q < 16; ++q) result |= U64{((mask >> (4 * q)) & 15) != 0} << q;
  return result;
}
static U64 wholeQuads(U64 mask) {
  U64 result = 0;
  for (unsigned q = 0; q < 16; ++q) result |= ((mask >> (4 * q)) & 15) ? 15ull << (4 * q) : 0;
  return result;
}
RUN(s_wqm_b32) {
  setScc32(w, i, static_cast<U32>(wholeQuads(src32(w, i, 0))));
}
RUN(s_wqm_b64) {
  setScc64(w, i, wholeQuads(src64(w, i, 0)));
}
RUN(s_quadmask_b32) {
  setScc32(w, i, static_cast<U32>(quads(src32(w, i, 0))));
}
RUN(s_quadmask_b64) {
  setScc64(w, i, quads(src64(w, i, 0)));
}

static U64 reverse(U64 x) {
  x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
  x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
  x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
  return __builtin_bswap64(x);
}
RUN(s_brev_b32) {
  w.s[i.dst] = static_cast<U32>(reverse(src32(w, i, 0)) >> 32);
}
RUN(s_brev_b64) {
  w.setPair(i.dst, reverse(src64(w, i, 0)));
}

RUN(s_bcnt0_i32_b32) {
  setScc32(w, i, std::popcount(~src32(w, i, 0)));
}
RUN(s_bcnt0_i32_b64) {
  setScc32(w, i, std::popcount(~src64(w, i, 0)));
}
RUN(s_bcnt1_i32_b32) {
  setScc32(w, i, std::popcount(src32(w, i, 0)));
}
RUN(s_bcnt1_i32_b64) {
  setScc32(w, i, std::popcount(src64(w, i, 0)));
}

// Position of the first one from either end, -1 when there is none.
template <class T>
static HIPR_INLINE U32 fromLow(T x) {
  return x ? std::countr_zero(x) : ~0u;
}
template <class T>
static HIPR_INLINE U32 fromHigh(T x) {
  return x ? std::countl_zero(x) : ~0u;
}
RUN(s_ff0_i32_b32) {
  w.s[i.dst] = fromLow(~src32(w, i, 0));
}
RUN(s_ff0_i32_b64) {
  w.s[i.dst] = fromLow(~src64(w, i, 0));
}
RUN(s_ff1_i32_b32) {
  w.s[i.dst] = fromLow(src32(w, i, 0));
}
RUN(s_ff1_i32_b64) {
  w.s[i.dst] = fromLow(src64(w, i, 0));
}
RUN(s_flbit_i32_b32) {
  w.s[i.dst] = fromHigh(src32(w, i, 0));
}
RUN(s_flbit_i32_b64) {
  w.s[i.dst] = fromHigh(src64(w, i, 0));
}
// The first bit that differs from the sign.
RUN(s_flbit_i32) {
  U32 x = src32(w, i, 0);
  w.s[i.dst] = fromHigh(x ^ static_cast<U32>(static_cast<I32>(x) >> 31));
}
RUN(s_flbit_i32_i64) {
  U64 x = src64(w, i, 0, Kind::kI64);
  w.s[i.dst] = fromHigh(x ^ static_cast<U64>(static_cast<I64>(x) >> 63));
}

RUN(s_sext_i32_i8) {
  w.s[i.dst] = static_cast<U32>(I32{static_cast<std::int8_t>(src32(w, i, 0))});
}
RUN(s_sext_i32_i16) {
  w.s[i.dst] = static_cast<U32>(I32{static_cast<std::int16_t>(src32(w, i, 0))});
}
RUN(s_abs_i32) {
  U32 x = src32(w, i, 0);
  setScc32(w, i, static_cast<I32>(x) < 0 ? 0u - x : x);
}

RUN(s_bitset0_b32) {
  w.s[i.dst] &= ~(1u << (src32(w, i, 0) & 31));
}
RUN(s_bitset0_b64) {
  w.setPair(i.dst, w.pair(i.dst) & ~(1ull << (src32(w, i, 0) & 63)));
}
RUN(s_bitset1_b32) {
  w.s[i.dst] |= 1u << (src32(w, i, 0) & 31);
}
RUN(s_bitset1_b64) {
  w.setPair(i.dst, w.pair(i.dst) | 1ull << (src32(w, i, 0) & 63));
}
RUN(s_bitreplicate_b64_b32) {
  U64 x = src32(w, i, 0), result = 0;
  for (unsigned k = 0; k < 32; ++k) result |= ((x >> k) & 1) * 3ull << (2 * k);
  w.setPair(i.dst, result);
}

RUN(s_getpc_b64) {
  w.setPair(i.dst, afterInst(w, i));
}
RUN(s_setpc_b64) {
  jump(w, i, src64(w, i, 0));
}
RUN(s_swappc_b64) {
  U64 target = src64(w, i, 0);
  w.setPair(i.dst, afterInst(w, i));
  jump(w, i, target);
}

// a is the source, x the old EXEC, which goes to the destination.
#define SAVEEXEC(name, expression)        \
  RUN(name) {                             \
    U64 a = src64(w, i, 0), x = w.exec(); \
    w.setPair(i.dst, x);                  \
    w.setPair(kExecLo, (expression));     \
    w.scc = w.exec() != 0;                \
  }
SAVEEXEC(s_and_saveexec_b64, a& x)
SAVEEXEC(s_or_saveexec_b64, a | x)
SAVEEXEC(s_xor_saveexec_b64, a ^ x)
SAVEEXEC(s_andn2_saveexec_b64, a & ~x)
SAVEEXEC(s_orn2_saveexec_b64, a | ~x)
SAVEEXEC(s_nand_saveexec_b64, ~(a& x))
SAVEEXEC(s_nor_saveexec_b64, ~(a | x))
SAVEEXEC(s_xnor_saveexec_b64, ~(a ^ x))
SAVEEXEC(s_andn1_saveexec_b64, ~a& x)
SAVEEXEC(s_orn1_saveexec_b64, ~a | x)

// Here the destination gets the new EXEC.
static HIPR_INLINE void writeExec(Wave& w, const Inst& i, U64 value) {
  w.setPair(kExecLo, value);
  setScc64(w, i, value);
}
RUN(s_andn1_wrexec_b64) {
  writeExec(w, i, ~src64(w, i, 0) & w.exec());
}
RUN(s_andn2_wrexec_b64) {
  writeExec(w, i, src64(w, i, 0) & ~w.exec());
}

// Registers relative to M0; one out of range reads and writes s0.
static HIPR_INLINE unsigned relative(const Wave& w, unsigned code) {
  unsigned reg = code + (w.s[kM0] & 0x7f);
  return code < 102 && reg < 102 ? reg : 0;
}
RUN(s_movrels_b32) {
  w.s[i.dst] = w.s[relative(w, i.src[0])];
}
RUN(s_movrels_b64) {
  w.setPair(i.dst, w.pair(relative(w, i.src[0])));
}
RUN(s_movreld_b32) {
  w.s[relative(w, i.dst)] = src32(w, i, 0);
}
RUN(s_movreld_b64) {
  w.setPair(relative(w, i.dst), src64(w, i, 0));
}
RUN(s_set_gpr_idx_idx) {
  w.s[kM0] = (w.s[kM0] & ~0xffu) | (src32(w, i, 0) & 0xff);
}

}  // namespace hipr::softgpu::HIPR_LEVEL
