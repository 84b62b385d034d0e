// Uploads known by content: kept in one session, named in the next; unknown, damaged, somebody else's, too many.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "access/digest.h"
#include "worker/session_fixture.h"

namespace hipr::worker {
namespace {

namespace fs = std::filesystem;
using wire::Opcode;

// A client that cuts uploads into blocks, as ours does.
class NamingClient {
 public:
  explicit NamingClient(const DataPlace& data, bool direct = false)
      : s({.cpuReachesMemory = direct}, 4096 * kMiB, {}, data) {
    s.client->hello();
    s.client->send<Opcode::kMapMemory>({0, kTestDeviceBase, 128 * kMiB});
  }

  std::uint64_t begin(std::size_t size) {
    s.client->send<Opcode::kUpload>(uploadLater(kNull, shape(size), ++transfer_));
    return transfer_;
  }
  static wire::Shape shape(std::size_t size) { return {kTestDeviceBase, 0, 0, size}; }
  static wire::Bytes block(std::span<const std::byte> bytes, std::size_t offset) {
    return bytes.subspan(offset, std::min<std::size_t>(kMiB, bytes.size() - offset));
  }
  void name(std::uint64_t transfer, std::span<const std::byte> bytes, std::size_t offset) {
    const wire::Bytes b = block(bytes, offset);
    s.client->send<Opcode::kNamedData>({transfer, offset, b.size(), access::digestOf(b)});
  }
  // Offset → known, of so many answers.
  std::map<std::uint64_t, bool> answers(std::uint64_t transfer, std::size_t count) {
    std::map<std::uint64_t, bool> out;
    for (std::size_t i = 0; i < count; ++i) {
      const auto answer = s.client->expectPush<wire::NamedDataAnswer>(Opcode::kNamedDataAnswer);
      if (!answer) break;
      EXPECT_EQ(answer->transfer, transfer);
      out[answer->offset] = answer->known;
    }
    return out;
  }
  // Sends all of it, to be kept.
  void uploadPlainly(std::span<const std::byte> bytes) {
    const std::uint64_t transfer = begin(bytes.size());
    for (std::size_t at = 0; at < bytes.size(); at += kMiB)
      s.client->sendData(transfer, at, block(bytes, at), wire::HIP_REMOTE_FLAG_KEEP);
    EXPECT_EQ(download(bytes.size()), std::vector<std::byte>(bytes.begin(), bytes.end()));
  }
  // Names all of it and sends what is wanted; how many blocks were.
  std::size_t uploadByName(std::span<const std::byte> bytes) {
    const std::uint64_t transfer = begin(bytes.size());
    std::size_t blocks = 0, wanted = 0;
    for (std::size_t at = 0; at < bytes.size(); at += kMiB, ++blocks) name(transfer, bytes, at);
    for (const auto& [offset, known] : answers(transfer, blocks)) {
      if (known) continue;
      ++wanted;
      s.client->sendData(transfer, offset, block(bytes, offset));
    }
    EXPECT_EQ(download(bytes.size()), std::vector<std::byte>(bytes.begin(), bytes.end()));
    return wanted;
  }
  std::vector<std::byte> download(std::size_t size) {
    EXPECT_EQ(s.client->ask<Opcode::kDownload>({kNull, shape(size), ++transfer_}), hipSuccess);
    EXPECT_FALSE(s.client->sawPush(Opcode::kAsyncFailure));
    return s.client->received[transfer_];
  }

  SessionOnFake s;

