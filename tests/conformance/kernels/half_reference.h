// binary16 and bfloat16 on the CPU, rounding to nearest even: the reference for half.hip.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>

inline double halfToDouble(std::uint16_t h) {
  const int exponent = h >> 10 & 31, fraction = h & 1023;
  const double sign = h >> 15 ? -1.0 : 1.0;
  if (exponent == 31) return fraction ? NAN : sign * INFINITY;
  return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

inline std::uint16_t doubleToHalf(double v) {
  const std::uint16_t sign = std::signbit(v) ? 0x8000 : 0;
  const double a = std::fabs(v);
  if (std::isnan(v)) return 0x7e00;
  if (a >= 65520) return sign | 0x7c00;
  if (a < 0x1p-14) return static_cast<std::uint16_t>(sign | static_cast<int>(std::nearbyint(std::ldexp(a, 24))));
  int exponent;
  std::frexp(a, &exponent);                                            // a = m * 2^exponent, 0.5 <= m < 1
  const double scaled = std::nearbyint(std::ldexp(a, 11 - exponent));  // 1024 .. 2048; 2048 carries into the exponent
  return static_cast<std::uint16_t>(sign + ((exponent + 14) << 10) + static_cast<int>(scaled) - 1024);
}

inline std::uint16_t floatToBfloat(float v) {
  std::uint32_t bits;
  std::memcpy(&bits, &v, 4);
  if (std::isnan(v)) return 0x7fc0;
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline float bfloatToFloat(std::uint16_t b) {
  const std::uint32_t bits = std::uint32_t(b) << 16;
  float v;
  std::memcpy(&v, &bits, 4);
  return v;
}
