// Pieces of uploads that come over lanes: in every order, over lanes that break, lie or do not exist.
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>

#include "worker/session_fixture.h"

namespace hipr::worker {
namespace {

using wire::Opcode;

constexpr std::uint64_t kTransfer = 5;

// A client with lanes and an upload that has begun.
class LaneClient {
 public:
  explicit LaneClient(std::size_t size, bool direct = false, const Limits& limits = {})
      : bytes(pattern(size)), s({.cpuReachesMemory = direct}, 4096 * kMiB, limits) {
    s.client->hello();
    s.client->send<Opcode::kMapMemory>({0, kTestDeviceBase, 128 * kMiB});
    s.client->send<Opcode::kUpload>(uploadLater(kNull, shape(), kTransfer));
  }

  wire::Shape shape() const { return {kTestDeviceBase, 0, 0, bytes.size()}; }
  wire::Bytes piece(std::uint64_t index) const {
    return wire::Bytes(bytes).subspan(index * kMiB, std::min<std::size_t>(kMiB, bytes.size() - index * kMiB));
  }

  // The client's end of a new lane; it has been told whether it is one.
  TestClient join(std::uint32_t number, Opcode answer = Opcode::kJoin) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) std::abort();
    TestClient lane{net::Socket(ends[0])};
    s.session().lanes().join(number, net::overSocket(net::Socket(ends[1]), 60));
    const auto frame = lane.next();
    EXPECT_TRUE(frame && frame->opcode() == answer);
    return lane;
  }
  void announce(std::uint32_t lane, std::uint64_t index) {
    s.client->send<Opcode::kLaneData>({kTransfer, index * kMiB, piece(index).size(), lane});
  }
  void sendOver(TestClient& connection, std::uint64_t index) {
    connection.sendData(kTransfer, index * kMiB, piece(index));
  }
  // What has become of a piece.
  bool came(std::uint64_t index) {
    const auto answer = s.client->expectPush<wire::NamedDataAnswer>(Opcode::kNamedDataAnswer);
    EXPECT_TRUE(answer && answer->transfer == kTransfer && answer->offset == index * kMiB);
    return answer && answer->known;
  }
  void expectAll() {
    EXPECT_EQ(s.client->ask<Opcode::kDownload>({kNull, shape(), kTransfer + 1}), hipSuccess);
    EXPECT_FALSE(s.client->sawPush(Opcode::kAsyncFailure));
    EXPECT_TRUE(s.client->received[kTransfer + 1] == bytes);
  }

  std::vector<std::byte> bytes;
  SessionOnFake s;
};

class DataLane : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Memory, DataLane, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Direct" : "Staged"; });

TEST_P(DataLane, PiecesComeOverAllConnectionsInAnyOrder) {
  LaneClient c(6 * kMiB + 1000, GetParam());
  TestClient one = c.join(1), two = c.join(2);
  c.announce(1, 0);
  c.announce(2, 1);
  c.sendOver(*c.s.client, 2);
  c.announce(1, 3);
  c.sendOver(two, 1);
  EXPECT_TRUE(c.came(1));
  c.sendOver(one, 0);
  EXPECT_TRUE(c.came(0));
  c.announce(2, 4);
  c.sendOver(two, 4);
  EXPECT_TRUE(c.came(4));
  c.sendOver(*c.s.client, 5);
  c.sendOver(two, 6);  // before it is announced
  c.sendOver(one, 3);
  EXPECT_TRUE(c.came(3));
  c.announce(2, 6);
  EXPECT_TRUE(c.came(6));
  c.expectAll();
}

