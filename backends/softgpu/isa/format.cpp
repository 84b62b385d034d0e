#include "backends/softgpu/isa/format.h"

#include <array>
#include <cmath>

#include "backends/softgpu/isa/convert.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

using U32 = std::uint32_t;
using I32 = std::int32_t;

constexpr std::uint8_t kComponentBits[16][4] = {{},
                                                {8},
                                                {16},
                                                {8, 8},
                                                {32},
                                                {16, 16},
                                                {11, 11, 10},
                                                {10, 11, 11},
                                                {2, 10, 10, 10},
                                                {10, 10, 10, 2},
                                                {8, 8, 8, 8},
                                                {32, 32},
                                                {16, 16, 16, 16},
                                                {32, 32, 32},
                                                {32, 32, 32, 32},
                                                {}};

U32 ones(unsigned bits) {
  return bits == 32 ? ~0u : (1u << bits) - 1;
}
I32 extended(U32 field, unsigned bits) {
  return static_cast<I32>(field << (32 - bits)) >> (32 - bits);
}

// 10 and 11 bits are halves without a sign and with a shorter mantissa.
float smallFloat(U32 field, unsigned bits) {
  if (bits == 32) return std::bit_cast<float>(field);
  return toFloat(Half{static_cast<std::uint16_t>(bits == 16 ? field : field << (15 - bits))});
}
U32 toSmallFloat(U32 value, unsigned bits) {
  if (bits == 32) return value;
  U32 half = toHalf(std::bit_cast<float>(value)).bits;
  if (bits == 16) return half;
  return half & 0x8000 && (half & 0x7fff) <= 0x7c00 ? 0 : (half & 0x7fff) >> (15 - bits);
}

// The sRGB curve, ((x + 0.055) / 1.055) ^ 2.4 above its straight part, by operations that every CPU rounds alike: the
// power is the fifth root of the twelfth, which Newton's steps find from above.
constexpr float fromSrgb(unsigned code) {
  double x = code / 255.0;
  if (x <= 0.04045) return static_cast<float>(x / 12.92);
  double base = (x + 0.055) / 1.055, square = base * base, fourth = square * square;
  double twelfth = fourth * fourth * fourth, root = 1;
  for (int step = 0; step < 100; ++step) {
    double power = root * root * root * root;
    root -= (root * power - twelfth) / (5 * power);
  }
  return static_cast<float>(root);
}
constexpr std::array<float, 256> makeSrgb() {
  std::array<float, 256> values{};
  for (unsigned code = 0; code < 256; ++code) values[code] = fromSrgb(code);
  return values;
}
constexpr std::array<float, 256> kSrgb = makeSrgb();

U32 fromField(U32 field, unsigned bits, Number number) {
  float x = 0;
  switch (number) {
    case Number::kUint:
      return field;
    case Number::kSint:
      return static_cast<U32>(extended(field, bits));
    case Number::kUnorm:
      x = static_cast<float>(double{static_cast<double>(field)} / ones(bits));
      break;
    case Number::kSnorm:
    case Number::kSnormNoZero:
      x = std::fmax(static_cast<float>(extended(field, bits) / static_cast<double>(ones(bits - 1))), -1.0f);
      break;
    case Number::kUscaled:
      x = static_cast<float>(field);
      break;
    case Number::kSscaled:
      x = static_cast<float>(extended(field, bits));
      break;
    case Number::kFloat:
      x = smallFloat(field, bits);
      break;
    case Number::kSrgb:
      x = kSrgb[field & 255];
      break;
  }
  return std::bit_cast<U32>(x);
}

U32 toField(U32 value, unsigned bits, Number number) {
  double x = std::bit_cast<float>(value);
  auto limited = [&](double low, double high) { return x != x ? 0.0 : x < low ? low : x > high ? high : x; };
  double top = ones(bits - 1);
  switch (number) {
    case Number::kUnorm:
      return toU32(std::nearbyint(limited(0, 1) * ones(bits)));
    case Number::kSnorm:
    case Number::kSnormNoZero:
      return static_cast<U32>(toI32(std::nearbyint(limited(-1, 1) * top))) & ones(bits);
    case Number::kUscaled:
      return toU32(limited(0, ones(bits)));
    case Number::kSscaled:
      return static_cast<U32>(toI32(limited(-top - 1, top))) & ones(bits);
    case Number::kFloat:
      return toSmallFloat(value, bits);
    case Number::kUint:
    case Number::kSint:
    case Number::kSrgb:  // not stored
      break;
  }
  return value & ones(bits);
}

// The fourth component of an sRGB element is not on the curve.
Number numberOf(const Format& f, unsigned component) {
  return f.number == Number::kSrgb && component == 3 ? Number::kUnorm : f.number;
}

}  // namespace

Format::Format(unsigned data, Number meaning) : bits(kComponentBits[data < 16 ? data : 0]), number(meaning) {
  for (unsigned c = 0; c < 4; ++c) bytes += bits[c];
  bytes /= 8;
}

bool Format::exists() const {
  if (!bytes || number > Number::kSrgb || static_cast<unsigned>(number) == 8) return false;
  for (unsigned c = 0; c < 4 && bits[c]; ++c) {
    if (number == Number::kFloat && bits[c] < 10) return false;
    if (number == Number::kSrgb && bits[c] != 8) return false;
  }
  return true;
}

void unpack(const Format& f, const U32* element, unsigned stride, U32 (&components)[4]) {
  for (unsigned c = 0, at = 0; c < 4; at += f.bits[c], ++c) {
    unsigned bits = f.bits[c];
    components[c] = bits ? fromField(element[at / 32 * stride] >> at % 32 & ones(bits), bits, numberOf(f, c)) : 0;
  }
}

void pack(const Format& f, const U32* components, unsigned count, U32* element, unsigned stride) {
  for (unsigned c = 0, at = 0; c < count && f.bits[c]; at += f.bits[c], ++c)
    element[at / 32 * stride] |= toField(components[c], f.bits[c], f.number) << at % 32;
}

U32 selected(const Format& f, const U32 (&components)[4], unsigned selector) {
  U32 one = f.integer() ? 1 : 0x3f800000;
  if (selector < 4) return selector == 1 ? one : 0;
  unsigned c = selector - 4;
  return f.bits[c] ? components[c] : c == 3 ? one : 0;
}

U32 narrowed(const Format& f, U32 value) {
  return f.integer() ? value & 0xffff : toHalf(std::bit_cast<float>(value)).bits;
}
U32 widened(const Format& f, std::uint16_t half) {
  if (f.number == Number::kSint) return static_cast<U32>(I32{static_cast<std::int16_t>(half)});
  return f.integer() ? half : std::bit_cast<U32>(toFloat(Half{half}));
}

}  // namespace hipr::softgpu::HIPR_LEVEL
