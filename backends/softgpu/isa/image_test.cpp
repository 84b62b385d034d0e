// Image loads, stores and atomics against plain loops: formats, dimensions, component masks, 16-bit forms, what is
// outside.
#include <gtest/gtest.h>

#include <random>

#include "backends/softgpu/isa/test_image.h"

namespace hipr::softgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr unsigned kDataFormats[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
constexpr unsigned kNumberFormats[] = {0, 1, 2, 3, 4, 5, 7, 9};
constexpr unsigned kTypes[] = {8, 9, 10, 11, 12, 13};

bool same(const TestImage& image, U32 got, U32 expected) {
  bool nans = !image.integer() && kFloatFormat.isNan(got) && kFloatFormat.isNan(expected);
  return got == expected || nans;
}

// An image of random bytes with its descriptor in s[8:15], and a lane per texel address in v[0:2].
struct Scene {
  TestImage image;
  std::vector<std::uint8_t> memory;
  std::uint8_t* bytes;
  TestWave wave;
  std::mt19937 random{7};
  unsigned place[kLanes][3] = {};

  Scene(const TestImage& shape, const std::string& assembly)
      : image(shape), memory(shape.allBytes() + 512), wave(assembledOnce(assembly)) {
    bytes = memory.data() + (256 - reinterpret_cast<U64>(memory.data()) % 256);
    for (std::uint8_t& byte : memory) byte = static_cast<std::uint8_t>(random());
    image.put(&wave->s[8], reinterpret_cast<U64>(bytes));
  }
  // Lanes inside and, every fourth one, perhaps outside. Each inside has a texel of its own if there are enough.
  void spread(bool a16 = false) {
    unsigned sizes[3] = {image.width, image.rows(), image.layers()};
    unsigned used = image.axes() + (image.layered() ? 1 : 0);
    for (unsigned l = 0; l < kLanes; ++l) {
      unsigned n = l * 7;
      for (unsigned k = 0; k < 3; n /= sizes[k], ++k) place[l][k] = n % sizes[k];
      if (l % 4 == 3) place[l][random() % 3] += random() % 3 ? 1 : 0x7ff0;
      if (l == 63) place[l][0] = a16 ? 0xffff : 0xffffffff;
      // What is no coordinate must not matter.
      const unsigned at[3] = {place[l][0], image.axes() > 1 ? place[l][1] : place[l][2], place[l][2]};
      if (image.axes() == 1) place[l][1] = 0;
      if (used < 3) place[l][2] = image.layered() ? place[l][2] : 0;
      for (unsigned k = 0; k < 3; ++k) wave.v(k, l) = k < used ? at[k] : random();
      if (a16) {
        wave.v(0, l) = at[0] | (used > 1 ? at[1] : random()) << 16;
        wave.v(1, l) = at[2] | random() << 16;
      }
    }
  }
  std::uint8_t* texel(unsigned l) {
    const unsigned* p = place[l];
    bool inside = p[0] < image.width && p[1] < image.rows() && p[2] < image.layers();
    return inside ? bytes + image.offset(p[0], p[1], p[2]) : nullptr;
  }
};

TestImage shaped(unsigned type) {
  TestImage image;
  image.type = type, image.width = 5, image.height = 3, image.depth = type == TestImage::kCube ? 7 : 4;
  image.pitch = 8;
  image.firstLayer = image.layered() ? 1 : 0;
  return image;
}

TEST(Image, LoadsEveryFormatOfEveryShape) {
  NEEDS_ASSEMBLER;
  for (unsigned type : kTypes)
    for (unsigned data : kDataFormats)
      for (unsigned number : kNumberFormats) {
        TestImage image = shaped(type);
        image.data = data, image.number = number;
        if (!image.exists()) continue;
        if (data == 3) image.selector[2] = 0, image.selector[3] = 1;
        if (data == 10) std::swap(image.selector[0], image.selector[2]);
        Scene s(image, std::string("image_load v[4:7], v[0:2], s[8:15] dmask:0xf unorm") +
                           (image.layered() ? " da" : "") + "\n image_load_mip v[8:9], v[0:3], s[8:15] dmask:0xa" +
                           (image.layered() ? " da" : ""));
        s.spread();
        ASSERT_EQ(s.wave.run(), "");
        for (unsigned l = 0; l < kLanes; ++l) {
          U32 expected[4];
          image.value(s.texel(l), expected);
          for (unsigned c = 0; c < 4; ++c)
            ASSERT_TRUE(same(image, s.wave.v(4 + c, l), expected[c]))
                << "type " << type << " format " << data << "," << number << " component " << c << " lane " << l
                << std::hex << " is " << s.wave.v(4 + c, l) << ", not " << expected[c];
          ASSERT_TRUE(same(image, s.wave.v(8, l), expected[1]) && same(image, s.wave.v(9, l), expected[3]));
        }
      }
}

TEST(Image, SixteenBits) {
  NEEDS_ASSEMBLER;
  for (unsigned type : kTypes)
    for (unsigned number : {0u, 4u, 5u, 7u}) {
      TestImage image = shaped(type);
      image.data = 12, image.number = number;
      std::string da = image.layered() ? " da" : "";
      Scene s(image, "image_load v[4:5], v[0:1], s[8:15] dmask:0xe unorm a16" + da + " d16\n" +
                         "image_load v6, v[0:1], s[8:15] dmask:0x8 a16" + da);
      s.spread(true);
      ASSERT_EQ(s.wave.run(), "");
      for (unsigned l = 0; l < kLanes; ++l) {
        U32 expected[4];
        image.value(s.texel(l), expected);
        U64 halves[4];
        for (unsigned c = 0; c < 4; ++c)
          halves[c] = image.integer() ? expected[c] & 0xffff
                                      : exactConvert(kFloatFormat, kHalfFormat, expected[c], Rounding::kNearestEven);
        auto equal = [&](U32 got, U64 want) {
          return got == want || (number == 7 && kHalfFormat.isNan(got) && kHalfFormat.isNan(want));
        };
        ASSERT_TRUE(equal(s.wave.v(4, l) & 0xffff, halves[1]) && equal(s.wave.v(4, l) >> 16, halves[2]) &&
                    equal(s.wave.v(5, l), halves[3]) && same(image, s.wave.v(6, l), expected[3]))
            << "type " << type << " number " << number << " lane " << l;
      }
    }
}

// Loads what was stored, and nothing else has changed. Without DA a layer is no coordinate.
TEST(Image, StoresComeBack) {
  NEEDS_ASSEMBLER;
  for (unsigned type : kTypes)
    for (unsigned data : kDataFormats)
      for (unsigned number : {0u, 4u, 5u, 7u}) {
        TestImage image = shaped(type);
        image.data = data, image.number = number;
        if (!image.exists()) continue;
        if (data == 10) std::rotate(image.selector, image.selector + 1, image.selector + 4);
        std::string da = image.layered() ? " da" : "";
        Scene s(image, "image_load v[4:7], v[0:2], s[8:15] dmask:0xf unorm" + da + "\n" +
                           "image_store v[4:7], v[0:2], s[16:23] dmask:0xf unorm" + da);
        s.spread();
        s.wave->setPair(kExecLo, 0x00ff00ff0ff00ff3);
        std::vector<std::uint8_t> copy(s.memory.size(), 0x5a), expected = copy;
        U64 skip = 256 - reinterpret_cast<U64>(copy.data()) % 256;
        image.put(&s.wave->s[16], reinterpret_cast<U64>(copy.data()) + skip);
        ASSERT_EQ(s.wave.run(), "");
        for (unsigned l = 0; l < kLanes; ++l)
          if (std::uint8_t* from = s.texel(l); from && s.wave->exec() >> l & 1) {
            U32 a[4], b[4];
            const std::uint8_t* to = copy.data() + skip + (from - s.bytes);
            image.value(from, a), image.value(to, b);
            for (unsigned c = 0; c < 4; ++c) ASSERT_TRUE(same(image, a[c], b[c])) << data << "," << number;
            std::memcpy(expected.data() + skip + (from - s.bytes), to, image.bytes());
          }
        ASSERT_EQ(copy, expected) << "outside the lanes' texels";
      }
}

// An array of which the instruction does not know is its first layer.
TEST(Image, LayersNeedTheirBit) {
  NEEDS_ASSEMBLER;
  Scene s(shaped(TestImage::k2dArray), "image_load v4, v[0:2], s[8:15] dmask:0x1 unorm");
  for (unsigned l = 0; l < kLanes; ++l) s.wave.v(0, l) = l % 5, s.wave.v(1, l) = l % 3, s.wave.v(2, l) = 2;
  ASSERT_EQ(s.wave.run(), "");
  for (unsigned l = 0; l < kLanes; ++l)
    ASSERT_EQ(std::memcmp(&s.wave.v(4, l), s.bytes + s.image.offset(l % 5, l % 3, 0), 4), 0);
}

TEST(Image, StoresOfSomeComponents) {
  NEEDS_ASSEMBLER;
  TestImage image = shaped(TestImage::k2d);
  image.data = 12, image.number = 5;
  Scene s(image,
          "image_store v4, v[0:1], s[8:15] dmask:0x4 unorm\n v_mov_b32 v0, 1\n"
          "image_store v[6:7], v[0:1], s[8:15] dmask:0x7 unorm d16\n"
          "image_store_pck v[8:9], v[10:11], s[8:15] dmask:0x3 unorm");
  s.wave->setPair(kExecLo, 1);
  s.wave.v(0, 0) = 3, s.wave.v(1, 0) = 2, s.wave.v(4, 0) = 0xfff1;
  s.wave.v(6, 0) = 0x80020001, s.wave.v(7, 0) = 0x12348003;
  s.wave.v(8, 0) = 0x11112222, s.wave.v(9, 0) = 0x33334444, s.wave.v(10, 0) = 4, s.wave.v(11, 0) = 0;
  ASSERT_EQ(s.wave.run(), "");
  auto texel = [&](unsigned x, unsigned y) {
    U64 value;
    std::memcpy(&value, s.bytes + image.offset(x, y, 0), 8);
    return value;
  };
  EXPECT_EQ(texel(3, 2), 0x0000fff100000000u) << "what the mask leaves out is zero";
  EXPECT_EQ(texel(1, 2), 0x0000800380020001u);
  EXPECT_EQ(texel(4, 0), 0x3333444411112222u);
}

TEST(Image, PackedLoadsAndSizes) {
  NEEDS_ASSEMBLER;
  for (unsigned data : kDataFormats) {
    TestImage image = shaped(TestImage::k2dArray);
    image.data = data, image.number = 4;
    Scene s(image,
            "image_load_pck v[4:7], v[0:2], s[8:15] dmask:0xf unorm da\n"
            "image_load_pck_sgn v8, v[0:2], s[8:15] dmask:0x1 unorm da\n"
            "image_load_mip_pck v9, v[0:3], s[8:15] dmask:0x2 unorm da\n v_mov_b32 v0, 0\n"
            "image_get_resinfo v[12:15], v0, s[8:15] dmask:0xf\n v_mov_b32 v0, 1\n"
            "image_get_resinfo v[16:19], v0, s[8:15] dmask:0xf");
    s.spread();
    ASSERT_EQ(s.wave.run(), "");
    for (unsigned l = 0; l < kLanes; ++l) {
      U32 raw[4] = {};
      if (std::uint8_t* from = s.texel(l)) std::memcpy(raw, from, image.bytes());
      for (unsigned c = 0; c < 4; ++c) ASSERT_EQ(s.wave.v(4 + c, l), raw[c]) << data;
      U32 extended = image.bytes() == 1   ? static_cast<U32>(static_cast<std::int8_t>(raw[0]))
                     : image.bytes() == 2 ? static_cast<U32>(static_cast<std::int16_t>(raw[0]))
                                          : raw[0];
      ASSERT_EQ(s.wave.v(8, l), extended);
      ASSERT_EQ(s.wave.v(9, l), raw[1]);
      const U32 kSizes[] = {5, 3, 3, 1, 0, 0, 0, 1};  // there is no second level
      for (unsigned c = 0; c < 8; ++c) ASSERT_EQ(s.wave.v(12 + c, l), kSizes[c]);
    }
  }
}

TEST(Image, AtomicsOutsideAndWithOtherMasks) {
  NEEDS_ASSEMBLER;
  TestImage image;
  image.width = 32, image.number = 4;
  Scene s(image,
          "image_atomic_add v4, v0, s[8:15] dmask:0x1 unorm glc\n"
          "image_atomic_or v5, v0, s[8:15] dmask:0x1 unorm");
  s.wave->setPair(kExecLo, 0xffffffff0000fffe);
  U32 before[32];
  std::memcpy(before, s.bytes, sizeof before);
  for (unsigned l = 0; l < kLanes; ++l) s.wave.v(0, l) = l, s.wave.v(4, l) = 5, s.wave.v(5, l) = 1;
  ASSERT_EQ(s.wave.run(), "");
  for (unsigned l = 0; l < kLanes; ++l) {
    bool active = s.wave->exec() >> l & 1;
    ASSERT_EQ(s.wave.v(4, l), !active ? 5 : l < 32 ? before[l] : 0) << l;
    ASSERT_EQ(s.wave.v(5, l), 1u);
    if (l >= 32) continue;
    U32 now;
    std::memcpy(&now, s.bytes + 4 * l, 4);
    ASSERT_EQ(now, active ? (before[l] + 5) | 1 : before[l]) << l;
  }
  for (unsigned data : {4u, 11u, 10u, 14u}) {
    image.data = data;
    for (const char* mask : {"v4, v0, s[8:15] dmask:0x1", "v[4:5], v0, s[8:15] dmask:0x3"}) {
      Scene other(image, std::string("image_atomic_add ") + mask);
      bool fits = std::string(mask).ends_with("1") ? data == 4 : data == 11;
      EXPECT_EQ(other.wave.run().find("32 or 64 bits") == std::string::npos, fits) << data << " " << mask;
    }
  }
}

}  // namespace
}  // namespace hipr::softgpu
