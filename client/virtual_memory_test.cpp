#include "client/virtual_memory.h"

#include <gtest/gtest.h>

namespace hipr::client {
namespace {

constexpr std::uint64_t kUnit = 64 << 10, kBase = 1ull << 40, kSize = 64 * kUnit;

TEST(VirtualMemory, AddressesAreAlignedAndNeverGivenTwice) {
  VirtualMemory memory(kBase, kSize, kUnit);
  const std::uint64_t a = memory.reserve(kUnit, 0), b = memory.reserve(2 * kUnit, 16 * kUnit);
  EXPECT_EQ(b % (16 * kUnit), 0u);
  EXPECT_TRUE(a + kUnit <= b || b + 2 * kUnit <= a);
  EXPECT_EQ(memory.reserve(kSize, 0), 0u);
  EXPECT_EQ(memory.reserve(~std::uint64_t{0}, 16 * kUnit), 0u);
  memory.free(a, kUnit);
  memory.free(b, 2 * kUnit);
  EXPECT_EQ(memory.reserve(kSize, 0), kBase);  // nothing was lost
}

TEST(VirtualMemory, MemoryEndsWhenItIsNeitherHeldNorMapped) {
  VirtualMemory memory(kBase, kSize, kUnit);
  const std::uint64_t first = memory.create(1, kUnit), second = memory.create(0, 2 * kUnit);
  EXPECT_NE(first, second);
  memory.map(kBase, kUnit, first);
  EXPECT_FALSE(memory.release(first));
  const auto ended = memory.unmap(kBase, Moment());
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->device, 1);
  EXPECT_EQ(ended->size, kUnit);
  memory.map(kBase, kUnit, second);
  EXPECT_FALSE(memory.unmap(kBase, Moment()));
  EXPECT_TRUE(memory.release(second));
}

TEST(VirtualMemory, RemembersWhoMayUseWhatWasUnmapped) {
  VirtualMemory memory(kBase, kSize, kUnit);
  StreamTable streams;
  RemoteStream& stream = streams.add(7, 0, RemoteStream::Kind::kBlocking);
  streams.count(stream);
  memory.map(kBase + kUnit, kUnit, memory.create(0, kUnit));
  memory.unmap(kBase + kUnit, streams.now());
  EXPECT_TRUE(memory.usersOf(kBase, kUnit).empty());
  EXPECT_EQ(memory.usersOf(kBase, 2 * kUnit).size(), 1u);
  streams.show(stream, 1);
  EXPECT_TRUE(memory.usersOf(kBase, 2 * kUnit).empty());
}

}  // namespace
}  // namespace hipr::client
