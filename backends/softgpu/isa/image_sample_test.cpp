// image_sample against plain loops that follow the definitions: every shape, clamp mode and filter, over coordinates at
// and around texels' edges, far away, and no numbers at all.
#include <gtest/gtest.h>

#include <random>

#include "backends/softgpu/isa/test_image.h"

namespace hipr::softgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr unsigned kTypes[] = {8, 9, 10, 11, 12, 13};

// --- The model. Texels are counted over the whole line of integers; what one beyond the image stands for is a matter
// of the clamp mode, step by step.

constexpr int kNone = -1;  // border

int standsFor(int n, int size, unsigned clamp) {
  switch (clamp) {
    case 0:
      while (n < 0) n += size;
      while (n >= size) n -= size;
      return n;
    case 1:
      while (n < 0 || n >= size) n = n < 0 ? -1 - n : 2 * size - 1 - n;
      return n;
    case 3:
    case 5:
    case 7:
      if (n < 0) n = -1 - n;
      return standsFor(n, size, clamp - 1);
    case 2:
      return n < 0 ? 0 : n >= size ? size - 1 : n;
  }
  return n < 0 || n >= size ? kNone : n;
}

struct Line {
  std::vector<std::pair<int, long double>> texels;  // with their weights
};

Line lineOf(float coordinate, int size, unsigned clamp, bool normalized, bool linear, bool truncates) {
  long double x = coordinate;
  if (std::isnan(x) || (std::isinf(x) && clamp < 2)) x = 0;
  if (clamp < 2) x = fmodl(x, normalized ? 2 : 2 * size);  // both are periods
  if (normalized) x *= size;
  x = std::min(std::max(x, -100000.0L), 100000.0L);
  x = truncates && !linear ? floorl(x * 256) / 256 : nearbyintl(x * 256) / 256;
  if (clamp == 5 && x < 0) x = -x;
  if (clamp == 4 || clamp == 5) x = std::min(std::max(x, 0.0L), linear ? size : size - 1.0L / 256);
  if (!linear) return {{{standsFor(static_cast<int>(floorl(x)), size, clamp), 1}}};
  int low = static_cast<int>(floorl(x - 0.5L));
  long double second = x - 0.5L - low;
  Line line;
  if (second < 1) line.texels.push_back({standsFor(low, size, clamp), 1 - second});
  if (second > 0) line.texels.push_back({standsFor(low + 1, size, clamp), second});
  return line;
}

struct Model {
  const TestImage& image;
  const TestSampler& sampler;
  const std::uint8_t* bytes;
  bool normalized;

  int layer(float coordinate) const {
    if (!(coordinate > 0)) return 0;
    int n = static_cast<int>(nearbyintl(std::min(coordinate, 100000.0f)));
    if (image.type == TestImage::kCube) n = n / 8 * 6 + std::min(n % 8, 5);
    return std::min(n, static_cast<int>(image.layers()) - 1);
  }

  void sample(const float* at, long double (&values)[4], U32 (&bits)[4]) const {
    const int sizes[] = {static_cast<int>(image.width), static_cast<int>(image.rows()), static_cast<int>(image.depth)};
    bool plane = sampler.linear && !image.integer();
    Line lines[3] = {{{{0, 1}}}, {{{0, 1}}}, {{{0, 1}}}};
    for (unsigned n = 0; n < image.axes(); ++n) {
      bool linear = n < 2 || sampler.depthFilter == 0 ? plane : sampler.depthFilter == 2 && !image.integer();
      unsigned clamp = image.type == TestImage::kCube ? 2 : sampler.clamp[n];
      lines[n] = lineOf(at[n], sizes[n], clamp, normalized, linear, sampler.truncates);
    }
    if (image.layered()) lines[2].texels[0].first = layer(at[image.axes()]);
    for (unsigned c = 0; c < 4; ++c) values[c] = 0;
    for (auto [z, depthWeight] : lines[2].texels)
      for (auto [y, rowWeight] : lines[1].texels)
        for (auto [x, weight] : lines[0].texels) {
          texel(x, y, z, bits);
          for (unsigned c = 0; c < 4; ++c)
            values[c] += depthWeight * rowWeight * weight * static_cast<long double>(std::bit_cast<float>(bits[c]));
        }
    if (lines[0].texels.size() * lines[1].texels.size() * lines[2].texels.size() == 1) return;
    for (unsigned c = 0; c < 4; ++c) bits[c] = std::bit_cast<U32>(static_cast<float>(values[c]));
  }

