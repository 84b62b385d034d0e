// Conversions to and from 8-bit floats (gfx942).
#include "backends/softgpu/isa/fp8.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

using U32 = std::uint32_t;

// MODE.FP16_OVFL: values out of range saturate instead of becoming NaN.
HIPR_INLINE bool saturates(Lane lane) {
  return (lane.mode >> 23) & 1;
}

template <class Format>
HIPR_INLINE std::uint16_t packedPair(float a, float b, bool saturate) {
  return static_cast<std::uint16_t>(Format::encode(a, false, 0, saturate) | Format::encode(b, false, 0, saturate) << 8);
}

template <class Format>
HIPR_INLINE U32 stochasticLane(float a, U32 random, Lane l) {
  return Format::encode(a, true, random, saturates(l));
}

// op_sel[3:2] names the byte of the destination.
template <class Format>
void stochastic(Wave& w, const Inst& i) {
  alignas(64) U32 value[kLanes], random[kLanes], out[kLanes];
  auto fetch = [&](unsigned k, Kind kind, U32* to) {
    if (i.src[k] >= kVgpr)
      std::memcpy(to, w.row(i.src[k]), kLanes * sizeof(U32));
    else
      splat(w, i, i.src[k], kind, to);
  };
  fetch(0, Kind::kF32, value);
  fetch(1, Kind::kU32, random);
  U32 keep = i.abs & 1 ? 0x7fffffff : ~0u, flip = i.neg & 1 ? 0x80000000 : 0;
  unsigned shift = 8 * (i.opSel >> 2);
  Rows old = w.row(i.dst);
  for (int l = 0; l < kLanes; ++l) {
    U32 code = stochasticLane<Format>(std::bit_cast<float>((value[l] & keep) ^ flip), random[l], Lane{l, w.mode});
    out[l] = (old[l] & ~(0xffu << shift)) | code << shift;
  }
  storeMasked(w, w.row(i.dst), out, 1);
}

}  // namespace

// op_sel[3] names the half of the destination; the other one stays.
LANE(v_cvt_pk_fp8_f32, std::uint16_t, (float a, float b, Lane l), packedPair<Float8>(a, b, saturates(l)))
LANE(v_cvt_pk_bf8_f32, std::uint16_t, (float a, float b, Lane l), packedPair<Bfloat8>(a, b, saturates(l)))

// The lowest byte or the lowest two; SDWA names another.
template <class Format>
static HIPR_INLINE std::uint64_t unpackedPair(U32 a) {
  return std::bit_cast<U32>(Format::decode(a & 255)) | std::uint64_t{std::bit_cast<U32>(Format::decode(a >> 8 & 255))}
                                                           << 32;
}
LANE(v_cvt_f32_fp8, float, (U32 a), Float8::decode(a & 255))
LANE(v_cvt_f32_bf8, float, (U32 a), Bfloat8::decode(a & 255))
LANE(v_cvt_pk_f32_fp8, std::uint64_t, (U32 a), unpackedPair<Float8>(a))
LANE(v_cvt_pk_f32_bf8, std::uint64_t, (U32 a), unpackedPair<Bfloat8>(a))

const Impl v_cvt_sr_fp8_f32{stochastic<Float8>, stochastic<Float8>};
const Impl v_cvt_sr_bf8_f32{stochastic<Bfloat8>, stochastic<Bfloat8>};

}  // namespace hipr::softgpu::HIPR_LEVEL
