// Downloads over lanes: every piece that was announced comes or is lost, whatever is said on a lane.
#include "client/download_lanes.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <set>

#include "net/socket_transport.h"
#include "wire/append.h"

namespace hipr::client {
namespace {

using wire::Opcode;

constexpr std::size_t kMiB = 1 << 20;
constexpr std::uint64_t kTransfer = 7;

class DownloadLanesTest : public ::testing::Test {
 protected:
  void TearDown() override {
    lanes_.stop();
    for (const net::TransportPtr& link : workers_) link->shutdown();
  }

  void start(std::chrono::milliseconds patience = std::chrono::seconds(60), net::When when = net::When::kAlways,
             std::chrono::milliseconds roundTrip = std::chrono::milliseconds(1)) {
    lanes_.start(
        when,
        [this, roundTrip](std::uint32_t& number, net::TransportPtr& link, auto& took) {
          std::lock_guard lock(mutex_);
          ++attempts_;
          changed_.notify_all();
          if (refuses_) return Status::notFound("refused");
          auto [ours, theirs] = net::loopback();
          link = std::move(ours);
          workers_.push_back(std::move(theirs));
          number = static_cast<std::uint32_t>(2 * workers_.size());  // uploads have some, too
          took = roundTrip;
          return Status{};
        },
        patience);
  }
  // What makes one lane more look sensible: bytes come slowly.
  void wantOne() {
    lanes_.arrived(8 * kMiB, 100 * kMiB);
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
    lanes_.arrived(8 * kMiB, 100 * kMiB);
  }
  template <class Condition>
  bool soon(Condition condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), condition);
  }
  net::Transport& open() {
    wantOne();
    EXPECT_TRUE(soon([this] { return uses_.size() == 1 && workers_.size() == 1; }));
    return *workers_[0];
  }
  std::uint32_t number() {
    std::lock_guard lock(mutex_);
    return uses_[0].lanes.at(0);
  }

  static wire::LaneData piece(std::uint64_t index, std::uint32_t lane, std::uint64_t size = kMiB) {
    return {kTransfer, index * kMiB, size, lane};
  }
  static std::vector<std::byte> content(std::uint64_t index, std::size_t size = kMiB) {
    std::vector<std::byte> out(size);
    for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>((i * 2654435761u + index) >> 13);
    return out;
  }
  static bool send(net::Transport& link, std::uint64_t transfer, std::uint64_t offset, wire::Bytes bytes,
                   std::size_t packedSize = 0) {
    std::vector<std::byte> frame;
    const Opcode opcode = packedSize ? Opcode::kPackedData : Opcode::kData;
    if (packedSize) {
      wire::appendFrame(frame, opcode, 0, 0, wire::PackedData{transfer, offset, packedSize});
    } else {
      wire::appendFrame(frame, opcode, 0, 0, wire::Data{transfer, offset});
    }
    frame.insert(frame.end(), bytes.begin(), bytes.end());
    wire::encodeHeader({.opcode = static_cast<std::uint16_t>(opcode), .length = frame.size() - wire::kHeaderSize},
                       frame.data());
    return link.send(net::Transport::Part(frame)).ok();
  }

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::map<std::uint64_t, std::vector<std::byte>> came_;  // by offset
  std::multiset<std::uint64_t> lost_;
  std::vector<wire::DownloadLanes> uses_;
  std::vector<net::TransportPtr> workers_;  // the worker's ends
  std::size_t attempts_ = 0;
  bool refuses_ = false;
  DownloadLanes lanes_{{[this](const wire::LaneData& piece, wire::Bytes bytes, std::size_t) {
                          std::lock_guard lock(mutex_);
                          came_[piece.offset].assign(bytes.begin(), bytes.end());
                          changed_.notify_all();
                        },
                        [this](const wire::LaneData& piece) {
                          std::lock_guard lock(mutex_);
                          lost_.insert(piece.offset);
                          changed_.notify_all();
                        },
                        [this](const wire::DownloadLanes& use) {
                          std::lock_guard lock(mutex_);
                          uses_.push_back(use);
                          changed_.notify_all();
                        }}};
};

TEST_F(DownloadLanesTest, PiecesComeAnnouncedBeforeOrAfter) {
  start();
  net::Transport& worker = open();
  EXPECT_TRUE(uses_[0].all) << "little comes in a second";
  ASSERT_TRUE(lanes_.announced(piece(0, number())));
  ASSERT_TRUE(lanes_.announced(piece(1, number())));
  for (const std::uint64_t i : {0, 1}) ASSERT_TRUE(send(worker, kTransfer, i * kMiB, content(i)));
  ASSERT_TRUE(send(worker, kTransfer, 2 * kMiB, content(2, 1000)));  // not more than a socket takes
  ASSERT_TRUE(soon([this] { return came_.size() == 2; }));
  ASSERT_TRUE(lanes_.announced(piece(2, number(), 1000)));
  ASSERT_TRUE(soon([this] { return came_.size() == 3; }));
  for (const std::uint64_t i : {0, 1}) EXPECT_TRUE(came_[i * kMiB] == content(i)) << i;
  EXPECT_TRUE(came_[2 * kMiB] == content(2, 1000));
  EXPECT_TRUE(lost_.empty());
  EXPECT_GT(lanes_.bytes(), 2 * kMiB);
}

TEST_F(DownloadLanesTest, PackedPiecesAreUnpacked) {
  start();
  net::Transport& worker = open();
  const std::vector<std::byte> plain(kMiB, std::byte{7});
  std::vector<std::byte> packed;
  net::Packer packer;
  ASSERT_TRUE(packer.pack(plain, packed));
  ASSERT_TRUE(lanes_.announced(piece(0, number())));
  ASSERT_TRUE(send(worker, kTransfer, 0, packed, kMiB));
  ASSERT_TRUE(soon([this] { return came_.size() == 1; }));
  EXPECT_TRUE(came_[0] == plain);
}

