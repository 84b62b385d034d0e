#include "code_object/code_object.h"

#include <gtest/gtest.h>

#include "code_object/test_image.h"

namespace hipr::code {
namespace {

using testing::Buffer;

TEST(CodeObject, KernelsAndVariables) {
  const Buffer image = testing::sampleElf();
  CodeObject object;
  const Status s = CodeObject::parse(image, object);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(object.version(), 5);
  EXPECT_EQ(object.printfFormats().size(), 1u);

  const Kernel* k = object.findKernel("scale");
  ASSERT_TRUE(k);
  EXPECT_EQ(k->entryAddress, 0x500u);
  EXPECT_EQ(k->descriptor.groupFixedSize, 16u);
  EXPECT_EQ(k->descriptor.denormMode(), 15u);
  EXPECT_TRUE(k->descriptor.dx10Clamp() && k->descriptor.ieeeMode());
  EXPECT_EQ(k->descriptor.userSgprCount(), 8u);
  EXPECT_TRUE(k->descriptor.workgroupIdX() && k->descriptor.kernargSegmentPtr());
  EXPECT_FALSE(object.findKernel("scale.kd"));

  const Variable* v = object.findVariable("counter");
  ASSERT_TRUE(v);
  EXPECT_EQ(v->address, 0x1000u);
  EXPECT_EQ(v->size, 4u);
  EXPECT_FALSE(v->managed);
  const Variable* shared = object.findVariable("shared");
  ASSERT_TRUE(shared);
  EXPECT_TRUE(shared->managed);
  EXPECT_EQ(shared->initialAddress, 0x1004u);
  EXPECT_EQ(shared->initialSize, 4u);
  EXPECT_FALSE(object.findVariable("shared.managed"));
  EXPECT_FALSE(object.findVariable("scale"));
}

TEST(CodeObject, LoadsAndRelocates) {
  const Buffer image = testing::sampleElf();
  CodeObject object;
  ASSERT_TRUE(CodeObject::parse(image, object).ok());
  EXPECT_EQ(object.loadSize(), 0x1040u);
  EXPECT_EQ(object.loadAlignment(), 0x1000u);

  const std::uint64_t base = 0x7f0000001000;
  Buffer memory(object.loadSize(), std::byte{0xee});
  ASSERT_TRUE(object.load(memory, base).ok());
  std::uint64_t where, again, bss;
  std::uint32_t counter, gap, code;
  ASSERT_TRUE(readAt(memory, 0x1000, counter) && readAt(memory, 0x1008, where) && readAt(memory, 0x1010, again));
  ASSERT_TRUE(readAt(memory, 0x1020, bss) && readAt(memory, 0x800, gap) && readAt(memory, 0x500, code));
  EXPECT_EQ(counter, 7u);
  EXPECT_EQ(where, base + 0x1000);
  EXPECT_EQ(again, base + 0x1000 + 2);
  EXPECT_EQ(bss, 0u);
  EXPECT_EQ(gap, 0u);
  EXPECT_EQ(code, 0xbf810000u);

  Buffer small(object.loadSize() - 1);
  EXPECT_FALSE(object.load(small, base).ok());
  EXPECT_FALSE(object.load(memory, base + 8).ok());
}

// Rewrites the second relocation of the sample: {address 0x1010, type, symbol 3 = counter at 0x1000, addend 2}.
Buffer withRelocation(std::uint64_t address, std::uint32_t type) {
  Buffer image = testing::sampleElf();
  std::memcpy(image.data() + 0x380 + 24, &address, sizeof address);
  std::memcpy(image.data() + 0x380 + 32, &type, sizeof type);
  return image;
}

TEST(CodeObject, RelocationTypes) {
  const std::uint64_t base = 0x100002000, target = base + 0x1002, place = base + 0x1010;
  struct Case {
    std::uint32_t type;
    std::uint64_t expected;
  };
  const Case cases[] = {{0, 0},
                        {1, target & 0xffffffff},
                        {2, target >> 32},
                        {3, target},
                        {4, (target - place) & 0xffffffff},
                        {5, target - place},
                        {6, target & 0xffffffff},
                        {10, (target - place) & 0xffffffff},
                        {11, (target - place) >> 32}};
  for (const Case& c : cases) {
    const Buffer image = withRelocation(0x1010, c.type);
    CodeObject object;
    ASSERT_TRUE(CodeObject::parse(image, object).ok());
    Buffer memory(object.loadSize());
    ASSERT_TRUE(object.load(memory, base).ok()) << c.type;
    std::uint64_t value;
    ASSERT_TRUE(readAt(memory, 0x1010, value));
    EXPECT_EQ(value, c.expected) << c.type;
  }
}

TEST(CodeObject, BadRelocationsAreRefused) {
  CodeObject object;
  Buffer memory(0x1040);
  Buffer image = withRelocation(0x1010, 7);
  ASSERT_TRUE(CodeObject::parse(image, object).ok());
  EXPECT_EQ(object.load(memory, 0).code(), Code::kUnsupported);
  for (std::uint64_t address : {std::uint64_t{0x1039}, std::uint64_t{0x1040}, ~std::uint64_t{0} - 3}) {
    image = withRelocation(address, 3);
    ASSERT_TRUE(CodeObject::parse(image, object).ok());
    EXPECT_EQ(object.load(memory, 0).code(), Code::kInvalid) << address;
  }
  image = withRelocation(0x1010, 3);
  image[0x200 + 3 * 24 + 6] = std::byte{0};  // st_shndx of "counter": undefined
  ASSERT_TRUE(CodeObject::parse(image, object).ok());
  const Status s = object.load(memory, 0);
  EXPECT_EQ(s.code(), Code::kNotFound);
  EXPECT_NE(s.message().find("counter"), std::string::npos);
}

TEST(CodeObject, KernelsMustLieInsideTheFile) {
  CodeObject object;
  Buffer image = testing::sampleElf();
  const std::uint64_t far = 0x5f0;  // descriptor would cross the end of its segment
  std::memcpy(image.data() + 0x200 + 2 * 24 + 8, &far, sizeof far);
  EXPECT_FALSE(CodeObject::parse(image, object).ok());
  image = testing::sampleElf();
  const std::int64_t entry = -0x10000;
  std::memcpy(image.data() + 0x400 + 16, &entry, sizeof entry);
  EXPECT_FALSE(CodeObject::parse(image, object).ok());
  image = testing::sampleElf();
  image[0x200 + 2 * 24 + 6] = std::byte{0};  // descriptor symbol undefined
  EXPECT_FALSE(CodeObject::parse(image, object).ok());
}

TEST(CodeObject, HashNamesTheContent) {
  const Buffer a = testing::sampleElf(5), b = testing::sampleElf(6);
  EXPECT_EQ(hashContent(a), hashContent(Buffer(a)));
  EXPECT_NE(hashContent(a), hashContent(b));
  // XXH3-128 of the empty input with seed 0, from the xxHash specification's test vectors.
  EXPECT_EQ(hashContent({}).hex(), "99aa06d3014798d86001c324468d497f");
}

}  // namespace
}  // namespace hipr::code