 private:
  std::uint64_t transfer_ = 0;
};

class NamedData : public ::testing::TestWithParam<bool> {
 protected:
  NamedData() : place{.folder = ::testing::TempDir() + "hipr-data-" + std::to_string(getpid())} {
    fs::remove_all(place.folder);
  }
  ~NamedData() override { fs::remove_all(place.folder); }
  std::unique_ptr<NamingClient> client() { return std::make_unique<NamingClient>(place, GetParam()); }
  std::vector<fs::path> files() const {
    std::vector<fs::path> out;
    for (const auto& entry : fs::recursive_directory_iterator(place.folder))
      if (entry.path().extension() == ".block") out.push_back(entry.path());
    return out;
  }
  DataPlace place;
};

INSTANTIATE_TEST_SUITE_P(Memory, NamedData, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "direct" : "staged"; });

TEST_P(NamedData, IsKnownToTheNextSession) {
  const auto bytes = pattern(3 * kMiB + 100'000, 1);
  client()->uploadPlainly(bytes);  // whose end waits until everything is kept
  EXPECT_EQ(files().size(), 4u);
  EXPECT_EQ(client()->uploadByName(bytes), 0u);
  auto changed = bytes;
  changed[2 * kMiB] ^= std::byte{1};
  EXPECT_EQ(client()->uploadByName(changed), 1u);
  EXPECT_EQ(client()->uploadByName(changed), 0u);  // what was wanted is kept
}

TEST_P(NamedData, OfAnotherIdentityIsUnknown) {
  const auto bytes = pattern(2 * kMiB, 3);
  client()->uploadPlainly(bytes);
  place.identity = "somebody else";
  EXPECT_EQ(client()->uploadByName(bytes), 2u);
  EXPECT_EQ(files().size(), 4u);
}

TEST_P(NamedData, ThatWasDamagedIsSentAgain) {
  const auto bytes = pattern(3 * kMiB, 4);
  client()->uploadPlainly(bytes);
  std::vector<fs::path> kept = files();
  ASSERT_EQ(kept.size(), 3u);
  std::fstream(kept[0], std::ios::in | std::ios::out | std::ios::binary).seekp(500'000).put('!').put('?');
  fs::resize_file(kept[1], kMiB - 1);
  EXPECT_EQ(client()->uploadByName(bytes), 2u);
  EXPECT_EQ(client()->uploadByName(bytes), 0u);
}

TEST_P(NamedData, ThatIsNoFileIsUnknown) {
  const auto bytes = pattern(kMiB, 5);
  client()->uploadPlainly(bytes);
  const fs::path name = files().at(0);
  fs::remove(name);
  ASSERT_EQ(mkfifo(name.c_str(), 0600), 0);  // opening it would wait for somebody who writes
  EXPECT_EQ(client()->uploadByName(bytes), 1u);
}

TEST_P(NamedData, ComesAndGoesWithinTheLimit) {
  place.limit = 8 * (kMiB + 8192);
  const auto old = pattern(6 * kMiB, 6), fresh = pattern(6 * kMiB, 7);
  client()->uploadPlainly(old);
  client()->uploadPlainly(fresh);
  std::uint64_t total = 0;
  for (const fs::path& file : files()) total += fs::file_size(file);
  EXPECT_LE(total, place.limit);
  EXPECT_EQ(client()->uploadByName(fresh), 0u);  // those used longest ago went
  EXPECT_GE(client()->uploadByName(old), 4u);
}

TEST_P(NamedData, IsAnsweredBeforeItsStreamGetsThere) {
  const auto bytes = pattern(4 * kMiB, 9);
  client()->uploadPlainly(bytes);
  const auto c = client();
  c->s.client->send<Opcode::kHostFunction>({kNull, 77});
  const std::uint64_t transfer = c->begin(bytes.size());
  auto changed = bytes;
  changed[kMiB] ^= std::byte{1};
  for (std::size_t at = 0; at < changed.size(); at += kMiB) c->name(transfer, changed, at);
  auto known = c->answers(transfer, 4);
  EXPECT_EQ(known, (std::map<std::uint64_t, bool>{{0, true}, {kMiB, false}, {2 * kMiB, true}, {3 * kMiB, true}}));
  EXPECT_FALSE(c->s.client->sawPush(Opcode::kTransferOpen));
  c->s.client->sendData(transfer, kMiB, NamingClient::block(changed, kMiB));
  EXPECT_EQ(c->s.client->expectPush<wire::RunHostFunction>(Opcode::kRunHostFunction)->id, 77u);
  c->s.client->send<Opcode::kHostFunctionDone>({77});
  EXPECT_EQ(c->download(changed.size()), changed);
}

TEST_P(NamedData, ForNoMemoryIsAnsweredToo) {
  const auto c = client();
  const auto bytes = pattern(kMiB, 10);
  c->s.client->send<Opcode::kUpload>(uploadLater(kNull, {0x1234, 0, 0, kMiB}, 500));
  c->name(500, bytes, 0);
  EXPECT_TRUE(c->answers(500, 1).at(0));  // nobody needs the bytes
  EXPECT_EQ(c->s.client->ask<Opcode::kPing>({}), hipSuccess);
  EXPECT_TRUE(c->s.client->sawPush(Opcode::kAsyncFailure));
}

// The upload fails, as one that is sent would.
TEST_P(NamedData, NeedsRoomWithinTheQuota) {
  Limits limits;
  limits.set(Quota::kStagedBytes, 64 << 10);
  SessionOnFake s({.cpuReachesMemory = GetParam()}, 1 << 30, limits, place);
  s.client->hello();
  s.client->send<Opcode::kMapMemory>({0, kTestDeviceBase, kMiB});
  s.client->send<Opcode::kUpload>(uploadLater(kNull, {kTestDeviceBase, 0, 0, kMiB}, 5));
  s.client->send<Opcode::kNamedData>({5, 0, kMiB, {}});
  EXPECT_TRUE(s.client->expectPush<wire::NamedDataAnswer>(Opcode::kNamedDataAnswer)->known);
  EXPECT_EQ(s.client->expectPush<wire::AsyncFailure>(Opcode::kAsyncFailure)->status, hipErrorOutOfMemory);
  EXPECT_EQ(s.client->ask<Opcode::kStreamSynchronize>({kNull}), hipSuccess);
}

TEST_P(NamedData, GreetingSaysWhetherAnythingIsKept) {
  const auto number = static_cast<std::uint16_t>(Opcode::kNamedData);
  for (const bool keeps : {true, false}) {
    SessionOnFake s({}, 1 << 30, {}, keeps ? place : DataPlace{});
    s.client->messages = {number};
    EXPECT_EQ(s.client->hello().unknown, keeps ? std::vector<std::uint16_t>{} : std::vector{number});
  }
}

// Each of them costs this worker more memory than it cost the client to name it.
TEST_P(NamedData, ThatIsNeverSentEndsTheSession) {
  constexpr std::uint64_t kAtOnce = 200, kFarTooMany = 70'000;
  const auto c = client();
  const std::uint64_t transfer = c->begin(kMiB);
  bool refused = false;
  for (std::uint64_t at = 0; at < kFarTooMany && !refused; at += kAtOnce) {
    std::vector<std::byte> names;
    for (std::uint64_t i = at; i < at + kAtOnce; ++i)
      appendFrame(names, Opcode::kNamedData, 0, 0, wire::NamedData{transfer, i, 1, {}});
    (void)c->s.client->socket().send(names);  // all of them, unless it has had enough
    for (std::uint64_t answers = 0; answers < kAtOnce && !refused;) {
      const auto frame = c->s.client->next();
      ASSERT_TRUE(frame);
      refused = frame->opcode() == Opcode::kRefused;
      answers += frame->opcode() == Opcode::kNamedDataAnswer;
    }
  }
  EXPECT_TRUE(refused);
}

TEST_P(NamedData, ThatDoesNotBelongIsRefused) {
  const auto bytes = pattern(2 * kMiB, 11);
  client()->uploadPlainly(bytes);
  const auto misbehave = [&](auto&& with) {
    const auto c = client();
    const std::uint64_t transfer = c->begin(2 * kMiB);
    with(*c, transfer);
    EXPECT_TRUE(c->s.client->expectPush<wire::Refused>(Opcode::kRefused));
  };
  const wire::Bits256 any{};
  misbehave([&](NamingClient& c, auto) { c.s.client->send<Opcode::kNamedData>({99, 0, kMiB, any}); });
  misbehave([&](NamingClient& c, auto t) { c.s.client->send<Opcode::kNamedData>({t, 4096, kMiB, any}); });
  misbehave([&](NamingClient& c, auto t) { c.s.client->send<Opcode::kNamedData>({t, 0, 0, any}); });
  misbehave([&](NamingClient& c, auto t) { c.s.client->send<Opcode::kNamedData>({t, 0, kMiB + 1, any}); });
  misbehave([&](NamingClient& c, auto t) {
    c.s.client->send<Opcode::kNamedData>({t, 0, kMiB, any});
    c.s.client->send<Opcode::kNamedData>({t, kMiB, kMiB, any});
    c.s.client->send<Opcode::kNamedData>({t, 2 * kMiB, 1, any});
  });
  misbehave([&](NamingClient& c, auto t) {  // bytes that nobody wants
    c.name(t, bytes, 0);
    EXPECT_TRUE(c.answers(t, 1).at(0));
    c.s.client->sendData(t, 0, NamingClient::block(bytes, 0));
  });
  misbehave([&](NamingClient& c, auto t) {  // not those that are wanted
    c.s.client->send<Opcode::kNamedData>({t, 0, kMiB, any});
    EXPECT_FALSE(c.answers(t, 1).at(0));
    c.s.client->sendData(t, 0, std::span(bytes).first(5000));
  });
  misbehave([&](NamingClient& c, auto) {  // more than may be on its way before the stream gets there
    c.s.client->send<Opcode::kHostFunction>({kNull, 77});
    const std::uint64_t transfer = c.begin(40 * kMiB);
    for (std::uint64_t at = 0; at < 33 * kMiB; at += kMiB)
      c.s.client->send<Opcode::kNamedData>({transfer, at, kMiB, any});
  });
  place.folder.clear();
  misbehave([&](NamingClient& c, auto t) { c.s.client->send<Opcode::kNamedData>({t, 0, kMiB, any}); });
}

}  // namespace
}  // namespace hipr::worker
