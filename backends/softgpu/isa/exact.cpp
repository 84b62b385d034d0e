#include "backends/softgpu/isa/exact.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace hipr::softgpu {
namespace {

using U64 = std::uint64_t;

struct Parts {
  U64 mantissa;
  int exponent;
};
Parts partsOf(FloatFormat f, U64 bits) {
  U64 mantissa = bits & ((U64{1} << f.mantissaBits) - 1);
  auto field = static_cast<int>(f.magnitude(bits) >> f.mantissaBits);
  int lowest = 1 - f.bias() - static_cast<int>(f.mantissaBits);
  if (field == 0) return {mantissa, lowest};
  return {mantissa | U64{1} << f.mantissaBits, lowest + field - 1};
}

}  // namespace

void Exact::place(unsigned __int128 mantissa, int exponent) {
  auto at = static_cast<unsigned>(exponent - kLowest);
  unsigned shift = at % 64;
  U64* to = &words_[at / 64];
  to[0] = static_cast<U64>(mantissa << shift);
  to[1] = static_cast<U64>(mantissa << shift >> 64);
  to[2] = shift ? static_cast<U64>(mantissa >> (128 - shift)) : 0;
}

Exact Exact::of(FloatFormat f, U64 bits) {
  Exact x;
  Parts p = partsOf(f, bits);
  x.negative_ = f.isNegative(bits);
  x.place(p.mantissa, p.exponent);
  return x;
}

Exact Exact::product(FloatFormat f, U64 a, U64 b) {
  Exact x;
  Parts p = partsOf(f, a), q = partsOf(f, b);
  x.negative_ = f.isNegative(a) != f.isNegative(b);
  x.place(static_cast<unsigned __int128>(p.mantissa) * q.mantissa, p.exponent + q.exponent);
  return x;
}

Exact Exact::integer(bool negative, U64 magnitude) {
  Exact x;
  x.negative_ = negative;
  x.place(magnitude, 0);
  return x;
}

Exact Exact::plus(const Exact& other, Rounding zeroSign) const {
  const Exact *a = this, *b = &other;
  if (a->negative_ != b->negative_) {
    bool less = false;
    for (unsigned k = kWords; k-- > 0;)
      if (a->words_[k] != b->words_[k]) {
        less = a->words_[k] < b->words_[k];
        break;
      }
    if (less) std::swap(a, b);
  }
  bool subtract = a->negative_ != b->negative_;
  Exact sum = *a;
  unsigned carry = subtract;
  for (unsigned k = 0; k < kWords; ++k) {
    unsigned __int128 t =
        static_cast<unsigned __int128>(a->words_[k]) + (subtract ? ~b->words_[k] : b->words_[k]) + carry;
    sum.words_[k] = static_cast<U64>(t);
    carry = static_cast<unsigned>(t >> 64);
  }
  if (subtract && sum.top() < 0) sum.negative_ = zeroSign == Rounding::kDown;
  return sum;
}

Exact Exact::scaled(int powerOfTwo) const {
  Exact x;
  x.negative_ = negative_;
  auto word = [&](int k) { return k >= 0 && k < static_cast<int>(kWords) ? words_[static_cast<unsigned>(k)] : 0; };
  int whole = powerOfTwo >> 6, bits = powerOfTwo & 63;
  for (int k = 0; k < static_cast<int>(kWords); ++k)
    x.words_[static_cast<unsigned>(k)] = word(k - whole) << bits | (bits ? word(k - whole - 1) >> (64 - bits) : 0);
  // What falls off either end only has to stay too small or too large.
  if (powerOfTwo < 0 && anyBelow(std::min(-powerOfTwo, static_cast<int>(64 * kWords)))) x.words_[0] |= 1;
  if (top() + powerOfTwo >= static_cast<int>(64 * kWords)) x.words_[kWords - 1] |= U64{1} << 63;
  return x;
}

int Exact::top() const {
  for (unsigned k = kWords; k-- > 0;)
    if (words_[k]) return static_cast<int>(64 * k + 63) - std::countl_zero(words_[k]);
  return -1;
}
bool Exact::bit(int n) const {
  return n >= 0 && (words_[static_cast<unsigned>(n) / 64] >> (n % 64) & 1);
}
bool Exact::anyBelow(int n) const {
  for (int k = 0; k < n / 64; ++k)
    if (words_[static_cast<unsigned>(k)]) return true;
  return n > 0 && n % 64 && (words_[static_cast<unsigned>(n / 64)] & ((U64{1} << n % 64) - 1));
}
U64 Exact::field(int low, unsigned count) const {
  unsigned at = static_cast<unsigned>(low), shift = at % 64;
  U64 value = words_[at / 64] >> shift;
  if (shift && at / 64 + 1 < kWords) value |= words_[at / 64 + 1] << (64 - shift);
  return value & ((U64{1} << count) - 1);
}

