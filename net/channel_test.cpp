#include "net/channel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "net/socket_transport.h"

namespace hipr::net {
namespace {

using Bytes = std::vector<std::byte>;

Bytes pattern(std::size_t size, unsigned seed) {
  Bytes out(size);
  std::minstd_rand random(seed);
  for (std::byte& byte : out) byte = static_cast<std::byte>(random());
  return out;
}

// --- Retained

TEST(Retained, HasWhatWasNotAcknowledgedWhicheverWayItWasKept) {
  std::minstd_rand random(1);
  const Bytes stream = pattern(1 << 20, 2);
  Bytes lasting = stream;
  Retained kept;
  std::uint64_t end = 0, acknowledged = 0, owner = 1;
  while (end < stream.size()) {
    const std::size_t n = std::min<std::size_t>(1 + random() % 5000, stream.size() - end);
    if (random() % 3) {
      kept.copy(std::span(stream).subspan(end, n));
    } else {
      const auto part = std::span(lasting).subspan(end, n);
      kept.refer(part, owner);
      if (random() % 2) {
        kept.settle(owner);
        std::fill(part.begin(), part.end(), std::byte{0xEE});  // it may change from now on
      }
      ++owner;
    }
    end += n;
    acknowledged += random() % (end - acknowledged + 1);
    ASSERT_TRUE(kept.acknowledge(acknowledged));
    ASSERT_EQ(kept.end(), end);
    Bytes rest(end - acknowledged);
    ASSERT_EQ(kept.read(acknowledged, rest), rest.size());
    ASSERT_TRUE(std::equal(rest.begin(), rest.end(), stream.begin() + static_cast<std::ptrdiff_t>(acknowledged)));
  }
  EXPECT_TRUE(kept.acknowledge(acknowledged / 2));  // an old one changes nothing
  EXPECT_EQ(kept.acknowledged(), acknowledged);
  EXPECT_FALSE(kept.acknowledge(end + 1));
}

TEST(Retained, MemoryMayChangeWhenItIsSettledWhoeverOwnsIt) {
  const Bytes stream = pattern(1000, 3);
  Bytes lasting = stream;
  Retained kept;
  for (std::size_t i = 0; i < 10; ++i) kept.refer(std::span(lasting).subspan(100 * i, 100), 1 + i);
  const auto part = std::span(lasting).subspan(250, 200);  // of three of them
  EXPECT_FALSE(kept.settle(part, 299));
  EXPECT_TRUE(kept.settle(part, 300));
  EXPECT_EQ(kept.copied(), 300u);
  std::fill(part.begin(), part.end(), std::byte{0xEE});
  Bytes all(1000);
  ASSERT_EQ(kept.read(0, all), all.size());
  EXPECT_EQ(all, stream);
  EXPECT_TRUE(kept.settle(part, 0)) << "there is nothing more to copy";
  EXPECT_TRUE(kept.settle(std::uint64_t{4}, 0));
}

// --- Channel

// Lets so many bytes through, then the connection breaks, perhaps in the middle of a part.
class Fragile : public Transport {
 public:
  Fragile(TransportPtr inner, std::size_t budget) : inner_(std::move(inner)), budget_(budget) {}
  Status send(std::span<const Part> parts) override {
    for (Part part : parts) {
      const std::size_t n = std::min(part.size(), budget_);
      budget_ -= n;
      if (Status status = inner_->send(part.first(n)); !status.ok()) return status;
      if (n < part.size()) return broken();
    }
    return {};
  }
  Status trySend(Part bytes, std::size_t* taken) override {
    const std::size_t n = std::min(bytes.size(), budget_);
    if (n < bytes.size()) {
      (void)!inner_->trySend(bytes.first(n), taken).ok();
      *taken = 0;  // a broken connection tells nothing
      return broken();
    }
    budget_ -= n;
    return inner_->trySend(bytes, taken);
  }
  Status receive(std::span<const Room> rooms, Patience patience, std::size_t* got) override {
    return inner_->receive(rooms, patience, got);
  }
  void setTimeout(int milliseconds) override { inner_->setTimeout(milliseconds); }
  void finishSending() override { inner_->finishSending(); }
  void shutdown() override { inner_->shutdown(); }
  Ready await(int milliseconds) override { return inner_->await(milliseconds); }
  bool watchAgain() override { return inner_->watchAgain(); }
  void wake() override { inner_->wake(); }
  std::string peer() const override { return "fragile"; }
  const char* kind() const override { return "tcp"; }

