#include "code_object/select.h"

#include <gtest/gtest.h>

#include "code_object/test_image.h"

namespace hipr::code {
namespace {

using testing::Buffer;

TargetId device(const char* text = "gfx90a:sramecc+:xnack-") {
  TargetId t;
  EXPECT_TRUE(parseTargetId(text, t).ok());
  return t;
}

Buffer fatImage() {
  return testing::sampleBundle({{"host-x86_64-unknown-linux--", {}},
                                {"hipv4-amdgcn-amd-amdhsa--gfx1030", testing::sampleElf(5, 0x36)},
                                {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", testing::sampleElf(5, 0x73f)},
                                {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", testing::sampleElf(5, 0x63f)}});
}

TEST(Select, FromABundle) {
  const Buffer image = fatImage();
  Selection chosen;
  ASSERT_TRUE(selectCodeObject(image, device(), chosen).ok());
  EXPECT_EQ(chosen.target.text(), "gfx90a:xnack-");
  EXPECT_EQ(Buffer(chosen.bytes.begin(), chosen.bytes.end()), testing::sampleElf(5, 0x63f));
}

TEST(Select, FromACompressedBundle) {
  Selection chosen;
  {
    const Buffer image = testing::compressBundle(fatImage(), 3, testing::Packing::kZstd);
    Selection inner;
    ASSERT_TRUE(selectCodeObject(image, device("gfx1030"), inner).ok());
    chosen = std::move(inner);
  }
  EXPECT_EQ(chosen.target.text(), "gfx1030");
  EXPECT_EQ(Buffer(chosen.bytes.begin(), chosen.bytes.end()), testing::sampleElf(5, 0x36));  // survives the image
}

TEST(Select, FromAPlainElf) {
  const Buffer image = testing::sampleElf();
  Selection chosen;
  ASSERT_TRUE(selectCodeObject(image, device(), chosen).ok());
  EXPECT_EQ(chosen.bytes.data(), image.data());
  EXPECT_EQ(selectCodeObject(image, device("gfx942"), chosen).code(), Code::kNotFound);
}

TEST(Select, TheErrorListsWhatThereIs) {
  Selection chosen;
  Status s = selectCodeObject(fatImage(), device("gfx942:sramecc+:xnack-"), chosen);
  EXPECT_EQ(s.code(), Code::kNotFound);
  EXPECT_EQ(s.message(), "no code for gfx942:sramecc+:xnack-: the image has gfx1030, gfx90a:xnack+, gfx90a:xnack-");
  s = selectCodeObject(testing::sampleBundle({{"host-x86_64-unknown-linux--", {}}}), device(), chosen);
  EXPECT_EQ(s.message(), "no code for gfx90a:sramecc+:xnack-: the image has no device code at all");
  s = selectCodeObject(testing::sampleBundle({{"hip-spirv64-amd-amdhsa--amdgcnspirv", Buffer(8)}}), device(), chosen);
  EXPECT_NE(s.message().find("the image has hip-spirv64-amd-amdhsa--amdgcnspirv"), std::string::npos);
  EXPECT_EQ(selectCodeObject(asBytes("hello"), device(), chosen).code(), Code::kInvalid);
  EXPECT_EQ(selectCodeObject({}, device(), chosen).code(), Code::kInvalid);
}

TEST(Select, SizeOfAnyImage) {
  std::size_t size;
  for (const Buffer& image :
       {testing::sampleElf(), fatImage(), testing::compressBundle(fatImage(), 2, testing::Packing::kZstd)}) {
    size = 0;
    ASSERT_TRUE(imageSize(image.data(), size).ok());
    EXPECT_EQ(size, image.size());
  }
  EXPECT_EQ(imageSize("no", size).code(), Code::kInvalid);
}

TEST(Select, Wrapper) {
  struct {
    std::uint32_t magic = 0x48495046, version = 1;
    const void* image = "x";
    const void* unused = nullptr;
  } wrapper;
  const void* image = nullptr;
  ASSERT_TRUE(fatBinaryImage(&wrapper, image).ok());
  EXPECT_EQ(image, wrapper.image);
  wrapper.version = 2;
  EXPECT_EQ(fatBinaryImage(&wrapper, image).code(), Code::kInvalid);
  wrapper.magic = 0x4B504948;
  EXPECT_EQ(fatBinaryImage(&wrapper, image).code(), Code::kUnsupported);
}

}  // namespace
}  // namespace hipr::code
