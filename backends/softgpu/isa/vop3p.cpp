// Packed 16-bit and 32-bit arithmetic, and the mixed precision fma.
#include "backends/softgpu/isa/float_rules.h"
#include "backends/softgpu/isa/packed.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

using U16 = std::uint16_t;
using I16 = std::int16_t;
using U32 = std::uint32_t;
using I32 = std::int32_t;

template <class T>
HIPR_INLINE T saturate(I32 x) {
  constexpr I32 kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
  return static_cast<T>(x < kLow ? kLow : x > kHigh ? kHigh : x);
}
// 65535 * 65535 + 65535 does not fit the signed type.
HIPR_INLINE U16 saturatedMad(U16 a, U16 b, U16 c) {
  U32 exact = U32{a} * b + c;
  return static_cast<U16>(exact > 0xffff ? 0xffff : exact);
}
template <auto Fn, auto Saturated>
void halves(Wave& w, const Inst& i) {
  runHalves(w, i, Lanes<Fn>::kShape, i.clamp ? Packed<Saturated>::loop : Packed<Fn>::loop);
}
// Plain pairs of registers, all lanes: the common case in compiled code.
template <auto Fn, std::size_t... K>
HIPR_INLINE bool plainDwords(Wave& w, const Inst& i, std::index_sequence<K...> sources) {
  if (w.exec() != ~0ull || !w.plainFloat || (i.neg | i.abs) || i.clamp || !((i.src[K] >= kVgpr) && ...)) return false;
  Rows lows[] = {w.row(i.src[K]) + ((i.opSel >> K) & 1) * kLanes...};
  Rows highs[] = {w.row(i.src[K]) + ((i.opSelHi >> K) & 1) * kLanes...};
  // The low result may overwrite a source of the high one, and then waits; not the other way round.
  alignas(64) U32 waiting[kLanes];
  std::uint32_t* out = w.row(i.dst);
  bool waits = ((highs[K] == out) || ...);
  Lanes<Fn>::template run<false, false>(lows, waits ? waiting : out, w.mode, kAllLanes, sources);
  Lanes<Fn>::template run<false, false>(highs, out + kLanes, w.mode, kAllLanes, sources);
  if (waits) std::memcpy(out, waiting, sizeof waiting);
  return true;
}
template <auto Fn>
void dwords(Wave& w, const Inst& i) {
  if (!plainDwords<Fn>(w, i, std::make_index_sequence<Lanes<Fn>::kSources>{}))
    runDwords(w, i, Lanes<Fn>::kShape, Lanes<Fn>::loop);
}

}  // namespace