 private:
  Status broken() {
    inner_->shutdown();
    return Status::unavailable("cut");
  }
  TransportPtr inner_;
  std::size_t budget_;
};

// A client's channel and a worker's, whose connections break after as many bytes as `budget` says.
class ChannelTest : public ::testing::Test {
 protected:
  ~ChannelTest() override { disconnect(); }

  void disconnect() {
    if (!client_) return;
    client_->shutdown();
    worker_->shutdown();
    client_.reset();
    for (std::thread& thread : adoptions_) thread.join();
    adoptions_.clear();
    cuts_ = 0;
  }

  void connect(std::function<std::size_t()> budget) {
    budget_ = std::move(budget);
    auto [near, far] = link();
    client_ = std::make_unique<Channel>(std::move(near));
    worker_ = std::make_unique<Channel>(std::move(far));
    for (Channel* channel : {client_.get(), worker_.get()}) channel->keepSent();
    worker_->awaitReturn();
    client_->mendBy(
        {.reconnect = [this](std::uint64_t received, TransportPtr& link,
                             std::uint64_t& peerReceived) { return reconnect(received, link, peerReceived); },
         .patience = std::chrono::seconds(20),
         .onCut = [this](const Status&) { ++cuts_; },
         .onMended = {}});
  }

  static void sendAll(Channel& channel, const Bytes& bytes, unsigned seed) {
    std::minstd_rand random(seed);
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t n = std::min<std::size_t>(1 + random() % 3000, bytes.size() - at);
      const Transport::Part part(bytes.data() + at, n);
      std::size_t taken = n;
      switch (random() % 3) {
        case 0:
          ASSERT_TRUE(channel.send(part).ok());
          break;
        case 1:
          ASSERT_TRUE(channel.trySend(part, &taken).ok());
          break;
        default:
          Bytes lasting(part.begin(), part.end());
          ASSERT_TRUE(channel.sendLasting({}, lasting, at + 1).ok());
          channel.settle(at + 1);
          std::fill(lasting.begin(), lasting.end(), std::byte{0xEE});
      }
      at += taken;
    }
  }
  static void receiveAll(Channel& channel, const Bytes& expected) {
    Bytes got(expected.size());
    for (std::size_t at = 0; at < got.size();) {
      const Transport::Room room(got.data() + at, std::min<std::size_t>(got.size() - at, 5000));
      std::size_t n = 0;
      ASSERT_TRUE(channel.receive({&room, 1}, Transport::Patience::kWait, &n).ok());
      at += n;
    }
    EXPECT_TRUE(got == expected);
  }
  // Both directions at once.
  void exchange(std::size_t size) {
    const Bytes there = pattern(size, 3), back = pattern(size, 4);
    std::thread threads[] = {
        std::thread([&] { sendAll(*client_, there, 5); }), std::thread([&] { sendAll(*worker_, back, 6); }),
        std::thread([&] { receiveAll(*worker_, there); }), std::thread([&] { receiveAll(*client_, back); })};
    for (std::thread& thread : threads) thread.join();
  }

  std::unique_ptr<Channel> client_, worker_;
  std::atomic<int> cuts_{0};

 private:
  std::pair<TransportPtr, TransportPtr> link() {
    auto [a, b] = loopback();
    return {std::make_unique<Fragile>(std::move(a), budget_()), std::make_unique<Fragile>(std::move(b), budget_())};
  }
  Status reconnect(std::uint64_t received, TransportPtr& mine, std::uint64_t& peerReceived) {
    auto [near, far] = link();
    std::atomic<std::uint64_t> told{0};
    std::atomic<bool> done{false};
    adoptions_.emplace_back([this, &told, &done, received, far = std::move(far)]() mutable {
      (void)worker_->adopt(std::move(far), received, [&](Transport&, std::uint64_t here) {
        told = here;
        done = true;
        done.notify_one();
        return Status{};
      });
    });
    done.wait(false);
    peerReceived = told;
    mine = std::move(near);
    return {};
  }

