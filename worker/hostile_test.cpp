// What a client may try that knows the token and means harm: messages that are well formed and still too much.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <thread>

#include "access/digest.h"
#include "code_object/code_object.h"
#include "worker/session_fixture.h"

namespace hipr::worker {
namespace {

using wire::Opcode;

TEST(Hostile, AnUploadTooLargeForItsMessageIsRefused) {
  for (const bool busy : {false, true}) {
    SessionOnFake s({.cpuReachesMemory = false});
    s.client->hello();
    s.client->send<Opcode::kMapMemory>({0, kTestDeviceBase, 8 * kMiB});
    if (busy) {  // then its bytes would have gone through a block of staging memory
      s.client->send<Opcode::kStreamCreate>({.stream = kStream});
      s.fake.hold();
      s.client->send<Opcode::kFillMemory>(fillWith(kStream, {kTestDeviceBase, 0, 0, 100}, 7, 1));
    }
    const std::vector<std::byte> bytes(3 * kMiB, std::byte{0x41});
    s.client->send<Opcode::kUpload>(
        uploadHere(busy ? kStream : wire::kNullStream, {kTestDeviceBase, 0, 0, bytes.size()}, bytes));
    const auto refused = s.client->expectPush<wire::Refused>(Opcode::kRefused);
    ASSERT_TRUE(refused);
    EXPECT_NE(refused->text.find("3145728 bytes in one message"), std::string::npos) << refused->text;
    s.fake.release();
  }
}

TEST(Hostile, TheLargestUploadInAMessageArrives) {
  SessionOnFake s({.cpuReachesMemory = false});
  s.client->hello();
  s.client->send<Opcode::kMapMemory>({0, kTestDeviceBase, kMiB});
  const std::vector<std::byte> bytes(wire::kMostInline, std::byte{0x42});
  s.client->send<Opcode::kUpload>(uploadHere(wire::kNullStream, {kTestDeviceBase, 0, 0, bytes.size()}, bytes));
  EXPECT_EQ(s.client->ask<Opcode::kDownload>({wire::kNullStream, {kTestDeviceBase, 0, 0, bytes.size()}, 9}),
            hipSuccess);
  EXPECT_EQ(s.client->received[9], bytes);
}

TEST(Hostile, StagingRefusesWhatDoesNotFit) {
  FakeHip fake;
  const Backend backend(fake.table(), {0});
  Meter meter(Limits(), SessionCounters::nobody());
  Staging staging(backend, meter);
  EXPECT_NE(staging.take(Staging::kBlock), nullptr);
  EXPECT_EQ(staging.take(Staging::kBlock + 1), nullptr);
}

// The runtime is given a pointer and believes what the headers say.
TEST(Hostile, CodeWhoseHeadersPromiseMoreThanItsBytesIsRefused) {
  const code::testing::Buffer good = code::testing::sampleElf();
  std::uint64_t sections = 0;
  std::memcpy(&sections, good.data() + 40, sizeof sections);
  code::testing::Buffer lying = good;
  const std::uint64_t size = 64 * kMiB;  // of section 0, which nobody looks at
  std::memcpy(lying.data() + sections + 32, &size, sizeof size);
  const wire::Bits256 hash = access::digestOf(lying);
  SessionOnFake s;
  s.client->hello();
  std::vector<std::byte> storage;
  const auto reply = s.client->call<wire::ModuleLoadReply, Opcode::kModuleLoad>({kModule, 0, hash, lying, {}}, storage);
  EXPECT_EQ(reply.status, hipErrorInvalidImage);
}

// --- more than a client may have

std::size_t failures(TestClient& client, hipError_t error) {
  EXPECT_EQ(client.ask<Opcode::kPing>({}), hipSuccess);
  std::size_t count = 0;
  for (const Frame& frame : client.seen)
    count += frame.opcode() == Opcode::kAsyncFailure &&
             TestClient::decode<wire::AsyncFailure>(frame).status == static_cast<int>(error);
  return count;
}

TEST(Quotas, OfObjects) {
  Limits limits;
  for (const Quota quota : {Quota::kStreams, Quota::kEvents, Quota::kFunctions, Quota::kModules}) limits.set(quota, 3);
  SessionOnFake s({}, 1 << 30, limits);
  const wire::HelloReply hello = s.client->hello();
  EXPECT_EQ(hello.limits.events, 3u);
  EXPECT_EQ(hello.limits.streams, 3u);
  const code::testing::Buffer code = code::testing::sampleElf();
  std::vector<std::byte> storage;
  for (std::uint64_t i = 0; i < 5; ++i) {
    s.client->send<Opcode::kEventCreate>({kModule + 100 + i, 0, 0});
    s.client->send<Opcode::kStreamCreate>({.stream = kModule + 200 + i});
    const auto loaded = s.client->call<wire::ModuleLoadReply, Opcode::kModuleLoad>(
        {kModule + 300 + i, 0, access::digestOf(code), code, {}}, storage);
    EXPECT_EQ(loaded.status, i < 3 ? hipSuccess : hipErrorOutOfMemory);
    s.client->send<Opcode::kFunctionGet>({kModule + 400 + i, kModule + 300, "scale"});
  }
  EXPECT_EQ(failures(*s.client, hipErrorOutOfMemory), 6u);
  // What is given back can be had again.
  s.client->seen.clear();
  s.client->send<Opcode::kEventDestroy>({kModule + 100});
  s.client->send<Opcode::kEventCreate>({kModule + 100, 0, 0});
  s.client->send<Opcode::kStreamDestroy>({kModule + 200});
  s.client->send<Opcode::kStreamCreate>({.stream = kModule + 200});
  EXPECT_EQ(failures(*s.client, hipErrorOutOfMemory), 0u);
}

TEST(Quotas, OfHostMemory) {
  SessionOnFake s({}, 1 << 30, with(Quota::kHostBytes, 3 * kMiB));
  s.client->hello();
  s.client->send<Opcode::kExposeHost>({kTestHostBase, 2 * kMiB, 1});
  s.client->send<Opcode::kExposeHost>({kTestHostBase + 16 * kMiB, 2 * kMiB, 2});
  EXPECT_EQ(failures(*s.client, hipErrorOutOfMemory), 1u);
  s.client->seen.clear();
  s.client->send<Opcode::kConcealHost>({kTestHostBase});
  s.client->send<Opcode::kExposeHost>({kTestHostBase + 16 * kMiB, 2 * kMiB, 3});
  EXPECT_EQ(failures(*s.client, hipErrorOutOfMemory), 0u);
}

// A function of the client that never returns holds its stream; whatever comes behind it waits here.
TEST(Quotas, OfOperationsBehindAHostFunction) {
  SessionOnFake s({}, 1 << 30, with(Quota::kOperations, 100));
  s.client->hello();
  s.client->send<Opcode::kMapMemory>({0, kTestDeviceBase, kMiB});
  s.client->send<Opcode::kStreamCreate>({.stream = kStream});
  s.client->send<Opcode::kHostFunction>({kStream, 1});
  for (int i = 0; i < 5000; ++i)
    s.client->send<Opcode::kFillMemory>(fillWith(kStream, {kTestDeviceBase, 0, 0, 100}, 7, 1));
  const std::uint32_t download = s.client->send<Opcode::kDownload>({kStream, {kTestDeviceBase, 0, 0, 4}, 9});
  s.client->send<Opcode::kUpload>(uploadLater(kStream, {kTestDeviceBase, 0, 0, 100 << 10}, 6));
  s.client->sendData(6, 0, std::vector<std::byte>(100 << 10));
  EXPECT_EQ(failures(*s.client, hipErrorOutOfMemory), 2u);  // once for all of them, and for the upload
  // When it returns at last, everything has its end, and the stream can be used again.
  s.client->expectPush<wire::RunHostFunction>(Opcode::kRunHostFunction);
  const std::uint32_t sync = s.client->send<Opcode::kStreamSynchronize>({kStream});
  s.client->send<Opcode::kHostFunctionDone>({1});
  EXPECT_EQ(s.client->status(download), hipErrorOutOfMemory);  // in its place in the stream
  EXPECT_EQ(s.client->status(sync), hipSuccess);
  s.client->seen.clear();
  const float value = 2.5f;
  s.client->send<Opcode::kUpload>(uploadHere(kStream, {kTestDeviceBase, 0, 0, 4}, std::as_bytes(std::span(&value, 1))));
  EXPECT_EQ(s.client->ask<Opcode::kDownload>({kStream, {kTestDeviceBase, 0, 0, 4}, 10}), hipSuccess);
  EXPECT_EQ(std::memcmp(s.client->received[10].data(), &value, 4), 0);
  EXPECT_EQ(failures(*s.client, hipErrorOutOfMemory), 0u);
}

TEST(Quotas, OfBytesBehindAHostFunction) {
  SessionOnFake s({}, 1 << 30, with(Quota::kHeldBytes, kMiB));
  s.client->hello();
  s.client->send<Opcode::kMapMemory>({0, kTestDeviceBase, kMiB});
  s.client->send<Opcode::kStreamCreate>({.stream = kStream});
  s.client->send<Opcode::kHostFunction>({kStream, 1});
  const std::vector<std::byte> bytes(wire::kMostInline);
  for (int i = 0; i < 100; ++i)
    s.client->send<Opcode::kUpload>(uploadHere(kStream, {kTestDeviceBase, 0, 0, bytes.size()}, bytes));
  EXPECT_EQ(failures(*s.client, hipErrorOutOfMemory), 1u);
}

// Operations that the runtime has: however many there were, only those that are not done count.
TEST(Quotas, OfOperationsCountWhatIsNotDone) {
  SessionOnFake s({}, 1 << 30, with(Quota::kOperations, 5000));
  s.client->hello();
  s.client->send<Opcode::kMapMemory>({0, kTestDeviceBase, kMiB});
  s.client->send<Opcode::kStreamCreate>({.stream = kStream});
  for (int i = 0; i < 20000; ++i) {
    s.client->send<Opcode::kFillMemory>(fillWith(kStream, {kTestDeviceBase, 0, 0, 1}, 7, 1));
    if (i % 4000 == 3999) {
      EXPECT_EQ(s.client->ask<Opcode::kPing>({}), hipSuccess);
      s.fake.awaitIdle();
    }
  }
  EXPECT_EQ(s.client->ask<Opcode::kStreamSynchronize>({kStream}), hipSuccess);
  EXPECT_EQ(failures(*s.client, hipErrorOutOfMemory), 0u);
}

int threadsOfThisProcess() {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) ++count;
  return count;
}

TEST(Quotas, ThousandsOfWaitsNeedFewThreads) {
  SessionOnFake s({}, 1 << 30, with(Quota::kThreads, 8));
  s.client->hello();
  s.client->send<Opcode::kMapMemory>({0, kTestDeviceBase, kMiB});
  s.client->send<Opcode::kEventCreate>({kModule, 0, 0});
  s.fake.hold();
  const int before = threadsOfThisProcess();
  s.client->send<Opcode::kFillMemory>(fillWith(wire::kNullStream, {kTestDeviceBase, 0, 0, 100}, 7, 1));
  s.client->send<Opcode::kEventRecord>({kModule, wire::kNullStream});
  std::vector<std::uint32_t> waits;
  for (int i = 0; i < 3000; ++i) waits.push_back(s.client->send<Opcode::kEventSynchronize>({kModule}));
  EXPECT_EQ(s.client->ask<Opcode::kPing>({}), hipSuccess);  // somebody still reads
  EXPECT_LT(threadsOfThisProcess() - before, 12);
  s.fake.release();
  for (std::size_t answered = 0; answered < waits.size();) {  // in whatever order
    const auto frame = s.client->next();
    ASSERT_TRUE(frame) << "after " << answered << " answers";
    answered += frame->isReply();
  }
}

TEST(Quotas, OfWaits) {
  SessionOnFake s({}, 1 << 30, with(Quota::kWaits, 10));
  s.client->hello();
  s.client->send<Opcode::kStreamCreate>({.stream = kStream});
  s.client->send<Opcode::kHostFunction>({kStream, 1});
  for (int i = 0; i < 10; ++i) s.client->send<Opcode::kStreamSynchronize>({kStream});
  EXPECT_EQ(s.client->ask<Opcode::kStreamSynchronize>({kStream}), hipErrorOutOfMemory);
  s.client->send<Opcode::kStreamWatch>({kStream});
  EXPECT_EQ(failures(*s.client, hipErrorOutOfMemory), 1u);
}

TEST(Quotas, OfDeviceMemory) {
  SessionOnFake s({}, 1 << 30, with(Quota::kDeviceBytes, 100 * kMiB));
  s.client->hello();
  std::vector<std::byte> storage;
  const auto ask = [&](std::uint64_t bytes) {
    return s.client->call<wire::MemoryCreditReply, Opcode::kMemoryCredit>({0, bytes, bytes}, storage).granted;
  };
  EXPECT_EQ(ask(~std::uint64_t{0}), 0u);  // takes nothing
  EXPECT_EQ(ask(100 * kMiB), 0u);         // with what it has already
  EXPECT_EQ(ask(80 * kMiB), 80 * kMiB);
}

// 256 clients that greet one after the other, and then each need a little.
TEST(Credit, HundredsOfClientsLeaveRoomForEachOther) {
  constexpr int kClients = 256;
  Ledger ledger({std::uint64_t{16} << 30}, kClients);
  FakeHip fake;
  std::vector<std::unique_ptr<TestClient>> clients;
  std::vector<std::unique_ptr<FakeCredit>> credits;
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<std::thread> servers;
  for (int i = 0; i < kClients; ++i) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    clients.push_back(std::make_unique<TestClient>(net::Socket(ends[0])));
    SessionOptions options;
    options.devices = {0};
    options.credit = credits.emplace_back(std::make_unique<FakeCredit>(ledger, i)).get();
    sessions.push_back(std::make_unique<Session>(net::overSocket(net::Socket(ends[1]), 60), fake.table(), options));
    servers.emplace_back([&session = *sessions.back()] { (void)session.run(); });
    wire::Hello hello;
    hello.deviceBase = kTestDeviceBase + static_cast<std::uint64_t>(i) * (64 * kMiB);
    hello.deviceSize = 64 * kMiB;
    hello.hostBase = kTestHostBase + static_cast<std::uint64_t>(i) * kMiB;
    hello.hostSize = kMiB;
    std::vector<std::byte> storage;
    const auto reply = clients.back()->call<wire::HelloReply, Opcode::kHello>(hello, storage);
    ASSERT_EQ(reply.status, hipSuccess) << i;
    EXPECT_LE(reply.credits[0], 64 * kMiB);
  }
  for (int i = 0; i < kClients; ++i) {  // more than it was promised at first, by now
    clients[static_cast<std::size_t>(i)]->send<Opcode::kMapMemory>(
        {0, kTestDeviceBase + static_cast<std::uint64_t>(i) * (64 * kMiB), 2 * kMiB});
    EXPECT_EQ(clients[static_cast<std::size_t>(i)]->ask<Opcode::kPing>({}), hipSuccess);
    EXPECT_FALSE(clients[static_cast<std::size_t>(i)]->sawPush(Opcode::kAsyncFailure)) << "client " << i;
  }
  for (auto& client : clients) client->socket().shutdown();
  for (std::thread& server : servers) server.join();
}

