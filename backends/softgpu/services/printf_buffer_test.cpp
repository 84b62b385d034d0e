#include "backends/softgpu/services/printf_buffer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

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

// A kernel of another stream may know where the buffer is. What was seen to be a flag must not become a conversion of
// the C library's before it is used: that would print, or with %n change, whatever memory of this process it names.
TEST_F(PrintfBufferTest, AFormatThatChangesWhileItIsReadReachesNothing) {
  constexpr std::size_t kConversions = 12;
  constexpr std::string_view kOne = "%0lld";
  const std::string secret = "nobody's business";
  std::string format;
  WordWriter arguments;
  for (std::size_t i = 0; i < kConversions; ++i) format += kOne;
  arguments.text(format);
  for (std::size_t i = 0; i < kConversions; ++i) arguments.word(reinterpret_cast<std::uint64_t>(secret.c_str()));
  char* const flags = reinterpret_cast<char*>(storage_.data()) + 8 + 4 + 1;
  std::atomic<bool> over{false};
  std::thread kernel([&] {
    for (char now = '0'; !over.load(std::memory_order_relaxed); now = static_cast<char>(now ^ '0' ^ 's'))
      for (std::size_t i = 0; i < kConversions; ++i)
        std::atomic_ref(flags[i * kOne.size()]).store(now, std::memory_order_relaxed);
  });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (std::chrono::steady_clock::now() < end && host_.stdoutText.find(secret) == std::string::npos) {
    host_.stdoutText.clear();
    ASSERT_TRUE(append(0, arguments.words()));
    EXPECT_TRUE(buffer_.drain(formats_, host_).ok());
  }
  over = true;
  kernel.join();
  EXPECT_EQ(host_.stdoutText.find(secret), std::string::npos);
}

}  // namespace
}  // namespace hipr::softgpu
