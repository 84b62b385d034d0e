// For tests: descriptors of images and samplers, and what a texel should be, from the formats' definitions.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "backends/softgpu/isa/exact.h"
#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {

struct TestImage {
  static constexpr unsigned k1d = 8, k2d = 9, k3d = 10, kCube = 11, k1dArray = 12, k2dArray = 13;
  unsigned type = k1d;
  unsigned width = 1, height = 1, depth = 1;  // slices, or all layers with those before the first
  unsigned firstLayer = 0;
  unsigned pitch = 0;  // texels; 0: the width
  unsigned data = 4, number = 7;
  unsigned selector[4] = {4, 5, 6, 7};

  unsigned axes() const { return type == k3d ? 3 : type == k1d || type == k1dArray ? 1 : 2; }
  bool layered() const { return type >= kCube; }
  unsigned rows() const { return axes() > 1 ? height : 1; }
  unsigned layers() const { return layered() || type == k3d ? depth - firstLayer : 1; }
  unsigned rowTexels() const { return pitch ? pitch : width; }

  // REQUIRES: `base` is a multiple of 256.
  void put(std::uint32_t* words, std::uint64_t base) const {
    words[0] = static_cast<std::uint32_t>(base >> 8);
    words[1] = static_cast<std::uint32_t>(base >> 40) | data << 20 | number << 26;
    words[2] = (width - 1) | (height - 1) << 14;
    words[3] = selector[0] | selector[1] << 3 | selector[2] << 6 | selector[3] << 9 | type << 28;
    words[4] = (depth - 1) | (rowTexels() - 1) << 13;
    words[5] = firstLayer;
    words[6] = words[7] = 0;
  }

  std::vector<unsigned> bits() const {
    const std::vector<unsigned> kBits[] = {{},
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
                                           {32, 32, 32, 32}};
    return kBits[data];
  }
  bool exists() const {  // floats have 10 bits at least, sRGB has 8
    for (unsigned width : bits())
      if ((number == 7 && width < 10) || (number == 9 && width != 8)) return false;
    return true;
  }
  unsigned bytes() const {
    unsigned sum = 0;
    for (unsigned b : bits()) sum += b;
    return sum / 8;
  }
  std::size_t allBytes() const { return std::size_t{rowTexels()} * rows() * depth * bytes(); }
  std::size_t offset(unsigned x, unsigned y, unsigned z) const {
    return ((std::size_t{z + firstLayer} * rows() + y) * rowTexels() + x) * bytes();
  }
  bool integer() const { return number == 4 || number == 5; }
  std::uint32_t one() const { return integer() ? 1 : 0x3f800000; }

  // What a load gives of the bytes at `texel`, or of zeros.
  void value(const std::uint8_t* texel, std::uint32_t (&values)[4]) const {
    unsigned __int128 all = 0;
    if (texel) std::memcpy(&all, texel, bytes());
    std::uint32_t components[4] = {0, 0, 0, one()};
    unsigned c = 0;
    for (unsigned width : bits()) {
      components[c] = converted(static_cast<std::uint64_t>(all) & ((1ull << width) - 1), width, c);
      all >>= width, ++c;
    }
    for (c = 0; c < 4; ++c) values[c] = selector[c] >= 4 ? components[selector[c] - 4] : selector[c] == 1 ? one() : 0;
  }

 private:
  std::uint32_t converted(std::uint64_t field, unsigned width, unsigned component) const {
    auto top = static_cast<long double>((1ull << width) - 1),
         half = static_cast<long double>((1ull << (width - 1)) - 1);
    auto plain = static_cast<long double>(field);
    auto sign = static_cast<std::int64_t>(field << (64 - width)) >> (64 - width);
    auto bitsOf = [](long double x) { return std::bit_cast<std::uint32_t>(static_cast<float>(x)); };
    switch (number) {
      case 1:
        return bitsOf(std::max(static_cast<long double>(sign) / half, -1.0L));
      case 2:
        return bitsOf(plain);
      case 3:
        return bitsOf(static_cast<long double>(sign));
      case 4:
        return static_cast<std::uint32_t>(field);
      case 5:
        return static_cast<std::uint32_t>(sign);
      case 7: {
        FloatFormat f = width == 32 ? kFloatFormat : width == 16 ? kHalfFormat : FloatFormat{5, width - 5};
        return static_cast<std::uint32_t>(exactConvert(f, kFloatFormat, field, Rounding::kNearestEven));
      }
      case 9: {
        long double x = plain / 255;
        if (component < 3) x = x <= 0.04045L ? x / 12.92L : powl((x + 0.055L) / 1.055L, 2.4L);
        return bitsOf(x);
      }
    }
    return bitsOf(plain / top);
  }
};

// Most images differ in their descriptors only.
inline const std::vector<std::uint32_t>& assembledOnce(const std::string& source) {
  static std::map<std::string, std::vector<std::uint32_t>> known;
  std::vector<std::uint32_t>& code = known[source];
  if (code.empty()) code = assemble(source);
  return code;
}

struct TestSampler {
  unsigned clamp[3] = {2, 2, 2};
  bool linear = false;
  bool unnormalized = false;
  bool truncates = false;
  unsigned depthFilter = 0;
  unsigned border = 0;

  void put(std::uint32_t* words) const {
    words[0] = clamp[0] | clamp[1] << 3 | clamp[2] << 6 | (unnormalized ? 1u << 15 : 0) | (truncates ? 1u << 27 : 0);
    words[1] = 0xfff << 12;
    words[2] = (linear ? 5u << 20 : 0) | depthFilter << 24;
    words[3] = border << 30;
  }
};

}  // namespace hipr::softgpu
