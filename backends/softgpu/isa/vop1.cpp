// Vector instructions with one source: moves, bits and conversions. Rounding and transcendental ones are in
// vop1_math.cpp.
#include "backends/softgpu/isa/convert.h"
#include "backends/softgpu/isa/scalar.h"

namespace hipr::softgpu::HIPR_LEVEL {

using U16 = std::uint16_t;
using I16 = std::int16_t;
using U32 = std::uint32_t;
using I32 = std::int32_t;
using U64 = std::uint64_t;

RUN(v_nop) {}
RUN(v_clrexcp) {
  w.trapStatus &= ~0x1ffu;
}

LANE(v_mov_b32, U32, (U32 a), a)
LANE(v_mov_b64, U64, (U64 a), a)
LANE(v_not_b32, U32, (U32 a), ~a)
LANE(v_bfrev_b32, U32, (U32 a), reverseBits(a))
LANE(v_ffbh_u32, U32, (U32 a), firstHigh(a))
LANE(v_ffbl_b32, U32, (U32 a), firstLow(a))
LANE(v_ffbh_i32, U32, (I32 a), firstHigh(static_cast<U32>(a ^ (a >> 31))))

RUN(v_readfirstlane_b32) {
  int lane = w.exec() ? std::countr_zero(w.exec()) : 0;
  w.s[i.dst & 127] = i.src[0] >= kVgpr ? w.row(i.src[0])[lane] : src32(w, i, 0);
}
RUN(v_swap_b32) {
  std::uint32_t *a = w.row(i.dst), *b = w.row(i.src[0]), old[kLanes];
  std::memcpy(old, a, sizeof old);
  storeMasked(w, a, b, 1);
  storeMasked(w, b, old, 1);
}
// Both registers are accumulation registers, whatever the fields say.
RUN(v_accvgpr_mov_b32) {
  storeMasked(w, w.row(kAgpr + (i.dst & 255)), w.row(kAgpr + (i.src[0] & 255)), 1);
}

LANE(v_cvt_f64_i32, double, (I32 a), a)
LANE(v_cvt_f64_u32, double, (U32 a), a)
LANE(v_cvt_f32_i32, float, (I32 a), static_cast<float>(a))
LANE(v_cvt_f32_u32, float, (U32 a), static_cast<float>(a))
LANE(v_cvt_f32_f64, float, (double a), static_cast<float>(a))
LANE(v_cvt_f64_f32, double, (float a), a)
LANE(v_cvt_i32_f64, I32, (double a), toI32(a))
LANE(v_cvt_u32_f64, U32, (double a), toU32(a))
LANE(v_cvt_u32_f32, U32, (float a), toU32(a))
LANE(v_cvt_i32_f32, I32, (float a), toI32(a))
LANE(v_cvt_rpi_i32_f32, I32, (float a), toI32(std::floor(double{a} + 0.5)))
LANE(v_cvt_flr_i32_f32, I32, (float a), toI32(std::floor(a)))
LANE(v_cvt_off_f32_i4, float, (U32 a), static_cast<float>(static_cast<I32>(a << 28) >> 28) / 16.0f)
LANE(v_cvt_f32_ubyte0, float, (U32 a), static_cast<float>(static_cast<I32>(a & 255)))
LANE(v_cvt_f32_ubyte1, float, (U32 a), static_cast<float>(static_cast<I32>(a >> 8 & 255)))
LANE(v_cvt_f32_ubyte2, float, (U32 a), static_cast<float>(static_cast<I32>(a >> 16 & 255)))
LANE(v_cvt_f32_ubyte3, float, (U32 a), static_cast<float>(static_cast<I32>(a >> 24)))

LANE(v_cvt_f16_f32, Half, (float a), toHalf(a))
LANE(v_cvt_f32_f16, float, (Half a), toFloat(a))
LANE(v_cvt_f16_u16, Half, (U16 a), toHalf(static_cast<float>(a)))
LANE(v_cvt_f16_i16, Half, (I16 a), toHalf(static_cast<float>(a)))
LANE(v_cvt_u16_f16, U16, (Half a), toU16(toFloat(a)))
LANE(v_cvt_i16_f16, I16, (Half a), toI16(toFloat(a)))
LANE(v_cvt_norm_i16_f16, I16, (Half a), static_cast<I16>(toSignedNorm(toFloat(a))))
LANE(v_cvt_norm_u16_f16, U16, (Half a), static_cast<U16>(toUnsignedNorm(toFloat(a))))

static HIPR_INLINE U32 toUnsignedByte(I32 x) {
  return static_cast<U32>(x < 0 ? 0 : x > 255 ? 255 : x);
}
LANE(v_sat_pk_u8_i16, U32, (U32 a),
     toUnsignedByte(static_cast<I16>(a)) | toUnsignedByte(static_cast<I32>(a) >> 16) << 8)

}  // namespace hipr::softgpu::HIPR_LEVEL