  void texel(int x, int y, int z, U32 (&bits)[4]) const {
    bool border = x == kNone || y == kNone || z == kNone;
    image.value(
        border ? nullptr
               : bytes + image.offset(static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)),
        bits);
    if (!border) return;
    for (unsigned c = 0; c < 4; ++c)
      if (image.selector[c] >= 4) bits[c] = sampler.border == 2 || (sampler.border == 1 && c == 3) ? image.one() : 0;
  }
};

// --- Scenes.

struct Scene {
  TestImage image;
  TestSampler sampler;
  std::vector<std::uint8_t> memory;
  std::uint8_t* bytes;
  TestWave wave;
  float at[kLanes][3];

  Scene(const TestImage& shape, const TestSampler& how, const std::string& modifiers, unsigned seed = 5)
      : image(shape),
        sampler(how),
        memory(shape.allBytes() + 512),
        wave(assembledOnce("image_sample v[4:7], v[0:2], s[8:15], s[16:19] dmask:0xf" + modifiers)) {
    std::mt19937 random(seed);
    bytes = memory.data() + (256 - reinterpret_cast<U64>(memory.data()) % 256);
    for (std::uint8_t& byte : memory) byte = static_cast<std::uint8_t>(random());
    if (image.number == 7)  // plain numbers
      for (std::size_t k = 0; k + 4 <= memory.size(); k += 4) {
        float value = static_cast<float>(static_cast<int>(random() % 4001) - 2000) / 16;
        std::memcpy(bytes - reinterpret_cast<U64>(bytes) % 4 + (k < image.allBytes() ? k : 0), &value, 4);
      }
    image.put(&wave->s[8], reinterpret_cast<U64>(bytes));
    sampler.put(&wave->s[16]);
    bool unnormalized = sampler.unnormalized || modifiers.find("unorm") != std::string::npos;
    const float kOdd[] = {-0.0f, NAN, INFINITY, -INFINITY, 1e30f, -1e30f, 3e9f, 1e-40f, -1e-20f, 16777217.0f};
    for (unsigned l = 0; l < kLanes; ++l)
      for (unsigned n = 0; n < 3; ++n) {
        const unsigned size[] = {image.width, image.rows(), image.depth};
        bool layer = n >= image.axes();
        // In 16ths and 512ths of a texel, up to two images away.
        float texels = static_cast<float>(static_cast<int>(random() % (64 * size[n])) - 32 * static_cast<int>(size[n]));
        texels = l % 2 ? texels / 16 : texels / 16 + static_cast<float>(random() % 65) / 512 - 0.0625f;
        at[l][n] = unnormalized ? texels : texels / static_cast<float>(size[n]);
        if (layer) at[l][n] = static_cast<float>(static_cast<int>(random() % 41) - 4) / 4;
        if (random() % 16 == 0) at[l][n] = kOdd[random() % 10];
        wave.v(n, l) = std::bit_cast<U32>(at[l][n]);
      }
  }

