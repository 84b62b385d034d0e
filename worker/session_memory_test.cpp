// What a session does with device memory: credit, mappings, and memory that leaves while work is unfinished.
#include <gtest/gtest.h>

#include "worker/session_fixture.h"

namespace hipr::worker {
namespace {

using wire::Opcode;

TEST(Session, MappingBeyondTheCreditFails) {
  SessionOnFake s({}, 64 * kMiB);
  s.client->hello();
  s.ledger.grant(0, 1, s.ledger.available(0) - 2 * kMiB);  // somebody else has the rest
  s.client->send<Opcode::kMapMemory>({0, kTestDeviceBase, 4 * kMiB});
  EXPECT_EQ(s.client->expectPush<wire::AsyncFailure>(Opcode::kAsyncFailure)->status, hipErrorOutOfMemory);
  std::vector<std::byte> storage;
  const auto ask = [&](std::uint64_t bytes, std::uint64_t most) {
    return s.client->call<wire::MemoryCreditReply, Opcode::kMemoryCredit>({0, bytes, most}, storage).granted;
  };
  EXPECT_EQ(ask(3 * kMiB, 3 * kMiB), 0u);  // what would not help is not given
  EXPECT_EQ(ask(kMiB, kMiB), kMiB);
  s.client->send<Opcode::kMapMemory>({0, kTestDeviceBase, 2 * kMiB});
  EXPECT_EQ(s.client->ask<Opcode::kPing>({}), hipSuccess);
  EXPECT_FALSE(s.client->sawPush(Opcode::kAsyncFailure));
}

TEST(Session, PhysicalMemoryIsMappedWhereTheClientSays) {
  SessionOnFake s({}, 64 * kMiB);
  s.client->hello();
  const int before = s.fake.liveObjects();
  s.client->send<Opcode::kCreatePhysical>({7, 0, kMiB});
  s.client->send<Opcode::kMapPhysical>({7, kTestDeviceBase + kMiB, kMiB});
  s.client->send<Opcode::kSetMemoryAccess>({kTestDeviceBase + kMiB, kMiB, {0}, {3}});
  s.client->send<Opcode::kUpload>(
      uploadHere(wire::kNullStream, {kTestDeviceBase + 2 * kMiB - 4, 0, 0, 4}, bytesOf(42)));
  EXPECT_EQ(s.client->ask<Opcode::kDeviceSynchronize>({0}), hipSuccess);
  EXPECT_FALSE(s.client->sawPush(Opcode::kAsyncFailure));
  s.client->send<Opcode::kReleasePhysical>({7});
  s.client->send<Opcode::kUnmapPhysical>({kTestDeviceBase + kMiB});
  EXPECT_EQ(s.client->ask<Opcode::kDeviceSynchronize>({0}), hipSuccess);
  EXPECT_EQ(s.fake.liveObjects(), before);
}

TEST(Session, PhysicalMemoryHasItsLimits) {
  SessionOnFake s({}, 64 * kMiB);
  s.client->hello();
  const auto failure = [&] { return s.client->expectPush<wire::AsyncFailure>(Opcode::kAsyncFailure)->status; };
  s.client->send<Opcode::kMapMemory>({0, kTestDeviceBase, kMiB});
  s.client->send<Opcode::kCreatePhysical>({7, 0, 64 * kMiB});  // a little is used already
  EXPECT_EQ(failure(), hipErrorOutOfMemory);
  s.client->send<Opcode::kCreatePhysical>({7, 0, kMiB});
  s.client->send<Opcode::kMapPhysical>({7, kTestDeviceBase, kMiB});  // where other memory is
  EXPECT_EQ(failure(), hipErrorInvalidValue);
  s.client->send<Opcode::kMapPhysical>({7, kTestDeviceBase + kTestDeviceSize, kMiB});  // outside
  EXPECT_EQ(failure(), hipErrorInvalidValue);
  s.client->send<Opcode::kMapPhysical>({7, kTestDeviceBase + kMiB, 2 * kMiB});  // more than there is
  EXPECT_EQ(failure(), hipErrorInvalidValue);
  s.client->send<Opcode::kSetMemoryAccess>({kTestDeviceBase, kMiB, {0}, {3}});  // not memory of this kind
  EXPECT_EQ(failure(), hipErrorInvalidValue);
  s.client->send<Opcode::kUnmapPhysical>({kTestDeviceBase});
  EXPECT_EQ(s.client->ask<Opcode::kPing>({}), hipSuccess);
  s.client->send<Opcode::kCreatePhysical>({7, 0, kMiB});  // the number is taken
  EXPECT_TRUE(s.client->expectPush<wire::Refused>(Opcode::kRefused));
}

// Nor does a client get more by giving memory up while something that may use it is unfinished.
TEST(Session, PhysicalMemoryCountsUntilItIsUnmapped) {
  SessionOnFake s({}, 64 * kMiB);
  s.client->hello();
  s.client->send<Opcode::kStreamCreate>({.stream = wire::kFirstObject, .device = 0, .flags = hipStreamNonBlocking});
  s.client->send<Opcode::kHostFunction>({wire::kFirstObject, 1});  // which is not over yet
  s.client->expectPush<wire::RunHostFunction>(Opcode::kRunHostFunction);
  const auto createAndLeave = [&](std::uint64_t number) {
    s.client->send<Opcode::kCreatePhysical>({number, 0, 40 * kMiB});
    s.client->send<Opcode::kMapPhysical>({number, kTestDeviceBase + number * 40 * kMiB, 40 * kMiB});
    s.client->send<Opcode::kReleasePhysical>({number});
    s.client->send<Opcode::kUnmapPhysical>({kTestDeviceBase + number * 40 * kMiB});
    EXPECT_EQ(s.client->ask<Opcode::kPing>({}), hipSuccess);
    const bool failed = s.client->sawPush(Opcode::kAsyncFailure);
    s.client->seen.clear();
    return !failed;
  };
  EXPECT_TRUE(createAndLeave(1));
  EXPECT_FALSE(createAndLeave(2));
  s.client->send<Opcode::kHostFunctionDone>({1});
  EXPECT_EQ(s.client->ask<Opcode::kDeviceSynchronize>({0}), hipSuccess);
  bool again = false;  // another thread unmaps it, in its time
  for (std::uint64_t number = 3; !again && number < 100; ++number) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    again = createAndLeave(number);
  }
  EXPECT_TRUE(again);
}

TEST(Session, UnmappedMemoryStaysUntilWorkIsDone) {
  SessionOnFake s;
  s.client->hello();
  const int before = s.fake.liveObjects();
  s.client->send<Opcode::kMapMemory>({0, kTestDeviceBase, kMiB});
  s.fake.hold();
  s.client->send<Opcode::kFillMemory>(fillWith(wire::kNullStream, {kTestDeviceBase, 0, 0, 100}, 7, 1));
  s.client->send<Opcode::kUnmapMemory>({kTestDeviceBase});
  EXPECT_EQ(s.client->ask<Opcode::kPing>({}), hipSuccess);  // the reader goes on
  EXPECT_GT(s.fake.liveObjects(), before);
  s.fake.release();
  EXPECT_EQ(s.client->ask<Opcode::kDeviceSynchronize>({0}), hipSuccess);
  // The same addresses again, at once: the client knows that the work is finished.
  s.client->send<Opcode::kMapMemory>({0, kTestDeviceBase, kMiB});
  EXPECT_EQ(s.client->ask<Opcode::kPing>({}), hipSuccess);
  EXPECT_FALSE(s.client->sawPush(Opcode::kAsyncFailure));
}

}  // namespace
}  // namespace hipr::worker
