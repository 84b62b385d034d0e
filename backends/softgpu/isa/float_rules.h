// Floating point rules that are not the host's own: NaN selection in min and max, classification, legacy products,
// scaling by powers of two. Everything here is exact and free of branches, for any CPU level.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "backends/softgpu/isa/lanes.h"

namespace hipr::softgpu::HIPR_LEVEL {

template <class F>
struct Bits;
template <>
struct Bits<float> {
  using U = std::uint32_t;
  static constexpr unsigned kMantissa = 23;
  static constexpr int kExponents = 0xff;
};
template <>
struct Bits<double> {
  using U = std::uint64_t;
  static constexpr unsigned kMantissa = 52;
  static constexpr int kExponents = 0x7ff;
};

template <class F>
inline constexpr typename Bits<F>::U kQuietBit = typename Bits<F>::U{1} << (Bits<F>::kMantissa - 1);
template <class F>
inline constexpr typename Bits<F>::U kSignBit = typename Bits<F>::U{1} << (8 * sizeof(F) - 1);

template <class F>
HIPR_INLINE auto toBits(F x) {
  return std::bit_cast<typename Bits<F>::U>(x);
}
template <class F>
HIPR_INLINE F fromBits(typename Bits<F>::U x) {
  return std::bit_cast<F>(x);
}
// The biased exponent field.
template <class F>
HIPR_INLINE int exponentOf(F x) {
  return static_cast<int>(toBits(x) >> Bits<F>::kMantissa) & Bits<F>::kExponents;
}
template <class F>
HIPR_INLINE F magnitude(F x) {
  return fromBits<F>(toBits(x) & ~kSignBit<F>);
}
template <class F>
HIPR_INLINE bool isNan(F x) {
  return x != x;
}
template <class F>
HIPR_INLINE F quiet(F x) {
  return fromBits<F>(toBits(x) | kQuietBit<F>);
}
template <class F>
HIPR_INLINE F flushed(F x) {
  return exponentOf(x) ? x : fromBits<F>(toBits(x) & kSignBit<F>);
}

constexpr std::uint32_t kModeDx10Clamp = 1u << 8;
constexpr std::uint32_t kModeIeee = 1u << 9;
HIPR_INLINE bool ieee(Lane lane) {
  return lane.mode & kModeIeee;
}

// A quiet NaN gives way to a number; a signaling one is the result, quieted, when MODE.IEEE is set.
template <class F>
HIPR_INLINE F choose(F a, F b, bool first, bool ieee) {
  typename Bits<F>::U quietBit = ieee ? kQuietBit<F> : 0;
  bool signalingA = isNan(a) & ((~toBits(a) & quietBit) != 0), signalingB = isNan(b) & ((~toBits(b) & quietBit) != 0);
  F r = isNan(a) ? b : (first | isNan(b)) ? a : b;
  r = signalingB ? quiet(b) : r;
  return signalingA ? quiet(a) : r;
}
// -0 is below +0.
template <class F>
HIPR_INLINE F minNum(F a, F b, bool ieee) {
  return choose(a, b, (a < b) | ((a == b) & ((toBits(a) & kSignBit<F>) != 0)), ieee);
}
template <class F>
HIPR_INLINE F maxNum(F a, F b, bool ieee) {
  return choose(a, b, (a > b) | ((a == b) & ((toBits(a) & kSignBit<F>) == 0)), ieee);
}
HIPR_INLINE Half minNum(Half a, Half b, bool ieee) {
  return toHalf(minNum(toFloat(a), toFloat(b), ieee));
}
HIPR_INLINE Half maxNum(Half a, Half b, bool ieee) {
  return toHalf(maxNum(toFloat(a), toFloat(b), ieee));
}

// In the manual's steps: they decide which zero it is.
template <class F>
HIPR_INLINE F med3(F a, F b, F c, bool ieee) {
  bool nan = isNan(a) || isNan(b) || isNan(c);
  F high = maxNum(maxNum(a, b, ieee), c, ieee);
  F other = high == a ? maxNum(b, c, ieee) : high == b ? maxNum(a, c, ieee) : maxNum(a, b, ieee);
  return nan ? minNum(minNum(a, b, ieee), c, ieee) : other;
}

// The ten classes of v_cmp_class: signaling NaN, quiet NaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf.
template <class U>
HIPR_INLINE std::uint32_t classOf(U x, unsigned mantissaBits, unsigned width) {
  bool negative = (x >> (width - 1)) & 1;
  U exponents = ((U{1} << (width - 1 - mantissaBits)) - 1);
  U exponent = (x >> mantissaBits) & exponents;
  U mantissa = x & ((U{1} << mantissaBits) - 1);
  bool quietNan = (mantissa >> (mantissaBits - 1)) & 1;
  unsigned finite = exponent ? (negative ? 3 : 8) : mantissa ? (negative ? 4 : 7) : (negative ? 5 : 6);
  unsigned special = mantissa ? (quietNan ? 1 : 0) : (negative ? 2 : 9);
  return 1u << (exponent == exponents ? special : finite);
}

// Zero times anything is zero.
HIPR_INLINE float legacyProduct(float a, float b) {
  return a == 0 || b == 0 ? 0.0f : a * b;
}

// Rounds the product on its own and treats denormals as zero, whatever MODE says.
HIPR_INLINE float multiplyThenAdd(float a, float b, float c) {
  return flushed(flushed(flushed(a) * flushed(b)) + flushed(c));
}
HIPR_INLINE Half flushed(Half x) {
  return {static_cast<std::uint16_t>(x.bits & 0x7c00 ? x.bits : x.bits & 0x8000)};
}
HIPR_INLINE Half multiplyThenAdd(Half a, Half b, Half c) {
  Half product = flushed(toHalf(toFloat(flushed(a)) * toFloat(flushed(b))));
  return flushed(toHalf(toFloat(product) + toFloat(flushed(c))));
}

// x * 2^n with one rounding.
HIPR_INLINE float scaled(float x, std::int32_t n) {
  std::int64_t clamped = n < -400 ? -400 : n > 400 ? 400 : n;
  double factor = std::bit_cast<double>(static_cast<std::uint64_t>(clamped + 1023) << 52);
  return static_cast<float>(x * factor);
}
HIPR_INLINE double powerOfTwo(std::int64_t n) {  // of a normal double
  return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52);
}
// In three steps; going down the first two stop 53 binades above the denormals, so only the last one rounds.
HIPR_INLINE double scaled(double x, std::int32_t n) {
  std::int64_t left = n < -3000 ? -3000 : n > 3000 ? 3000 : n;
  for (int step = 0; step < 2; ++step) {
    std::int64_t part = left > 1023 ? 1023 : left < -1022 ? -969 : 0;
    x *= powerOfTwo(part);
    left -= part;
  }
  left = left > 1023 ? 1023 : left < -1022 ? -1022 : left;
  return x * powerOfTwo(left);
}

}  // namespace hipr::softgpu::HIPR_LEVEL
