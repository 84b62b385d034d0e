#include "code_object/kernarg.h"

#include <gtest/gtest.h>

#include "code_object/test_image.h"

namespace hipr::code {
namespace {

using testing::Buffer;

KernelMetadata sampleKernel(int version) {
  Metadata m;
  EXPECT_TRUE(parseMetadataNote(testing::sampleMetadata(version), m).ok());
  return m.kernels.at(0);
}

template <class T>
T at(const Buffer& b, std::size_t offset) {
  T value{};
  EXPECT_TRUE(readAt(b, offset, value));
  return value;
}

TEST(Kernarg, PacksParams) {
  const KernelMetadata k = sampleKernel(5);
  EXPECT_EQ(explicitSize(k), 12u);
  EXPECT_EQ(explicitCount(k), 2u);
  float* data = reinterpret_cast<float*>(0x1234567890);
  float factor = 2.5f;
  void* params[] = {&data, &factor};
  Buffer kernarg(k.kernargSize);
  ASSERT_TRUE(packParams(k, params, kernarg).ok());
  EXPECT_EQ(at<std::uint64_t>(kernarg, 0), 0x1234567890u);
  EXPECT_EQ(at<float>(kernarg, 8), 2.5f);

  Buffer small(11);
  EXPECT_FALSE(packParams(k, params, small).ok());
  EXPECT_FALSE(packParams(k, nullptr, kernarg).ok());
  void* missing[] = {&data, nullptr};
  EXPECT_FALSE(packParams(k, missing, kernarg).ok());
}

TEST(Kernarg, ExtraList) {
  char data[16] = {};
  std::size_t size = sizeof data;
  const auto key = [](std::uintptr_t v) { return reinterpret_cast<void*>(v); };
  void* usual[] = {key(1), data, key(2), &size, key(3)};
  void* swapped[] = {key(2), &size, key(1), data, key(3)};
  for (void** extra : {usual, swapped}) {
    Bytes buffer;
    ASSERT_TRUE(parseExtra(extra, buffer).ok());
    EXPECT_EQ(static_cast<const void*>(buffer.data()), data);
    EXPECT_EQ(buffer.size(), 16u);
  }
  Bytes buffer;
  void* noSize[] = {key(1), data, key(3)};
  void* strange[] = {key(9), data, key(3)};
  EXPECT_FALSE(parseExtra(noSize, buffer).ok());
  EXPECT_FALSE(parseExtra(strange, buffer).ok());
}

TEST(Kernarg, PacksABuffer) {
  const KernelMetadata k = sampleKernel(4);
  Buffer kernarg(k.kernargSize);
  const Buffer padded(16, std::byte{7});
  ASSERT_TRUE(packBuffer(k, padded, kernarg).ok());
  EXPECT_EQ(kernarg[11], std::byte{7});
  EXPECT_EQ(kernarg[12], std::byte{0});  // tail padding does not reach the hidden arguments
  EXPECT_FALSE(packBuffer(k, Bytes(padded).first(11), kernarg).ok());

  KernelMetadata assembly;
  assembly.kernargSize = 32;
  Buffer whole(32);
  EXPECT_EQ(explicitSize(assembly), 32u);
  EXPECT_TRUE(packBuffer(assembly, padded, whole).ok());
  EXPECT_EQ(whole[15], std::byte{7});
}

TEST(Kernarg, HiddenVersion4) {
  const KernelMetadata k = sampleKernel(4);
  HiddenValues v;
  v.globalOffset[0] = 11, v.globalOffset[1] = 22, v.globalOffset[2] = 33;
  v.hostcallBuffer = 0xabcdef0123;
  Buffer kernarg(k.kernargSize, std::byte{0});
  ASSERT_TRUE(fillHidden(k, v, kernarg).ok());
  EXPECT_EQ(at<std::uint64_t>(kernarg, 16), 11u);
  EXPECT_EQ(at<std::uint64_t>(kernarg, 24), 22u);
  EXPECT_EQ(at<std::uint64_t>(kernarg, 32), 33u);
  EXPECT_EQ(at<std::uint64_t>(kernarg, 40), 0xabcdef0123u);
}

TEST(Kernarg, HiddenVersion5) {
  const KernelMetadata k = sampleKernel(5);
  HiddenValues v = HiddenValues::forGrid({1000, 3, 1}, {256, 1, 1});
  EXPECT_EQ(v.gridDims, 2);
  v.hostcallBuffer = 77, v.heapV1 = 88, v.dynamicLdsSize = 4096;
  Buffer kernarg(k.kernargSize, std::byte{0xff});
  ASSERT_TRUE(fillHidden(k, v, kernarg).ok());
  EXPECT_EQ(at<std::uint32_t>(kernarg, 16), 3u);
  EXPECT_EQ(at<std::uint16_t>(kernarg, 28), 256);
  EXPECT_EQ(at<std::uint16_t>(kernarg, 30), 0xffff);  // not asked for, not touched
  EXPECT_EQ(at<std::uint16_t>(kernarg, 34), 1000 % 256);
  EXPECT_EQ(at<std::uint16_t>(kernarg, 80), 2);
  EXPECT_EQ(at<std::uint64_t>(kernarg, 96), 77u);
  EXPECT_EQ(at<std::uint64_t>(kernarg, 112), 88u);
  EXPECT_EQ(at<std::uint32_t>(kernarg, 136), 4096u);
  EXPECT_FALSE(fillHidden(k, v, std::span(kernarg).first(100)).ok());
}

TEST(Kernarg, UnknownHiddenKindIsAnError) {
  KernelMetadata k = sampleKernel(5);
  k.args.back().kind = ArgKind::kHiddenUnknown;
  Buffer kernarg(k.kernargSize);
  EXPECT_EQ(fillHidden(k, {}, kernarg).code(), Code::kUnsupported);
}

}  // namespace
}  // namespace hipr::code
