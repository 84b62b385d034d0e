// The session's own logic: the first exchange, objects, launches, order and failures. Memory has
// session_memory_test.cpp, transfers transfers_test.cpp, and what is refused session_refuses_test.cpp.
#include "worker/session.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>

#include "access/digest.h"
#include "mirror/changes.h"
#include "worker/session_fixture.h"

namespace hipr::worker {
namespace {

using wire::Opcode;
using namespace std::chrono_literals;

constexpr std::uint64_t kOther = wire::kFirstObject + 5;

TEST(Session, HelloAgreesOnAddressesAndGrantsCredit) {
  SessionOnFake s({.devices = 2});
  const wire::HelloReply reply = s.client->hello();
  EXPECT_EQ(reply.status, hipSuccess);
  EXPECT_EQ(reply.deviceBase, kTestDeviceBase);
  EXPECT_EQ(reply.deviceSize, kTestDeviceSize);
  EXPECT_GT(reply.granularity, 0u);
  ASSERT_EQ(reply.credits.size(), 2u);
  EXPECT_EQ(reply.credits[0], s.ledger.promised(0, 0));
  EXPECT_GT(reply.credits[0], 0u);
}

TEST(Session, HelloTellsWhichMessagesItDoesNotKnow) {
  SessionOnFake s;
  wire::Hello hello;
  hello.messages = wire::messagesToWorker();
  hello.deviceBase = kTestDeviceBase;
  hello.deviceSize = kTestDeviceSize;
  hello.hostBase = kTestHostBase;
  hello.hostSize = kTestHostSize;
  std::vector<std::byte> storage;
  hello.messages.push_back(0x7ffe);
  const auto reply = s.client->call<wire::HelloReply, Opcode::kHello>(hello, storage);
  // It keeps nothing, goes nowhere, and nobody can join it.
  EXPECT_EQ(reply.unknown, (std::vector<std::uint16_t>{static_cast<std::uint16_t>(Opcode::kNamedData),
                                                       static_cast<std::uint16_t>(Opcode::kLaneData),
                                                       static_cast<std::uint16_t>(Opcode::kDownloadLanes),
                                                       static_cast<std::uint16_t>(Opcode::kBring), 0x7ffe}));
}

TEST(Session, ARuntimeThatIgnoresTheHintNamesItsOwnRange) {
  SessionOnFake s({.ignoresHint = true});
  const wire::HelloReply first = s.client->hello();
  EXPECT_EQ(first.status, hipSuccess);
  EXPECT_NE(first.deviceBase, kTestDeviceBase);
  EXPECT_NE(first.deviceBase, 0u);
}

TEST(Session, ATakenHostRangeIsReportedAndAnotherOneAccepted) {
  SessionOnFake s;
  static char taken;
  const std::uint64_t inUse = reinterpret_cast<std::uint64_t>(&taken) / 4096 * 4096;
  EXPECT_EQ(s.client->hello(inUse, 4096).status, hipErrorMapFailed);
  EXPECT_EQ(s.client->hello().status, hipSuccess);
}

TEST(Session, WithoutVirtualMemoryTheRuntimeChoosesAddresses) {
  SessionOnFake s({.placesMemory = false});
  const wire::HelloReply hello = s.client->hello();
  EXPECT_EQ(hello.status, hipSuccess);
  EXPECT_EQ(hello.deviceBase, 0u);
  std::vector<std::byte> storage;
  const auto memory = s.client->call<wire::AllocateMemoryReply, Opcode::kAllocateMemory>({0, 4096}, storage);
  ASSERT_EQ(memory.status, hipSuccess);
  s.client->send<Opcode::kUpload>(uploadHere(wire::kNullStream, {memory.address, 0, 0, 4}, bytesOf(42)));
  s.client->send<Opcode::kFreeMemory>({memory.address});
  EXPECT_EQ(s.client->ask<Opcode::kDeviceSynchronize>({0}), hipSuccess);
  EXPECT_FALSE(s.client->sawPush(Opcode::kAsyncFailure));
}

TEST(Session, NoDeviceIsStillASession) {
  SessionOnFake s({.devices = 0});
  const wire::HelloReply reply = s.client->hello();
  EXPECT_EQ(reply.status, hipSuccess);
  EXPECT_TRUE(reply.credits.empty());
  EXPECT_EQ(s.client->ask<Opcode::kPing>({}), hipSuccess);
}

TEST(Session, LaunchesRunAndProgressIsPushed) {
  SessionOnFake s;
  s.client->hello();
  loadScale(*s.client);
  s.client->send<Opcode::kMapMemory>({0, kTestDeviceBase, kMiB});
  s.client->send<Opcode::kStreamCreate>({.stream = kStream, .device = 0, .flags = hipStreamNonBlocking});
  s.client->send<Opcode::kUpload>(uploadHere(kStream, {kTestDeviceBase, 0, 0, 4}, bytesOf(1.5f)));
  s.client->send<Opcode::kLaunchKernel>(scaleLaunch(kStream, {kTestDeviceBase, 4.0f}));
  std::uint64_t done = 0;
  while (done < 2) {
    const auto progress = s.client->expectPush<wire::Progress>(Opcode::kProgress);
    ASSERT_TRUE(progress);
    EXPECT_EQ(progress->stream, kStream);
    EXPECT_GT(progress->done, done);
    done = progress->done;
  }
  EXPECT_EQ(s.client->ask<Opcode::kDownload>({kStream, {kTestDeviceBase, 0, 0, 4}, 9}), hipSuccess);
  float result = 0;
  std::memcpy(&result, s.client->received[9].data(), 4);
  EXPECT_EQ(result, 6.0f);
}

TEST(Session, ASynchronizeReportsProgressByItself) {
  SessionOnFake s;
  s.client->hello();
  loadScale(*s.client);
  s.fake.hold();
  s.client->send<Opcode::kStreamCreate>({.stream = kStream});
  for (int i = 0; i < 5; ++i) s.client->send<Opcode::kLaunchKernel>(scaleLaunch(kStream, {0, 1}));
  const std::uint32_t sync = s.client->send<Opcode::kStreamSynchronize>({kStream});
  EXPECT_EQ(s.client->ask<Opcode::kPing>({}), hipSuccess);  // not held up by the one that waits
  s.fake.release();
  EXPECT_EQ(s.client->status(sync), hipSuccess);
  EXPECT_EQ(s.fake.launches(), 5);
}

TEST(Session, CooperativeAndEventLaunches) {
  SessionOnFake s;
  s.client->hello();
  loadScale(*s.client);
  s.client->send<Opcode::kMapMemory>({0, kTestDeviceBase, kMiB});
  s.client->send<Opcode::kUpload>(uploadHere(wire::kNullStream, {kTestDeviceBase, 0, 0, 4}, bytesOf(2.0f)));
  const ScaleArguments arguments{kTestDeviceBase, 3.0f};
  wire::LaunchKernel cooperative = scaleLaunch(wire::kNullStream, arguments);
  cooperative.cooperative = true;
  s.client->send<Opcode::kLaunchKernel>(cooperative);
  s.client->send<Opcode::kEventCreate>({kEvent, 0, 0});
  s.client->send<Opcode::kEventCreate>({kOther, 0, 0});
  wire::LaunchKernel timed = scaleLaunch(wire::kNullStream, arguments);
  timed.start = kEvent;
  timed.stop = kOther;
  s.client->send<Opcode::kLaunchKernel>(timed);
  EXPECT_EQ(s.client->ask<Opcode::kEventSynchronize>({kOther}), hipSuccess);
  std::vector<std::byte> storage;
  const auto elapsed = s.client->call<wire::EventElapsedReply, Opcode::kEventElapsed>({kEvent, kOther}, storage);
  EXPECT_EQ(elapsed.status, hipSuccess);
  EXPECT_EQ(elapsed.milliseconds, 2.5f);
  EXPECT_EQ(s.client->ask<Opcode::kDownload>({wire::kNullStream, {kTestDeviceBase, 0, 0, 4}, 1}), hipSuccess);
  float result = 0;
  std::memcpy(&result, s.client->received[1].data(), 4);
  EXPECT_EQ(result, 18.0f);
}

TEST(Session, RecordingAnEventAgainDoesNotMoveTheGoalOfAWaiter) {
  SessionOnFake s;
  s.client->hello();
  s.client->send<Opcode::kStreamCreate>({.stream = kStream, .device = 0, .flags = hipStreamNonBlocking});
  s.client->send<Opcode::kStreamCreate>({.stream = kOther, .device = 0, .flags = hipStreamNonBlocking});
  s.client->send<Opcode::kEventCreate>({kEvent, 0, 0});
  s.client->send<Opcode::kHostFunction>({kStream, 1});
  s.client->send<Opcode::kEventRecord>({kEvent, kStream});
  const std::uint32_t sync = s.client->send<Opcode::kEventSynchronize>({kEvent});
  s.client->send<Opcode::kHostFunction>({kOther, 2});  // never finished before the wait is over
  s.client->send<Opcode::kEventRecord>({kEvent, kOther});
  std::uint64_t due = 0;
  for (int i = 0; i < 2; ++i) due += s.client->expectPush<wire::RunHostFunction>(Opcode::kRunHostFunction)->id;
  EXPECT_EQ(due, 3u);
  s.client->send<Opcode::kHostFunctionDone>({1});
  EXPECT_EQ(s.client->status(sync), hipSuccess);
  s.client->send<Opcode::kHostFunctionDone>({2});
}

TEST(Session, HostFunctionsHoldTheirStreamOnly) {
  SessionOnFake s;
  s.client->hello();
  s.client->send<Opcode::kStreamCreate>({.stream = kStream, .device = 0, .flags = hipStreamNonBlocking});
  s.client->send<Opcode::kHostFunction>({kStream, 77});
  const std::uint32_t sync = s.client->send<Opcode::kStreamSynchronize>({kStream});
  EXPECT_EQ(s.client->expectPush<wire::RunHostFunction>(Opcode::kRunHostFunction)->id, 77u);
  EXPECT_EQ(s.client->ask<Opcode::kStreamSynchronize>({wire::kNullStream}), hipSuccess);
  s.client->send<Opcode::kHostFunctionDone>({77});
  EXPECT_EQ(s.client->status(sync), hipSuccess);
}

TEST(Session, HostMemoryTravelsBothWays) {
  SessionOnFake s;
  s.client->hello();
  loadScale(*s.client);
  mirror::ChangeWriter changes;
  const float start = 2.5f;
  changes.put(1, 4096, &start, sizeof start);
  s.client->send<Opcode::kExposeHost>({kTestHostBase, 5000, 1});
  s.client->send<Opcode::kHostBytes>(changes.message());
  s.client->send<Opcode::kLaunchKernel>(scaleLaunch(wire::kNullStream, {kTestHostBase + 4096, 2.0f}));
  EXPECT_EQ(s.client->ask<Opcode::kStreamSynchronize>({wire::kNullStream}), hipSuccess);
  // Before the answer came what the kernel changed, and nothing else.
  float value = start;
  for (const Frame& frame : s.client->seen) {
    if (frame.opcode() != Opcode::kHostBytes) continue;
    mirror::ChangeReader reader(TestClient::decode<wire::HostBytes>(frame));
    for (mirror::ChangeReader::Run run; reader.next(run);) {
      ASSERT_EQ(run.region, 1u);
      ASSERT_GE(run.offset, 4096u);
      ASSERT_LE(run.offset + run.bytes.size(), 4100u);
      std::memcpy(reinterpret_cast<char*>(&value) + (run.offset - 4096), run.bytes.data(), run.bytes.size());
    }
    EXPECT_TRUE(reader.ok());
  }
  EXPECT_EQ(value, 5.0f);
  s.client->send<Opcode::kConcealHost>({kTestHostBase});
  s.client->send<Opcode::kExposeHost>({kTestHostBase, 4096, 2});
  EXPECT_EQ(s.client->ask<Opcode::kPing>({}), hipSuccess);
  EXPECT_FALSE(s.client->sawPush(Opcode::kAsyncFailure));
}

TEST(Session, ChangesOfMemoryThatIsNotExposedAreReported) {
  SessionOnFake s;
  s.client->hello();
  mirror::ChangeWriter changes;
  changes.put(1, 0, "x", 1);
  s.client->send<Opcode::kHostBytes>(changes.message());
  EXPECT_EQ(s.client->expectPush<wire::AsyncFailure>(Opcode::kAsyncFailure)->status, hipErrorInvalidValue);
}

TEST(Session, FailedPostsComeBackWithTheirName) {
  SessionOnFake s;
  s.client->hello();
  s.client->send<Opcode::kUpload>(uploadHere(wire::kNullStream, {0x1000, 0, 0, 4}, bytesOf(1)));
  const auto failure = s.client->expectPush<wire::AsyncFailure>(Opcode::kAsyncFailure);
  EXPECT_EQ(failure->status, hipErrorInvalidDevicePointer);
  EXPECT_EQ(failure->opcode, static_cast<std::uint16_t>(Opcode::kUpload));
  EXPECT_NE(failure->text.find("Upload"), std::string::npos);
}

TEST(Session, FailingWorkIsReported) {
  SessionOnFake s;
  s.client->hello();
  loadScale(*s.client);
  s.fake.hold();
  s.client->send<Opcode::kLaunchKernel>(scaleLaunch(wire::kNullStream, {0, 1}));
  const std::uint32_t sync = s.client->send<Opcode::kStreamSynchronize>({wire::kNullStream});
  EXPECT_EQ(s.client->ask<Opcode::kPing>({}), hipSuccess);
  s.fake.failWork(hipErrorIllegalAddress);
  s.fake.release();
  EXPECT_EQ(s.client->status(sync), hipErrorIllegalAddress);
}

TEST(Session, FailingWorkNobodyWaitsForIsPushed) {
  SessionOnFake s;
  s.client->hello();
  loadScale(*s.client);
  s.fake.failWork(hipErrorLaunchFailure);
  s.client->send<Opcode::kLaunchKernel>(scaleLaunch(wire::kNullStream, {0, 1}));
  EXPECT_EQ(s.client->expectPush<wire::AsyncFailure>(Opcode::kAsyncFailure)->status, hipErrorLaunchFailure);
}

TEST(Session, ACopyForWhichAFailedDeviceGivesNoMemoryTellsOfTheFailure) {
  SessionOnFake s({.cpuReachesMemory = false});
  s.client->hello();
  s.client->send<Opcode::kMapMemory>({0, kTestDeviceBase, kMiB});
  s.client->send<Opcode::kStreamCreate>({.stream = kStream});
  s.fake.failNext("hipHostMalloc");
  EXPECT_EQ(s.client->ask<Opcode::kDownload>({kStream, {kTestDeviceBase, 0, 0, kMiB}, 9}), hipErrorLaunchFailure);
}

TEST(Session, AStreamThatCannotBeMadeFailsWhatItIsGiven) {
  SessionOnFake s;
  s.client->hello();
  s.fake.failNext("hipStreamCreateWithFlags");
  s.client->send<Opcode::kStreamCreate>({.stream = kStream});
  EXPECT_EQ(s.client->expectPush<wire::AsyncFailure>(Opcode::kAsyncFailure)->status, hipErrorOutOfMemory);
  EXPECT_EQ(s.client->ask<Opcode::kStreamSynchronize>({kStream}), hipErrorOutOfMemory);
  EXPECT_EQ(s.client->ask<Opcode::kDeviceSynchronize>({0}), hipSuccess);
  s.client->send<Opcode::kStreamDestroy>({kStream});
  EXPECT_EQ(s.client->ask<Opcode::kPing>({}), hipSuccess);
}

TEST(Session, EverythingIsGivenBackAtTheEnd) {
  SessionOnFake s({.devices = 2});
  s.client->hello();
  loadScale(*s.client);
  s.client->send<Opcode::kMapMemory>({1, kTestDeviceBase, kMiB});
  s.client->send<Opcode::kStreamCreate>({.stream = kStream, .device = 1});
  s.client->send<Opcode::kEventCreate>({kEvent, 1, 0});
  s.client->send<Opcode::kExposeHost>({kTestHostBase, 4096});
  s.client->send<Opcode::kHostFunction>({kStream, 5});  // never answered
  s.client->send<Opcode::kUpload>(
      uploadLater(wire::kNullStream, {kTestDeviceBase, 0, 0, 100 << 10}, 6));  // its data never comes
  EXPECT_EQ(s.client->ask<Opcode::kPing>({}), hipSuccess);
  EXPECT_GT(s.fake.liveObjects(), 0);
  s.end();
  EXPECT_EQ(s.fake.leaks(), "");
}

TEST(Session, KnownCodeNeedsNoBytes) {
  SessionOnFake s;
  s.client->hello();
  loadScale(*s.client);
  const code::testing::Buffer code = code::testing::sampleElf();
  const wire::Bits256 hash = access::digestOf(code);
  std::vector<std::byte> storage;
  const auto again = s.client->call<wire::ModuleLoadReply, Opcode::kModuleLoad>({kOther, 0, hash, {}, {}}, storage);
  EXPECT_EQ(again.status, hipSuccess);
  const auto unknown =
      s.client->call<wire::ModuleLoadReply, Opcode::kModuleLoad>({kOther + 1, 0, {{1, 2}}, {}, {}}, storage);
  EXPECT_EQ(unknown.status, hipErrorFileNotFound);
  const auto lie =
      s.client->call<wire::ModuleLoadReply, Opcode::kModuleLoad>({kOther + 2, 0, {{1, 2}}, code, {}}, storage);
  EXPECT_EQ(lie.status, hipErrorInvalidImage);
}

TEST(Session, CodeMayComePackedBeforeItsModule) {
  SessionOnFake s;
  s.client->hello();
  const code::testing::Buffer code = code::testing::sampleElf();
  const wire::Bits256 hash = access::digestOf(code);
  std::vector<std::byte> packed, storage;
  ASSERT_TRUE(net::Packer().pack(code, packed));
  s.client->send<Opcode::kPackedCode>({hash, code.size(), packed});
  const auto reply = s.client->call<wire::ModuleLoadReply, Opcode::kModuleLoad>({kOther, 0, hash, {}, {}}, storage);
  EXPECT_EQ(reply.status, hipSuccess);
}

}  // namespace
}  // namespace hipr::worker
