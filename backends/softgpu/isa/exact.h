// For tests: exact arithmetic on IEEE bits, rounded once. Nothing here uses the host's floating point, so it is a
// second opinion on everything that does.
#pragma once

#include <array>
#include <cstdint>

namespace hipr::softgpu {

struct FloatFormat {
  unsigned exponentBits, mantissaBits;
  constexpr unsigned bits() const { return 1 + exponentBits + mantissaBits; }
  constexpr int bias() const { return (1 << (exponentBits - 1)) - 1; }
  constexpr std::uint64_t sign() const { return std::uint64_t{1} << (bits() - 1); }
  constexpr std::uint64_t infinity() const { return ((std::uint64_t{1} << exponentBits) - 1) << mantissaBits; }
  constexpr std::uint64_t quietBit() const { return std::uint64_t{1} << (mantissaBits - 1); }
  constexpr std::uint64_t nan() const { return infinity() | quietBit(); }
  constexpr std::uint64_t largest() const { return infinity() - 1; }
  constexpr std::uint64_t one() const { return static_cast<std::uint64_t>(bias()) << mantissaBits; }

  constexpr std::uint64_t magnitude(std::uint64_t x) const { return x & (sign() - 1); }
  constexpr bool isNan(std::uint64_t x) const { return magnitude(x) > infinity(); }
  constexpr bool isSignaling(std::uint64_t x) const { return isNan(x) && !(x & quietBit()); }
  constexpr bool isInfinite(std::uint64_t x) const { return magnitude(x) == infinity(); }
  constexpr bool isDenormal(std::uint64_t x) const { return magnitude(x) != 0 && !(x & infinity()); }
  constexpr bool isNegative(std::uint64_t x) const { return (x & sign()) != 0; }
};
inline constexpr FloatFormat kHalfFormat{5, 10}, kFloatFormat{8, 23}, kDoubleFormat{11, 52};

enum class Rounding : std::uint8_t { kNearestEven, kUp, kDown, kTowardZero };  // as MODE has them

// A finite number as a sign and a fixed point magnitude wide enough for any product of two doubles plus a double.
class Exact {
 public:
  static Exact of(FloatFormat format, std::uint64_t bits);  // finite
  static Exact product(FloatFormat format, std::uint64_t a, std::uint64_t b);
  static Exact integer(bool negative, std::uint64_t magnitude);
  Exact plus(const Exact& other, Rounding zeroSign) const;  // of x - x: +0, rounding down -0
  Exact scaled(int powerOfTwo) const;

  std::uint64_t rounded(FloatFormat format, Rounding rounding) const;
  // The nearest integer by `rounding`, limited to [low, high].
  std::int64_t toInteger(Rounding rounding, std::int64_t low, std::int64_t high) const;

 private:
  static constexpr unsigned kWords = 68;
  static constexpr int kLowest = -2160;  // exponent of bit 0

  void place(unsigned __int128 mantissa, int exponent);
  int top() const;  // of the highest bit, -1 for zero
  bool bit(int n) const;
  bool anyBelow(int n) const;
  std::uint64_t field(int low, unsigned count) const;
  // Whether cutting off the bits below `cut` rounds the magnitude up.
  bool roundsUp(int cut, Rounding rounding) const;

  bool negative_ = false;
  std::array<std::uint64_t, kWords> words_{};
};

// IEEE operations. A NaN result is format.nan().
std::uint64_t exactSum(FloatFormat f, std::uint64_t a, std::uint64_t b, Rounding r);
std::uint64_t exactProduct(FloatFormat f, std::uint64_t a, std::uint64_t b, Rounding r);
std::uint64_t exactFma(FloatFormat f, std::uint64_t a, std::uint64_t b, std::uint64_t c, Rounding r);
std::uint64_t exactScale(FloatFormat f, std::uint64_t a, int powerOfTwo, Rounding r);
std::uint64_t exactConvert(FloatFormat from, FloatFormat to, std::uint64_t a, Rounding r);
// An 8-bit float of gfx942 as a float: no infinities, the code of -0 is the only NaN, the exponent's bias is one more
// than IEEE's would be.
std::uint64_t exactFrom8Bits(int exponentBits, std::uint64_t code);
// -1, 0, 1 and 2 for unordered.
int exactCompare(FloatFormat f, std::uint64_t a, std::uint64_t b);

}  // namespace hipr::softgpu
