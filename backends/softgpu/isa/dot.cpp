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

template <unsigned kBits, bool kSigned>
HIPR_INLINE I64 products(U32 a, U32 b) {
  I64 sum = 0;
  for (unsigned n = 0; n < 32 / kBits; ++n) sum += I64{element<kBits, kSigned>(a, n)} * element<kBits, kSigned>(b, n);
  return sum;
}

template <unsigned kBits, bool kSigned>
void dot(Wave& w, const Inst& i) {
  alignas(64) U32 a[kLanes], b[kLanes], c[kLanes], out[kLanes], other[kLanes];
  if constexpr (kBits == 16) {
    // op_sel may swap halves; put each operand back together as the low and the high product see it.
    U32* operands[2] = {a, b};
    for (unsigned k = 0; k < 2; ++k) {
      sourceHalves(w, i, k, Kind::kU16, false, operands[k]);
      sourceHalves(w, i, k, Kind::kU16, true, other);
      for (int l = 0; l < kLanes; ++l) operands[k][l] |= other[l] << 16;
    }
  } else {
    std::memcpy(a, source32(w, i, 0, Kind::kU32, a), sizeof a);
    std::memcpy(b, source32(w, i, 1, Kind::kU32, b), sizeof b);
  }
  std::memcpy(c, source32(w, i, 2, Kind::kU32, c), sizeof c);
  for (int l = 0; l < kLanes; ++l) {
    I64 sum = products<kBits, kSigned>(a[l], b[l]) + (kSigned ? I64{static_cast<I32>(c[l])} : I64{c[l]});
    I64 low = kSigned ? std::numeric_limits<I32>::min() : 0;
    I64 high = kSigned ? std::numeric_limits<I32>::max() : I64{~0u};
    out[l] = static_cast<U32>(i.clamp ? (sum < low ? low : sum > high ? high : sum) : sum);
  }
  storeMasked(w, w.row(i.dst), out, 1);
}

}  // namespace

const Impl v_dot2_i32_i16{dot<16, true>, dot<16, true>};
const Impl v_dot2_u32_u16{dot<16, false>, dot<16, false>};
const Impl v_dot4_i32_i8{dot<8, true>, dot<8, true>};
const Impl v_dot4_u32_u8{dot<8, false>, dot<8, false>};
const Impl v_dot8_i32_i4{dot<4, true>, dot<4, true>};
const Impl v_dot8_u32_u4{dot<4, false>, dot<4, false>};

// Products of halves are exact; the two sums round one after the other. CDNA2 takes and leaves no denormals here.
RUN(v_dot2_f32_f16) {
  alignas(64) U32 halves[2][2][kLanes], out[kLanes];
  bool flush = w.shared->gpu == Gpu::kGfx90a;
  for (unsigned k = 0; k < 2; ++k) {
    for (int high = 0; high < 2; ++high) {
      sourceHalves(w, i, k, Kind::kF16, high, halves[k][high]);
      if (flush) flushDenormals(halves[k][high], Kind::kF16);
    }
  }
  std::memcpy(out, source32(w, i, 2, Kind::kF32, out), sizeof out);
  U32 sign = (i.neg & 4) ? 0x80000000 : 0;
  for (int l = 0; l < kLanes; ++l) {
    auto value = [&](unsigned k, int high) { return toFloat(load<Half>(halves[k][high], l, 0)); };
    float sum = __builtin_fmaf(value(0, 0), value(1, 0), fromBits<float>(out[l] ^ sign));
    out[l] = toBits(__builtin_fmaf(value(0, 1), value(1, 1), sum));
  }
  modifyResult(out, Kind::kF32, 0, i.clamp, w.mode);
  if (flush || !keepsDenormals(w.mode, Kind::kF32, 2)) flushDenormals(out, Kind::kF32);
  storeMasked(w, w.row(i.dst), out, 1);
}

}  // namespace hipr::softgpu::HIPR_LEVEL
