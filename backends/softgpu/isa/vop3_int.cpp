// Integer instructions that exist in the VOP3 encoding only.
#include "backends/softgpu/isa/lanes.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

using U16 = std::uint16_t;
using I16 = std::int16_t;
using U32 = std::uint32_t;
using I32 = std::int32_t;
using U64 = std::uint64_t;
using I64 = std::int64_t;

template <class T>
HIPR_INLINE T lesser(T a, T b) {
  return a < b ? a : b;
}
template <class T>
HIPR_INLINE T greater(T a, T b) {
  return a > b ? a : b;
}
template <class T>
HIPR_INLINE T middle(T a, T b, T c) {
  return greater(lesser(a, b), lesser(greater(a, b), c));
}
template <class T>
HIPR_INLINE T saturate(I64 x) {
  constexpr I64 kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
  return static_cast<T>(x < kLow ? kLow : x > kHigh ? kHigh : x);
}
HIPR_INLINE I32 signed24(U32 x) {
  return static_cast<I32>(x << 8) >> 8;
}

HIPR_INLINE I32 signedField(I32 x, U32 offset, U32 width) {
  offset &= 31;
  width = lesser(width & 31, 32 - offset);
  U32 shift = width ? 32 - width : 0;
  I32 field = static_cast<I32>(static_cast<U32>(x) << (width ? shift - offset : 0)) >> shift;
  return width ? field : 0;
}