bool Exact::roundsUp(int cut, Rounding rounding) const {
  if (!anyBelow(cut)) return false;
  switch (rounding) {
    case Rounding::kNearestEven:
      return bit(cut - 1) && (anyBelow(cut - 1) || bit(cut));
    case Rounding::kUp:
      return !negative_;
    case Rounding::kDown:
      return negative_;
    case Rounding::kTowardZero:
      return false;
  }
  return false;
}

U64 Exact::rounded(FloatFormat f, Rounding rounding) const {
  U64 sign = negative_ ? f.sign() : 0;
  int highest = top();
  if (highest < 0) return sign;
  int lowest = 1 - f.bias() - static_cast<int>(f.mantissaBits) - kLowest;  // bit of the smallest denormal
  int cut = std::max(highest - static_cast<int>(f.mantissaBits), lowest);
  U64 kept = field(cut, f.mantissaBits + 1) + roundsUp(cut, rounding);
  // The leading one of `kept` adds one to the exponent field, and so does a carry past it.
  U64 magnitude = (static_cast<U64>(cut - lowest) << f.mantissaBits) + kept;
  if (magnitude < f.infinity()) return sign | magnitude;
  bool infinite = rounding == Rounding::kNearestEven || (rounding == Rounding::kUp && !negative_) ||
                  (rounding == Rounding::kDown && negative_);
  return sign | (infinite ? f.infinity() : f.largest());
}

std::int64_t Exact::toInteger(Rounding rounding, std::int64_t low, std::int64_t high) const {
  constexpr int kUnit = -kLowest;
  if (top() >= kUnit + 62) return negative_ ? low : high;
  auto magnitude = static_cast<std::int64_t>(field(kUnit, 62) + roundsUp(kUnit, rounding));
  return std::min(std::max(negative_ ? -magnitude : magnitude, low), high);
}

U64 exactSum(FloatFormat f, U64 a, U64 b, Rounding r) {
  if (f.isNan(a) || f.isNan(b)) return f.nan();
  if (f.isInfinite(a)) return f.isInfinite(b) && a != b ? f.nan() : a;
  if (f.isInfinite(b)) return b;
  return Exact::of(f, a).plus(Exact::of(f, b), r).rounded(f, r);
}

U64 exactProduct(FloatFormat f, U64 a, U64 b, Rounding r) {
  if (f.isNan(a) || f.isNan(b)) return f.nan();
  U64 sign = (a ^ b) & f.sign();
  if (f.isInfinite(a) || f.isInfinite(b))
    return f.magnitude(a) == 0 || f.magnitude(b) == 0 ? f.nan() : sign | f.infinity();
  return Exact::product(f, a, b).rounded(f, r);
}

U64 exactFma(FloatFormat f, U64 a, U64 b, U64 c, Rounding r) {
  U64 product = exactProduct(f, a, b, r);
  if (f.isNan(product) || f.isNan(c)) return f.nan();
  if (f.isInfinite(a) || f.isInfinite(b)) return exactSum(f, product, c, r);
  if (f.isInfinite(c)) return c;
  return Exact::product(f, a, b).plus(Exact::of(f, c), r).rounded(f, r);
}

U64 exactScale(FloatFormat f, U64 a, int powerOfTwo, Rounding r) {
  if (f.isNan(a)) return f.nan();
  if (f.isInfinite(a)) return a;
  // Further than any format reaches is as far as it reaches.
  int limit = 2 * (f.bias() + static_cast<int>(f.mantissaBits) + 2);
  int power = std::min(std::max(powerOfTwo, -limit), limit);
  return Exact::of(f, a).scaled(power).rounded(f, r);
}

U64 exactConvert(FloatFormat from, FloatFormat to, U64 a, Rounding r) {
  if (from.isNan(a)) return to.nan();
  if (from.isInfinite(a)) return (from.isNegative(a) ? to.sign() : 0) | to.infinity();
  return Exact::of(from, a).rounded(to, r);
}

U64 exactFrom8Bits(int exponentBits, U64 code) {
  if (code == 0x80) return kFloatFormat.nan();
  int mantissaBits = 7 - exponentBits, field = static_cast<int>(code & 0x7f) >> mantissaBits;
  U64 mantissa = code & ((U64{1} << mantissaBits) - 1);
  if (field) mantissa |= U64{1} << mantissaBits;
  int exponent = std::max(field, 1) - (1 << (exponentBits - 1)) - mantissaBits;
  return Exact::integer(code & 0x80, mantissa).scaled(exponent).rounded(kFloatFormat, Rounding::kNearestEven);
}

int exactCompare(FloatFormat f, U64 a, U64 b) {
  if (f.isNan(a) || f.isNan(b)) return 2;
  auto order = [&](U64 x) {
    auto magnitude = static_cast<std::int64_t>(f.magnitude(x));
    return f.isNegative(x) ? -magnitude : magnitude;
  };
  return order(a) < order(b) ? -1 : order(a) > order(b);
}

}  // namespace hipr::softgpu
