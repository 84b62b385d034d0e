#include "client/device_heap.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace hipr::client {
namespace {

constexpr std::uint64_t kBase = 0x200000000000, kMiB = 1 << 20;

// Stands for the worker: which memory is mapped, and how much credit is left to give.
struct World {
  StreamTable streams;
  std::map<std::uint64_t, std::uint64_t> mapped;
  std::uint64_t mappedBytes = 0, moreCredit = 0;
  int waits = 0;

  DeviceHeap heap(std::uint64_t credit) {
    DeviceHeap::Calls calls;
    calls.map = [this](auto address, auto size) {
      mapped[address] = size;
      mappedBytes += size;
    };
    calls.unmap = [this](auto address) {
      mappedBytes -= mapped.at(address);
      mapped.erase(address);
    };
    calls.askCredit = [this](auto bytes) {
      const std::uint64_t granted = std::min<std::uint64_t>(bytes, moreCredit);
      moreCredit -= granted;
      return granted;
    };
    calls.now = [this] { return streams.now(); };
    calls.waitFor = [this](const Moment& moment) {
      ++waits;
      streams.show(moment);
    };
    return DeviceHeap(kBase, 1024 * kMiB, 64 << 10, credit, std::move(calls));
  }

  bool contains(std::uint64_t address, std::uint64_t size) const {
    const auto next = mapped.upper_bound(address);
    if (next == mapped.begin()) return false;
    const auto& [begin, length] = *std::prev(next);
    return address + size <= begin + length;
  }
};

TEST(DeviceHeap, SmallBlocksShareAMappingAndAreAligned) {
  World world;
  DeviceHeap heap = world.heap(256 * kMiB);
  const std::uint64_t a = heap.allocate(1), b = heap.allocate(1000);
  EXPECT_EQ(a % 4096, 0u);
  EXPECT_EQ(b % 4096, 0u);
  EXPECT_NE(a, b) << "rocPRIM's merge writes 512 bytes into a block of 32: a page for each block keeps that harmless";
  EXPECT_EQ(world.mapped.size(), 1u);
}

TEST(DeviceHeap, OutOfMemoryIsKnownAtTheCallItself) {
  World world;
  DeviceHeap heap = world.heap(64 * kMiB);
  EXPECT_NE(heap.allocate(60 * kMiB), 0u);
  EXPECT_EQ(heap.allocate(60 * kMiB), 0u);
  world.moreCredit = 100 * kMiB;
  EXPECT_NE(heap.allocate(60 * kMiB), 0u);
  EXPECT_EQ(world.moreCredit, 44 * kMiB);  // asked for what was lacking, no more
}

TEST(DeviceHeap, FreedMemoryRestsUntilWorkThatMayUseItIsDone) {
  World world;
  RemoteStream& stream = world.streams.add(7, 0, RemoteStream::Kind::kBlocking);
  DeviceHeap heap = world.heap(512 * kMiB);
  const std::uint64_t block = heap.allocate(256);
  stream.sent = 1;  // a kernel that may touch it is running
  heap.release(block);
  EXPECT_NE(heap.allocate(256), block);
  world.streams.show(stream, 1);
  EXPECT_EQ(heap.allocate(256), block);
  EXPECT_EQ(world.waits, 0);
}

TEST(DeviceHeap, WaitsForRestingMemoryRatherThanFailing) {
  World world;
  RemoteStream& stream = world.streams.add(7, 0, RemoteStream::Kind::kBlocking);
  DeviceHeap heap = world.heap(64 * kMiB);
  const std::uint64_t block = heap.allocate(64 * kMiB);
  stream.sent = 1;
  heap.release(block);
  EXPECT_EQ(heap.allocate(64 * kMiB), block);
  EXPECT_EQ(world.waits, 1);
}

TEST(DeviceHeap, RandomUseNeverOverlapsAndReturnsEverything) {
  World world;
  DeviceHeap heap = world.heap(512 * kMiB);
  std::mt19937 random(1);
  std::map<std::uint64_t, std::uint64_t> live;
  for (int i = 0; i < 20000; ++i) {
    if (live.size() < 200 && random() % 2) {
      const std::uint64_t size = random() % 8 ? 1 + random() % 100000 : 1 + random() % (4 * kMiB);
      const std::uint64_t address = heap.allocate(size);
      if (!address) continue;
      ASSERT_TRUE(world.contains(address, size));
      const auto next = live.lower_bound(address);
      ASSERT_TRUE(next == live.end() || address + size <= next->first);
      ASSERT_TRUE(next == live.begin() || std::prev(next)->first + std::prev(next)->second <= address);
      live[address] = size;
    } else if (!live.empty()) {
      auto victim = std::next(live.begin(), random() % live.size());
      heap.release(victim->first);
      live.erase(victim);
    }
  }
  for (const auto& [address, size] : live) heap.release(address);
  EXPECT_EQ(heap.mappedFree(), world.mappedBytes);
  EXPECT_LE(world.mapped.size(), 1u);  // one empty shared mapping may stay
}

}  // namespace
}  // namespace hipr::client