HIPR_INLINE U32 ones(U32 x) {
  x = x - ((x >> 1) & 0x55555555);
  x = (x & 0x33333333) + ((x >> 2) & 0x33333333);
  return (((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101) >> 24;
}
HIPR_INLINE U32 below(int lane) {  // bits under `lane`, which may lie outside the word
  return lane <= 0 ? 0 : lane >= 32 ? ~0u : (1u << lane) - 1;
}

HIPR_INLINE Carry<U64> multiplyAdd(U32 a, U32 b, U64 c) {
  U64 sum = U64{a} * b + c;
  return {sum, sum < c};
}
// The mask is bit 64 of the exact sum.
HIPR_INLINE Carry<I64> multiplyAdd(I32 a, I32 b, I64 c) {
  I64 product = I64{a} * b;
  I64 sum = static_cast<I64>(static_cast<U64>(product) + static_cast<U64>(c));
  bool overflow = ((product ^ sum) & (c ^ sum)) < 0;
  return {sum, (sum < 0) != overflow};
}

}  // namespace

LANE(v_bfe_u32, U32, (U32 a, U32 b, U32 c), (a >> (b & 31)) & ((1u << (c & 31)) - 1))
LANE(v_bfe_i32, I32, (I32 a, U32 b, U32 c), signedField(a, b, c))
LANE(v_bfi_b32, U32, (U32 a, U32 b, U32 c), (a & b) | (~a & c))
LANE(v_bfm_b32, U32, (U32 a, U32 b), ((1u << (a & 31)) - 1) << (b & 31))
LANE(v_alignbit_b32, U32, (U32 a, U32 b, U32 c), static_cast<U32>((U64{a} << 32 | b) >> (c & 31)))
LANE(v_alignbyte_b32, U32, (U32 a, U32 b, U32 c), static_cast<U32>((U64{a} << 32 | b) >> (8 * (c & 3))))

LANE(v_min3_i32, I32, (I32 a, I32 b, I32 c), lesser(lesser(a, b), c))
LANE(v_min3_u32, U32, (U32 a, U32 b, U32 c), lesser(lesser(a, b), c))
LANE(v_min3_i16, I16, (I16 a, I16 b, I16 c), lesser(lesser(a, b), c))
LANE(v_min3_u16, U16, (U16 a, U16 b, U16 c), lesser(lesser(a, b), c))
LANE(v_max3_i32, I32, (I32 a, I32 b, I32 c), greater(greater(a, b), c))
LANE(v_max3_u32, U32, (U32 a, U32 b, U32 c), greater(greater(a, b), c))
LANE(v_max3_i16, I16, (I16 a, I16 b, I16 c), greater(greater(a, b), c))
LANE(v_max3_u16, U16, (U16 a, U16 b, U16 c), greater(greater(a, b), c))
LANE(v_med3_i32, I32, (I32 a, I32 b, I32 c), middle(a, b, c))
LANE(v_med3_u32, U32, (U32 a, U32 b, U32 c), middle(a, b, c))
LANE(v_med3_i16, I16, (I16 a, I16 b, I16 c), middle(a, b, c))
LANE(v_med3_u16, U16, (U16 a, U16 b, U16 c), middle(a, b, c))

LANE_SATURATING(v_mad_i32_i24, U32, (U32 a, U32 b, U32 c),
                static_cast<U32>(signed24(a)) * static_cast<U32>(signed24(b)) + c,
                static_cast<U32>(saturate<I32>(I64{signed24(a)} * signed24(b) + static_cast<I32>(c))))
LANE_SATURATING(v_mad_u32_u24, U32, (U32 a, U32 b, U32 c), (a & 0xffffff) * (b & 0xffffff) + c,
                saturate<U32>(I64{a & 0xffffff} * (b & 0xffffff) + c))
LANE_SATURATING(v_mad_u16, U16, (U16 a, U16 b, U16 c), static_cast<U16>(U32{a} * b + c), saturate<U16>(I64{a} * b + c))
LANE_SATURATING(v_mad_i16, I16, (I16 a, I16 b, I16 c), static_cast<I16>(a* b + c), saturate<I16>(I64{a} * b + c))
const Impl v_mad_legacy_u16 = v_mad_u16;
const Impl v_mad_legacy_i16 = v_mad_i16;
LANE_SATURATING(v_mad_u32_u16, U32, (U16 a, U16 b, U32 c), U32{a} * b + c, saturate<U32>(I64{a} * b + c))
LANE_SATURATING(v_mad_i32_i16, U32, (I16 a, I16 b, U32 c), static_cast<U32>(a* b) + c,
                static_cast<U32>(saturate<I32>(I64{a} * b + static_cast<I32>(c))))
LANE(v_mad_u64_u32, Carry<U64>, (U32 a, U32 b, U64 c), multiplyAdd(a, b, c))
LANE(v_mad_i64_i32, Carry<I64>, (I32 a, I32 b, I64 c), multiplyAdd(a, b, c))

LANE(v_xad_u32, U32, (U32 a, U32 b, U32 c), (a ^ b) + c)
LANE(v_lshl_add_u32, U32, (U32 a, U32 b, U32 c), (a << (b & 31)) + c)
LANE(v_add_lshl_u32, U32, (U32 a, U32 b, U32 c), (a + b) << (c & 31))
LANE(v_add3_u32, U32, (U32 a, U32 b, U32 c), a + b + c)
LANE(v_lshl_or_b32, U32, (U32 a, U32 b, U32 c), (a << (b & 31)) | c)
LANE(v_and_or_b32, U32, (U32 a, U32 b, U32 c), (a & b) | c)
LANE(v_or3_b32, U32, (U32 a, U32 b, U32 c), a | b | c)
LANE(v_lshl_add_u64, U64, (U64 a, U32 b, U64 c), (a << (b & 7)) + c)

LANE(v_mul_lo_u32, U32, (U32 a, U32 b), a* b)
LANE(v_mul_hi_u32, U32, (U32 a, U32 b), static_cast<U32>((U64{a} * b) >> 32))
LANE(v_mul_hi_i32, I32, (I32 a, I32 b), static_cast<I32>((I64{a} * b) >> 32))
LANE(v_lshlrev_b64, U64, (U32 a, U64 b), b << (a & 63))
LANE(v_lshrrev_b64, U64, (U32 a, U64 b), b >> (a & 63))
LANE(v_ashrrev_i64, I64, (U32 a, I64 b), b >> (a & 63))
LANE_SATURATING(v_add_i32, U32, (U32 a, U32 b), a + b,
                static_cast<U32>(saturate<I32>(I64{static_cast<I32>(a)} + static_cast<I32>(b))))
LANE_SATURATING(v_sub_i32, U32, (U32 a, U32 b), a - b,
                static_cast<U32>(saturate<I32>(I64{static_cast<I32>(a)} - static_cast<I32>(b))))
LANE_SATURATING(v_add_i16, I16, (I16 a, I16 b), static_cast<I16>(a + b), saturate<I16>(I64{a} + b))
LANE_SATURATING(v_sub_i16, I16, (I16 a, I16 b), static_cast<I16>(a - b), saturate<I16>(I64{a} - b))

LANE(v_bcnt_u32_b32, U32, (U32 a, U32 b), ones(a) + b)
LANE(v_mbcnt_lo_u32_b32, U32, (U32 a, U32 b, Lane l), ones(a& below(l.index)) + b)
LANE(v_mbcnt_hi_u32_b32, U32, (U32 a, U32 b, Lane l), ones(a& below(l.index - 32)) + b)

LANE(v_cvt_pk_u16_u32, U32, (U32 a, U32 b), lesser(a, 0xffffu) | lesser(b, 0xffffu) << 16)
LANE(v_cvt_pk_i16_i32, U32, (I32 a, I32 b),
     static_cast<U16>(saturate<I16>(a)) | U32{static_cast<U16>(saturate<I16>(b))} << 16)

}  // namespace hipr::softgpu::HIPR_LEVEL
