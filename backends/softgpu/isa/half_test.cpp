// Arithmetic on halves against exact arithmetic rounded once, for random bits: all exponents, denormals, infinities.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {
namespace {

// Any sum of a product of halves and a half is exact in it.
#ifdef __x86_64__
using Wide = __float128;
#else
using Wide = long double;
#endif

double valueOf(unsigned bits) {
  int exponent = (bits >> 10) & 31;
  double mantissa = bits & 0x3ff;
  double magnitude = exponent == 31 ? (mantissa == 0 ? INFINITY : NAN)
                     : exponent     ? std::ldexp(1024 + mantissa, exponent - 25)
                                    : std::ldexp(mantissa, -24);
  return bits & 0x8000 ? -magnitude : magnitude;
}

// The half nearest to a finite x, ties to even; found among all of them by bisection, as their bits are in order.
unsigned nearestHalf(Wide x, bool negativeZero) {
  bool negative = x < 0 || (x == 0 && negativeZero);
  Wide magnitude = x < 0 ? -x : x;
  unsigned low = 0, high = 0x7c00;  // value(low) <= magnitude; 0x7c00 stands for 65536 here
  auto value = [](unsigned bits) { return bits == 0x7c00 ? Wide{65536} : Wide{valueOf(bits)}; };
  if (magnitude >= 65536) return (negative ? 0x8000 : 0) | 0x7c00;
  while (high - low > 1) {
    unsigned middle = (low + high) / 2;
    (value(middle) <= magnitude ? low : high) = middle;
  }
  Wide below = magnitude - value(low), above = value(high) - magnitude;
  unsigned nearest = below < above || (below == above && low % 2 == 0) ? low : high;
  return (negative ? 0x8000 : 0) | nearest;
}

void expectFused(unsigned result, unsigned a, unsigned b, unsigned c) {
  double x = valueOf(a), y = valueOf(b), z = valueOf(c), rough = x * y + z;
  if (std::isnan(rough)) {
    EXPECT_TRUE(std::isnan(valueOf(result)));
  } else if (std::isinf(rough)) {
    EXPECT_EQ(valueOf(result), rough);
  } else {
    EXPECT_EQ(result, nearestHalf(Wide{x} * Wide{y} + Wide{z}, std::signbit(rough)))
        << std::hex << a << " * " << b << " + " << c;
  }
}

TEST(Half, ArithmeticRoundsOnce) {
  NEEDS_ASSEMBLER;
  std::vector<std::uint32_t> code = assemble(
      "v_fma_f16 v3, v0, v1, v2\n v_pk_fma_f16 v4, v0, v1, v2\n v_add_f16 v5, v0, v2\n v_mul_f16 v6, v0, v1\n"
      "v_pk_add_f16 v7, v0, v2\n v_pk_mul_f16 v8, v0, v1\n v_fma_f16 v9, -v0, v1, v2\n v_pk_fmac_f16 v10, v0, v1\n");
  constexpr unsigned kOne = 0x3c00;
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    TestWave wave(code);
    for (unsigned l = 0; l < 64; ++l) {
      for (unsigned reg = 0; reg < 3; ++reg) wave.v(reg, l) = static_cast<std::uint32_t>(random());
      // Often a sum near a tie: c close to the product.
      if (l % 2) wave.v(2, l) = wave.v(0, l) ^ (wave.v(2, l) & 0x9c079c07);
      wave.v(10, l) = wave.v(2, l);
    }
    ASSERT_EQ(wave.run(), "");
    for (unsigned l = 0; l < 64; ++l) {
      for (unsigned shift : {0u, 16u}) {
        auto half = [&](unsigned reg) { return (wave.v(reg, l) >> shift) & 0xffff; };
        unsigned a = half(0), b = half(1), c = half(2);
        expectFused(half(4), a, b, c);
        expectFused(half(10), a, b, c);
        expectFused(half(7), a, kOne, c);
        expectFused(half(8), a, b, (a ^ b) & 0x8000);
        if (shift) continue;
        expectFused(half(3), a, b, c);
        expectFused(half(9), a ^ 0x8000, b, c);
        expectFused(half(5), a, kOne, c);
        expectFused(half(6), a, b, (a ^ b) & 0x8000);
      }
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace hipr::softgpu
