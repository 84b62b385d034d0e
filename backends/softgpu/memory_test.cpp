#include <random>
#include <thread>

#include "backends/softgpu/arena.h"
#include "backends/softgpu/core_testing.h"
#include "backends/softgpu/state.h"

namespace hipr::softgpu::testing {
namespace {

std::size_t freeBytes(int device) {
  platform();
  std::size_t free = 0, total = 0;
  EXPECT_EQ(core().memoryInfo(device, &free, &total), hipSuccess);
  EXPECT_EQ(total, kDeviceBytes);
  return free;
}

TEST(Arena, BlocksNeverOverlapAndComeBack) {
  Arena arena(256);
  struct Used {
    std::byte* begin;
    std::size_t size;
    unsigned char mark;
  };
  std::vector<Used> used;
  std::mt19937 random(3);
  for (int step = 0; step < 20000; ++step) {
    if (used.size() < 300 && random() % 5 < 3) {
      const std::size_t size = 1 + (random() % 8 == 0 ? random() % Arena::kMaxBlock : random() % 2000);
      const Arena::Place place = arena.allocate(size);
      ASSERT_NE(place.address, 0u);
      ASSERT_EQ(place.address % 256, 0u);
      ASSERT_EQ(place.shift, 0u);
      auto* block = reinterpret_cast<std::byte*>(place.address);
      const auto mark = static_cast<unsigned char>(step);
      std::memset(block, mark, size);
      used.push_back({block, size, mark});
    } else if (!used.empty()) {
      std::swap(used[random() % used.size()], used.back());
      const Used last = used.back();
      used.pop_back();
      ASSERT_EQ(static_cast<unsigned char>(last.begin[0]), last.mark);
      ASSERT_EQ(static_cast<unsigned char>(last.begin[last.size - 1]), last.mark);
      arena.free(reinterpret_cast<std::uint64_t>(last.begin), last.size);
    }
  }
}

TEST(Memory, IsCountedAndRefusedAtTheCap) {
  const std::size_t before = freeBytes(1);
  {
    TestMemory small(1000, MemoryKind::kDevice, 1), large(std::size_t{100} << 20, MemoryKind::kDevice, 1);
    EXPECT_EQ(freeBytes(1), before - kPage - (std::size_t{100} << 20));
    EXPECT_EQ(small.host, small.devicePointer) << "the CPU reads device memory at its address";
    Allocation tooMuch;
    tooMuch.device = 1;
    tooMuch.size = kDeviceBytes - (std::size_t{50} << 20);
    EXPECT_EQ(core().allocate(tooMuch), hipErrorOutOfMemory);
    tooMuch.size = ~std::size_t{0} - 4096;
    EXPECT_EQ(core().allocate(tooMuch), hipErrorOutOfMemory);
  }
  EXPECT_EQ(freeBytes(1), before);
  TestMemory host(1 << 20, MemoryKind::kHost, 1);
  EXPECT_EQ(freeBytes(1), before) << "host memory is not the device's";
}

TEST(Memory, RandomAllocationsFromManyThreads) {
  const std::size_t before = freeBytes(0);
  const auto work = [](unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::unique_ptr<TestMemory>> live;
    constexpr MemoryKind kKinds[] = {MemoryKind::kDevice, MemoryKind::kDevice, MemoryKind::kHost, MemoryKind::kManaged};
    for (int step = 0; step < 1500; ++step) {
      if (live.size() < 40 && random() % 2 == 0) {
        const std::size_t size = 1 + random() % (random() % 16 == 0 ? 3 << 20 : 5000);
        live.push_back(std::make_unique<TestMemory>(size, kKinds[random() % 4]));
        std::memset(live.back()->devicePointer, static_cast<int>(seed), size);
      } else if (!live.empty()) {
        std::swap(live[random() % live.size()], live.back());
        const TestMemory& last = *live.back();
        ASSERT_EQ(last.as<unsigned char>()[0], seed);
        ASSERT_EQ(last.as<unsigned char>()[last.size - 1], seed);
        live.pop_back();
      }
    }
  };
  platform();
  std::vector<std::thread> threads;
  for (unsigned seed = 1; seed <= 4; ++seed) threads.emplace_back(work, seed);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(freeBytes(0), before);
}

TEST(Memory, APageIsTheLeastAsOnHardware) {
  // rocPRIM's merge writes 512 bytes into a block it made 32 bytes large; on a GPU nothing notices.
  TestMemory first(32), second(32);
  for (TestMemory* memory : {&first, &second}) {
    const auto address = reinterpret_cast<std::uint64_t>(memory->devicePointer);
    EXPECT_EQ(address % kPage, 0u);
    EXPECT_GE(state().regions.find(0, address).end, address + kPage);
  }
}

TEST(Memory, IsKeptUntilWorkInFlightIsDone) {
  TestStream stream;
  auto memory = std::make_unique<TestMemory>(std::size_t{2} << 20);
  const auto address = reinterpret_cast<std::uint64_t>(memory->devicePointer);
  auto* words = memory->as<std::uint32_t>();
  Gate gate(stream);
  ASSERT_EQ(fillWords(stream, words, 1000, 9), hipSuccess);
  memory.reset();  // released by the program while a fill of it is queued
  EXPECT_NE(state().regions.find(0, address).end, 0u);
  words[0] = 5;  // still mapped
  gate.open();
  stream.sync();
  EXPECT_TRUE(soon([&] { return state().regions.find(0, address).end == 0; }));
}

TEST(Memory, RegisteredMemoryIsVisibleAtItsAddress) {
  std::vector<std::uint32_t> mine(1000);
  Allocation registered;
  registered.kind = MemoryKind::kRegistered;
  registered.size = mine.size() * 4;
  registered.host = mine.data();
  platform();
  ASSERT_EQ(core().allocate(registered), hipSuccess);
  EXPECT_EQ(registered.devicePointer, mine.data());
  TestStream stream;
  TestKernel add(0, kAddKernel);
  ASSERT_EQ(add.launch(stream, mine.data() + 10, 3), hipSuccess);
  core().fence(0);  // waits for the kernel
  ASSERT_EQ(core().release(registered), hipSuccess);
  EXPECT_EQ(mine[10], 192u);
}

TEST(Copies, RowsAndSlices) {
  TestStream stream;
  constexpr std::size_t kPitch = 96, kSlice = 96 * 10;
  TestMemory from(kSlice * 3), to(kSlice * 3);
  for (std::size_t i = 0; i < from.size; ++i) from.as<unsigned char>()[i] = static_cast<unsigned char>(i * 7);
  std::memset(to.devicePointer, 0xee, to.size);
  Copy copy;
  copy.from = {.address = from.as<char>() + 5, .pitch = kPitch, .slice = kSlice, .kind = MemoryKind::kDevice};
  copy.to = {.address = to.as<char>() + 2, .pitch = kPitch - 32, .slice = kSlice - 320, .kind = MemoryKind::kDevice};
  copy.width = 50;
  copy.height = 7;
  copy.depth = 2;
  ASSERT_EQ(testing::copy(copy, stream), hipSuccess);
  stream.sync();
  std::vector<unsigned char> expected(to.size, 0xee);
  for (std::size_t z = 0; z < 2; ++z)
    for (std::size_t y = 0; y < 7; ++y)
      std::memcpy(&expected[2 + z * (kSlice - 320) + y * (kPitch - 32)], from.as<char>() + 5 + z * kSlice + y * kPitch,
                  50);
  EXPECT_EQ(std::memcmp(expected.data(), to.devicePointer, to.size), 0);
}

TEST(Copies, LargeOnesAreWhole) {
  constexpr std::size_t kBytes = (std::size_t{37} << 20) + 13;
  TestStream stream;
  TestMemory device(kBytes), other(kBytes);
  std::vector<unsigned char> mine(kBytes), back(kBytes);
  std::mt19937 random(5);
  for (unsigned char& byte : mine) byte = static_cast<unsigned char>(random());
  ASSERT_EQ(
      copyBytes(stream, device.devicePointer, mine.data(), kBytes, MemoryKind::kDevice, MemoryKind::kPageable, false),
      hipSuccess);
  std::fill(mine.begin(), mine.begin() + 100, 0);  // the program may use it again at once
  ASSERT_EQ(copyBytes(stream, other.devicePointer, device.devicePointer, kBytes, MemoryKind::kDevice,
                      MemoryKind::kDevice, false),
            hipSuccess);
  ASSERT_EQ(
      copyBytes(stream, back.data(), other.devicePointer, kBytes, MemoryKind::kPageable, MemoryKind::kDevice, true),
      hipSuccess);
  EXPECT_TRUE(std::equal(mine.begin() + 100, mine.end(), back.begin() + 100));
  EXPECT_EQ(std::memcmp(back.data(), device.devicePointer, kBytes), 0);
}

TEST(Copies, APageableSourceMayChangeAfterTheCall) {
  TestStream stream;
  TestMemory device(std::size_t{1} << 20);
  std::vector<std::uint32_t> mine(device.size / 4, 1);
  Gate gate(stream);
  ASSERT_EQ(copyBytes(stream, device.devicePointer, mine.data(), device.size, MemoryKind::kDevice,
                      MemoryKind::kPageable, false),
            hipSuccess);
  std::fill(mine.begin(), mine.end(), 2);
  gate.open();
  stream.sync();
  EXPECT_EQ(device.as<std::uint32_t>()[0], 1u);
  EXPECT_EQ(device.as<std::uint32_t>()[mine.size() - 1], 1u);
}

TEST(Fills, EveryElementSizeAndShape) {
  TestStream stream;
  TestMemory memory(std::size_t{8} << 20);
  ASSERT_EQ(fill({.address = memory.devicePointer, .width = memory.size, .value = 0x11}, stream), hipSuccess);
  ASSERT_EQ(fill({.address = memory.as<char>() + 100, .width = 7, .value = 0x12345, .elementSize = 2}, stream),
            hipSuccess);
  ASSERT_EQ(fill({.address = memory.as<char>() + 1000,
                  .pitch = 64,
                  .width = 3,
                  .height = 5,
                  .value = 0xdeadbeef,
                  .elementSize = 4},
                 stream),
            hipSuccess);
  stream.sync();
  std::vector<unsigned char> expected(memory.size, 0x11);
  for (int i = 0; i < 7; ++i) std::memcpy(&expected[100 + 2 * i], "\x45\x23", 2);
  for (int row = 0; row < 5; ++row)
    for (int i = 0; i < 3; ++i) std::memcpy(&expected[1000 + 64 * row + 4 * i], "\xef\xbe\xad\xde", 4);
  EXPECT_EQ(std::memcmp(expected.data(), memory.devicePointer, memory.size), 0);
}

}  // namespace
}  // namespace hipr::softgpu::testing