TEST_F(DownloadLanesTest, AnEndLosesWhatHasNotCome) {
  start();
  net::Transport& worker = open();
  for (const std::uint64_t i : {0, 1, 2}) ASSERT_TRUE(lanes_.announced(piece(i, number())));
  ASSERT_TRUE(send(worker, kTransfer, 0, content(0)));
  ASSERT_TRUE(soon([this] { return came_.size() == 1; }));
  worker.finishSending();
  ASSERT_TRUE(soon([this] { return lost_.size() == 2 && uses_.size() == 2; }));
  EXPECT_TRUE(uses_[1].lanes.empty());
  ASSERT_TRUE(lanes_.announced(piece(3, number())));  // the worker does not know yet
  EXPECT_TRUE(soon([this] { return lost_ == std::multiset<std::uint64_t>{kMiB, 2 * kMiB, 3 * kMiB}; }));
}

// Whatever else is said on a lane ends it, and loses what it should have brought.
class LyingLane : public DownloadLanesTest, public ::testing::WithParamInterface<int> {
 protected:
  static void lie(int which, net::Transport& w) {
    const std::vector<std::byte> junk(1000, std::byte{3});
    std::vector<std::byte> ping;
    wire::appendFrame(ping, Opcode::kPing, 0, 0, wire::Ping{});
    switch (which) {
      case 0:
        return (void)send(w, kTransfer, kMiB, content(1));
      case 1:
        return (void)send(w, kTransfer + 1, 0, content(0));
      case 2:
        return (void)send(w, kTransfer, 0, content(0, 1000));
      case 3:
        return (void)send(w, kTransfer, 0, content(0, kMiB + 1));
      case 4:
        return (void)send(w, kTransfer, 0, {});
      case 5:
        return (void)send(w, kTransfer, 0, junk, kMiB);
      case 6:
        return (void)send(w, kTransfer, 0, {}, kMiB);
      case 7:
        return (void)send(w, kTransfer, 0, content(0), kMiB);
      case 8:
        return (void)send(w, kTransfer, 0, junk, 2 * kMiB);
      case 9:
        return (void)w.send(net::Transport::Part(ping));
      default:
        return (void)w.send(net::Transport::Part(junk));
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Lies, LyingLane, ::testing::Range(0, 11));

TEST_P(LyingLane, Ends) {
  start();
  net::Transport& worker = open();
  ASSERT_TRUE(lanes_.announced(piece(0, number())));
  lie(GetParam(), worker);
  EXPECT_TRUE(soon([this] { return lost_.size() == 1 && uses_.size() == 2; }));
  EXPECT_TRUE(came_.empty());
}

TEST_F(DownloadLanesTest, AnnouncementsThatCannotBe) {
  start();
  EXPECT_FALSE(lanes_.announced(piece(0, 2))) << "there is no lane yet";
  (void)open();
  EXPECT_FALSE(lanes_.announced(piece(0, 0)));
  EXPECT_FALSE(lanes_.announced(piece(0, number() + 1)));
  for (std::uint64_t i = 0; i < wire::kMostUnanswered; ++i)
    ASSERT_TRUE(lanes_.announced({kTransfer, i * 8, 8, number()}));
  EXPECT_FALSE(lanes_.announced({kTransfer, 8 * wire::kMostUnanswered, 8, number()})) << "too many";
}

TEST_F(DownloadLanesTest, ALaneOnWhichNothingComesThoughItShouldEnds) {
  start(std::chrono::milliseconds(200));
  (void)open();
  std::this_thread::sleep_for(std::chrono::milliseconds(600));  // nothing should
  EXPECT_EQ(uses_.size(), 1u);
  ASSERT_TRUE(lanes_.announced(piece(0, number())));
  EXPECT_TRUE(soon([this] { return lost_.size() == 1; }));
}

TEST_F(DownloadLanesTest, OneThatIsRefusedIsNotTriedAgainSoon) {
  refuses_ = true;
  start();
  wantOne();
  ASSERT_TRUE(soon([this] { return attempts_ == 1; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  wantOne();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  std::lock_guard lock(mutex_);
  EXPECT_EQ(attempts_, 1u);
  EXPECT_TRUE(uses_.empty());
}

// On a line of 30 ms, one round trip more must not be much of the time that a download takes.
TEST_F(DownloadLanesTest, SmallDownloadsAreLeftAloneWhereARoundTripIsLong) {
  start(std::chrono::seconds(60), net::When::kWhereItPays, std::chrono::milliseconds(30));
  (void)open();
  std::lock_guard lock(mutex_);
  EXPECT_GT(uses_[0].least, 8 * kMiB);
  EXPECT_LT(uses_[0].least, 32 * kMiB);
}

// Whoever reads the connection opens them, and must not fail where there is no room for a thread.
TEST_F(DownloadLanesTest, ThereAreNoneWhereThereIsNoRoomForAThread) {
  start();
  const pid_t child = fork();
  if (child == 0) {  // of a user who may have no other
    if (getuid() == 0 && setuid(65534) != 0) _exit(2);
    const rlimit one{1, 1};
    setrlimit(RLIMIT_NPROC, &one);
    try {
      wantOne();
    } catch (...) {
      _exit(1);
    }
    _exit(attempts_ == 0 ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 2) GTEST_SKIP() << "there is no other user here";
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(DownloadLanesTest, ThereAreNoneWhereNobodyWantsThem) {
  start(std::chrono::seconds(60), net::When::kNever);
  EXPECT_FALSE(lanes_.started());
  wantOne();
  EXPECT_EQ(attempts_, 0u);
}

}  // namespace
}  // namespace hipr::client