  void check(bool normalized, const std::string& what) {
    ASSERT_EQ(wave.run(), "");
    Model model{image, sampler, bytes, normalized};
    for (unsigned l = 0; l < kLanes; ++l) {
      long double values[4];
      U32 bits[4];
      model.sample(at[l], values, bits);
      for (unsigned c = 0; c < 4; ++c) {
        U32 got = wave.v(4 + c, l);
        bool nans = !image.integer() && kFloatFormat.isNan(got) && kFloatFormat.isNan(bits[c]);
        ASSERT_TRUE(got == bits[c] || nans)
            << what << " lane " << l << " component " << c << " at " << at[l][0] << "," << at[l][1] << "," << at[l][2]
            << " is " << std::bit_cast<float>(got) << ", not " << std::bit_cast<float>(bits[c]);
      }
    }
  }
};

TestImage shaped(unsigned type, unsigned data, unsigned number) {
  TestImage image;
  image.type = type, image.data = data, image.number = number;
  image.width = 6, image.height = 5, image.depth = type == TestImage::kCube ? 14 : 4, image.pitch = 8;
  image.firstLayer = image.layered() ? 1 : 0;
  return image;
}
std::string named(const TestImage& image, const TestSampler& s) {
  return "type " + std::to_string(image.type) + " format " + std::to_string(image.data) + "," +
         std::to_string(image.number) + " clamp " + std::to_string(s.clamp[0]) + std::to_string(s.clamp[1]) +
         std::to_string(s.clamp[2]) + (s.linear ? " linear" : " point") + " z " + std::to_string(s.depthFilter);
}

TEST(ImageSample, EveryShapeClampAndFilter) {
  NEEDS_ASSEMBLER;
  for (unsigned type : kTypes)
    for (unsigned clamp = 0; clamp < 8; ++clamp)
      for (bool linear : {false, true})
        for (bool unnormalized : {false, true})
          for (auto [data, number] : {std::pair{4u, 7u}, std::pair{10u, 0u}}) {
            TestImage image = shaped(type, data, number);
            TestSampler s{.clamp = {clamp, (clamp + 3) % 8, (clamp + 5) % 8}, .linear = linear};
            s.unnormalized = unnormalized, s.border = clamp % 4, s.truncates = clamp % 3 == 1;
            if (type == TestImage::k3d) s.depthFilter = clamp % 3;
            Scene scene(image, s, image.layered() ? " da" : "", clamp + 7);
            ASSERT_NO_FATAL_FAILURE(scene.check(!unnormalized, named(image, s)));
          }
}

TEST(ImageSample, EveryFormat) {
  NEEDS_ASSEMBLER;
  for (unsigned data = 1; data < 15; ++data)
    for (unsigned number : {0u, 1u, 2u, 3u, 4u, 5u, 7u, 9u})
      for (bool linear : {false, true}) {
        TestImage image = shaped(TestImage::k2d, data, number);
        if (!image.exists()) continue;
        if (data == 4) image.selector[1] = image.selector[2] = 0, image.selector[3] = 1;
        TestSampler s{.clamp = {6, 2, 2}, .linear = linear, .border = 1};
        Scene scene(image, s, " unorm");
        ASSERT_NO_FATAL_FAILURE(scene.check(false, named(image, s)));
      }
}

// Infinities and NaNs of texels that have no weight stay out; integers are never mixed.
TEST(ImageSample, WeightlessTexels) {
  NEEDS_ASSEMBLER;
  TestImage image = shaped(TestImage::k1d, 4, 7);
  Scene s(image, TestSampler{.linear = true}, " unorm");
  const float kTexels[] = {1, INFINITY, 2, NAN, 3, 4};
  std::memcpy(s.bytes, kTexels, sizeof kTexels);
  for (unsigned l = 0; l < kLanes; ++l) s.wave.v(0, l) = std::bit_cast<U32>(static_cast<float>(l) / 4);
  ASSERT_EQ(s.wave.run(), "");
  auto at = [&](float x) { return std::bit_cast<float>(s.wave.v(4, static_cast<unsigned>(4 * x))); };
  EXPECT_EQ(at(0.5f), 1);
  EXPECT_EQ(at(2.5f), 2);
  EXPECT_EQ(at(4.5f), 3);
  EXPECT_EQ(at(4.75f), 3.25f);
  EXPECT_EQ(at(1), INFINITY);
  EXPECT_TRUE(std::isnan(at(3)));
}

