#include "code_object/metadata.h"

#include <gtest/gtest.h>

#include "code_object/test_image.h"

namespace hipr::code {
namespace {

using testing::Buffer;
using testing::MsgpackWriter;

Buffer oneKernel(const char* name, std::uint32_t kernargSize, std::uint32_t argOffset, std::uint32_t argSize,
                 const char* kind) {
  MsgpackWriter w;
  w.map(1)
      .text("amdhsa.kernels")
      .array(1)
      .map(4)
      .text(".name")
      .text(name)
      .text(".symbol")
      .text(std::string(name) + ".kd");
  w.text(".kernarg_segment_size").number(kernargSize).text(".args").array(1).map(3);
  w.text(".offset").number(argOffset).text(".size").number(argSize).text(".value_kind").text(kind);
  return w.bytes();
}

TEST(Metadata, ReadsTheSample) {
  const Buffer note = testing::sampleMetadata(5);
  Metadata m;
  ASSERT_TRUE(parseMetadataNote(note, m).ok());
  EXPECT_EQ(m.versionMajor, 1u);
  EXPECT_EQ(m.versionMinor, 2u);
  EXPECT_EQ(m.target, "amdgcn-amd-amdhsa--gfx90a");
  ASSERT_EQ(m.printfFormats.size(), 1u);
  ASSERT_EQ(m.kernels.size(), 1u);
  const KernelMetadata& k = m.kernels[0];
  EXPECT_EQ(k.name, "scale");
  EXPECT_EQ(k.kernargSize, 272u);
  EXPECT_EQ(k.groupFixedSize, 16u);
  EXPECT_EQ(k.wavefrontSize, 64u);
  ASSERT_EQ(k.args.size(), 9u);
  EXPECT_EQ(k.args[0].kind, ArgKind::kGlobalBuffer);
  EXPECT_FALSE(k.args[1].hidden());
  EXPECT_EQ(k.args[7].kind, ArgKind::kHiddenHeapV1);
  EXPECT_TRUE(k.args[7].hidden());
}

TEST(Metadata, HowAKernelIsDispatched) {
  MsgpackWriter w;
  w.map(1).text("amdhsa.kernels").array(2).map(4);
  w.text(".name").text("a").text(".symbol").text("a.kd");
  w.text(".uniform_work_group_size").number(1).text(".workgroup_processor_mode").number(1);
  w.map(3).text(".name").text("b").text(".symbol").text("b.kd").text(".workgroup_processor_mode").number(0);
  Metadata m;
  ASSERT_TRUE(parseMetadataNote(w.bytes(), m).ok());
  EXPECT_TRUE(m.kernels[0].uniformWorkgroupSize);
  EXPECT_TRUE(m.kernels[0].workgroupProcessorMode);
  EXPECT_FALSE(m.kernels[1].uniformWorkgroupSize);
  EXPECT_FALSE(m.kernels[1].workgroupProcessorMode);
}

// A few bytes of a note each, and many more of memory.
TEST(Metadata, MuchOfNothingIsRefused) {
  MsgpackWriter w;
  w.map(1).text("amdhsa.printf").array(100'000);
  Buffer note = w.bytes();
  note.insert(note.end(), 100'000, std::byte{0xa0});  // each is an empty string
  Metadata m;
  EXPECT_FALSE(parseMetadataNote(note, m).ok());
  EXPECT_LT(m.printfFormats.size(), 20'000u);
  // Nor in many notes.
  const std::size_t each = 2300;
  MsgpackWriter small;
  small.map(1).text("amdhsa.printf").array(each);
  Buffer part = small.bytes();
  part.insert(part.end(), each, std::byte{0xa0});
  EXPECT_TRUE(parseMetadata(std::vector<Bytes>(1, part), m).ok());
  EXPECT_FALSE(parseMetadata(std::vector<Bytes>(1000, part), m).ok());
}

TEST(Metadata, NoGpuHasThatManyLanes) {
  for (const std::uint32_t lanes : {0u, 1u, 33u, 0x7fffffffu}) {
    MsgpackWriter w;
    w.map(1).text("amdhsa.kernels").array(1).map(3);
    w.text(".name").text("k").text(".symbol").text("k.kd").text(".wavefront_size").number(lanes);
    Metadata m;
    EXPECT_FALSE(parseMetadataNote(w.bytes(), m).ok()) << lanes;
  }
}

TEST(Metadata, ManyNotesMerge) {
  const Buffer a = oneKernel("a", 8, 0, 8, "by_value"), b = oneKernel("b", 8, 0, 8, "by_value");
  const Bytes notes[] = {a, b, Bytes(a)};
  Metadata m;
  ASSERT_TRUE(parseMetadata(notes, m).ok());
  EXPECT_EQ(m.kernels.size(), 3u);
}

TEST(Metadata, ArgumentsMustFitTheSegment) {
  Metadata m;
  EXPECT_TRUE(parseMetadataNote(oneKernel("k", 8, 0, 8, "by_value"), m).ok());
  EXPECT_FALSE(parseMetadataNote(oneKernel("k", 8, 4, 8, "by_value"), m).ok());
  EXPECT_FALSE(parseMetadataNote(oneKernel("k", 8, 0xfffffffc, 8, "by_value"), m).ok());
  EXPECT_FALSE(parseMetadataNote(oneKernel("", 8, 0, 8, "by_value"), m).ok());
}

TEST(Metadata, UnknownKindsAreKeptApart) {
  EXPECT_EQ(argKindFromName("hidden_something_new"), ArgKind::kHiddenUnknown);
  EXPECT_EQ(argKindFromName("something_new"), ArgKind::kUnknown);
  for (int k = static_cast<int>(ArgKind::kByValue); k <= static_cast<int>(ArgKind::kHiddenQueuePtr); ++k) {
    const ArgKind kind = static_cast<ArgKind>(k);
    if (kind == ArgKind::kHiddenUnknown) continue;
    EXPECT_EQ(argKindFromName(argKindName(kind)), kind) << argKindName(kind);
  }
}

TEST(Metadata, MalformedNotesAreRefused) {
  const Buffer good = testing::sampleMetadata(4);
  Metadata m;
  for (std::size_t n = 0; n < good.size(); ++n) EXPECT_FALSE(parseMetadataNote(Bytes(good).first(n), m).ok()) << n;
  MsgpackWriter huge;
  huge.map(1).text("amdhsa.kernels").array(0xffffffff).map(0);
  EXPECT_FALSE(parseMetadataNote(huge.bytes(), m).ok());
  MsgpackWriter wrongType;
  wrongType.map(1).text("amdhsa.kernels").number(3);
  EXPECT_FALSE(parseMetadataNote(wrongType.bytes(), m).ok());
}

}  // namespace
}  // namespace hipr::code
