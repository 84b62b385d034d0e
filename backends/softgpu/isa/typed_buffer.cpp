// Typed buffer loads and stores: elements of 1 to 4 components in a format that the instruction (tbuffer_*) or the
// descriptor (buffer_*_format_*) names, converted from and to 32-bit or 16-bit registers.
#include <cmath>

#include "backends/softgpu/isa/buffer.h"
#include "backends/softgpu/isa/convert.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

using U32 = std::uint32_t;
using I32 = std::int32_t;

// Bits of each component, the first one lowest. Data formats 0 and 15 do not exist.
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

enum Number : unsigned { kUnorm, kSnorm, kUscaled, kSscaled, kUint, kSint, kSnormNoZero, kFloat };

struct Format {
  const std::uint8_t* bits;
  unsigned number;
  unsigned bytes = 0;

  explicit Format(unsigned code) : bits(kComponentBits[code & 15]), number(code >> 4 & 7) {
    for (unsigned c = 0; c < 4; ++c) bytes += bits[c];
    bytes /= 8;
  }
  bool integer() const { return number == kUint || number == kSint; }
};

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

U32 fromField(U32 field, unsigned bits, unsigned number) {
  float x = 0;
  switch (number) {
    case kUint:
      return field;
    case kSint:
      return static_cast<U32>(extended(field, bits));
    case kUnorm:
      x = static_cast<float>(double{static_cast<double>(field)} / ones(bits));
      break;
    case kSnorm:
    case kSnormNoZero:
      x = std::fmax(static_cast<float>(extended(field, bits) / static_cast<double>(ones(bits - 1))), -1.0f);
      break;
    case kUscaled:
      x = static_cast<float>(field);
      break;
    case kSscaled:
      x = static_cast<float>(extended(field, bits));
      break;
    case kFloat:
      x = smallFloat(field, bits);
      break;
  }
  return std::bit_cast<U32>(x);
}

U32 toField(U32 value, unsigned bits, unsigned number) {
  double x = std::bit_cast<float>(value);
  auto limited = [&](double low, double high) { return x != x ? 0.0 : x < low ? low : x > high ? high : x; };
  double top = ones(bits - 1);
  switch (number) {
    case kUnorm:
      return toU32(std::nearbyint(limited(0, 1) * ones(bits)));
    case kSnorm:
    case kSnormNoZero:
      return static_cast<U32>(toI32(std::nearbyint(limited(-1, 1) * top))) & ones(bits);
    case kUscaled:
      return toU32(limited(0, ones(bits)));
    case kSscaled:
      return static_cast<U32>(toI32(limited(-top - 1, top))) & ones(bits);
    case kFloat:
      return toSmallFloat(value, bits);
  }
  return value & ones(bits);
}

bool typedByInst(const Inst& i) {
  return allRows()[i.row].encoding == Encoding::MTBUF;
}

// What a component of the result is made of: the descriptor's selection for formats of its own, else as stored.
U32 selected(const Wave& w, const Inst& i, const Format& f, const U32* components, unsigned c) {
  unsigned selector = typedByInst(i) ? 4 + c : w.s[i.sdst + 3] >> (3 * c) & 7;
  U32 one = f.integer() ? 1 : 0x3f800000;
  if (selector < 4) return selector == 1 ? one : 0;
  c = selector - 4;
  return f.bits[c] ? components[c] : c == 3 ? one : 0;
}

U32 narrowed(const Format& f, U32 value) {
  return f.integer() ? value & 0xffff : toHalf(std::bit_cast<float>(value)).bits;
}

void load(Wave& w, const Inst& i, unsigned components, bool halves, bool high) {
  BufferDescriptor d;
  if (!w.exec() || !BufferDescriptor::read(w, i, d)) return;
  if (i.lds && (components > 1 || halves))
    return raise(w, i, FaultKind::kIllegalInstruction, "only one dword of a lane goes to LDS");
  Format f(typedByInst(i) ? i.ext : d.format);
  alignas(64) Element raw{}, out{};
  if (!loadElements(w, i, d, f.bytes, raw)) return;
  U32* row = w.row(i.dst);
  for (int l = 0; l < kLanes; ++l) {
    U32 values[4] = {};
    for (unsigned c = 0, at = 0; c < 4; at += f.bits[c], ++c)
      if (f.bits[c]) values[c] = fromField(raw[at / 32][l] >> at % 32 & ones(f.bits[c]), f.bits[c], f.number);
    for (unsigned c = 0; c < components; ++c) {
      U32 value = selected(w, i, f, values, c);
      if (halves)
        out[c / 2][l] |= narrowed(f, value) << (c % 2 * 16);
      else
        out[c][l] = value;
    }
    if (high) out[0][l] = placePart(out[0][l], Place::kHigh);
  }
  if (i.lds) return storeToLds(w, i, out[0]);
  storeMasked(w, row, out[0], halves ? (components + 1) / 2 : components);
}

void store(Wave& w, const Inst& i, unsigned components, bool halves, bool high) {
  BufferDescriptor d;
  if (!w.exec() || !BufferDescriptor::read(w, i, d)) return;
  Format f(typedByInst(i) ? i.ext : d.format);
  alignas(64) Element raw{};
  Rows row = w.row(i.src[1]);
  for (int l = 0; l < kLanes; ++l)
    for (unsigned c = 0, at = 0; c < components && f.bits[c]; at += f.bits[c], ++c) {
      U32 value = row[(halves ? c / 2 : c) * kLanes + l];
      if (halves) {
        auto half = static_cast<std::uint16_t>(value >> (high || c % 2 ? 16 : 0));
        value = !f.integer()        ? std::bit_cast<U32>(toFloat(Half{half}))
                : f.number == kSint ? static_cast<U32>(I32{static_cast<std::int16_t>(half)})
                                    : half;
      }
      raw[at / 32][l] |= toField(value, f.bits[c], f.number) << at % 32;
    }
  storeElements(w, i, d, f.bytes, raw);
}

}  // namespace

#define TYPED(prefix, name, components, halves) \
  RUN(prefix##_load_format_##name) {            \
    load(w, i, components, halves, false);      \
  }                                             \
  RUN(prefix##_store_format_##name) {           \
    store(w, i, components, halves, false);     \
  }
#define WIDTHS(prefix)            \
  TYPED(prefix, x, 1, false)      \
  TYPED(prefix, xy, 2, false)     \
  TYPED(prefix, xyz, 3, false)    \
  TYPED(prefix, xyzw, 4, false)   \
  TYPED(prefix, d16_x, 1, true)   \
  TYPED(prefix, d16_xy, 2, true)  \
  TYPED(prefix, d16_xyz, 3, true) \
  TYPED(prefix, d16_xyzw, 4, true)
WIDTHS(buffer)
WIDTHS(tbuffer)

RUN(buffer_load_format_d16_hi_x) {
  load(w, i, 1, true, true);
}
RUN(buffer_store_format_d16_hi_x) {
  store(w, i, 1, true, true);
}

}  // namespace hipr::softgpu::HIPR_LEVEL
