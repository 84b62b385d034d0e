// Messages of a few bytes that cost the worker, or the GPU's runtime, much more.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "worker/session_fixture.h"

namespace hipr::worker {
namespace {

using wire::Opcode;

class Pieces : public ::testing::Test {
 protected:
  explicit Pieces(const Limits& limits = {}) : s({.cpuReachesMemory = false}, 1 << 30, limits) {
    s.client->hello();
    s.client->send<Opcode::kMapMemory>({0, kTestDeviceBase, 4 * kMiB});
    s.client->send<Opcode::kStreamCreate>({.stream = kStream});
    s.client->send<Opcode::kFillMemory>(fillWith(kStream, {kTestDeviceBase, 0, 0, 4 * kMiB}, 0, 1));
    EXPECT_EQ(s.client->ask<Opcode::kStreamSynchronize>({kStream}), hipSuccess);
  }
  std::vector<std::byte> memory(std::uint64_t size, std::uint64_t from = 0) {
    EXPECT_EQ(s.client->ask<Opcode::kDownload>({kStream, {kTestDeviceBase + from, 0, 0, size}, ++transfer_}),
              hipSuccess);
    return s.client->received[transfer_];
  }
  std::size_t outOfMemory() {
    EXPECT_EQ(s.client->ask<Opcode::kPing>({}), hipSuccess);
    std::size_t count = 0;
    for (const Frame& frame : s.client->seen)
      count += frame.opcode() == Opcode::kAsyncFailure &&
               TestClient::decode<wire::AsyncFailure>(frame).status == hipErrorOutOfMemory;
    return count;
  }
  int commandsFor(const wire::FillMemory& fill) {
    const int before = s.fake.commands();
    s.client->send<Opcode::kFillMemory>(fill);
    EXPECT_EQ(s.client->ask<Opcode::kPing>({}), hipSuccess);
    return s.fake.commands() - before;
  }

  SessionOnFake s;