#define HALVES_SATURATING(name, result, parameters, wrapped, saturated) \
  static HIPR_INLINE result name##_lane parameters {                    \
    return static_cast<result>(wrapped);                                \
  }                                                                     \
  static HIPR_INLINE result name##_saturated parameters {               \
    return static_cast<result>(saturated);                              \
  }                                                                     \
  const Impl name{halves<name##_lane, name##_saturated>, halves<name##_lane, name##_saturated>};
#define HALVES(name, result, parameters, ...)        \
  static HIPR_INLINE result name##_lane parameters { \
    return static_cast<result>(__VA_ARGS__);         \
  }                                                  \
  const Impl name{halves<name##_lane, name##_lane>, halves<name##_lane, name##_lane>};
#define DWORDS(name, result, parameters, ...)        \
  static HIPR_INLINE result name##_lane parameters { \
    return (__VA_ARGS__);                            \
  }                                                  \
  const Impl name{dwords<name##_lane>, dwords<name##_lane>};

HALVES_SATURATING(v_pk_mad_i16, I16, (I16 a, I16 b, I16 c), a* b + c, saturate<I16>(a* b + c))
HALVES_SATURATING(v_pk_mad_u16, U16, (U16 a, U16 b, U16 c), U32{a} * b + c, saturatedMad(a, b, c))
HALVES(v_pk_mul_lo_u16, U16, (U16 a, U16 b), U32{a} * b)
HALVES_SATURATING(v_pk_add_i16, I16, (I16 a, I16 b), a + b, saturate<I16>(a + b))
HALVES_SATURATING(v_pk_sub_i16, I16, (I16 a, I16 b), a - b, saturate<I16>(a - b))
HALVES_SATURATING(v_pk_add_u16, U16, (U16 a, U16 b), a + b, saturate<U16>(a + b))
HALVES_SATURATING(v_pk_sub_u16, U16, (U16 a, U16 b), a - b, saturate<U16>(a - b))
HALVES(v_pk_lshlrev_b16, U16, (U16 a, U16 b), U32{b} << (a & 15))
HALVES(v_pk_lshrrev_b16, U16, (U16 a, U16 b), b >> (a & 15))
HALVES(v_pk_ashrrev_i16, I16, (I16 a, I16 b), b >> (a & 15))
HALVES(v_pk_max_i16, I16, (I16 a, I16 b), a > b ? a : b)
HALVES(v_pk_min_i16, I16, (I16 a, I16 b), a < b ? a : b)
HALVES(v_pk_max_u16, U16, (U16 a, U16 b), a > b ? a : b)
HALVES(v_pk_min_u16, U16, (U16 a, U16 b), a < b ? a : b)

RUN(v_pk_fma_f16) {
  runHalves(w, i, Lanes<fusedToNearest>::kShape,
            roundsHalvesOneWay(w.mode) ? Packed<fusedOneWay>::loop : Packed<fusedToNearest>::loop);
}
// The VOP2 encoding has no op_sel: low halves with low halves, high ones with high ones.
RUN(v_pk_fmac_f16) {
  Inst straight = i;
  straight.opSelHi = 7;
  v_pk_fma_f16.plain(w, straight);
}
HALVES(v_pk_add_f16, HalfFloat, (HalfFloat a, HalfFloat b), a + b)
HALVES(v_pk_mul_f16, HalfFloat, (HalfFloat a, HalfFloat b), a* b)
HALVES(v_pk_min_f16, Half, (Half a, Half b, Lane l), minNum(a, b, ieee(l)))
HALVES(v_pk_max_f16, Half, (Half a, Half b, Lane l), maxNum(a, b, ieee(l)))

DWORDS(v_pk_fma_f32, float, (float a, float b, float c), __builtin_fmaf(a, b, c))
DWORDS(v_pk_mul_f32, float, (float a, float b), a* b)
DWORDS(v_pk_add_f32, float, (float a, float b), a + b)

// The low result is a dword of source 0, the high one a dword of source 1: op_sel alone says which.
RUN(v_pk_mov_b32) {
  alignas(64) U32 out[2 * kLanes];
  U32 buffer[kLanes];
  for (unsigned k = 0; k < 2; ++k)
    std::memcpy(out + k * kLanes, sourceDwords(w, i, k, Kind::kU32, false, buffer), kLanes * sizeof(U32));
  storeMasked(w, w.row(i.dst), out, 2);
}

namespace {

// op_sel_hi: the source is the half that op_sel names, else a float. ABS comes from the NEG_HI bits.
Rows mixSource(const Wave& w, const Inst& i, unsigned k, U32* out) {
  bool isHalf = (i.opSelHi >> k) & 1, abs = (i.abs >> k) & 1, neg = (i.neg >> k) & 1;
  unsigned shift = (i.opSel >> k) & 1 ? 16 : 0;
  Kind kind = isHalf ? Kind::kF16 : Kind::kF32;
  bool flush = !keepsDenormals(w.mode, kind, 1);
  Rows in = source32(w, i, k, kind, out);
  if (!isHalf && !abs && !neg && !flush) return in;
  U32 keep = abs ? 0x7fffffff : ~0u, flip = neg ? 0x80000000 : 0;
  if (flush) {
    for (int l = 0; l < kLanes; ++l) out[l] = isHalf ? (in[l] >> shift) & 0xffff : in[l];
    flushDenormals(out, kind);
    in = out;
    shift = 0;
  }
  if (isHalf) {
#pragma GCC ivdep
    for (int l = 0; l < kLanes; ++l) out[l] = (toBits(toFloat(Half{static_cast<U16>(in[l] >> shift)})) & keep) ^ flip;
  } else {
#pragma GCC ivdep
    for (int l = 0; l < kLanes; ++l) out[l] = (in[l] & keep) ^ flip;
  }
  return out;
}

HIPR_INLINE float fmaLane(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}

void mixed(Wave& w, const Inst& i, U32* out) {
  alignas(64) U32 buffers[3][kLanes];
  Rows rows[3];
  for (unsigned k = 0; k < 3; ++k) rows[k] = mixSource(w, i, k, buffers[k]);
  HostRounding rounding(w.mode, Kind::kF32);
  Lanes<fmaLane>::loop(rows, out, w.mode, kAllLanes);
}

void mixedHalf(Wave& w, const Inst& i, unsigned shift) {
  alignas(64) U32 out[kLanes];
  mixed(w, i, out);
  HostRounding rounding(w.mode, Kind::kF16);
  for (int l = 0; l < kLanes; ++l) out[l] = toHalf(fromBits<float>(out[l])).bits;
  modifyResult(out, Kind::kF16, 0, i.clamp, w.mode);
  if (!keepsDenormals(w.mode, Kind::kF16, 2)) flushDenormals(out, Kind::kF16);
  Rows old = w.row(i.dst);
  for (int l = 0; l < kLanes; ++l) out[l] = (old[l] & ~(0xffffu << shift)) | out[l] << shift;
  storeMasked(w, w.row(i.dst), out, 1);
}

}  // namespace

RUN(v_fma_mix_f32) {
  alignas(64) U32 out[kLanes];
  mixed(w, i, out);
  modifyResult(out, Kind::kF32, 0, i.clamp, w.mode);
  if (!keepsDenormals(w.mode, Kind::kF32, 2)) flushDenormals(out, Kind::kF32);
  storeMasked(w, w.row(i.dst), out, 1);
}
RUN(v_fma_mixlo_f16) {
  mixedHalf(w, i, 0);
}
RUN(v_fma_mixhi_f16) {
  mixedHalf(w, i, 16);
}

}  // namespace hipr::softgpu::HIPR_LEVEL