  std::function<std::size_t()> budget_;
  std::vector<std::thread> adoptions_;
};

TEST_F(ChannelTest, LosesNothingWhereverItIsCut) {
  for (std::size_t cut = 0; cut < 400; ++cut) {
    bool first = true;
    connect([&] { return std::exchange(first, false) ? cut : SIZE_MAX; });
    exchange(400);
    EXPECT_EQ(cuts_, 1) << cut;
    disconnect();
  }
}

TEST_F(ChannelTest, LosesNothingWhenItIsCutAllTheTime) {
  std::minstd_rand random(7);
  std::mutex mutex;
  connect([&] {
    std::lock_guard lock(mutex);
    return random() % 20000;
  });
  exchange(1 << 20);
  EXPECT_GT(cuts_, 20);
}

// More than any socket holds, in both directions, between two of which each would first send and then receive.
TEST_F(ChannelTest, ReceivesWhileItSendsAgain) {
  const Bytes there = pattern(16 << 20, 8), back = pattern(16 << 20, 9);
  auto [first, broken] = loopback();
  Channel channel(std::move(first));
  channel.keepSent();
  channel.awaitReturn();
  broken->shutdown();
  channel.distrust(Status::unavailable("cut"));
  ASSERT_TRUE(channel.send(Transport::Part(back)).ok());  // which is kept
  auto [near, far] = loopback();
  far->setTimeout(10'000);
  std::thread receiver([&] { receiveAll(channel, there); });
  std::thread door([&, fresh = std::move(near)]() mutable {
    EXPECT_TRUE(channel.adopt(std::move(fresh), 0, [](auto&, auto) { return Status{}; }).ok());
  });
  EXPECT_TRUE(far->send(Transport::Part(there)).ok());
  Bytes got(back.size());
  EXPECT_TRUE(far->receiveAll(got).ok());
  EXPECT_TRUE(got == back);
  far->shutdown();
  door.join();
  channel.shutdown();
  receiver.join();
}

// Sends so much to a peer that reads all of it, and acknowledges it or not; whether it could still be resumed.
bool resumableAfter(std::size_t total, bool acknowledging, bool atTheEnd = false) {
  auto [near, far] = loopback();
  Channel channel(std::move(near));
  channel.keepSent();
  channel.awaitReturn();
  std::thread reader([&, peer = far.get()] {
    Bytes room(1 << 20);
    for (std::size_t at = 0; at < total; at += room.size()) {
      ASSERT_TRUE(peer->receiveAll(room).ok());
      if (acknowledging) {
        EXPECT_TRUE(channel.acknowledge(at + room.size()));
      }
    }
  });
  const Bytes piece = pattern(1 << 20, 10);
  for (std::size_t at = 0; at < total; at += piece.size()) {
    EXPECT_TRUE(channel.sendLasting({}, piece, 1).ok());
    if (!atTheEnd) channel.settle(1);
  }
  channel.settle(1);
  reader.join();
  std::thread answer([&, peer = far.get()] {
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(peer->send(Transport::Part(piece)).ok());
  });
  Bytes answered(2 << 20);
  EXPECT_TRUE(channel.receiveAll(answered).ok());
  answer.join();
  std::uint64_t position = 0;
  EXPECT_TRUE(channel.acknowledgementDue(position)) << "it goes on acknowledging, whatever the peer does";
  return channel.resumable();
}

TEST_F(ChannelTest, KeepsNoMoreThanAPeerThatNeverAcknowledgesMayCost) {
  EXPECT_TRUE(resumableAfter(96 << 20, false));
  EXPECT_FALSE(resumableAfter(160 << 20, false));
  EXPECT_FALSE(resumableAfter(160 << 20, false, true));  // nor all at once
  EXPECT_TRUE(resumableAfter(160 << 20, true));
}

TEST_F(ChannelTest, WhoSendsWaitsWhileMuchIsSentAgain) {
  const Bytes piece = pattern(1 << 20, 11);
  constexpr std::size_t kBefore = 16, kPieces = 64, kMost = 40 << 20;  // no socket holds what was sent before
  auto [first, broken] = loopback();
  Channel channel(std::move(first));
  channel.keepSent();
  channel.awaitReturn();
  broken->shutdown();
  channel.distrust(Status::unavailable("cut"));
  for (std::size_t i = 0; i < kBefore; ++i) ASSERT_TRUE(channel.send(Transport::Part(piece)).ok());
  auto [near, far] = loopback();  // nobody reads there at first
  far->setTimeout(10'000);
  std::thread door([&, fresh = std::move(near)]() mutable {
    EXPECT_TRUE(channel.adopt(std::move(fresh), 0, [](auto&, auto) { return Status{}; }).ok());
  });
  std::thread sender([&] {
    for (std::size_t i = kBefore; i < kPieces; ++i) EXPECT_TRUE(channel.send(Transport::Part(piece)).ok());
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_LT(channel.unacknowledged(), kMost);
  for (std::size_t i = 0; i < kPieces; ++i) {
    Bytes got(piece.size());
    ASSERT_TRUE(far->receiveAll(got).ok());
    ASSERT_TRUE(got == piece) << i;
  }
  sender.join();
  door.join();
}

// The peer has bytes of which the broken connection says that it took none, and is back before the sender goes on.
TEST_F(ChannelTest, KnowsWhatAConnectionThatBrokeMayHaveSent) {
  constexpr std::size_t kSent = 1000, kThrough = 300;
  const Bytes bytes = pattern(kSent, 12);
  auto [first, broken] = loopback();
  auto [near, far] = loopback();
  TransportPtr next = std::move(near);
  far->setTimeout(10'000);
  Channel channel(std::make_unique<Fragile>(std::move(first), kThrough));
  channel.keepSent();
  std::atomic<bool> back{false};
  channel.mendBy({.reconnect =
                      [&](std::uint64_t, TransportPtr& link, std::uint64_t& received) {
                        link = std::move(next);
                        received = kThrough;
                        return Status{};
                      },
                  .patience = std::chrono::seconds(20),
                  .onCut =
                      [&](const Status&) {
                        for (int i = 0; i < 500 && !back; ++i)
                          std::this_thread::sleep_for(std::chrono::milliseconds(10));
                      },
                  .onMended = [&] { back = true; }});
  std::size_t taken = 0;
  EXPECT_TRUE(channel.trySend(Transport::Part(bytes), &taken).ok());
  EXPECT_EQ(taken, kSent);
  Bytes got(kSent);
  ASSERT_TRUE(broken->receiveAll(std::span(got).first(kThrough)).ok());
  ASSERT_TRUE(far->receiveAll(std::span(got).subspan(kThrough)).ok());
  EXPECT_TRUE(got == bytes);
}

TEST_F(ChannelTest, GivesUpWhenThePeerDoesNotKnowIt) {
  auto [near, far] = loopback();
  Channel channel(std::move(near));
  channel.keepSent();
  channel.mendBy({.reconnect = [](auto, auto&, auto&) { return Status::notFound("that session has ended"); },
                  .patience = std::chrono::seconds(20),
                  .onCut = {},
                  .onMended = {}});
  far->shutdown();
  std::byte byte;
  const Transport::Room room(&byte, 1);
  std::size_t got = 0;
  const Status status = channel.receive({&room, 1}, Transport::Patience::kWait, &got);
  EXPECT_EQ(status.message(), "that session has ended");
  EXPECT_FALSE(channel.send(Transport::Part(&byte, 1)).ok());
}

TEST_F(ChannelTest, ACutIsTheEndWhereNobodyMends) {
  auto [near, far] = loopback();
  Channel channel(std::move(near));
  channel.keepSent();  // but the greeting is not over
  far->shutdown();
  std::byte byte;
  const Transport::Room room(&byte, 1);
  std::size_t got = 0;
  EXPECT_FALSE(channel.receive({&room, 1}, Transport::Patience::kWait, &got).ok());
}

}  // namespace
}  // namespace hipr::net
