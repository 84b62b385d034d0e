// Pieces of downloads that a worker announces for lanes, true ones and others: what becomes of the program's memory.
#include "client/connection_fixture.h"

namespace hipr::client {
namespace {

constexpr std::size_t kMiB = 1 << 20, kPieces = 12,
                      kFirst = 5;  // over the session's own connection, until there is one
constexpr std::uint64_t kTransfer = 7;
constexpr std::uint32_t kLane = 1;

// Every MiB is another one. Made before there is a connection, which would not wait for it when sanitizers look at it.
const std::vector<std::byte>& noise() {
  static const std::vector<std::byte> bytes = [] {
    std::vector<std::byte> out(kPieces * kMiB);
    for (std::size_t i = 0; i < kMiB; ++i) out[i] = static_cast<std::byte>((i * 2654435761u) >> 13 | 1);
    for (std::size_t at = kMiB; at < out.size(); at += kMiB) {
      std::memcpy(out.data() + at, out.data(), kMiB);
      std::memset(out.data() + at + kMiB / 2, static_cast<int>(at / kMiB), 1000);
    }
    return out;
  }();
  return bytes;
}
[[maybe_unused]] const std::vector<std::byte>& made = noise();

// A download of 12 MiB, of which 5 have come, and a lane.
class LanePiecesTest : public ConnectionTest {
 protected:
  LanePiecesTest() {
    connection_->useLanes(
        net::When::kAlways,
        [this](std::uint32_t& number, net::TransportPtr& link, auto& roundTrip) {
          auto ends = net::loopback();
          link = std::move(ends.first);
          lane_ = std::move(ends.second);
          number = kLane;
          roundTrip = milliseconds(1);
          return Status{};
        },
        false, true);
    BulkDownload download;
    download.to = {memory_.data(), kRow + kGap, memory_.size(), kRow, kPieces * kMiB / kRow};
    connection_->addDownload(kTransfer, download);
    call_ = askAside();
    request_ = nextRequest();
    for (std::size_t i = 0; i < kFirst - 1; ++i) sendOwn(i);
    std::this_thread::sleep_for(milliseconds(150));  // a slow line
    sendOwn(kFirst - 1);
    const auto [header, payload] = nextFrame();
    EXPECT_EQ(static_cast<Opcode>(header.opcode), Opcode::kDownloadLanes);
  }
  ~LanePiecesTest() override {
    connection_->stop();
    if (lane_) lane_->shutdown();
  }

  wire::Bytes piece(std::size_t index) const { return wire::Bytes(noise()).subspan(index * kMiB, kMiB); }
  void sendOwn(std::size_t index) { sendData(kTransfer, index * kMiB, piece(index), kMiB); }
  void sendOverLane(std::size_t index) {
    std::swap(worker_, lane_);
    sendOwn(index);
    std::swap(worker_, lane_);
  }
  void announce(const wire::LaneData& message) {
    wire::Buffer out;
    append(out, Opcode::kLaneData, 0, wire::HIP_REMOTE_FLAG_NO_REPLY, message);
    send(out.bytes());
  }
  void announce(std::size_t index) { announce({kTransfer, index * kMiB, kMiB, kLane}); }
  template <class Message>
  Message next(Opcode opcode) {
    const auto [header, payload] = nextFrame();
    EXPECT_EQ(static_cast<Opcode>(header.opcode), opcode);
    Message message;
    wire::Reader reader(payload);
    reader.get(message);
    EXPECT_TRUE(reader.ok() && reader.atEnd());
    return message;
  }
  void expectAnswer(std::size_t index, bool came) {
    const auto answer = next<wire::NamedDataAnswer>(Opcode::kNamedDataAnswer);
    EXPECT_EQ(answer.transfer, kTransfer);
    EXPECT_EQ(answer.offset, index * kMiB);
    EXPECT_EQ(answer.known, came) << index;
  }
  void endLane() {
    lane_->shutdown();
    EXPECT_TRUE(next<wire::DownloadLanes>(Opcode::kDownloadLanes).lanes.empty());
  }
  void finish() {
    answer(request_, 0);
    EXPECT_EQ(call_.get(), 0);
  }
  bool isThere(std::size_t index) const {
    for (std::size_t at = 0; at < kMiB; at += kRow) {
      const std::size_t y = (index * kMiB + at) / kRow;
      if (std::memcmp(&memory_[y * (kRow + kGap)], &noise()[index * kMiB + at], kRow) != 0) return false;
    }
    return true;
  }
  bool isTouchedBetween() const {
    for (std::size_t y = 0; y < kPieces * kMiB / kRow; ++y)
      for (std::size_t x = 0; x < kGap; ++x)
        if (memory_[y * (kRow + kGap) + kRow + x] != std::byte{}) return true;
    return false;
  }