 private:
  std::uint64_t transfer_ = 100;
};

TEST_F(Pieces, ManyRowsAreFilledWithFewCommands) {
  const wire::Shape rows{kTestDeviceBase, 8, 0, 1, 100'000, 1};
  EXPECT_LT(commandsFor(fillWith(kStream, rows, 0x01020304, 4)), 30);
  const auto bytes = memory(100'000 * 8);
  for (std::size_t i = 0; i < 100'000; ++i) {
    std::uint64_t row = 0;
    std::memcpy(&row, &bytes[i * 8], sizeof row);
    ASSERT_EQ(row, 0x01020304u) << i;
  }
  EXPECT_LT(commandsFor(fillWith(kStream, rows, 0x05050505, 4)), 5);  // all bytes are the same
  EXPECT_EQ(memory(4, 8 * 99'999), std::vector<std::byte>(4, std::byte{5}));
  // Planes of one row each are rows.
  EXPECT_LT(commandsFor(fillWith(kStream, {kTestDeviceBase, 0, 8, 4, 1, 100'000}, 1, 1)), 5);
}

// Whatever their rows and slices are like: against bytes moved one by one.
TEST_F(Pieces, EveryShapeIsExact) {
  std::minstd_rand random(3);
  const std::uint64_t half = 64 << 10;
  std::vector<std::byte> expected(2 * half);
  for (int i = 0; i < 300; ++i) {
    const std::uint32_t element = 1u << random() % 3;
    wire::Shape to{kTestDeviceBase, 0, 0, 1 + random() % 5, 1 + random() % 6, 1 + random() % 6};
    to.pitch = (to.width + random() % 2) * element;
    to.slice = to.pitch * to.height + random() % 2 * element;
    wire::FillMemory fill =
        fillWith(kStream, to, random() % 4 ? static_cast<std::uint32_t>(random()) : 0x7e7e7e7e, element);
    s.client->send<Opcode::kFillMemory>(fill);
    wire::DeviceCopy copy;
    copy.stream = kStream;
    copy.from = kTestDeviceBase;
    copy.fromPitch = to.pitch;
    copy.fromSlice = to.slice;
    copy.to = to;
    copy.to.width *= element;
    copy.to.address += half;
    copy.to.pitch += random() % 2;
    copy.to.slice = copy.to.pitch * to.height + random() % 2;
    s.client->send<Opcode::kDeviceCopy>(copy);
    for (std::uint64_t z = 0; z < to.depth; ++z) {
      for (std::uint64_t y = 0; y < to.height; ++y) {
        std::byte* const row = &expected[z * to.slice + y * to.pitch];
        for (std::uint64_t x = 0; x < to.width; ++x) std::memcpy(row + x * element, &fill.value, element);
        std::memcpy(&expected[half + z * copy.to.slice + y * copy.to.pitch], row, to.width * element);
      }
    }
    // And packed, there and back.
    const wire::Shape rows = copy.to;
    EXPECT_EQ(s.client->ask<Opcode::kDownload>({kStream, rows, 1000u + i}), hipSuccess);
    s.client->send<Opcode::kUpload>(uploadHere(kStream, rows, s.client->received[1000u + i]));
    ASSERT_EQ(memory(2 * half), expected) << i;
  }
}

// Two rows in each plane, and a gap behind them: no runtime takes more of that at once.
constexpr wire::Shape planes(std::uint64_t depth) {
  return {kTestDeviceBase, 2, 5, 1, 2, depth};
}

class CountedPieces : public Pieces {
 protected:
  CountedPieces() : Pieces(with(Quota::kOperations, 1000)) {}
};

TEST_F(CountedPieces, WaitBeforeTheyAreTooMany) {
  s.fake.hold();
  const int before = s.fake.commands();
  for (std::uint32_t i = 1; i <= 10; ++i) s.client->send<Opcode::kFillMemory>(fillWith(kStream, planes(300), i, 1));
  EXPECT_EQ(s.client->ask<Opcode::kPing>({}), hipSuccess);
  EXPECT_LT(s.fake.commands() - before, 1000);
  s.fake.release();
  EXPECT_EQ(memory(1, 299 * 5 + 2), std::vector<std::byte>(1, std::byte{10}));
  EXPECT_EQ(outOfMemory(), 0u);
}

TEST_F(CountedPieces, AreRefusedWhereThereIsNoRoom) {
  const int before = s.fake.commands();
  s.client->send<Opcode::kFillMemory>(fillWith(kStream, planes(2000), 1, 1));
  wire::DeviceCopy copy;
  copy.stream = kStream;
  copy.to = planes(2000);
  copy.from = kTestDeviceBase + kMiB;
  copy.fromPitch = 2;
  copy.fromSlice = 5;
  s.client->send<Opcode::kDeviceCopy>(copy);
  const std::vector<std::byte> bytes(4000);
  s.client->send<Opcode::kUpload>(uploadHere(kStream, planes(2000), bytes));
  s.client->send<Opcode::kUpload>(uploadLater(kStream, planes(2000), 5));
  s.client->sendData(5, 0, bytes);
  EXPECT_EQ(s.client->ask<Opcode::kDownload>({kStream, planes(2000), 9}), hipErrorOutOfMemory);
  EXPECT_EQ(outOfMemory(), 4u);
  EXPECT_LT(s.fake.commands() - before, 100);
  EXPECT_EQ(s.client->ask<Opcode::kStreamSynchronize>({kStream}), hipSuccess);
}

TEST_F(CountedPieces, OfUploadsThatFailWithoutTheirBytes) {
  for (std::uint64_t i = 1; i <= 4098; ++i)
    s.client->send<Opcode::kUpload>(uploadLater(kStream, {kTestDeviceBase + 16 * kMiB, 0, 0, 100 << 10}, i));
  const auto refused = s.client->expectPush<wire::Refused>(Opcode::kRefused);
  ASSERT_TRUE(refused);
  EXPECT_NE(refused->text.find("too many uploads"), std::string::npos) << refused->text;
}

TEST(SmallAllocations, CountAsPages) {
  SessionOnFake s({.placesMemory = false}, kMiB);
  s.client->hello();
  std::vector<std::byte> storage;
  std::uint64_t first = 0, made = 0;
  for (int i = 0; i < 300; ++i) {
    const auto reply = s.client->call<wire::AllocateMemoryReply, Opcode::kAllocateMemory>({0, 1}, storage);
    if (reply.status != hipSuccess) continue;
    if (++made == 1) first = reply.address;
  }
  EXPECT_LE(made, 256u);
  EXPECT_GT(made, 200u);
  s.client->send<Opcode::kFreeMemory>({first});
  EXPECT_EQ((s.client->call<wire::AllocateMemoryReply, Opcode::kAllocateMemory>({0, 1}, storage).status), hipSuccess);
}

}  // namespace
}  // namespace hipr::worker
