// LDS atomics, with and without the old value.
#include "backends/softgpu/isa/lds.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

// Instructions with two operands name the comparand or mask first and the new value second.
template <class Op, class T, bool kTwo>
void modify(Wave& w, const Inst& i, bool returns) {
  Addresses a;
  if (!ldsAddresses(w, i, w.row(i.src[0]), i.literal, sizeof(T), a)) return;
  Rows first = w.row(i.src[1]), second = w.row(i.src[2]);
  runLdsAtomic<Op, T>(a, kTwo ? second : first, kTwo ? first : nullptr, returns ? w.row(i.dst) : nullptr);
}

// Two independent exchanges.
template <class T>
void exchange2(Wave& w, const Inst& i, unsigned unit) {
  Addresses first, second;
  Rows base = w.row(i.src[0]);
  if (!ldsAddresses(w, i, base, i.offset0 * unit, sizeof(T), first)) return;
  if (!ldsAddresses(w, i, base, i.offset1 * unit, sizeof(T), second)) return;
  U32 old[4 * kLanes];
  runLdsAtomic<atomic::Swap, T>(first, w.row(i.src[1]), nullptr, old);
  runLdsAtomic<atomic::Swap, T>(second, w.row(i.src[2]), nullptr, old + sizeof(T) / 4 * kLanes);
  storeMasked(w, w.row(i.dst), old, sizeof(T) / 2);
}

}  // namespace

// ds_add_u32 and ds_add_rtn_u32.
#define PAIR(name, type, op, T, two)         \
  RUN(ds_##name##_##type) {                  \
    modify<atomic::op, T, two>(w, i, false); \
  }                                          \
  RUN(ds_##name##_rtn_##type) {              \
    modify<atomic::op, T, two>(w, i, true);  \
  }

PAIR(add, u32, Add, U32, false)
PAIR(sub, u32, Sub, U32, false)
PAIR(rsub, u32, ReverseSub, U32, false)
PAIR(inc, u32, Increment, U32, false)
PAIR(dec, u32, Decrement, U32, false)
PAIR(min, i32, MinSigned, U32, false)
PAIR(max, i32, MaxSigned, U32, false)
PAIR(min, u32, MinUnsigned, U32, false)
PAIR(max, u32, MaxUnsigned, U32, false)
PAIR(and, b32, And, U32, false)
PAIR(or, b32, Or, U32, false)
PAIR(xor, b32, Xor, U32, false)
PAIR(mskor, b32, MaskedOr, U32, true)
PAIR(cmpst, b32, CompareSwap, U32, true)
PAIR(cmpst, f32, CompareSwapFloat, U32, true)
PAIR(min, f32, MinFloat, U32, false)
PAIR(max, f32, MaxFloat, U32, false)
PAIR(pk_add, f16, AddPackedHalf, U32, false)
PAIR(pk_add, bf16, AddPackedBfloat, U32, false)
PAIR(add, u64, Add, U64, false)
PAIR(sub, u64, Sub, U64, false)
PAIR(rsub, u64, ReverseSub, U64, false)
PAIR(inc, u64, Increment, U64, false)
PAIR(dec, u64, Decrement, U64, false)
PAIR(min, i64, MinSigned, U64, false)
PAIR(max, i64, MaxSigned, U64, false)
PAIR(min, u64, MinUnsigned, U64, false)
PAIR(max, u64, MaxUnsigned, U64, false)
PAIR(and, b64, And, U64, false)
PAIR(or, b64, Or, U64, false)
PAIR(xor, b64, Xor, U64, false)
PAIR(mskor, b64, MaskedOr, U64, true)
PAIR(cmpst, b64, CompareSwap, U64, true)
PAIR(cmpst, f64, CompareSwapFloat, U64, true)
PAIR(min, f64, MinFloat, U64, false)
PAIR(max, f64, MaxFloat, U64, false)
PAIR(add, f64, AddFloat, U64, false)

// In LDS, MODE says what becomes of denormals.
static void addFloat(Wave& w, const Inst& i, bool returns) {
  keepsDenormals(w.mode, Kind::kF32, 2) ? modify<atomic::AddFloat, U32, false>(w, i, returns)
                                        : modify<atomic::AddFloatFlushed, U32, false>(w, i, returns);
}
RUN(ds_add_f32) {
  addFloat(w, i, false);
}
RUN(ds_add_rtn_f32) {
  addFloat(w, i, true);
}

RUN(ds_wrxchg_rtn_b32) {
  modify<atomic::Swap, U32, false>(w, i, true);
}
RUN(ds_wrxchg_rtn_b64) {
  modify<atomic::Swap, U64, false>(w, i, true);
}
RUN(ds_wrxchg2_rtn_b32) {
  exchange2<U32>(w, i, 4);
}
RUN(ds_wrxchg2st64_rtn_b32) {
  exchange2<U32>(w, i, 256);
}
RUN(ds_wrxchg2_rtn_b64) {
  exchange2<U64>(w, i, 8);
}
RUN(ds_wrxchg2st64_rtn_b64) {
  exchange2<U64>(w, i, 512);
}
RUN(ds_wrap_rtn_b32) {
  modify<atomic::Wrap, U32, true>(w, i, true);
}

// Exchanges each half whose new value has its top bit set, clearing that bit.
RUN(ds_condxchg32_rtn_b64) {
  struct Exchange {
    static U64 apply(U64 old, U64 data, U64) {
      U64 low = data & 0x80000000 ? data & 0x7fffffff : old & 0xffffffff;
      U64 high = data >> 63 ? data >> 32 & 0x7fffffff : old >> 32;
      return low | high << 32;
    }
  };
  modify<Exchange, U64, false>(w, i, true);
}

}  // namespace hipr::softgpu::HIPR_LEVEL
