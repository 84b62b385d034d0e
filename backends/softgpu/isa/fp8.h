// The 8-bit floats of gfx942: no infinities, no negative zero (its code is the only NaN). fp8 is 1-4-3 with bias 8,
// bf8 is 1-5-2 with bias 16.
#pragma once

#include "backends/softgpu/isa/float_rules.h"

namespace hipr::softgpu::HIPR_LEVEL {

template <unsigned kExponent, unsigned kMantissa>
struct Fp8 {
  static constexpr int kBias = 1 << (kExponent - 1);
  static constexpr std::uint32_t kMax = 0x7f;

  static HIPR_INLINE float decode(std::uint32_t code) {
    std::uint32_t magnitude = code & 0x7f;
    // As the bits of a float the value is too small by a power of two; multiplying also normalises denormals.
    float value = std::bit_cast<float>(magnitude << (23 - kMantissa)) * powerOfTwo32(127 - kBias);
    std::uint32_t bits = std::bit_cast<std::uint32_t>(value) | (code & 0x80) << 24;
    return std::bit_cast<float>(code == 0x80 ? 0x7fc00000u : bits);
  }

  // Adding half a unit less one, plus the last kept bit, rounds to nearest even; adding random bits rounds
  // stochastically. Values too large saturate or become NaN.
  static HIPR_INLINE std::uint32_t encode(float x, bool stochastic, std::uint32_t random, bool saturate) {
    constexpr unsigned kDrop = 23 - kMantissa;
    std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
    std::uint32_t sign = (bits >> 24) & 0x80, magnitude = bits & 0x7fffffff;
    if (magnitude >= 0x7f800000) return magnitude == 0x7f800000 && saturate ? sign | kMax : 0x80;
    int exponent = static_cast<int>(magnitude >> 23) - 127 + kBias;
    std::uint64_t mantissa = (magnitude & 0x7fffff) | (magnitude >> 23 ? 0x800000 : 0);
    // One extra shift for every binade under the smallest normal.
    unsigned extra = exponent < 1 ? static_cast<unsigned>(1 - exponent) : 0;
    unsigned drop = kDrop + (extra > 36 ? 36 : extra);  // from there on nothing is left
    std::uint64_t noise = drop > 32 ? std::uint64_t{random} << (drop - 32) : random >> (32 - drop);
    std::uint64_t nearest = (std::uint64_t{1} << (drop - 1)) - 1 + ((mantissa >> drop) & 1);
    std::uint64_t add = stochastic ? noise : nearest;
    std::uint64_t rounded = (mantissa + add) >> drop;
    // A carry out of the mantissa lands in the exponent, as it should.
    std::uint64_t code = extra ? rounded : rounded + (static_cast<std::uint64_t>(exponent - 1) << kMantissa);
    if (code > kMax) return saturate ? sign | kMax : 0x80;
    return code == 0 ? 0 : sign | static_cast<std::uint32_t>(code);
  }

 private:
  static HIPR_INLINE float powerOfTwo32(int n) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(n + 127) << 23);
  }
};

using Float8 = Fp8<4, 3>;
using Bfloat8 = Fp8<5, 2>;

}  // namespace hipr::softgpu::HIPR_LEVEL
