// Image loads, stores and atomics, by integer coordinates. Samples: image_sample.cpp.
#include "backends/softgpu/isa/buffer.h"
#include "backends/softgpu/isa/image.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

// The _pck forms move the dwords of a texel as they are.
enum class Texel : std::uint8_t { kConverted, kRaw, kRawSigned };

void load(Wave& w, const Inst& i, Texel texel) {
  Image image;
  if (!w.exec() || !Image::read(w, i, image)) return;
  Addresses a;
  texelAddresses(w, i, image, a);
  unsigned bytes = image.format.bytes;
  if (a.active && !checkAll(w, i, a, bytes)) return;
  alignas(64) Components out{};
  for (std::uint64_t left = w.exec(); left; left &= left - 1) {
    int l = std::countr_zero(left);
    U32 raw[4] = {}, components[4], values[4];  // outside the image all bits of a texel are zero
    if (a.active >> l & 1) readTexel(a.at[l], bytes, raw);
    if (texel == Texel::kConverted) {
      unpack(image.format, raw, 1, components);
      for (unsigned c = 0; c < 4; ++c) values[c] = selected(image.format, components, image.selector[c]);
      deliver(i, image.format, values, l, out);
      continue;
    }
    unsigned unused = bytes < 4 ? 32 - 8 * bytes : 0;
    if (texel == Texel::kRawSigned) raw[0] = static_cast<U32>(static_cast<std::int32_t>(raw[0] << unused) >> unused);
    deliver(i, image.format, raw, l, out);
  }
  finish(w, i, out);
}

// The selection of a store is that of a load turned round: a component of memory gets the one that a load would make of
// it. Components that DMASK leaves out are zero.
void turned(const Image& image, const U32 (&values)[4], U32 (&components)[4]) {
  for (unsigned c = 4; c-- > 0;)
    if (image.selector[c] >= 4) components[image.selector[c] - 4] = values[c];
}

void store(Wave& w, const Inst& i, Texel texel) {
  Image image;
  if (!w.exec() || !Image::read(w, i, image)) return;
  if (texel == Texel::kConverted && image.format.number == Number::kSrgb)
    return raise(w, i, FaultKind::kIllegalInstruction, "sRGB images can be read only");
  Addresses a;
  texelAddresses(w, i, image, a);
  unsigned bytes = image.format.bytes;
  if (!a.active || !checkAll(w, i, a, bytes)) return;
  for (std::uint64_t left = a.active; left; left &= left - 1) {
    int l = std::countr_zero(left);
    U32 values[4] = {}, components[4] = {}, raw[4] = {};
    collect(w, i, image.format, l, values);
    if (texel == Texel::kConverted) {
      turned(image, values, components);
      pack(image.format, components, 4, raw, 1);
    }
    writeTexel(a.at[l], bytes, texel == Texel::kConverted ? raw : values);
  }
}

// Width, height, slices or layers, levels.
void describe(Wave& w, const Inst& i) {
  Image image;
  if (!w.exec() || !Image::read(w, i, image)) return;
  alignas(64) Components out{};
  for (std::uint64_t left = w.exec(); left; left &= left - 1) {
    int l = std::countr_zero(left);
    U32 values[4] = {0, 0, 0, 1};
    if (coordinate(w, i, 0, l) == 0) std::memcpy(values, image.size, sizeof image.size);
    deliver(i, image.format, values, l, out);
  }
  finish(w, i, out);
}

template <class Op, class T, bool kCompare>
void modifyTexels(Wave& w, const Inst& i, const Image& image) {
  Addresses a;
  texelAddresses(w, i, image, a);
  U32* data = w.row(i.src[1]);
  if (a.active) runAtomic<Op, T>(w, i, a, data, kCompare, i.glc ? data : nullptr);
  if (i.glc) zeroOutside(w, a.active, data, sizeof(T) / 4);
}

// DMASK names the dwords of the operands, and so the size of the cell.
template <class Op, bool kCompare>
void modify(Wave& w, const Inst& i) {
  Image image;
  if (!w.exec() || !Image::read(w, i, image)) return;
  constexpr unsigned kNarrow = kCompare ? 3 : 1, kWide = kCompare ? 15 : 3;
  unsigned mask = componentMask(i), dwords = image.format.bytes / 4;
  bool plain = image.format.bits[0] == 32 && !(i.ext & kImageD16);
  if (plain && mask == kNarrow && dwords == 1) return modifyTexels<Op, U32, kCompare>(w, i, image);
  if (plain && mask == kWide && dwords == 2) return modifyTexels<Op, U64, kCompare>(w, i, image);
  raise(w, i, FaultKind::kIllegalInstruction, "image atomic whose format or mask has other than 32 or 64 bits");
}

}  // namespace

// There is one level, so what the _mip forms say about it does not matter.
#define PLAIN_AND_MIP(action, form, texel) \
  RUN(image_##action##form) {              \
    action(w, i, Texel::texel);            \
  }                                        \
  RUN(image_##action##_mip##form) {        \
    action(w, i, Texel::texel);            \
  }
PLAIN_AND_MIP(load, , kConverted)
PLAIN_AND_MIP(load, _pck, kRaw)
PLAIN_AND_MIP(load, _pck_sgn, kRawSigned)
PLAIN_AND_MIP(store, , kConverted)
PLAIN_AND_MIP(store, _pck, kRaw)

RUN(image_get_resinfo) {
  describe(w, i);
}

#define ATOMIC(name, op, compare)      \
  RUN(image_atomic_##name) {           \
    modify<atomic::op, compare>(w, i); \
  }
INTEGER_ATOMICS(ATOMIC)

}  // namespace hipr::softgpu::HIPR_LEVEL
