#include "platform/memory.h"

#include <gtest/gtest.h>

#include <cstring>

#include "platform/address_range.h"

namespace hipr::platform {
namespace {

TEST(Memory, PagesAreZeroAndWritable) {
  const std::size_t size = 3 * pageSize() + 1;
  auto* pages = static_cast<unsigned char*>(allocatePages(size));
  ASSERT_NE(pages, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pages) % pageSize(), 0u);
  EXPECT_TRUE(isMapped(pages, size));
  EXPECT_EQ(pages[size - 1], 0);
  std::memset(pages, 7, size);
  freePages(pages, size);
  EXPECT_FALSE(isMapped(pages, size));
}

TEST(Memory, AReservationIsNoMemoryUntilItIsCommitted) {
  const std::size_t size = std::size_t{1} << 36;
  auto* base = static_cast<unsigned char*>(reserve(size));
  ASSERT_NE(base, nullptr);
  unsigned char* middle = base + size / 2;
  ASSERT_TRUE(commit(middle, pageSize()));
  middle[0] = 1;
  decommit(middle, pageSize());
  ASSERT_TRUE(commit(middle, pageSize()));
  EXPECT_EQ(middle[0], 0);
  release(base, size);
}

TEST(Memory, ReservesExactlyThereOrNotAtAll) {
  const std::size_t size = std::size_t{1} << 30;
  void* const free = reserve(size);
  ASSERT_NE(free, nullptr);
  EXPECT_FALSE(reserveAt(free, size));
  release(free, size);
  EXPECT_TRUE(reserveAt(free, size));
  release(free, size);
}

TEST(AddressRange, KnowsWhatIsInside) {
  AddressRange range;
  ASSERT_TRUE(range.reserveAnywhere(1 << 20));
  EXPECT_TRUE(range.contains(range.base()));
  EXPECT_TRUE(range.contains(range.base() + (1 << 20) - 1));
  EXPECT_FALSE(range.contains(range.base() + (1 << 20)));
  EXPECT_FALSE(range.contains(range.base() - 1));
  const std::uint64_t base = range.base();
  AddressRange other;
  EXPECT_FALSE(other.reserve(base, 1 << 20));
  range = AddressRange();
  EXPECT_TRUE(other.reserve(base, 1 << 20));
}

TEST(Memory, TheMachineHasSome) {
  EXPECT_GT(physicalMemory(), std::uint64_t{1} << 26);
}

}  // namespace
}  // namespace hipr::platform
