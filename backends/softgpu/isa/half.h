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

// Rounds as the host does at the moment. NaNs stay NaNs (quieted). Added to a power of two 13 binades above, a number
// loses the bits a half has no room for; what is left is its mantissa in units of the half's last place. All that is
// too large is rounded like 65535.
HIPR_INLINE Half toHalf(float f) {
  std::uint32_t x = std::bit_cast<std::uint32_t>(f);
  std::uint32_t sign = x & 0x80000000, magnitude = x & 0x7fffffff;
  std::uint32_t nan = 0x7e00 | ((magnitude >> 13) & 0x1ff);
  std::uint32_t finite = magnitude < 0x477fff00 ? magnitude : 0x477fff00;
  std::uint32_t exponent = finite & 0x7f800000;
  exponent = exponent > 0x38800000 ? exponent : 0x38800000;
  std::uint32_t above = (exponent + (13u << 23)) | sign;
  float sum = std::bit_cast<float>(finite | sign) + std::bit_cast<float>(above);
  std::uint32_t rounded = ((exponent - 0x38800000) >> 13) + (std::bit_cast<std::uint32_t>(sum) - above);
  std::uint32_t value = magnitude > 0x7f800000 ? nan : magnitude == 0x7f800000 ? 0x7c00 : rounded;
  return {static_cast<std::uint16_t>(sign >> 16 | value)};
}

// Toward zero, while the host rounds to nearest.
HIPR_INLINE Half toHalfTowardZero(float f) {
  std::uint32_t x = std::bit_cast<std::uint32_t>(f);
  std::uint32_t magnitude = x & 0x7fffffff;
  Half nearest = toHalf(f);
  bool tooFar = magnitude <= 0x7f800000 && (std::bit_cast<std::uint32_t>(toFloat(nearest)) & 0x7fffffff) > magnitude;
  return {static_cast<std::uint16_t>(nearest.bits - (tooFar ? 1 : 0))};
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
