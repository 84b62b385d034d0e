// Images that are not what they should be: texels outside memory, descriptors that are not supported, and words that no
// program should have for one.
#include <gtest/gtest.h>

#include <random>

#include "backends/softgpu/isa/test_image.h"

namespace hipr::softgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr unsigned kDataFormats[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
constexpr unsigned kTypes[] = {8, 9, 10, 11, 12, 13};
alignas(256) std::uint8_t someMemory[256];

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
    TestImage image;
    image.type = TestImage::k2dArray, image.depth = 4;
    TestWave wave(assembledOnce(line));
    image.put(&wave->s[8], reinterpret_cast<U64>(someMemory));
    U32& w = wave->s[8 + word];
    w = (w & ~mask) | value;
    return wave.run();
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
  std::vector<U32> code = assemble("image_load v4, v0, s[92:99] dmask:0x1");
  TestWave last(code);
  image.put(&last->s[92], reinterpret_cast<U64>(someMemory));
  EXPECT_EQ(last.run(), "");
  code[1] |= 31 << 16;
  EXPECT_NE(TestWave(code).run().find("out of the registers"), std::string::npos);
  TestWave srgb(assemble("image_store v4, v0, s[8:15] dmask:0x1"));
  image.number = 9, image.data = 10;
  image.put(&srgb->s[8], reinterpret_cast<U64>(someMemory));
  EXPECT_NE(srgb.run().find("sRGB"), std::string::npos);
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