TEST_P(DataLane, OneThatBreaksLosesWhatHasNotCome) {
  LaneClient c(5 * kMiB, GetParam());
  TestClient lane = c.join(1);
  for (const std::uint64_t i : {0, 1, 2}) c.announce(1, i);
  c.sendOver(lane, 0);
  EXPECT_TRUE(c.came(0));
  // A part of the next one.
  std::vector<std::byte> frame;
  appendFrame(frame, Opcode::kData, 0, 0, wire::Data{kTransfer, kMiB});
  wire::encodeHeader({.opcode = static_cast<std::uint16_t>(Opcode::kData), .length = wire::kDataPrefix + kMiB},
                     frame.data());
  frame.resize(frame.size() + kMiB / 2);
  EXPECT_TRUE(lane.socket().send(frame).ok());
  lane.socket().shutdown();
  EXPECT_FALSE(c.came(1));
  EXPECT_FALSE(c.came(2));
  c.announce(1, 3);  // the client does not know yet
  EXPECT_FALSE(c.came(3));
  c.sendOver(*c.s.client, 4);
  for (const std::uint64_t i : {3, 1, 2}) c.sendOver(*c.s.client, i);
  c.expectAll();
}

TEST(DataLanes, PackedPiecesAreUnpacked) {
  LaneClient c(kMiB);
  std::ranges::fill(c.bytes, std::byte{7});
  std::vector<std::byte> packed;
  net::Packer packer;
  ASSERT_TRUE(packer.pack(c.bytes, packed));
  TestClient lane = c.join(1);
  c.announce(1, 0);
  lane.sendPacked(kTransfer, 0, kMiB, packed);
  EXPECT_TRUE(c.came(0));
  c.expectAll();
}

// The upload is over then, but what comes after it may free the memory that another piece is just being read into.
TEST(DataLanes, APieceWithoutRoomEndsItsUploadWhenNobodyWritesThereAnyMore) {
  LaneClient c(3 * kMiB, true, with(Quota::kStagedBytes, 64 << 10));
  TestClient lane = c.join(1), &main = *c.s.client;
  const std::uint32_t over = main.send<Opcode::kStreamSynchronize>({kNull});
  c.announce(1, 0);
  std::vector<std::byte> frame(wire::kHeaderSize + wire::kDataPrefix);
  const std::uint64_t prefix[2] = {kTransfer, kMiB};
  wire::encodeHeader({.opcode = static_cast<std::uint16_t>(Opcode::kData), .length = wire::kDataPrefix + kMiB},
                     frame.data());
  std::memcpy(frame.data() + wire::kHeaderSize, prefix, sizeof prefix);
  frame.insert(frame.end(), c.piece(1).begin(), c.piece(1).begin() + kMiB / 2);
  EXPECT_TRUE(main.socket().send(frame).ok());
  const std::atomic_ref<std::byte> last(*reinterpret_cast<std::byte*>(kTestDeviceBase + kMiB + kMiB / 2 - 1));
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (last.load() != frame.back() && std::chrono::steady_clock::now() < patience) std::this_thread::yield();
  ASSERT_EQ(last.load(), frame.back()) << "it is read to its place";
  c.sendOver(lane, 0);
  EXPECT_TRUE(c.came(0));  // there is no room for it, so nobody needs it
  pollfd answers{main.socket().fd(), POLLIN, 0};
  EXPECT_EQ(poll(&answers, 1, 200), 0) << "the stream goes on";
  EXPECT_TRUE(main.socket().send(c.piece(1).subspan(kMiB / 2)).ok());
  EXPECT_EQ(main.status(over), hipSuccess);
}