TEST(Credit, WhatIsNotUsedIsTakenBack) {
  SessionOnFake s;
  s.client->hello();
  std::vector<std::byte> storage;
  const std::uint64_t all = s.ledger.available(0);
  EXPECT_EQ((s.client->call<wire::MemoryCreditReply, Opcode::kMemoryCredit>({0, all, all}, storage).granted), all);
  EXPECT_EQ(s.ledger.available(0), 0u);
  const auto taken = s.client->expectPush<wire::CreditTaken>(Opcode::kCreditTaken);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->bytes, s.ledger.available(0));
  EXPECT_GE(s.ledger.available(0), all - 64 * kMiB);
}

// Memory that is given up while work may still use it is not there for others yet.
TEST(Credit, MemoryOnItsWayOutCounts) {
  SessionOnFake s({}, 100 * kMiB);
  s.client->hello();
  s.client->send<Opcode::kStreamCreate>({.stream = kStream});
  s.client->send<Opcode::kHostFunction>({kStream, 1});  // never returns
  for (std::uint64_t i = 0; i < 8; ++i) {
    s.client->send<Opcode::kMapMemory>({0, kTestDeviceBase + i * (32 * kMiB), 32 * kMiB});
    s.client->send<Opcode::kUnmapMemory>({kTestDeviceBase + i * (32 * kMiB)});
  }
  EXPECT_EQ(failures(*s.client, hipErrorOutOfMemory), 5u);
}

}  // namespace
}  // namespace hipr::worker
