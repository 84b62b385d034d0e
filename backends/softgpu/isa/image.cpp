#include "backends/softgpu/isa/image.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

using U32 = std::uint32_t;

enum Type : unsigned { k1d = 8, k2d, k3d, kCube, k1dArray, k2dArray };

constexpr unsigned kDescriptor = 8;  // dwords

U32 field(const U32* words, unsigned word, unsigned low, unsigned count) {
  return words[word] >> low & ((1u << count) - 1);
}

const char* wrongWith(const U32* words, const Image& image, unsigned type, U32 lastLayer) {
  if (type < k1d || type > k2dArray) return "image descriptor of an unknown or multisampled type";
  if (field(words, 3, 20, 5)) return "image descriptor that is not linear";
  if (field(words, 3, 12, 8)) return "image descriptor with mip levels";
  if (!image.format.exists()) return "image descriptor with a format that is not supported";
  if (image.layered && image.firstLayer > lastLayer) return "image descriptor without layers";
  return nullptr;
}

}  // namespace

bool Image::read(Wave& w, const Inst& i, Image& image) {
  const U32* words = &w.s[i.sdst];
  if (i.sdst + kDescriptor > kFlatScratchLo) {
    raise(w, i, FaultKind::kIllegalInstruction, "image descriptor out of the registers");
    return false;
  }
  unsigned type = field(words, 3, 28, 4);
  U32 last = field(words, 4, 0, 13);  // slice or layer
  image.base = (std::uint64_t{words[0]} | std::uint64_t{field(words, 1, 0, 8)} << 32) << 8;
  image.pitch = field(words, 4, 13, 16) + 1;
  image.format = Format(field(words, 1, 20, 6), static_cast<Number>(field(words, 1, 26, 4)));
  image.cube = type == kCube;
  image.layered = type >= kCube;
  image.axes = type == k3d ? 3 : type == k1d || type == k1dArray ? 1 : 2;
  image.firstLayer = image.layered ? field(words, 5, 0, 13) : 0;
  image.size[0] = field(words, 2, 0, 14) + 1;
  image.size[1] = image.axes > 1 ? field(words, 2, 14, 14) + 1 : 1;
  image.size[2] = image.layered || type == k3d ? last - image.firstLayer + 1 : 1;
  image.rows = image.size[1];
  for (unsigned c = 0; c < 4; ++c) image.selector[c] = static_cast<std::uint8_t>(field(words, 3, 3 * c, 3));
  const char* wrong = wrongWith(words, image, type, last);
  if (wrong) raise(w, i, FaultKind::kIllegalInstruction, wrong);
  return !wrong;
}

void texelAddresses(Wave& w, const Inst& i, const Image& image, Addresses& a) {
  std::uint64_t inside = 0;
  for (std::uint64_t left = w.exec(); left; left &= left - 1) {
    int l = std::countr_zero(left);
    U32 place[3] = {};
    for (unsigned n = 0; n < image.axes; ++n) place[n] = coordinate(w, i, n, l);
    if (hasLayer(i, image)) place[2] = coordinate(w, i, image.axes, l);
    if (place[0] >= image.size[0] || place[1] >= image.size[1] || place[2] >= image.size[2]) continue;
    inside |= 1ull << l;
    a.at[l] = image.address(place[0], place[1], place[2]);
  }
  a.active = inside;
  if (inside) repeatActive(a);
}

// The fixed sizes make the copies single moves, which other waves see whole.
void readTexel(std::uint64_t at, unsigned bytes, U32 (&texel)[4]) {
  const auto* from = reinterpret_cast<const char*>(at);
  switch (bytes) {
    case 1:
      std::memcpy(texel, from, 1);
      break;
    case 2:
      std::memcpy(texel, from, 2);
      break;
    case 4:
      std::memcpy(texel, from, 4);
      break;
    case 8:
      std::memcpy(texel, from, 8);
      break;
    case 12:
      std::memcpy(texel, from, 12);
      break;
    case 16:
      std::memcpy(texel, from, 16);
      break;
  }
}
void writeTexel(std::uint64_t at, unsigned bytes, const U32 (&texel)[4]) {
  auto* to = reinterpret_cast<char*>(at);
  switch (bytes) {
    case 1:
      std::memcpy(to, texel, 1);
      break;
    case 2:
      std::memcpy(to, texel, 2);
      break;
    case 4:
      std::memcpy(to, texel, 4);
      break;
    case 8:
      std::memcpy(to, texel, 8);
      break;
    case 12:
      std::memcpy(to, texel, 12);
      break;
    case 16:
      std::memcpy(to, texel, 16);
      break;
  }
}

unsigned componentMask(const Inst& i) {
  unsigned mask = i.ext & kImageMask;
  return mask ? mask : 1;
}

void deliver(const Inst& i, const Format& f, const U32 (&values)[4], int lane, Components& to) {
  unsigned n = 0;
  for (unsigned left = componentMask(i); left; left &= left - 1, ++n) {
    U32 value = values[std::countr_zero(left)];
    if (!(i.ext & kImageD16))
      to[n][lane] = value;
    else
      to[n / 2][lane] |= narrowed(f, value) << (n % 2 * 16);
  }
}

void collect(const Wave& w, const Inst& i, const Format& f, int lane, U32 (&values)[4]) {
  Rows row = w.row(i.src[1]) + lane;
  unsigned n = 0;
  for (unsigned left = componentMask(i); left; left &= left - 1, ++n) {
    U32& value = values[std::countr_zero(left)];
    if (!(i.ext & kImageD16))
      value = row[n * kLanes];
    else
      value = widened(f, static_cast<std::uint16_t>(row[n / 2 * kLanes] >> (n % 2 * 16)));
  }
}

void finish(Wave& w, const Inst& i, const Components& values) {
  auto count = static_cast<unsigned>(std::popcount(componentMask(i)));
  storeMasked(w, w.row(i.dst), values[0], i.ext & kImageD16 ? (count + 1) / 2 : count);
}

}  // namespace hipr::softgpu::HIPR_LEVEL