// Whatever else is said on a lane ends it, and nothing more.
TEST(DataLanes, LiesEndALane) {
  const std::vector<std::byte> junk(1000, std::byte{3});
  const std::vector<std::function<void(LaneClient&, TestClient&)>> lies = {
      [](LaneClient& c, TestClient& lane) { lane.sendData(kTransfer, kMiB, c.piece(1)); },
      [](LaneClient& c, TestClient& lane) { lane.sendData(kTransfer + 1, 0, c.piece(0)); },
      [](LaneClient& c, TestClient& lane) { lane.sendData(kTransfer, 0, c.piece(0).first(1000)); },
      [](LaneClient& c, TestClient& lane) { lane.sendData(kTransfer, 0, wire::Bytes(c.bytes).first(kMiB + 1)); },
      [&](LaneClient&, TestClient& lane) { lane.sendPacked(kTransfer, 0, kMiB, junk); },
      [&](LaneClient&, TestClient& lane) { lane.sendPacked(kTransfer, 0, kMiB, {}); },
      [](LaneClient& c, TestClient& lane) { lane.sendPacked(kTransfer, 0, kMiB, c.piece(0)); },
      [](LaneClient&, TestClient& lane) { lane.send<Opcode::kPing>({}); },
      [](LaneClient&, TestClient& lane) { lane.send<Opcode::kGoodbye>({}); },
      [&](LaneClient&, TestClient& lane) { EXPECT_TRUE(lane.socket().send(junk).ok()); }};
  for (std::size_t i = 0; i < lies.size(); ++i) {
    SCOPED_TRACE(i);
    LaneClient c(2 * kMiB);
    TestClient lane = c.join(1);
    c.announce(1, 0);
    lies[i](c, lane);
    EXPECT_FALSE(lane.next()) << "it is closed";
    EXPECT_FALSE(c.came(0));
    c.sendOver(*c.s.client, 1);
    c.sendOver(*c.s.client, 0);
    c.expectAll();
  }
}

TEST(DataLanes, AreFewAndEachHasANumberOfItsOwn) {
  LaneClient c(kMiB);
  TestClient two = c.join(2);
  (void)c.join(2, Opcode::kRefused);
  (void)c.join(1, Opcode::kRefused);
  TestClient five = c.join(5);
  std::vector<TestClient> others;
  for (std::uint32_t number = 6; number < 4 + 2 * wire::kMostLanes; ++number) others.push_back(c.join(number));
  (void)c.join(100, Opcode::kRefused);
  c.announce(5, 0);
  c.sendOver(five, 0);
  EXPECT_TRUE(c.came(0));
  c.expectAll();
}

// What may not be announced ends the session.
TEST(DataLanes, OfNoUseAreAnnouncementsThatCannotBe) {
  const std::vector<std::function<void(LaneClient&)>> mistakes = {
      [](LaneClient& c) { c.announce(2, 0); },  // no such lane
      [](LaneClient& c) { c.announce(0, 0); },
      [](LaneClient& c) { c.announce(1, 1); },  // not the next piece
      [](LaneClient& c) { c.s.client->send<Opcode::kLaneData>({kTransfer + 1, 0, kMiB, 1}); },
      [](LaneClient& c) { c.s.client->send<Opcode::kLaneData>({kTransfer, 0, 0, 1}); },
      [](LaneClient& c) { c.s.client->send<Opcode::kLaneData>({kTransfer, 0, kMiB + 1, 1}); },
      [](LaneClient& c) { c.s.client->send<Opcode::kLaneData>({kTransfer, 0, UINT64_MAX, 1}); },
      [](LaneClient& c) {
        for (std::uint64_t i = 0; i < 257; ++i) c.s.client->send<Opcode::kLaneData>({kTransfer, i * 8, 8, 1});
      },
      [](LaneClient& c) {  // it has been announced already
        c.announce(1, 0);
        c.sendOver(*c.s.client, 0);
      }};
  for (std::size_t i = 0; i < mistakes.size(); ++i) {
    SCOPED_TRACE(i);
    LaneClient c(4 * kMiB);
    TestClient lane = c.join(1);
    mistakes[i](c);
    EXPECT_TRUE(c.s.client->expectPush<wire::Refused>(Opcode::kRefused));
    c.s.client->socket().shutdown();
    EXPECT_EQ(c.s.finish().code(), Code::kInvalid);
  }
}

TEST(DataLanes, ASessionThatEndsWaitsForNone) {
  LaneClient c(kMiB + 100);
  TestClient waits = c.join(1), early = c.join(2);
  c.announce(1, 0);
  c.sendOver(early, 1);
  c.s.end();
}

}  // namespace
}  // namespace hipr::worker
