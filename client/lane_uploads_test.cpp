// Uploads over several connections: every byte comes to its place, whatever becomes of a lane.
#include <cstring>
#include <map>
#include <mutex>

#include "client/outbox_fixture.h"

namespace hipr::client {
namespace {

using wire::Opcode;

constexpr std::size_t kMiB = 1 << 20, kBytes = 64 * kMiB;
constexpr std::uint64_t kTransfer = 7;

// Every MiB is another one. Made and compared by what sanitizers do not look at word by word.
std::vector<std::byte> noise(std::size_t size) {
  std::vector<std::byte> out(size);
  for (std::size_t i = 0; i < kMiB; ++i) out[i] = static_cast<std::byte>((i * 2654435761u) >> 13);
  for (std::size_t at = kMiB; at < size; at += kMiB) {
    std::memcpy(out.data() + at, out.data(), kMiB);
    std::memcpy(out.data() + at + kMiB / 2, &at, sizeof at);
  }
  return out;
}
bool same(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

// The worker's part: a thread for each connection, which takes a MiB in a hundredth of a second.
class Lanes : public OutboxTest {
 protected:
  void start(std::size_t piecesOfALane = SIZE_MAX) {
    piecesOfALane_ = piecesOfALane;
    outbox_.useLanes(net::When::kAlways, [this](std::uint32_t& number, net::TransportPtr& link, auto& roundTrip) {
      auto [ours, theirs] = net::loopback();
      link = std::move(ours);
      roundTrip = std::chrono::milliseconds(1);
      std::lock_guard lock(mutex_);
      lanes_.push_back(std::move(theirs));
      number = static_cast<std::uint32_t>(lanes_.size());
      threads_.emplace_back([this, number, &lane = *lanes_.back()] { serveLane(number, lane); });
      return Status{};
    });
    threads_.emplace_back([this] { serveMain(); });
  }
  void TearDown() override {
    OutboxTest::TearDown();
    for (const auto& lane : lanes_) lane->shutdown();
    {
      std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  static bool receive(net::Transport& from, Frame& frame) {
    std::byte head[wire::kHeaderSize];
    if (!from.receiveAll(head).ok() || !wire::decodeHeader(head, frame.header)) return false;
    frame.payload.resize(frame.header.length);
    if (frame.payload.size() > 1000) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return from.receiveAll(frame.payload).ok();
  }
  template <class Message>
  static Message decode(const Frame& frame) {
    Message out;
    wire::Reader reader(frame.payload);
    reader.get(out);
    return out;
  }

  void place(const Frame& frame, bool again) {
    const auto data = decode<wire::Data>(frame);
    const std::size_t size = frame.payload.size() - wire::kDataPrefix;
    ASSERT_LE(data.offset + size, memory_.size());
    std::memcpy(memory_.data() + data.offset, frame.payload.data() + wire::kDataPrefix, size);
    std::lock_guard lock(mutex_);
    placed_ += size;
    again_ += again;
    changed_.notify_all();
  }

  void serveMain() {
    std::uint64_t next = 0, received = 0;  // where the next piece belongs
    for (Frame frame; receive(*ends_.second, frame);) {
      outbox_.acknowledged(received += wire::kHeaderSize + frame.payload.size());
      if (frame.header.opcode == static_cast<std::uint16_t>(Opcode::kUpload)) {
        outbox_.open(kTransfer);
      } else if (frame.header.opcode == static_cast<std::uint16_t>(Opcode::kLaneData)) {
        const auto piece = decode<wire::LaneData>(frame);
        EXPECT_EQ(piece.offset, std::exchange(next, next + piece.size));
        announced(piece);
      } else {
        const auto data = decode<wire::Data>(frame);
        const bool again = data.offset != next;
        if (!again) next += frame.payload.size() - wire::kDataPrefix;
        place(frame, again);
        std::lock_guard lock(mutex_);
        if (!again && announced_) ++besideLanes_;
      }
    }
  }
  void announced(const wire::LaneData& piece) {
    {
      std::lock_guard lock(mutex_);
      announced_ = true;
      coming_[piece.lane].push_back(piece.offset);
      changed_.notify_all();
      if (!ended_[piece.lane]) return;
      coming_[piece.lane].clear();
    }
    EXPECT_TRUE(outbox_.answered({kTransfer, piece.offset, false}));
  }

  void serveLane(std::uint32_t number, net::Transport& lane) {
    Frame frame;
    for (std::size_t pieces = 0; pieces < piecesOfALane_ && receive(lane, frame); ++pieces) {
      place(frame, false);
      const std::uint64_t offset = decode<wire::Data>(frame).offset;
      {
        std::unique_lock lock(mutex_);
        // A piece may be faster than the word about it, which does not come any more when the outbox has failed.
        changed_.wait(lock, [&] { return over_ || !coming_[number].empty(); });
        if (coming_[number].empty()) break;
        EXPECT_EQ(coming_[number].front(), offset);
        coming_[number].pop_front();
        ++overLanes_;
      }
      EXPECT_TRUE(outbox_.answered({kTransfer, offset, true}));
    }
    lane.shutdown();
    std::deque<std::uint64_t> lost;
    {
      std::lock_guard lock(mutex_);
      ended_[number] = true;
      lost.swap(coming_[number]);
    }
    for (const std::uint64_t offset : lost) EXPECT_TRUE(outbox_.answered({kTransfer, offset, false}));
  }

  BulkUploadPtr upload(bool pageable) {
    auto upload = std::make_shared<BulkUpload>();
    upload->transfer = kTransfer;
    upload->from = {.address = source_.data(), .pitch = kBytes, .slice = kBytes, .width = kBytes};
    upload->late = !pageable;
    outbox_.append(Opcode::kUpload, 0, 0, uploadOf(kTransfer), false, [&] { outbox_.enqueue(upload); });
    return upload;
  }
  void awaitAll() {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(60), [&] { return placed_ == kBytes; })) << placed_;
  }

  // The threads above may still be busy when everything is in its place.
  std::size_t overLanes() {
    std::lock_guard lock(mutex_);
    return overLanes_;
  }
  std::size_t again() {
    std::lock_guard lock(mutex_);
    return again_;
  }
  std::size_t lanes() {
    std::lock_guard lock(mutex_);
    return lanes_.size();
  }

  std::vector<std::byte> source_ = noise(kBytes), memory_ = std::vector<std::byte>(kBytes);
  std::size_t piecesOfALane_ = SIZE_MAX;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::size_t placed_ = 0, overLanes_ = 0, again_ = 0;
  std::size_t besideLanes_ = 0;  // pieces that came over the main connection behind the first that did not
  bool over_ = false, announced_ = false;
  std::map<std::uint32_t, std::deque<std::uint64_t>> coming_;
  std::map<std::uint32_t, bool> ended_;
  std::vector<net::TransportPtr> lanes_;
  std::vector<std::thread> threads_;
};

TEST_F(Lanes, CarryAPartOfALargeUpload) {
  start();
  upload(false);
  awaitAll();
  EXPECT_GT(overLanes(), 0u);
  EXPECT_LE(lanes(), wire::kMostLanes);
  EXPECT_EQ(again(), 0u);
  EXPECT_TRUE(same(memory_, source_));
}

// A MiB takes a hundredth of a second here, for which no small message should have to wait.
TEST_F(Lanes, LeaveTheMainConnectionToSmallMessages) {
  start();
  upload(false);
  awaitAll();
  EXPECT_GT(overLanes(), 16u);
  std::lock_guard lock(mutex_);
  EXPECT_EQ(besideLanes_, 0u);
}

TEST_F(Lanes, MemoryMayChangeWhenTheCallReturns) {
  start();
  const std::vector<std::byte> before = source_;
  outbox_.waitSent(upload(true));
  std::memset(source_.data(), 0xEE, kBytes);
  awaitAll();
  EXPECT_GT(overLanes(), 0u);
  EXPECT_TRUE(same(memory_, before));
}

TEST_F(Lanes, WhatALostLaneHadComesOverTheMainConnection) {
  start(3);
  const std::vector<std::byte> before = source_;
  outbox_.waitSent(upload(true));
  std::memset(source_.data(), 0xEE, kBytes);
  awaitAll();
  EXPECT_GE(overLanes(), 3u);
  EXPECT_GT(again(), 0u);
  EXPECT_TRUE(same(memory_, before));
}

TEST_F(Lanes, AnEndInTheMiddleIsNoProblem) {
  start();
  upload(false);
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return overLanes_ > 0; });
  }
  outbox_.fail();
}

TEST_F(Lanes, WithoutPermissionThereAreNone) {
  threads_.emplace_back([this] { serveMain(); });
  upload(false);
  awaitAll();
  EXPECT_EQ(lanes(), 0u);
  EXPECT_TRUE(same(memory_, source_));
}

}  // namespace
}  // namespace hipr::client
