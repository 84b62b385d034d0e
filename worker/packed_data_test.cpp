// Data that travels packed, both ways: exact, with every kind of memory, and refused where it is not what it says.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "access/digest.h"
#include "net/packing.h"
#include "worker/session_fixture.h"

namespace hipr::worker {
namespace {

using wire::Opcode;

constexpr std::uint64_t kUpload = 5;

std::vector<std::byte> shrinking(std::size_t size) {
  std::vector<std::byte> out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>(i % 251 + i / kMiB);
  return out;
}

std::vector<std::byte> packed(std::span<const std::byte> bytes) {
  std::vector<std::byte> out;
  EXPECT_TRUE(net::Packer().pack(bytes, out));
  return out;
}

class PackedData : public ::testing::TestWithParam<bool> {
 protected:
  static std::unique_ptr<SessionOnFake> session(const DataPlace& data = {}) {
    auto s =
        std::make_unique<SessionOnFake>(FakeHip::Settings{.cpuReachesMemory = GetParam()}, 4096 * kMiB, Limits{}, data);
    s->client->hello();
    s->client->send<Opcode::kMapMemory>({0, kTestDeviceBase, 64 * kMiB});
    return s;
  }
  static wire::Shape shape(std::size_t size) { return {kTestDeviceBase, 0, 0, size}; }
  static std::vector<std::byte> download(SessionOnFake& s, std::size_t size, std::uint64_t transfer = 99) {
    EXPECT_EQ(s.client->ask<Opcode::kDownload>({kNull, shape(size), transfer}), hipSuccess);
    return s.client->received[transfer];
  }
  static void upload(SessionOnFake& s, std::span<const std::byte> bytes, std::uint32_t flags = 0) {
    s.client->send<Opcode::kUpload>(uploadLater(kNull, shape(bytes.size()), kUpload));
    for (std::size_t at = 0; at < bytes.size(); at += kMiB) {
      const auto piece = bytes.subspan(at, std::min<std::size_t>(kMiB, bytes.size() - at));
      s.client->sendPacked(kUpload, at, piece.size(), packed(piece), flags);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Memory, PackedData, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "direct" : "staged"; });

TEST_P(PackedData, ArrivesAsItWas) {
  for (const std::size_t size : {std::size_t{70'000}, kMiB - 1, kMiB, kMiB + 10'000, 5 * kMiB + 10'000}) {
    const auto s = session();
    const auto bytes = shrinking(size);
    upload(*s, bytes);
    EXPECT_EQ(download(*s, size), bytes) << size;
    EXPECT_EQ(s->client->packedFrames, 0);  // nobody has asked for that
  }
}

TEST_P(PackedData, OfRowsArrivesAsItWas) {
  const auto s = session();
  const auto bytes = shrinking(1000 * 500);
  const wire::Shape rows{kTestDeviceBase, 1500, 0, 1000, 500};
  s->client->send<Opcode::kUpload>(uploadLater(kNull, rows, kUpload));
  s->client->sendPacked(kUpload, 0, bytes.size(), packed(bytes));
  s->client->send<Opcode::kPackDownloads>({true});
  EXPECT_EQ(s->client->ask<Opcode::kDownload>({kNull, rows, 99}), hipSuccess);
  EXPECT_EQ(s->client->received[99], bytes);
  EXPECT_GT(s->client->packedFrames, 0);
}

TEST_P(PackedData, MayComeBeforeItsStreamGetsThere) {
  const auto s = session();
  s->client->send<Opcode::kHostFunction>({kNull, 1});
  s->client->expectPush<wire::RunHostFunction>(Opcode::kRunHostFunction);
  const auto bytes = shrinking(3 * kMiB);
  upload(*s, bytes);
  EXPECT_EQ(s->client->ask<Opcode::kPing>({}), hipSuccess);
  s->client->send<Opcode::kHostFunctionDone>({1});
  EXPECT_EQ(download(*s, bytes.size()), bytes);
}

// However few bytes it travels in, it counts as what it is.
TEST_P(PackedData, CountsTowardsTheWindow) {
  const auto s = session();
  s->client->send<Opcode::kHostFunction>({kNull, 1});
  const auto bytes = shrinking(33 * kMiB);
  upload(*s, bytes);
  const auto refused = s->client->expectPush<wire::Refused>(Opcode::kRefused);
  ASSERT_TRUE(refused);
  EXPECT_NE(refused->text.find("window"), std::string::npos) << refused->text;
}

TEST_P(PackedData, IsKeptAsWhatItIs) {
  const DataPlace place{.folder = ::testing::TempDir() + "hipr-packed-" + std::to_string(getpid())};
  std::filesystem::remove_all(place.folder);
  const auto bytes = shrinking(kMiB);
  {
    const auto s = session(place);
    upload(*s, bytes, wire::HIP_REMOTE_FLAG_KEEP);
    EXPECT_EQ(download(*s, bytes.size()), bytes);
  }
  const auto s = session(place);
  s->client->send<Opcode::kUpload>(uploadLater(kNull, shape(bytes.size()), kUpload));
  s->client->send<Opcode::kNamedData>({kUpload, 0, bytes.size(), access::digestOf(bytes)});
  EXPECT_TRUE(s->client->expectPush<wire::NamedDataAnswer>(Opcode::kNamedDataAnswer)->known);
  EXPECT_EQ(download(*s, bytes.size()), bytes);
  std::filesystem::remove_all(place.folder);
}

TEST_P(PackedData, ComesBackPackedWhereTheClientWantsIt) {
  const auto s = session();
  s->client->send<Opcode::kPackDownloads>({true});
  const auto bytes = shrinking(4 * kMiB + 100'000);
  upload(*s, bytes);
  EXPECT_EQ(download(*s, bytes.size()), bytes);
  EXPECT_EQ(s->client->packedFrames, 5);
  // Of noise, nothing; and of what is small.
  std::vector<std::byte> noise(4 * kMiB);
  std::uint64_t state = 88172645463325252u;
  for (std::byte& byte : noise) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    byte = static_cast<std::byte>(state >> 32);
  }
  s->client->send<Opcode::kUpload>(uploadLater(kNull, shape(noise.size()), kUpload + 1));
  for (std::size_t at = 0; at < noise.size(); at += kMiB)
    s->client->sendData(kUpload + 1, at, std::span(noise).subspan(at, kMiB));
  EXPECT_EQ(download(*s, noise.size(), 100), noise);
  EXPECT_EQ(download(*s, 1000, 101).size(), 1000u);
  EXPECT_EQ(s->client->packedFrames, 5);
}

TEST_P(PackedData, WhereItWouldPayIsUnknownUntilTheLineIsMeasured) {
  const auto s = session();
  s->client->send<Opcode::kPackDownloads>({false});
  const auto bytes = shrinking(3 * kMiB);
  upload(*s, bytes);
  EXPECT_EQ(download(*s, bytes.size()), bytes);
  EXPECT_EQ(s->client->packedFrames, 0);
}

TEST_P(PackedData, ForNoMemoryIsThrownAway) {
  const auto s = session();
  const auto bytes = shrinking(kMiB);
  const wire::Shape nowhere{kTestDeviceBase + 100 * kMiB, 0, 0, bytes.size()};
  s->client->send<Opcode::kUpload>(uploadLater(kNull, nowhere, kUpload));
  s->client->sendPacked(kUpload, 0, bytes.size(), packed(bytes));
  EXPECT_EQ(s->client->ask<Opcode::kPing>({}), hipSuccess);
  EXPECT_TRUE(s->client->sawPush(Opcode::kAsyncFailure));
}

TEST_P(PackedData, ThatIsALieIsRefused) {
  const auto bytes = shrinking(kMiB);
  const auto good = packed(bytes);
  const auto misbehave = [&](const char* how, auto deed) {
    SCOPED_TRACE(how);
    const auto s = session();
    s->client->send<Opcode::kUpload>(uploadLater(kNull, shape(2 * kMiB), kUpload));
    deed(*s->client);
    EXPECT_TRUE(s->client->expectPush<wire::Refused>(Opcode::kRefused));
    s->end();
    EXPECT_FALSE(s->result.ok());
  };
  const std::vector<std::byte> noise(5000, std::byte{0x5a});
  misbehave("noise", [&](TestClient& c) { c.sendPacked(kUpload, 0, kMiB, noise); });
  misbehave("nothing", [&](TestClient& c) { c.sendPacked(kUpload, 0, kMiB, {}); });
  misbehave("a byte less than it says", [&](TestClient& c) { c.sendPacked(kUpload, 0, kMiB - 1, good); });
  misbehave("more than a piece", [&](TestClient& c) { c.sendPacked(kUpload, 0, kMiB + 1, good); });
  misbehave("huge", [&](TestClient& c) { c.sendPacked(kUpload, 0, ~std::uint64_t{0}, good); });
  misbehave("of no size", [&](TestClient& c) { c.sendPacked(kUpload, 0, 0, good); });
  misbehave("no smaller", [&](TestClient& c) { c.sendPacked(kUpload, 0, good.size(), good); });
  misbehave("cut", [&](TestClient& c) { c.sendPacked(kUpload, 0, kMiB, std::span(good).first(good.size() - 1)); });
  misbehave("with more behind it", [&](TestClient& c) {
    std::vector<std::byte> longer = good;
    longer.push_back(std::byte{0});
    c.sendPacked(kUpload, 0, kMiB, longer);
  });
  misbehave("out of order", [&](TestClient& c) { c.sendPacked(kUpload, kMiB, kMiB, good); });
  misbehave("twice", [&](TestClient& c) {
    c.sendPacked(kUpload, 0, kMiB, good);
    c.sendPacked(kUpload, 0, kMiB, good);
  });
  misbehave("for nothing", [&](TestClient& c) { c.sendPacked(77, 0, kMiB, good); });
  misbehave("without its size", [&](TestClient& c) {
    std::vector<std::byte> frame;
    appendFrame(frame, Opcode::kPackedData, 0, 0, wire::Data{kUpload, 0});
    (void)c.socket().send(frame);
  });
  misbehave("in a frame too large",
            [&](TestClient& c) { c.sendPacked(kUpload, 0, kMiB, std::vector<std::byte>(kMiB + 1)); });
}

}  // namespace
}  // namespace hipr::worker
