#include "code_object/compressed_bundle.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "code_object/test_image.h"

namespace hipr::code {
namespace {

using testing::Buffer;
using testing::Packing;

Buffer plainBundle() {
  return testing::sampleBundle({{"hipv4-amdgcn-amd-amdhsa--gfx90a", testing::sampleElf()}});
}

struct Shape {
  int version;
  Packing packing;
};

class CompressedBundle : public ::testing::TestWithParam<Shape> {};

TEST_P(CompressedBundle, RoundTrips) {
  const Buffer plain = plainBundle();
  Buffer out;
  const Status s = decompressBundle(testing::compressBundle(plain, GetParam().version, GetParam().packing), out);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(out, plain);
}

// The image ends exactly at a page that cannot be read, so reading one byte too many crashes.
TEST_P(CompressedBundle, SizeFromPointerAloneReadsNothingBeyond) {
  const Buffer image = testing::compressBundle(plainBundle(), GetParam().version, GetParam().packing);
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t room = (image.size() + page - 1) / page * page;
  void* map = mmap(nullptr, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(map, MAP_FAILED);
  std::byte* start = static_cast<std::byte*>(map) + room - image.size();
  std::memcpy(start, image.data(), image.size());
  ASSERT_EQ(mprotect(static_cast<std::byte*>(map) + room, page, PROT_NONE), 0);
  std::size_t size = 0;
  const Status s = compressedBundleSize(start, size);
  EXPECT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(size, image.size());
  munmap(map, room + page);
}

TEST_P(CompressedBundle, TruncationAndLiesAreRefused) {
  const Buffer plain = plainBundle();
  const Buffer image = testing::compressBundle(plain, GetParam().version, GetParam().packing);
  Buffer out;
  for (std::size_t n = 0; n < image.size(); n += 7) {
    EXPECT_FALSE(decompressBundle(Bytes(image).first(n), out).ok()) << n;
  }
  const std::size_t sizeField = GetParam().version == 1 ? 8 : GetParam().version == 2 ? 12 : 16;
  for (std::uint32_t claimed : {0u, 1u, static_cast<std::uint32_t>(plain.size() - 1),
                                static_cast<std::uint32_t>(plain.size() + 1), 0xffffffffu}) {
    Buffer lie = image;
    std::memcpy(lie.data() + sizeField, &claimed, sizeof claimed);
    EXPECT_FALSE(decompressBundle(lie, out).ok()) << claimed;
  }
  EXPECT_EQ(decompressBundle(image, out, 100).code(), Code::kExhausted);
}

INSTANTIATE_TEST_SUITE_P(All, CompressedBundle,
                         ::testing::Values(Shape{1, Packing::kZlib}, Shape{1, Packing::kZstd}, Shape{2, Packing::kZlib},
                                           Shape{2, Packing::kZstd}, Shape{3, Packing::kZlib},
                                           Shape{3, Packing::kZstd}),
                         [](const auto& info) {
                           return "v" + std::to_string(info.param.version) +
                                  (info.param.packing == Packing::kZstd ? "zstd" : "zlib");
                         });

TEST(CompressedBundleHeader, UnknownVersionAndMethod) {
  Buffer image = testing::compressBundle(plainBundle(), 2, Packing::kZstd);
  Buffer out;
  image[4] = std::byte{4};
  EXPECT_EQ(decompressBundle(image, out).code(), Code::kUnsupported);
  image[4] = std::byte{2};
  image[6] = std::byte{9};
  EXPECT_EQ(decompressBundle(image, out).code(), Code::kUnsupported);
}

}  // namespace
}  // namespace hipr::code
