// How much memory code of a client may take: as it came, as it was read, and however often it is loaded.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>

#include "access/digest.h"
#include "code_object/test_image.h"
#include "worker/session_fixture.h"

namespace hipr::worker {
namespace {

using code::testing::Buffer;

// Bytes of memory that this process really has.
std::uint64_t resident() {
  std::uint64_t all = 0, pages = 0;
  std::ifstream("/proc/self/statm") >> all >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// Code with a managed variable, in a file of this size.
Buffer largeCode(std::size_t size) {
  Buffer code = code::testing::sampleElf();
  code.resize(size);
  return code;
}

// The same with so many variables, of names of eight letters.
Buffer codeOfManyVariables(std::size_t count) {
  constexpr std::size_t kSymbol = 24, kName = 9, kNameAt = 0, kInfoAt = 4, kSectionAt = 6, kOffsetAt = 24, kSizeAt = 32;
  Buffer code = code::testing::sampleElf();
  const auto put = [&code](std::size_t at, auto value) { std::memcpy(code.data() + at, &value, sizeof value); };
  const auto get = [&code](std::size_t at) {
    std::uint64_t value;
    std::memcpy(&value, code.data() + at, sizeof value);
    return value;
  };
  const std::uint64_t sections = get(40), table = sections + 64, strings = sections + 128;
  const std::uint64_t oldTable = get(table + kOffsetAt), tableSize = get(table + kSizeAt);
  const std::uint64_t oldNames = get(strings + kOffsetAt), namesSize = get(strings + kSizeAt);
  const std::uint64_t newTable = code.size(), newNames = newTable + tableSize + count * kSymbol;
  code.resize(newNames + namesSize + count * kName);
  std::copy_n(code.begin() + static_cast<std::ptrdiff_t>(oldTable), tableSize, code.data() + newTable);
  std::copy_n(code.begin() + static_cast<std::ptrdiff_t>(oldNames), namesSize, code.data() + newNames);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t symbol = newTable + tableSize + i * kSymbol, name = namesSize + i * kName;
    put(symbol + kNameAt, static_cast<std::uint32_t>(name));
    put(symbol + kInfoAt, std::uint8_t{0x11});
    put(symbol + kSectionAt, std::uint16_t{1});
    const std::string number = std::to_string(i), text = "v" + std::string(kName - 2 - number.size(), '0') + number;
    std::memcpy(code.data() + newNames + name, text.c_str(), kName);
  }
  put(table + kOffsetAt, newTable), put(table + kSizeAt, tableSize + count * kSymbol);
  put(strings + kOffsetAt, newNames), put(strings + kSizeAt, namesSize + count * kName);
  return code;
}

class CodeLimits : public ::testing::Test {
 protected:
  explicit CodeLimits(std::uint64_t limit = 64 * kMiB) {
    Limits limits;
    limits.set(Quota::kCodeBytes, limit);
    s_ = std::make_unique<SessionOnFake>(FakeHip::Settings{}, std::uint64_t{1} << 30, limits);
    s_->client->hello();
  }

  hipError_t load(std::span<const std::byte> code, bool send = true) {
    std::vector<std::byte> storage;
    const auto reply = s_->client->call<wire::ModuleLoadReply, wire::Opcode::kModuleLoad>(
        {++module_, 0, access::digestOf(code), send ? code : wire::Bytes(), {}}, storage);
    return static_cast<hipError_t>(reply.status);
  }

  std::unique_ptr<SessionOnFake> s_;
  std::uint64_t module_ = wire::kFirstObject;
};

TEST_F(CodeLimits, TheSameCodeIsKeptOnceHoweverOftenItIsLoaded) {
  const Buffer code = largeCode(8 * kMiB);
  ASSERT_EQ(load(code), hipSuccess);
  const std::uint64_t before = resident();
  for (int i = 0; i < 50; ++i) ASSERT_EQ(load(code, false), hipSuccess);
  EXPECT_LT(resident(), before + 64 * kMiB);
}

TEST_F(CodeLimits, ACopyForTheRuntimeCounts) {
  EXPECT_EQ(load(largeCode(30 * kMiB)), hipSuccess);  // and as much for the copy
  EXPECT_EQ(load(largeCode(3 * kMiB)), hipErrorOutOfMemory);
}

TEST_F(CodeLimits, WhatIsReadFromCodeCounts) {
  EXPECT_EQ(load(codeOfManyVariables(10'000)), hipSuccess);
  EXPECT_EQ(load(codeOfManyVariables(200'000)), hipErrorOutOfMemory);  // 7 MB, and 80 when it is read
}

}  // namespace
}  // namespace hipr::worker
