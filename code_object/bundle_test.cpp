#include "code_object/bundle.h"

#include <gtest/gtest.h>

#include "code_object/test_image.h"

namespace hipr::code {
namespace {

using testing::Buffer;

Buffer twoEntries() {
  return testing::sampleBundle({{"host-x86_64-unknown-linux--", {}},
                                {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", Buffer(100, std::byte{1})},
                                {"hipv4-amdgcn-amd-amdhsa--gfx1030", Buffer(5000, std::byte{2})}});
}

TEST(Bundle, ListsEntries) {
  const Buffer image = twoEntries();
  std::vector<BundleEntry> entries;
  ASSERT_TRUE(parseBundle(image, entries).ok());
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_FALSE(entries[0].parsed.target);
  EXPECT_EQ(entries[1].parsed.target->text(), "gfx90a:xnack-");
  EXPECT_EQ(entries[1].code.size(), 100u);
  EXPECT_EQ(entries[2].code.size(), 5000u);
  EXPECT_EQ(entries[2].code[0], std::byte{2});
}

TEST(Bundle, SizeFromPointerAlone) {
  const Buffer image = twoEntries();
  std::size_t size = 0;
  ASSERT_TRUE(bundleSize(image.data(), size).ok());
  EXPECT_EQ(size, image.size());
}

TEST(Bundle, EveryTruncationIsRefused) {
  const Buffer image = twoEntries();
  std::vector<BundleEntry> entries;
  for (std::size_t n = 0; n < image.size(); n += n < 300 ? 1 : 97) {
    const Buffer shorter(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_FALSE(parseBundle(shorter, entries).ok()) << n;
  }
}

TEST(Bundle, HostileNumbers) {
  const Buffer good = twoEntries();
  std::vector<BundleEntry> entries;
  std::size_t size;
  for (std::size_t field : {24u, 32u, 40u, 48u}) {  // count, first offset, first size, first id length
    for (std::uint64_t value : {~std::uint64_t{0}, ~std::uint64_t{0} - 31, std::uint64_t{1} << 40}) {
      Buffer image = good;
      std::memcpy(image.data() + field, &value, sizeof value);
      EXPECT_FALSE(parseBundle(image, entries).ok()) << field;
      EXPECT_FALSE(bundleSize(image.data(), size).ok()) << field;
    }
  }
}

}  // namespace
}  // namespace hipr::code
