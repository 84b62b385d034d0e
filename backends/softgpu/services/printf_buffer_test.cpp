#include "backends/softgpu/services/printf_buffer.h"

#include <gtest/gtest.h>

#include <cstring>

#include "backends/softgpu/services/test_host.h"

namespace hipr::softgpu {
namespace {

// As clang 19 writes them for printf("value %d: %s\n", ...) and printf("const!\n").
const std::vector<std::string> kMetadata = {"0:0:4943be81774aab2c,value %d: %s\n", "0:0:24817b41caf7509f,const!\n",
                                            "1:1:4:opencl %d", "0:0:nothex,x", "0:0:12"};

class PrintfBufferTest : public ::testing::Test {
 protected:
  // What a kernel does: reserve, then fill.
  bool append(std::uint32_t flags, const std::vector<std::uint64_t>& words) {
    const std::uint32_t bytes = 4 + static_cast<std::uint32_t>(words.size()) * 8;
    std::byte* base = reinterpret_cast<std::byte*>(storage_.data());
    std::uint32_t used, size;
    std::memcpy(&used, base, 4);
    std::memcpy(&size, base + 4, 4);
    if (8 + used + bytes > size) return false;
    const std::uint32_t next = used + bytes, control = bytes << 2 | flags;
    std::memcpy(base, &next, 4);
    std::memcpy(base + 8 + used, &control, 4);
    std::memcpy(base + 8 + used + 4, words.data(), words.size() * 8);
    return true;
  }

  TestHost host_;
  PrintfFormats formats_{kMetadata};
  std::vector<std::uint64_t> storage_ = std::vector<std::uint64_t>(32);
  PrintfBuffer buffer_{std::as_writable_bytes(std::span(storage_))};
};

TEST_F(PrintfBufferTest, ConstantAndInlineFormats) {
  EXPECT_EQ(buffer_.address(), reinterpret_cast<std::uintptr_t>(storage_.data()));
  ASSERT_TRUE(append(2, WordWriter().word(0x4943be81774aab2c).word(7).text("seven").words()));
  ASSERT_TRUE(append(3, WordWriter().word(0x24817b41caf7509f).words()));
  ASSERT_TRUE(append(0, WordWriter().text("inline %x\n").word(255).words()));
  const Status s = buffer_.drain(formats_, host_);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(host_.stdoutText, "value 7: seven\ninline ff\n");
  EXPECT_EQ(host_.stderrText, "const!\n");
  ASSERT_TRUE(buffer_.drain(formats_, host_).ok());  // empty now
  EXPECT_EQ(host_.stdoutText.size(), 25u);
}

TEST_F(PrintfBufferTest, FullBufferRefusesRecords) {
  int fitted = 0;
  while (append(2, {0x24817b41caf7509f})) ++fitted;
  EXPECT_EQ(fitted, (256 - 8) / 12);
  ASSERT_TRUE(buffer_.drain(formats_, host_).ok());
  EXPECT_EQ(host_.stderrText + host_.stdoutText, [&] {
    std::string all;
    for (int i = 0; i < fitted; ++i) all += "const!\n";
    return all;
  }());
}

TEST_F(PrintfBufferTest, BadRecordsAreErrors) {
  ASSERT_TRUE(append(2, {0x1111}));
  EXPECT_FALSE(buffer_.drain(formats_, host_).ok());  // unknown hash
  for (std::uint32_t control : {0u, 3u << 2, 0xffffffffu, 1000u << 2}) {
    ASSERT_TRUE(append(0, {0}));
    std::memcpy(reinterpret_cast<std::byte*>(storage_.data()) + 8, &control, 4);
    EXPECT_FALSE(buffer_.drain(formats_, host_).ok()) << control;
  }
  const std::uint32_t used = ~0u;  // a kernel overwrote the header
  std::memcpy(storage_.data(), &used, 4);
  EXPECT_FALSE(buffer_.drain(formats_, host_).ok());
}

}  // namespace
}  // namespace hipr::softgpu
