// image_sample: texels near a floating point coordinate, as a sampler (S#) says. Coordinates become fixed-point with 8
// bits after the point, as in hardware; the device library relies on that (docs/softgpu.md). Texels and weights are
// multiplied and added as doubles, and rounded once.
#include <cmath>

#include "backends/softgpu/isa/image.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

using U32 = std::uint32_t;
using I64 = std::int64_t;

constexpr int kFraction = 8;
constexpr I64 kOne = I64{1} << kFraction;
constexpr I64 kBorder = -1;  // the index of what is not in the image

// What to do with coordinates outside the image. The odd ones mirror at zero first.
enum Clamp : unsigned { kWrap, kMirror, kEdge, kMirrorEdge, kHalfBorder, kMirrorHalfBorder, kBorderColour };

struct Sampler {
  unsigned clamp[3];
  bool unnormalized;
  bool truncates;  // point coordinates are cut off, not rounded, to 8 bits
  bool linear[3];
  U32 border[4];

  static bool read(Wave& w, const Inst& i, const Image& image, Sampler& s);
};

bool Sampler::read(Wave& w, const Inst& i, const Image& image, Sampler& s) {
  const U32* word = &w.s[i.src[2]];
  if (i.src[2] + 4 > kFlatScratchLo) {
    raise(w, i, FaultKind::kIllegalInstruction, "sampler descriptor out of the registers");
    return false;
  }
  for (unsigned n = 0; n < 3; ++n) s.clamp[n] = image.cube ? kEdge : word[0] >> 3 * n & 7;
  s.unnormalized = (word[0] >> 15 & 1) || (i.ext & kImageUnnormalized);
  s.truncates = word[0] >> 27 & 1;
  // Filters for enlarging are the only ones that count where there is one level. Integers are not mixed. No filter in
  // Z is the one of X and Y: AMD's runtime asks for that, and means all three axes.
  bool plane = (word[2] >> 20 & 1) && !image.format.integer();
  unsigned depth = word[2] >> 24 & 3;
  s.linear[0] = s.linear[1] = plane;
  s.linear[2] = depth == 0 ? plane : depth == 2 && !image.format.integer();
  U32 one = image.format.integer() ? 1 : 0x3f800000;
  unsigned type = word[3] >> 30;  // transparent black, opaque black, white; from memory: as the first
  for (unsigned c = 0; c < 4; ++c) s.border[c] = type == 2 || (type == 1 && c == 3) ? one : 0;
  return true;
}

// Two neighbours along an axis, and how much of the second one there is.
struct Taps {
  I64 index[2];
  I64 second;  // of kOne
};

I64 inRange(I64 index, I64 size, unsigned clamp) {
  if (clamp == kWrap) {
    index %= size;
    return index < 0 ? index + size : index;
  }
  if (clamp == kMirror) {
    index %= 2 * size;
    if (index < 0) index += 2 * size;
    return index < size ? index : 2 * size - 1 - index;
  }
  if (clamp % 2 && index < 0) index = -1 - index;
  if (index >= 0 && index < size) return index;
  return clamp >= kHalfBorder ? kBorder : index < 0 ? 0 : size - 1;
}

// REQUIRES: size <= 2^14, which makes `position` exact.
Taps tapsOf(double position, I64 size, unsigned clamp, bool linear, bool truncates) {
  constexpr double kFar = 0x1p30;
  double p = position;
  if (clamp <= kMirror && !(p > -kFar && p < kFar)) p = std::fmod(p, static_cast<double>(2 * size));  // NaN if infinite
  p = p != p ? 0 : p < -kFar ? -kFar : p > kFar ? kFar : p;
  double scaled = p * kOne;
  auto fixed = static_cast<I64>(truncates && !linear ? std::floor(scaled) : __builtin_roundeven(scaled));
  if (clamp == kHalfBorder || clamp == kMirrorHalfBorder) {  // as far as the middle between the edge and the border
    if (clamp % 2 && fixed < 0) fixed = -fixed;
    I64 end = linear ? size * kOne : size * kOne - 1;
    fixed = fixed < 0 ? 0 : fixed > end ? end : fixed;
  }
  if (linear) fixed -= kOne / 2;
  I64 low = fixed >> kFraction;
  return {{inRange(low, size, clamp), inRange(low + 1, size, clamp)}, linear ? fixed & (kOne - 1) : 0};
}

