// Vector instructions with two sources: integers and selection. Floating point ones are in vop2_float.cpp.
#include "backends/softgpu/isa/lanes.h"

namespace hipr::softgpu::HIPR_LEVEL {

using U16 = std::uint16_t;
using I16 = std::int16_t;
using U32 = std::uint32_t;
using I32 = std::int32_t;
using U64 = std::uint64_t;
using I64 = std::int64_t;

LANE(v_cndmask_b32, U32, (U32 a, U32 b, bool second), second ? b : a)
LANE(v_and_b32, U32, (U32 a, U32 b), a& b)
LANE(v_or_b32, U32, (U32 a, U32 b), a | b)
LANE(v_xor_b32, U32, (U32 a, U32 b), a ^ b)
LANE(v_xnor_b32, U32, (U32 a, U32 b), ~(a ^ b))
LANE(v_lshrrev_b32, U32, (U32 a, U32 b), b >> (a & 31))
LANE(v_ashrrev_i32, I32, (U32 a, I32 b), b >> (a & 31))
LANE(v_lshlrev_b32, U32, (U32 a, U32 b), b << (a & 31))
LANE(v_min_i32, I32, (I32 a, I32 b), a < b ? a : b)
LANE(v_max_i32, I32, (I32 a, I32 b), a > b ? a : b)
LANE(v_min_u32, U32, (U32 a, U32 b), a < b ? a : b)
LANE(v_max_u32, U32, (U32 a, U32 b), a > b ? a : b)

static HIPR_INLINE I32 low24(I32 x) {
  return static_cast<I32>(static_cast<U32>(x) << 8) >> 8;
}
LANE(v_mul_i32_i24, U32, (I32 a, I32 b), static_cast<U32>(low24(a)) * static_cast<U32>(low24(b)))
LANE(v_mul_hi_i32_i24, I32, (I32 a, I32 b), static_cast<I32>((I64{low24(a)} * low24(b)) >> 32))
LANE(v_mul_u32_u24, U32, (U32 a, U32 b), (a & 0xffffff) * (b & 0xffffff))
LANE(v_mul_hi_u32_u24, U32, (U32 a, U32 b), static_cast<U32>((U64{a & 0xffffff} * (b & 0xffffff)) >> 32))

static HIPR_INLINE Carry<U32> add(U32 a, U32 b, bool in) {
  U32 sum = a + b + in;
  return {sum, sum < a || (in && sum == a)};
}
static HIPR_INLINE Carry<U32> subtract(U32 a, U32 b, bool in) {
  return {a - b - in, a < b || (in && a == b)};
}
static HIPR_INLINE Carry<U32> up(Carry<U32> r) {
  return {r.carry ? ~0u : r.value, r.carry};
}
static HIPR_INLINE Carry<U32> down(Carry<U32> r) {
  return {r.carry ? 0u : r.value, r.carry};
}
LANE_SATURATING(v_add_co_u32, Carry<U32>, (U32 a, U32 b), add(a, b, false), up(add(a, b, false)))
LANE_SATURATING(v_sub_co_u32, Carry<U32>, (U32 a, U32 b), subtract(a, b, false), down(subtract(a, b, false)))
LANE_SATURATING(v_subrev_co_u32, Carry<U32>, (U32 a, U32 b), subtract(b, a, false), down(subtract(b, a, false)))
LANE_SATURATING(v_addc_co_u32, Carry<U32>, (U32 a, U32 b, bool c), add(a, b, c), up(add(a, b, c)))
LANE_SATURATING(v_subb_co_u32, Carry<U32>, (U32 a, U32 b, bool c), subtract(a, b, c), down(subtract(a, b, c)))
LANE_SATURATING(v_subbrev_co_u32, Carry<U32>, (U32 a, U32 b, bool c), subtract(b, a, c), down(subtract(b, a, c)))
LANE_SATURATING(v_add_u32, U32, (U32 a, U32 b), a + b, up(add(a, b, false)).value)
LANE_SATURATING(v_sub_u32, U32, (U32 a, U32 b), a - b, down(subtract(a, b, false)).value)
LANE_SATURATING(v_subrev_u32, U32, (U32 a, U32 b), b - a, down(subtract(b, a, false)).value)

static HIPR_INLINE U16 sub16(U16 a, U16 b) {
  return static_cast<U16>(a < b ? 0 : a - b);
}
static HIPR_INLINE U16 add16(U16 a, U16 b) {
  return static_cast<U16>(a + b > 0xffff ? 0xffff : a + b);
}
LANE_SATURATING(v_add_u16, U16, (U16 a, U16 b), static_cast<U16>(a + b), add16(a, b))
LANE_SATURATING(v_sub_u16, U16, (U16 a, U16 b), static_cast<U16>(a - b), sub16(a, b))
LANE_SATURATING(v_subrev_u16, U16, (U16 a, U16 b), static_cast<U16>(b - a), sub16(b, a))
LANE(v_mul_lo_u16, U16, (U16 a, U16 b), static_cast<U16>(U32{a} * b))
LANE(v_lshlrev_b16, U16, (U16 a, U16 b), static_cast<U16>(b << (a & 15)))
LANE(v_lshrrev_b16, U16, (U16 a, U16 b), static_cast<U16>(b >> (a & 15)))
LANE(v_ashrrev_i16, I16, (U16 a, I16 b), static_cast<I16>(b >> (a & 15)))
LANE(v_max_u16, U16, (U16 a, U16 b), a > b ? a : b)
LANE(v_max_i16, I16, (I16 a, I16 b), a > b ? a : b)
LANE(v_min_u16, U16, (U16 a, U16 b), a < b ? a : b)
LANE(v_min_i16, I16, (I16 a, I16 b), a < b ? a : b)

// Products of the signed fields of so many bits, added to c.
template <unsigned kBits>
static HIPR_INLINE I64 dot(U32 a, U32 b, I32 c) {
  I64 sum = c;
#pragma GCC unroll 8
  for (unsigned at = 0; at < 32; at += kBits) {
    auto field = [&](U32 x) { return static_cast<I32>(x << (32 - kBits - at)) >> (32 - kBits); };
    sum += I64{field(a)} * field(b);
  }
  return sum;
}
static HIPR_INLINE I32 saturated(I64 x) {
  return static_cast<I32>(x > 0x7fffffff ? 0x7fffffff : x < -0x7fffffff - 1 ? -0x7fffffff - 1 : x);
}
LANE_SATURATING(v_dot2c_i32_i16, I32, (U32 a, U32 b, I32 c), static_cast<I32>(dot<16>(a, b, c)),
                saturated(dot<16>(a, b, c)))
LANE_SATURATING(v_dot4c_i32_i8, I32, (U32 a, U32 b, I32 c), static_cast<I32>(dot<8>(a, b, c)),
                saturated(dot<8>(a, b, c)))
LANE_SATURATING(v_dot8c_i32_i4, I32, (U32 a, U32 b, I32 c), static_cast<I32>(dot<4>(a, b, c)),
                saturated(dot<4>(a, b, c)))

}  // namespace hipr::softgpu::HIPR_LEVEL
