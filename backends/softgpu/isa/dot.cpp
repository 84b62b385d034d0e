// Dot products of short vectors inside a register, added to a 32-bit source. CLAMP saturates the integer ones.
#include "backends/softgpu/isa/float_rules.h"
#include "backends/softgpu/isa/packed.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

using U32 = std::uint32_t;
using I32 = std::int32_t;
using I64 = std::int64_t;

// Element n of `kBits` bits.
template <unsigned kBits, bool kSigned>
HIPR_INLINE I32 element(U32 x, unsigned n) {
  U32 top = x << (32 - kBits * (n + 1));
  return kSigned ? static_cast<I32>(top) >> (32 - kBits) : static_cast<I32>(top >> (32 - kBits));
}

// The sum of the products as T has it: exact, or wrapping as results do.
template <unsigned kBits, bool kSigned, class T>
HIPR_INLINE T products(U32 a, U32 b, T sum) {
#pragma GCC unroll 8
  for (unsigned n = 0; n < 32 / kBits; ++n)
    sum += static_cast<T>(element<kBits, kSigned>(a, n)) * static_cast<T>(element<kBits, kSigned>(b, n));
  return sum;
}

template <bool kSigned>
HIPR_INLINE U32 saturate(I64 sum) {
  I64 low = kSigned ? std::numeric_limits<I32>::min() : 0;
  I64 high = kSigned ? std::numeric_limits<I32>::max() : I64{~0u};
  return static_cast<U32>(sum < low ? low : sum > high ? high : sum);
}

template <unsigned kBits, bool kSigned>
void dot(Wave& w, const Inst& i) {
  alignas(64) U32 buffers[3][kLanes], out[kLanes];
  auto source = [&](unsigned k) {
    return kBits == 16 && k < 2 ? sourceHalves(w, i, k, Kind::kU16, buffers[k])
                                : source32(w, i, k, Kind::kU32, buffers[k]);
  };
  Rows a = source(0), b = source(1), c = source(2);
  if (i.clamp) {
    for (int l = 0; l < kLanes; ++l) {
      I64 start = kSigned ? I64{static_cast<I32>(c[l])} : I64{c[l]};
      out[l] = saturate<kSigned>(products<kBits, kSigned, I64>(a[l], b[l], start));
    }
  } else {
    for (int l = 0; l < kLanes; ++l) out[l] = products<kBits, kSigned, U32>(a[l], b[l], c[l]);
  }
  storeMasked(w, w.row(i.dst), out, 1);
}

// Of a packed row, without its denormals where `flush`.
HIPR_INLINE float halfOf(U32 row, bool high, bool flush) {
  Half half{static_cast<std::uint16_t>(high ? row >> 16 : row)};
  return toFloat(flush ? flushed(half) : half);
}
// Products of halves are exact; the two sums round to nearest one after the other.
HIPR_INLINE float dotHalves(U32 a, U32 b, float c, bool flush) {
  float sum = __builtin_fmaf(halfOf(a, false, flush), halfOf(b, false, flush), c);
  return __builtin_fmaf(halfOf(a, true, flush), halfOf(b, true, flush), sum);
}

// v_dot2c_f32_f16 is v_dot2_f32_f16 in another encoding. CDNA2 takes and leaves no denormals here.
template <bool kCdna2>
HIPR_INLINE U32 dotAccumulated(U32 a, U32 b, U32 c, Lane l) {
  float sum = dotHalves(a, b, fromBits<float>(c), kCdna2 || !keepsDenormals(l.mode, Kind::kF16, 1));
  return toBits(kCdna2 || !keepsDenormals(l.mode, Kind::kF32, 2) ? flushed(sum) : sum);
}
template <bool kCdna2>
HIPR_INLINE U32 dotAccumulatedClamped(U32 a, U32 b, U32 c, Lane l) {
  float sum = fromBits<float>(dotAccumulated<kCdna2>(a, b, c, l));
  float inside = sum > 0.0f ? (sum < 1.0f ? sum : 1.0f) : 0.0f;
  return toBits(isNan(sum) && !(l.mode & kModeDx10Clamp) ? sum : inside);
}
template <bool kCdna2, bool kGeneral>
HIPR_INLINE void accumulateDot(Wave& w, const Inst& i) {
  if (kGeneral)
    saturatingGeneral<dotAccumulated<kCdna2>, dotAccumulatedClamped<kCdna2>>(w, i);
  else
    Lanes<dotAccumulated<kCdna2>>::plain(w, i);
}
template <bool kGeneral>
void dotAccumulate(Wave& w, const Inst& i) {
  w.shared->gpu == Gpu::kGfx90a ? accumulateDot<true, kGeneral>(w, i) : accumulateDot<false, kGeneral>(w, i);
}

}  // namespace

const Impl v_dot2_i32_i16{dot<16, true>, dot<16, true>};
const Impl v_dot2_u32_u16{dot<16, false>, dot<16, false>};
const Impl v_dot4_i32_i8{dot<8, true>, dot<8, true>};
const Impl v_dot4_u32_u8{dot<8, false>, dot<8, false>};
const Impl v_dot8_i32_i4{dot<4, true>, dot<4, true>};
const Impl v_dot8_u32_u4{dot<4, false>, dot<4, false>};

const Impl v_dot2c_f32_f16{dotAccumulate<false>, dotAccumulate<true>};

RUN(v_dot2_f32_f16) {
  alignas(64) U32 buffers[3][kLanes], out[kLanes];
  bool flush = w.shared->gpu == Gpu::kGfx90a;
  Rows a = sourceHalves(w, i, 0, Kind::kF16, buffers[0]), b = sourceHalves(w, i, 1, Kind::kF16, buffers[1]);
  Rows c = source32(w, i, 2, Kind::kF32, buffers[2]);
  U32 sign = (i.neg & 4) ? 0x80000000 : 0;
  for (int l = 0; l < kLanes; ++l) out[l] = toBits(dotHalves(a[l], b[l], fromBits<float>(c[l] ^ sign), flush));
  modifyResult(out, Kind::kF32, 0, i.clamp, w.mode);
  if (flush || !keepsDenormals(w.mode, Kind::kF32, 2)) flushDenormals(out, Kind::kF32);
  storeMasked(w, w.row(i.dst), out, 1);
}

}  // namespace hipr::softgpu::HIPR_LEVEL
