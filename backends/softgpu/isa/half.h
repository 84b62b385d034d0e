// IEEE half and bfloat16 values, in integer arithmetic that compilers vectorise. Included by handler files only.
#pragma once

#include <bit>
#include <cstdint>

#include "backends/softgpu/isa/wave.h"

namespace hipr::softgpu::HIPR_LEVEL {

struct Half {
  std::uint16_t bits;
};

HIPR_INLINE float toFloat(Half h) {
  std::uint32_t sign = std::uint32_t(h.bits & 0x8000) << 16;
  std::uint32_t rest = std::uint32_t(h.bits & 0x7fff) << 13;
  // Scaling by 2^112 rebuilds the exponent and normalises denormals; infinities and NaNs are out of reach of it.
  float scaled = std::bit_cast<float>(rest) * 0x1p112f;
  std::uint32_t special = rest | 0x7f800000;
  std::uint32_t magnitude = rest >= 0x0f800000 ? special : std::bit_cast<std::uint32_t>(scaled);
  return std::bit_cast<float>(sign | magnitude);
}

// Round to nearest even. NaNs stay NaNs (quieted), values past the largest half become infinite.
HIPR_INLINE Half toHalf(float f) {
  std::uint32_t x = std::bit_cast<std::uint32_t>(f);
  std::uint32_t sign = (x >> 16) & 0x8000;
  std::uint32_t magnitude = x & 0x7fffffff;
  std::uint32_t nan = 0x7e00 | ((magnitude >> 13) & 0x1ff);
  std::uint32_t normal = (magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  // Adding 0.5 puts a denormal's bits at the bottom of the mantissa, rounded as the addition rounds.
  std::uint32_t denormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000;
  std::uint32_t finite = magnitude < 0x38800000 ? denormal : normal;
  std::uint32_t value = magnitude > 0x7f800000 ? nan : magnitude >= 0x477ff000 ? 0x7c00 : finite;
  return {static_cast<std::uint16_t>(sign | value)};
}

// Toward zero.
HIPR_INLINE Half toHalfTowardZero(float f) {
  std::uint32_t x = std::bit_cast<std::uint32_t>(f);
  std::uint32_t magnitude = x & 0x7fffffff;
  Half nearest = toHalf(f);
  bool tooFar = magnitude <= 0x7f800000 && (std::bit_cast<std::uint32_t>(toFloat(nearest)) & 0x7fffffff) > magnitude;
  return {static_cast<std::uint16_t>(nearest.bits - (tooFar ? 1 : 0))};
}

// Rounds once from double: what a fused operation needs. The odd bit keeps the first rounding from deciding the second.
HIPR_INLINE Half toHalf(double d) {
  float f = static_cast<float>(d);
  std::uint32_t x = std::bit_cast<std::uint32_t>(f);
  double back = f;
  bool exact = back == d || d != d;
  bool away = (back > d) == (d > 0);  // the float is further from zero than d
  std::uint32_t truncated = x - (!exact && away ? 1 : 0);
  return toHalf(std::bit_cast<float>(exact ? x : truncated | 1));
}

HIPR_INLINE float bfloatToFloat(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

HIPR_INLINE std::uint16_t toBfloat(float f) {
  std::uint32_t x = std::bit_cast<std::uint32_t>(f);
  std::uint32_t rounded = (x + 0x7fff + ((x >> 16) & 1)) >> 16;
  return static_cast<std::uint16_t>((x & 0x7fffffff) > 0x7f800000 ? (x >> 16) | 0x40 : rounded);
}

}  // namespace hipr::softgpu::HIPR_LEVEL