// The nearest layer; of a cube array, faces come eight by eight and are stored six by six.
I64 layerOf(const Image& image, float coordinate) {
  double layer = __builtin_roundeven(coordinate);
  I64 last = I64{image.size[2]} - 1;
  I64 n = !(layer > 0) ? 0 : layer > 0x1p20 ? I64{1} << 20 : static_cast<I64>(layer);
  if (image.cube) n = n / 8 * 6 + (n % 8 < 5 ? n % 8 : 5);
  return n < last ? n : last;
}

class Sampling {
 public:
  Sampling(Wave& w, const Inst& i, const Image& image, const Sampler& sampler)
      : wave_(w), inst_(i), image_(image), sampler_(sampler) {}

  // False after raising a fault.
  bool lane(int l, U32 (&values)[4]) {
    Taps taps[3] = {{{0, 0}, 0}, {{0, 0}, 0}, {{0, 0}, 0}};
    for (unsigned n = 0; n < image_.axes; ++n) {
      double position = coordinateOf(n, l);
      if (!sampler_.unnormalized) position *= image_.size[n];
      taps[n] = tapsOf(position, image_.size[n], sampler_.clamp[n], sampler_.linear[n], sampler_.truncates);
    }
    if (hasLayer(inst_, image_)) taps[2].index[0] = layerOf(image_, coordinateOf(image_.axes, l));
    if (!taps[0].second && !taps[1].second && !taps[2].second) return fetch(taps, 0, l, values);
    double sums[4] = {};
    for (unsigned corner = 0; corner < 8; ++corner) {
      double weight = 1;  // a corner without weight is not looked at, nor has its infinity a part
      for (unsigned n = 0; n < 3; ++n) {
        I64 second = taps[n].second;
        weight *= static_cast<double>(corner >> n & 1 ? second : kOne - second) / kOne;
      }
      if (weight == 0) continue;
      if (!fetch(taps, corner, l, values)) return false;
      for (unsigned c = 0; c < 4; ++c) sums[c] += weight * std::bit_cast<float>(values[c]);
    }
    for (unsigned c = 0; c < 4; ++c) values[c] = std::bit_cast<U32>(static_cast<float>(sums[c]));
    return true;
  }

 private:
  float coordinateOf(unsigned n, int l) const {
    U32 bits = coordinate(wave_, inst_, n, l);
    return inst_.ext & kImageA16 ? toFloat(Half{static_cast<std::uint16_t>(bits)}) : std::bit_cast<float>(bits);
  }

  bool fetch(const Taps (&taps)[3], unsigned corner, int l, U32 (&values)[4]) {
    I64 at[3];
    bool border = false;
    for (unsigned n = 0; n < 3; ++n) {
      at[n] = taps[n].index[corner >> n & 1];
      border |= at[n] == kBorder;
    }
    U32 components[4];
    if (!border) {
      U32 texel[4] = {};
      if (!read(at, l, texel)) return false;
      unpack(image_.format, texel, 1, components);
    }
    for (unsigned c = 0; c < 4; ++c) {
      unsigned selector = image_.selector[c];
      values[c] = border && selector >= 4 ? sampler_.border[c] : selected(image_.format, components, selector);
    }
    return true;
  }

  // Texels of a sample, and of neighbouring lanes, are mostly in one region.
  bool read(const I64 (&at)[3], int l, U32 (&texel)[4]) {
    std::uint64_t address = image_.address(static_cast<std::uint64_t>(at[0]), static_cast<std::uint64_t>(at[1]),
                                           static_cast<std::uint64_t>(at[2]));
    unsigned bytes = image_.format.bytes;
    if (address < region_.begin || address >= region_.end || bytes > region_.end - address) {
      const Region* found = reachable(wave_, address, bytes);
      if (!found) {
        raise(wave_, inst_, FaultKind::kMemory, "memory access fault", l, address);
        return false;
      }
      region_ = *found;
    }
    readTexel(address + region_.shift, bytes, texel);
    return true;
  }

  Wave& wave_;
  const Inst& inst_;
  const Image& image_;
  const Sampler& sampler_;
  Region region_{};
};

}  // namespace

RUN(image_sample) {
  Image image;
  Sampler sampler;
  if (!w.exec() || !Image::read(w, i, image) || !Sampler::read(w, i, image, sampler)) return;
  Sampling sampling(w, i, image, sampler);
  alignas(64) Components out{};
  for (std::uint64_t left = w.exec(); left; left &= left - 1) {
    int l = std::countr_zero(left);
    U32 values[4];
    if (!sampling.lane(l, values)) return;
    deliver(i, image.format, values, l, out);
  }
  finish(w, i, out);
}

}  // namespace hipr::softgpu::HIPR_LEVEL
