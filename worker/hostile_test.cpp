// What a client may try that knows the token and means harm: messages that are well formed and still too much.
#include <gtest/gtest.h>

#include <cstring>

#include "code_object/code_object.h"
#include "worker/session_fixture.h"

namespace hipr::worker {
namespace {

using wire::Opcode;

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kStream = wire::kFirstObject + 1, kModule = wire::kFirstObject + 3;

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
  Staging staging(backend);
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
  const code::ContentHash hash = code::hashContent(lying);
  SessionOnFake s;
  s.client->hello();
  std::vector<std::byte> storage;
  const auto reply = s.client->call<wire::ModuleLoadReply, Opcode::kModuleLoad>(
      {kModule, 0, {hash.low, hash.high}, lying, {}}, storage);
  EXPECT_EQ(reply.status, hipErrorInvalidImage);
}

}  // namespace
}  // namespace hipr::worker
