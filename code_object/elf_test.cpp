#include "code_object/elf.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "code_object/test_image.h"

namespace hipr::code {
namespace {

using testing::Buffer;

template <class T>
Buffer patched(Buffer image, std::size_t offset, T value) {
  std::memcpy(image.data() + offset, &value, sizeof value);
  return image;
}

TEST(Elf, ReadsTheSample) {
  for (int version : {4, 5, 6}) {
    const Buffer image = testing::sampleElf(version);
    ElfView elf;
    const Status s = parseElf(image, elf);
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_EQ(elf.codeObjectVersion, version);
    EXPECT_EQ(elf.target.text(), "gfx90a");
    ASSERT_EQ(elf.segments.size(), 2u);
    EXPECT_TRUE(elf.segments[0].executable);
    EXPECT_EQ(elf.segments[1].memorySize, 0x40u);
    EXPECT_EQ(elf.symbols.size(), 8u);
    EXPECT_EQ(elf.symbols[1].name, "scale");
    EXPECT_EQ(elf.symbols[1].type, ElfSymbol::kFunction);
    ASSERT_EQ(elf.relocations.size(), 2u);
    EXPECT_EQ(elf.relocations[0].type, 13u);
    EXPECT_EQ(elf.relocations[1].symbol, 3u);
    EXPECT_EQ(elf.metadataNotes.size(), 1u);
  }
}

TEST(Elf, SizeFromPointerAlone) {
  const Buffer image = testing::sampleElf();
  std::size_t size = 0;
  ASSERT_TRUE(elfSize(image.data(), size).ok());
  EXPECT_EQ(size, image.size());
}

TEST(Elf, RefusesOtherElfFiles) {
  const Buffer good = testing::sampleElf();
  ElfView elf;
  EXPECT_EQ(parseElf(patched<std::uint8_t>(good, 4, 1), elf).code(), Code::kInvalid);      // 32-bit
  EXPECT_EQ(parseElf(patched<std::uint8_t>(good, 7, 0), elf).code(), Code::kInvalid);      // OS ABI
  EXPECT_EQ(parseElf(patched<std::uint16_t>(good, 16, 1), elf).code(), Code::kInvalid);    // relocatable object
  EXPECT_EQ(parseElf(patched<std::uint16_t>(good, 18, 62), elf).code(), Code::kInvalid);   // x86-64
  EXPECT_EQ(parseElf(patched<std::uint8_t>(good, 8, 1), elf).code(), Code::kUnsupported);  // code object 3
  EXPECT_EQ(parseElf(patched<std::uint8_t>(good, 8, 5), elf).code(), Code::kUnsupported);
  EXPECT_EQ(parseElf(patched<std::uint32_t>(good, 48, 0xff), elf).code(), Code::kUnsupported);  // unknown GPU
}

TEST(Elf, EveryTruncationIsRefused) {
  const Buffer image = testing::sampleElf();
  ElfView elf;
  for (std::size_t n = 0; n < image.size(); n += 3) EXPECT_FALSE(parseElf(Bytes(image).first(n), elf).ok()) << n;
}

TEST(Elf, HostileNumbersAreRefused) {
  const Buffer good = testing::sampleElf();
  std::uint64_t sections;
  ASSERT_TRUE(readAt(good, 40, sections));
  const std::size_t symbols = sections + 64;
  ElfView elf;
  std::size_t size;
  for (std::uint64_t value : {~std::uint64_t{0}, ~std::uint64_t{0} - 63, std::uint64_t{1} << 62}) {
    for (std::size_t field : {std::size_t{32}, std::size_t{40}, symbols + 24, symbols + 32}) {
      EXPECT_FALSE(parseElf(patched(good, field, value), elf).ok()) << field;
    }
    for (std::size_t field : {32u, 40u}) EXPECT_FALSE(elfSize(patched(good, field, value).data(), size).ok());
  }
  EXPECT_FALSE(parseElf(patched<std::uint32_t>(good, symbols + 40, 77), elf).ok());       // names: no such section
  EXPECT_FALSE(parseElf(patched<std::uint64_t>(good, symbols + 32, 1 << 20), elf).ok());  // more symbols than file
  EXPECT_FALSE(parseElf(patched<std::uint32_t>(good, 0x380 + 24 + 12, 8), elf).ok());     // symbol 8 of 8
  EXPECT_FALSE(parseElf(patched<std::uint64_t>(good, 64 + 56 + 16, 0x5ff), elf).ok());    // segments overlap
  EXPECT_FALSE(parseElf(patched<std::uint64_t>(good, 64 + 40, ~std::uint64_t{0} - 8), elf).ok());  // memory size wraps
  EXPECT_FALSE(parseElf(patched<std::uint64_t>(good, 64 + 48, 3), elf).ok());                      // alignment
  EXPECT_EQ(parseElf(patched<std::uint32_t>(good, sections + 3 * 64 + 4, 19), elf).code(), Code::kUnsupported);  // RELR
}

// A thousand symbols, each the end of one long name: together they are far longer than the file.
TEST(Elf, NamesThatOverlapAreRefused) {
  constexpr std::size_t kSymbols = 1000, kName = 1 << 16, kSymbol = 24;
  Buffer image = testing::sampleElf();
  std::uint64_t sections;
  ASSERT_TRUE(readAt(image, 40, sections));
  const std::uint64_t names = image.size(), table = names + kName;
  image.resize(table + kSymbols * kSymbol);
  std::fill_n(image.begin() + static_cast<std::ptrdiff_t>(names), kName - 1, std::byte{'a'});
  image = patched<std::uint64_t>(image, sections + 64 + 24, table);
  image = patched<std::uint64_t>(image, sections + 64 + 32, kSymbols * kSymbol);
  image = patched<std::uint64_t>(image, sections + 128 + 24, names);
  image = patched<std::uint64_t>(image, sections + 128 + 32, kName);
  ElfView elf;
  const auto name = [&](std::uint32_t at) {
    for (std::size_t i = 0; i < kSymbols; ++i) image = patched<std::uint32_t>(image, table + i * kSymbol, at);
  };
  name(kName - 8);  // seven bytes each
  EXPECT_TRUE(parseElf(image, elf).ok());
  name(0);
  EXPECT_FALSE(parseElf(image, elf).ok());
}

// What a runtime that is given nothing but a pointer would read.
TEST(Elf, NothingThatHeadersNameLiesOutside) {
  const Buffer good = testing::sampleElf();
  std::uint64_t sections;
  std::uint16_t count;
  ASSERT_TRUE(readAt(good, 40, sections));
  ASSERT_TRUE(readAt(good, 60, count));
  const auto accepted = [](const Buffer& image) {
    ElfView elf;
    return parseElf(image, elf).ok();
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t header = sections + i * 64;
    EXPECT_FALSE(accepted(patched<std::uint64_t>(good, header + 32, good.size() + 1))) << "size of section " << i;
    EXPECT_FALSE(accepted(patched<std::uint64_t>(good, header + 24, ~std::uint64_t{0}))) << "offset of section " << i;
  }
  EXPECT_FALSE(accepted(patched<std::uint16_t>(good, 62, count)));  // the names of sections
  // A segment that is not loaded: of a type nobody knows.
  const Buffer other = patched<std::uint32_t>(good, 64 + 56, 0x6fffffff);
  EXPECT_FALSE(accepted(patched<std::uint64_t>(other, 64 + 56 + 32, good.size() + 1)));
}

}  // namespace
}  // namespace hipr::code