  static constexpr std::size_t kRow = 64 << 10, kGap = 16;
  std::vector<std::byte> memory_ = std::vector<std::byte>(kPieces * kMiB / kRow * (kRow + kGap));
  net::TransportPtr lane_;
  std::future<int> call_;
  std::uint32_t request_ = 0;
};

TEST_F(LanePiecesTest, GoToTheirPlaces) {
  announce(5);
  sendOwn(6);
  announce(7);
  sendOverLane(5);
  expectAnswer(5, true);
  sendOverLane(7);
  expectAnswer(7, true);
  for (std::size_t i = 8; i < kPieces; ++i) announce(i);
  for (std::size_t i = 8; i < kPieces; ++i) sendOverLane(i);
  for (std::size_t i = 8; i < kPieces; ++i) expectAnswer(i, true);
  finish();
  EXPECT_TRUE(connection_->removeDownload(kTransfer));
  for (std::size_t i = 0; i < kPieces; ++i) EXPECT_TRUE(isThere(i)) << i;
  EXPECT_FALSE(isTouchedBetween());
}

TEST_F(LanePiecesTest, ThatAreLostComeOnceMore) {
  for (const std::size_t i : {5, 6, 7}) announce(i);
  sendOverLane(5);
  expectAnswer(5, true);
  endLane();
  for (const std::size_t i : {6, 7}) expectAnswer(i, false);
  announce(8);
  expectAnswer(8, false);
  for (std::size_t i = 9; i < kPieces; ++i) sendOwn(i);
  for (const std::size_t i : {8, 6, 7}) sendOwn(i);
  finish();
  EXPECT_TRUE(connection_->removeDownload(kTransfer));
  for (std::size_t i = 0; i < kPieces; ++i) EXPECT_TRUE(isThere(i)) << i;
}

TEST_F(LanePiecesTest, ComeOnceMoreOnlyOnce) {
  announce(5);
  endLane();
  expectAnswer(5, false);
  sendOwn(5);
  sendData(kTransfer, 5 * kMiB, {}, kMiB);
  EXPECT_EQ(call_.get(), -1);
  EXPECT_NE(loss_.find("outside"), std::string::npos) << loss_;
}

TEST_F(LanePiecesTest, AreNotThereBeforeTheyCome) {
  for (std::size_t i = kFirst; i < kPieces; ++i) announce(i);
  finish();
  EXPECT_FALSE(connection_->removeDownload(kTransfer)) << "a worker that says so lies";
}

// The call has ended, with an error: the memory is the program's again.
TEST_F(LanePiecesTest, ComeTooLateForTheirDownload) {
  announce(5);
  finish();
  EXPECT_FALSE(connection_->removeDownload(kTransfer));
  sendOverLane(5);
  expectAnswer(5, true);
  EXPECT_FALSE(isThere(5));
  EXPECT_TRUE(connection_->alive());
}

TEST_F(LanePiecesTest, ComeAfterALoss) {
  announce(5);
  push();
  ASSERT_TRUE(soon([this] { return pushes_ == 1; })) << "so the announcement has been read, too";
  connection_->lose(Status::unavailable("cut"));
  EXPECT_EQ(call_.get(), -1);
  sendOverLane(5);
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_FALSE(isThere(5));
}

// A worker that announces ever more for a lane that is no more, byte by byte, would have each remembered.
TEST_F(LanePiecesTest, AreNotRememberedWithoutLimit) {
  announce(5);
  endLane();
  expectAnswer(5, false);
  wire::Buffer out;
  for (std::size_t i = 0; i < 4 * wire::kMostUnanswered; ++i)
    append(out, Opcode::kLaneData, 0, wire::HIP_REMOTE_FLAG_NO_REPLY,
           wire::LaneData{kTransfer, 6 * kMiB + i, 1, kLane});
  send(out.bytes());
  ASSERT_TRUE(ready(call_, seconds(20)));
  EXPECT_EQ(call_.get(), -1);
  EXPECT_NE(loss_.find("LaneData"), std::string::npos) << loss_;
}

// What a worker that lies announces ends the connection.
class UntrueAnnouncement : public LanePiecesTest, public ::testing::WithParamInterface<wire::LaneData> {};
INSTANTIATE_TEST_SUITE_P(All, UntrueAnnouncement,
                         ::testing::Values(wire::LaneData{kTransfer + 1, 0, kMiB, kLane},
                                           wire::LaneData{kTransfer, 0, kMiB, kLane},
                                           wire::LaneData{kTransfer, (kFirst + 1) * kMiB, kMiB, kLane},
                                           wire::LaneData{kTransfer, kFirst* kMiB, 0, kLane},
                                           wire::LaneData{kTransfer, kFirst* kMiB, kMiB + 1, kLane},
                                           wire::LaneData{kTransfer, kFirst* kMiB, UINT64_MAX, kLane},
                                           wire::LaneData{kTransfer, kFirst* kMiB, kMiB, 0},
                                           wire::LaneData{kTransfer, kFirst* kMiB, kMiB, kLane + 1}));

TEST_P(UntrueAnnouncement, EndsTheConnection) {
  announce(GetParam());
  EXPECT_EQ(call_.get(), -1);
  EXPECT_NE(loss_.find("LaneData"), std::string::npos) << loss_;
}

}  // namespace
}  // namespace hipr::client