// The device library makes coordinates of texels k as k * (1 / size), rounded twice, for point filters; 8 bits after
// the point are what finds texel k again.
TEST(ImageSample, FindsTheTexelsOfTheDeviceLibrary) {
  NEEDS_ASSEMBLER;
  for (unsigned width = 1; width <= 16384; width += width < 200 ? 1 : 1009) {
    TestImage image;
    image.width = width, image.number = 4;
    Scene s(image, TestSampler{}, "");
    for (unsigned k = 0; k < width; ++k) std::memcpy(s.bytes + 4 * std::size_t{k}, &k, 4);
    auto place = [&](unsigned l) { return width <= kLanes ? l % width : width - 1 - l; };
    volatile float reciprocal = 1.0f / static_cast<float>(width);
    for (unsigned l = 0; l < kLanes; ++l)
      s.wave.v(0, l) = std::bit_cast<U32>(reciprocal * static_cast<float>(place(l)));
    ASSERT_EQ(s.wave.run(), "");
    for (unsigned l = 0; l < kLanes; ++l) ASSERT_EQ(s.wave.v(4, l), place(l)) << "of " << width;
  }
}

TEST(ImageSample, SixteenBitsAndMasks) {
  NEEDS_ASSEMBLER;
  TestImage image = shaped(TestImage::k2dArray, 12, 7);
  TestWave wave(
      assemble("image_sample v[4:5], v[0:1], s[8:15], s[16:19] dmask:0xd unorm a16 da d16\n"
               "image_sample v6, v[0:1], s[8:15], s[16:19] dmask:0x2 unorm a16 da"));
  std::vector<std::uint8_t> memory(image.allBytes() + 512);
  std::uint8_t* bytes = memory.data() + (256 - reinterpret_cast<U64>(memory.data()) % 256);
  for (std::size_t k = 0; k < image.allBytes() / 2; ++k) {
    auto half = static_cast<std::uint16_t>(0x3c00 + k % 1000);
    std::memcpy(bytes + 2 * k, &half, 2);
  }
  image.put(&wave->s[8], reinterpret_cast<U64>(bytes));
  TestSampler sampler{.linear = true};
  sampler.put(&wave->s[16]);
  wave->setPair(kExecLo, 0x0f0f0f0f0f0f0f0f);
  auto half = [](float x) {
    return static_cast<U32>(exactConvert(kFloatFormat, kHalfFormat, std::bit_cast<U32>(x), Rounding::kNearestEven));
  };
  float at[kLanes][3];
  for (unsigned l = 0; l < kLanes; ++l) {
    at[l][0] = static_cast<float>(l) / 8, at[l][1] = static_cast<float>(l % 7) / 2,
    at[l][2] = static_cast<float>(l % 3);
    wave.v(0, l) = half(at[l][0]) | half(at[l][1]) << 16;
    wave.v(1, l) = half(at[l][2]) | 0x7e000000;
    for (unsigned k = 4; k < 7; ++k) wave.v(k, l) = 99;
  }
  ASSERT_EQ(wave.run(), "");
  Model model{image, sampler, bytes, false};
  for (unsigned l = 0; l < kLanes; ++l) {
    long double values[4];
    U32 bits[4];
    model.sample(at[l], values, bits);
    bool active = wave->exec() >> l & 1;
    auto narrow = [&](unsigned c) { return half(std::bit_cast<float>(bits[c])); };
    ASSERT_EQ(wave.v(4, l), active ? narrow(0) | narrow(2) << 16 : 99) << l;
    ASSERT_EQ(wave.v(5, l), active ? narrow(3) : 99);
    ASSERT_EQ(wave.v(6, l), active ? bits[1] : 99);
  }
}

}  // namespace
}  // namespace hipr::softgpu
