// Image loads, stores and atomics against plain loops: formats, dimensions, component masks, 16-bit forms, what is
// outside, and descriptors that no program should have.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "backends/softgpu/isa/test_image.h"
#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr unsigned kDataFormats[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
constexpr unsigned kNumberFormats[] = {0, 1, 2, 3, 4, 5, 7, 9};
constexpr unsigned kTypes[] = {8, 9, 10, 11, 12, 13};

bool exists(unsigned data, unsigned number) {
  TestImage image;
  image.data = data;
  for (unsigned bits : image.bits()) {
    if (number == 7 && bits < 10) return false;
    if (number == 9 && bits != 8) return false;
  }
  return true;
}
bool same(const TestImage& image, U32 got, U32 expected) {
  bool nans = !image.integer() && kFloatFormat.isNan(got) && kFloatFormat.isNan(expected);
  return got == expected || nans;
}

// Most scenes differ in their images only.
const std::vector<U32>& assembled(const std::string& source) {
  static std::map<std::string, std::vector<U32>> known;
  std::vector<U32>& code = known[source];
  if (code.empty()) code = assemble(source);
  return code;
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
      : image(shape), memory(shape.allBytes() + 512), wave(assembled(assembly)) {
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
        if (!exists(data, number)) continue;
        TestImage image = shaped(type);
        image.data = data, image.number = number;
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
        if (!exists(data, number)) continue;
        TestImage image = shaped(type);
        image.data = data, image.number = number;
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

// A texel that is not in memory is a fault of its lane; nothing is written then, and nothing is read when no lane is
// on.
TEST(Image, OutOfMemory) {
  NEEDS_ASSEMBLER;
  for (const char* line : {"image_load v4, v0, s[8:15] dmask:0x1 unorm", "image_store v4, v0, s[8:15] dmask:0x1 unorm",
                           "image_atomic_add v4, v0, s[8:15] dmask:0x1 unorm glc",
                           "image_sample v4, v0, s[8:15], s[16:19] dmask:0x1 unorm"}) {
    TestWave wave(assemble(line), Gpu::kGfx90a, 0, TestWave::Memory::kClosed);
    U64 base = (wave.buffer() + 255) / 256 * 256, room = (wave.buffer() + 8192 - base) / 4;
    TestImage image;
    image.width = 16384, image.number = 4;
    image.put(&wave->s[8], base);
    TestSampler{}.put(&wave->s[16]);
    bool sample = std::string(line).find("sample") != std::string::npos;
    for (unsigned l = 0; l < kLanes; ++l) {
      U32 x = l == 37 ? static_cast<U32>(room) : l;
      wave.v(0, l) = sample ? std::bit_cast<U32>(static_cast<float>(x)) : x;
      wave.v(4, l) = 77;
    }
    wave->setPair(kExecLo, 0);
    wave->ip = wave->code->at(wave->code->region().begin);
    ASSERT_EQ(wave.run(), "");
    wave->setPair(kExecLo, ~0ull);
    wave->ip = wave->code->at(wave->code->region().begin);
    EXPECT_NE(wave.run(), "") << line;
    ASSERT_TRUE(wave.fault());
    EXPECT_EQ(wave.fault()->kind, FaultKind::kMemory);
    EXPECT_EQ(wave.fault()->lane, 37);
    EXPECT_EQ(wave.fault()->address, base + 4 * room);
    for (unsigned l = 0; l < kLanes; ++l) ASSERT_EQ(wave.v(4, l), 77u);
    for (unsigned k = 0; k < 64; ++k) ASSERT_EQ(reinterpret_cast<const U32*>(base)[k], 0u) << "was written";
  }
}

TEST(Image, DescriptorsThatAreNotSupported) {
  NEEDS_ASSEMBLER;
  auto fault = [](const std::string& line, unsigned word, U32 value, U32 mask) {
    TestImage image = shaped(TestImage::k2dArray);
    Scene s(image, line);
    U32& w = s.wave->s[8 + word];
    w = (w & ~mask) | value;
    return s.wave.run();
  };
  for (const char* line :
       {"image_load v4, v[0:2], s[8:15] dmask:0x1 unorm da", "image_sample v4, v[0:2], s[8:15], s[16:19] dmask:0x1 da",
        "image_get_resinfo v4, v0, s[8:15] dmask:0x1"}) {
    auto names = [&](unsigned word, U32 value, U32 mask, const char* text) {
      EXPECT_NE(fault(line, word, value, mask).find(text), std::string::npos) << line << ": " << text;
    };
    EXPECT_EQ(fault(line, 6, ~0u, 0), "") << "words that nothing here needs";
    for (U32 type : {0u, 7u, 14u, 15u}) names(3, type << 28, 15u << 28, "type");
    for (U32 mode : {1u, 9u, 31u}) names(3, mode << 20, 31u << 20, "not linear");
    names(3, 1 << 12, 0, "mip levels");
    names(3, 1 << 16, 0, "mip levels");
    for (U32 data : {0u, 15u, 16u, 63u}) names(1, data << 20, 63u << 20, "format");
    for (U32 number : {8u, 9u, 10u, 15u}) names(1, number << 26, 15u << 26, "format");
    names(1, 1 << 20, 63u << 20, "format");  // floats of 8 bits
    names(5, 4, 0x1fff, "without layers");
  }
  TestImage image;
  Scene s(image, "image_load v4, v0, s[92:99] dmask:0x1");
  image.put(&s.wave->s[92], reinterpret_cast<U64>(s.bytes));
  EXPECT_EQ(s.wave.run(), "");
  std::vector<U32> code = assembled("image_load v4, v0, s[92:99] dmask:0x1");
  code[1] |= 31 << 16;
  EXPECT_NE(TestWave(code).run().find("out of the registers"), std::string::npos);
  image.number = 9, image.data = 10;
  Scene srgb(image, "image_store v4, v0, s[8:15] dmask:0x1");
  EXPECT_NE(srgb.wave.run().find("sRGB"), std::string::npos);
  EXPECT_NE(TestWave(assemble("image_load v4, v0, s[8:15] dmask:0x1"), Gpu::kGfx942).run().find("illegal"),
            std::string::npos);
}

// Whatever the words say, only memory that there is is touched; a sanitizer would notice.
TEST(Image, HostileDescriptors) {
  NEEDS_ASSEMBLER;
  std::vector<U32> code = assemble(
      "image_load v[4:7], v[0:2], s[8:15] dmask:0xf unorm da\n image_store v[4:7], v[0:2], s[8:15] dmask:0xf unorm da\n"
      "image_atomic_add v4, v[0:2], s[8:15] dmask:0x1 unorm glc da\n"
      "image_sample v[4:7], v[0:2], s[8:15], s[16:19] dmask:0xf da\n image_get_resinfo v[4:7], v0, s[8:15] dmask:0xf");
  std::mt19937 random(11);
  unsigned clean = 0;
  for (int turn = 0; turn < 2000; ++turn) {
    TestWave wave(code, Gpu::kGfx90a, 0, TestWave::Memory::kClosed);
    for (unsigned k = 0; k < 12; ++k) wave->s[8 + k] = static_cast<U32>(random());
    U64 base = (wave.buffer() + 255) / 256 * 256;
    if (turn % 4) {  // somewhere near the buffer, and of a kind that there is
      U64 near = (base >> 8) + random() % 4 - 1;
      wave->s[8] = static_cast<U32>(near);
      wave->s[9] = static_cast<U32>(near >> 32) | kDataFormats[random() % 14] << 20 | (random() % 8) << 26;
      wave->s[11] = (wave->s[11] & 0xfff) | kTypes[random() % 6] << 28;
      if (turn % 2)
        wave->s[10] = random() % 8 | (random() % 8) << 14, wave->s[12] = random() % 4 | 7 << 13, wave->s[13] = 0;
    }
    for (unsigned k = 0; k < 3; ++k)
      for (unsigned l = 0; l < kLanes; ++l)
        wave.v(k, l) = turn % 3 ? random() % 4 : random() % 2 ? random() : std::bit_cast<U32>(random() % 100 / 50.0f);
    clean += wave.run().empty();
    FaultKind kind = wave.fault() ? wave.fault()->kind : FaultKind::kMemory;
    ASSERT_TRUE(kind == FaultKind::kMemory || kind == FaultKind::kIllegalInstruction);
  }
  EXPECT_GT(clean, 20u);
}

}  // namespace
}  // namespace hipr::softgpu
