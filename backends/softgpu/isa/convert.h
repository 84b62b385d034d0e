// Conversions and decompositions of floating point values, for handler files.
#pragma once

#include <cmath>

#include "backends/softgpu/isa/float_rules.h"

namespace hipr::softgpu::HIPR_LEVEL {

// To integers: toward zero, saturating, a NaN gives 0.
HIPR_INLINE std::int32_t toI32(double x) {
  double clamped = x < -2147483648.0 ? -2147483648.0 : x > 2147483647.0 ? 2147483647.0 : x;
  return x == x ? static_cast<std::int32_t>(clamped) : 0;
}
HIPR_INLINE std::uint32_t toU32(double x) {
  double clamped = x < 0.0 ? 0.0 : x > 4294967295.0 ? 4294967295.0 : x;
  return x == x ? static_cast<std::uint32_t>(clamped) : 0;
}
HIPR_INLINE std::int32_t toI32(float x) {
  bool tooBig = x >= 2147483648.0f;
  float safe = x == x && !tooBig ? (x < -2147483648.0f ? -2147483648.0f : x) : 0.0f;
  return tooBig ? 0x7fffffff : static_cast<std::int32_t>(safe);
}
HIPR_INLINE std::uint32_t toU32(float x) {
  bool tooBig = x >= 4294967296.0f;
  float safe = x > 0.0f && !tooBig ? x : 0.0f;
  return tooBig ? 0xffffffff : static_cast<std::uint32_t>(static_cast<std::int64_t>(safe));
}
HIPR_INLINE std::int16_t toI16(float x) {
  float clamped = x < -32768.0f ? -32768.0f : x > 32767.0f ? 32767.0f : x;
  return static_cast<std::int16_t>(static_cast<std::int32_t>(x == x ? clamped : 0.0f));
}
HIPR_INLINE std::uint16_t toU16(float x) {
  float clamped = x > 0.0f ? (x > 65535.0f ? 65535.0f : x) : 0.0f;
  return static_cast<std::uint16_t>(static_cast<std::int32_t>(clamped));
}

// The part after the point, kept below one. Zero is +0 however the host rounds, and whatever its floor makes of zeros
// then.
template <class F>
HIPR_INLINE F fraction(F x, F belowOne) {
  F f = x - std::floor(x);
  f = f == F(0) ? F(0) : f;
  return f > belowOne ? belowOne : f;  // of an infinity: a NaN
}

// x = mantissa * 2^exponent with the mantissa in [0.5, 1); zeros, infinities and NaNs are their own with exponent 0.
template <class F>
HIPR_INLINE std::int32_t exponent(F x) {
  bool denormal = exponentOf(x) == 0;
  F normal = denormal ? x * static_cast<F>(0x1p54) : x;  // 2^54 takes any denormal into the normal range
  int e = exponentOf(normal) - (Bits<F>::kExponents / 2 - 1) - (denormal ? 54 : 0);
  return x == 0 || exponentOf(x) == Bits<F>::kExponents ? 0 : e;
}
template <class F>
HIPR_INLINE F mantissa(F x) {
  using U = typename Bits<F>::U;
  F normal = exponentOf(x) == 0 ? x * static_cast<F>(0x1p54) : x;
  U field = U{Bits<F>::kExponents} << Bits<F>::kMantissa;
  U half = U{Bits<F>::kExponents / 2 - 1} << Bits<F>::kMantissa;
  F result = fromBits<F>((toBits(normal) & ~field) | half);
  bool special = x == 0 || exponentOf(x) == Bits<F>::kExponents;
  return special ? (isNan(x) ? quiet(x) : x) : result;
}

// Position of the first one, -1 when there is none.
HIPR_INLINE std::uint32_t firstHigh(std::uint32_t x) {
  return x ? static_cast<std::uint32_t>(__builtin_clz(x)) : ~0u;
}
HIPR_INLINE std::uint32_t firstLow(std::uint32_t x) {
  return x ? static_cast<std::uint32_t>(__builtin_ctz(x)) : ~0u;
}

HIPR_INLINE std::uint32_t reverseBits(std::uint32_t x) {
  x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
  x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
  x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
  x = (x >> 8 & 0x00ff00ff) | (x & 0x00ff00ff) << 8;
  return x >> 16 | x << 16;
}

// [-1, 1] and [0, 1] as all of a 16-bit integer, to the nearest; a NaN is 0. The products are exact.
HIPR_INLINE std::int32_t toSignedNorm(double x) {
  double limited = x > -1.0 ? (x < 1.0 ? x : 1.0) : x != x ? 0.0 : -1.0;
  return static_cast<std::int32_t>(__builtin_roundeven(limited * 32767.0));
}
HIPR_INLINE std::int32_t toUnsignedNorm(double x) {
  double limited = x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
  return static_cast<std::int32_t>(__builtin_roundeven(limited * 65535.0));
}

}  // namespace hipr::softgpu::HIPR_LEVEL
