// Copies between workers: one session is both of them, with the reception of a real worker between.
#include "worker/parcels.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>

#include "net/socket_transport.h"
#include "tls/ticket.h"
#include "tls/tls_transport.h"
#include "worker/peers.h"
#include "worker/reception.h"
#include "worker/session_fixture.h"
#include "worker/tickets.h"

namespace hipr::worker {
namespace {

using wire::Opcode;

constexpr std::uint64_t kTo = wire::kFirstObject, kFrom = kTo + 1;
constexpr std::uint64_t kTarget = kTestDeviceBase + 64 * kMiB;
constexpr char kHere[] = "127.0.0.1:18515", kNowhere[] = "127.0.0.1:1", kDeaf[] = "127.0.0.1:2";

template <class Condition>
bool eventually(Condition&& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

// What a supervisor does for it.
class Entrance {
 public:
  Entrance() {
    EXPECT_TRUE(gate_.open().ok());
    gate_.honourTickets([this](const std::string& name) { return tickets_.find(name); });
    thread_ = std::thread([this] { attend(); });
  }
  ~Entrance() {
    ending_ = true;
    thread_.join();
  }

  Peering peering() {
    return {[this](wire::Bits256& ticket) {
              const std::lock_guard lock(mutex_);
              return tickets_.issue(0, ticket);
            },
            [this](const std::string& worker) { return connect(worker); }};
  }
  Descriptor connect(const std::string& worker) {
    int ends[2];
    if (worker == kNowhere || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return Descriptor();
    const std::lock_guard lock(mutex_);
    if (worker == kDeaf) {
      deaf_.emplace_back(ends[1]);
    } else {
      reception_.arrive(net::Socket(ends[1]));
    }
    return Descriptor(ends[0]);
  }
  int turnedAway() const { return turnedAway_; }

 private:
  void attend() {
    while (!ending_) {
      std::vector<pollfd> entries;
      std::unique_lock lock(mutex_);
      reception_.watch(entries);
      poll(entries.data(), entries.size(), 0);
      for (Reception::Guest& guest : reception_.attend(entries))
        if (!guest.ticket || !tickets_.redeem(*guest.ticket, guest.socket, *guest.shield)) ++turnedAway_;
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  std::mutex mutex_;
  Tickets tickets_;
  Gate gate_{GateOptions{}};
  Reception reception_{gate_};
  std::vector<net::Socket> deaf_;
  std::atomic<int> turnedAway_{0};
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

class Parcels : public ::testing::TestWithParam<bool> {
 protected:
  Parcels() : s({.cpuReachesMemory = GetParam()}, 4096 * kMiB, {}, {}, entrance.peering()) {
    s.client->hello();
    s.client->send<Opcode::kMapMemory>({0, kTestDeviceBase, 128 * kMiB});
    for (const std::uint64_t stream : {kTo, kFrom})
      s.client->send<Opcode::kStreamCreate>({.stream = stream, .device = 0, .flags = hipStreamNonBlocking});
  }

  wire::InviteReply invite(const wire::Shape& to, std::uint64_t transfer) {
    std::vector<std::byte> storage;
    return s.client->call<wire::InviteReply, Opcode::kInvite>({kTo, to, transfer}, storage);
  }
  hipError_t bring(const wire::Shape& from, const wire::Bits256& ticket, const char* worker = kHere) {
    return s.client->ask<Opcode::kBring>({kFrom, from, worker, ticket});
  }
  std::vector<std::byte> filled(const wire::Shape& shape, unsigned seed) {
    std::vector<std::byte> bytes(shape.bytes());
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>((i * 2654435761u + seed) >> 13);
    s.client->send<Opcode::kUpload>(uploadLater(kFrom, shape, 77));
    for (std::size_t at = 0; at < bytes.size(); at += kMiB)
      s.client->sendData(77, at, std::span(bytes).subspan(at, std::min<std::size_t>(kMiB, bytes.size() - at)));
    return bytes;
  }
  std::vector<std::byte> read(const wire::Shape& from) {
    EXPECT_EQ(s.client->ask<Opcode::kDownload>({kTo, from, ++download_}), hipSuccess);
    return s.client->received[download_];
  }
  // Another worker that does what it likes, once the ticket has let it in.
  net::TransportPtr comeWith(const wire::Bits256& ticket) {
    net::TransportPtr transport = net::overSocket(net::Socket(entrance.connect(kHere).release()), 20);
    tls::Shield shield;
    if (!tls::greetWithTicket(*transport, ticket, 10, shield).ok()) return nullptr;
    return tls::overTls(std::move(transport), shield);
  }
  static void say(net::Transport& transport, Opcode opcode, std::uint64_t number) {
    std::vector<std::byte> frame;
    wire::appendFrame(frame, opcode, 0, 0, wire::Parcel{number});
    (void)transport.send(net::Transport::Part(frame));
  }
  static void sendBytes(net::Transport& transport, std::uint64_t offset, std::size_t size) {
    const DataHead head = dataHead(0, offset, size);
    const std::vector<std::byte> bytes(size, std::byte{0x66});
    const net::Transport::Part parts[] = {head, bytes};
    (void)transport.send(parts);
  }
  bool isAlive() { return s.client->ask<Opcode::kPing>({}) == hipSuccess; }
  bool streamIsFree() { return s.client->ask<Opcode::kStreamSynchronize>({kTo}) == hipSuccess; }

  Entrance entrance;
  SessionOnFake s;

 private:
  std::uint64_t download_ = 1000;

 protected:
  std::uint64_t next_ = 1000;
};

INSTANTIATE_TEST_SUITE_P(Memory, Parcels, testing::Bool(),
                         [](const auto& info) { return info.param ? "direct" : "staged"; });

// A message of a hundred bytes would become millions of operations of the runtime at once.
TEST_P(Parcels, OfTooManyPlanesGoThroughTheClient) {
  wire::Shape planes{kTarget, 2, 5, 1, 2, Parcel::kMostPlanes};
  EXPECT_EQ(invite(planes, 5).status, hipSuccess);
  ++planes.depth;
  EXPECT_EQ(invite(planes, 6).status, hipErrorNotSupported);
  EXPECT_EQ(bring(planes, {}), hipErrorNotSupported);
  s.client->send<Opcode::kWithdraw>({5});
  EXPECT_TRUE(isAlive() && streamIsFree());
}

TEST_P(Parcels, Arrive) {
  const wire::Shape from{kTestDeviceBase, 0, 0, 20 * kMiB + 12345}, to{kTarget, 0, 0, from.width};
  const auto bytes = filled(from, 1);
  const wire::InviteReply invited = invite(to, 5);
  ASSERT_EQ(invited.status, hipSuccess);
  EXPECT_EQ(bring(from, invited.ticket), hipSuccess);
  EXPECT_EQ(read(to), bytes);
  EXPECT_FALSE(s.client->sawPush(Opcode::kAsyncFailure));
}

TEST_P(Parcels, OfRowsAreRowsThere) {
  const wire::Shape from{kTestDeviceBase + 64, 5011, 5011 * 33 + 7, 5000, 31, 30};
  const wire::Shape to{kTarget + 3, 6000, 6000 * 31, 5000, 31, 30};
  const auto bytes = filled(from, 2);
  s.client->send<Opcode::kFillMemory>(fillWith(kTo, {kTarget, 0, 0, 8 * kMiB}, 0xee, 1));
  const wire::InviteReply invited = invite(to, 5);
  EXPECT_EQ(bring(from, invited.ticket), hipSuccess);
  EXPECT_EQ(read(to), bytes);
  EXPECT_EQ(read({kTarget + 3 + 5000, 0, 0, 1000}), std::vector<std::byte>(1000, std::byte{0xee}));
}

// Each side is an operation of its stream: it comes behind what was there, and what follows comes behind it.
TEST_P(Parcels, KeepTheOrderOfBothStreams) {
  const wire::Shape from{kTestDeviceBase, 0, 0, 2 * kMiB}, to{kTarget, 0, 0, 2 * kMiB};
  s.fake.hold();
  s.client->send<Opcode::kFillMemory>(fillWith(kFrom, from, 0x11, 1));
  s.client->send<Opcode::kFillMemory>(fillWith(kTo, to, 0x22, 1));
  const wire::InviteReply invited = invite(to, 5);
  const std::uint32_t brought = s.client->send<Opcode::kBring>({kFrom, from, kHere, invited.ticket});
  s.client->send<Opcode::kFillMemory>(fillWith(kFrom, from, 0x33, 1));
  s.client->send<Opcode::kFillMemory>(fillWith(kTo, {kTarget, 0, 0, 1}, 0x44, 1));
  EXPECT_TRUE(isAlive());
  s.fake.release();
  EXPECT_EQ(s.client->status(brought), hipSuccess);
  auto expected = std::vector<std::byte>(2 * kMiB, std::byte{0x11});
  expected[0] = std::byte{0x44};
  EXPECT_EQ(read(to), expected);
}

TEST_P(Parcels, NeedTheRightTicket) {
  const wire::Shape from{kTestDeviceBase, 0, 0, kMiB}, to{kTarget, 0, 0, kMiB};
  const wire::InviteReply invited = invite(to, 5);
  wire::Bits256 wrong = invited.ticket;
  wrong[31] ^= 1;
  EXPECT_NE(bring(from, wrong), hipSuccess);
  EXPECT_EQ(bring(from, invited.ticket), hipSuccess);  // it is still good
  EXPECT_TRUE(streamIsFree());
}

TEST_P(Parcels, NeedOneTicketEach) {
  const wire::Shape from{kTestDeviceBase, 0, 0, kMiB}, to{kTarget, 0, 0, kMiB};
  const wire::InviteReply invited = invite(to, 5);
  EXPECT_EQ(bring(from, invited.ticket), hipSuccess);
  EXPECT_NE(bring(from, invited.ticket), hipSuccess);
  EXPECT_TRUE(streamIsFree());
}

// Two come at the same moment, and both know the ticket.
TEST_P(Parcels, AreTakenFromOneConnection) {
  const wire::InviteReply invited = invite({kTarget, 0, 0, kMiB}, 5);
  const net::TransportPtr first = comeWith(invited.ticket), second = comeWith(invited.ticket);
  ASSERT_TRUE(first && second);
  say(*first, Opcode::kParcel, kMiB);
  say(*second, Opcode::kParcel, kMiB);
  EXPECT_TRUE(eventually([&] { return entrance.turnedAway() == 1; }));
  for (net::Transport* transport : {first.get(), second.get()}) sendBytes(*transport, 0, kMiB);
  EXPECT_TRUE(streamIsFree());
  EXPECT_EQ(entrance.turnedAway(), 1);
}

TEST_P(Parcels, AreWithdrawn) {
  const wire::Shape to{kTarget, 0, 0, kMiB};
  const wire::InviteReply never = invite(to, 5);
  s.client->send<Opcode::kWithdraw>({5});
  EXPECT_TRUE(streamIsFree());
  EXPECT_NE(bring({kTestDeviceBase, 0, 0, kMiB}, never.ticket), hipSuccess);
  const wire::InviteReply half = invite(to, 6);
  const net::TransportPtr other = comeWith(half.ticket);
  ASSERT_TRUE(other);
  say(*other, Opcode::kParcel, kMiB);
  sendBytes(*other, 0, kMiB / 2);
  s.client->send<Opcode::kWithdraw>({6});
  EXPECT_TRUE(streamIsFree());
  s.client->send<Opcode::kWithdraw>({7});  // which never was
  EXPECT_TRUE(isAlive());
}

TEST_P(Parcels, AreNotBroughtWhereNobodyMayGo) {
  const wire::InviteReply invited = invite({kTarget, 0, 0, kMiB}, 5);
  EXPECT_EQ(bring({kTestDeviceBase, 0, 0, kMiB}, invited.ticket, kNowhere), hipErrorNotSupported);
  s.client->send<Opcode::kWithdraw>({5});
  EXPECT_TRUE(streamIsFree());
}

// What the other worker says does not fit: its parcel is over, and nothing else is.
TEST_P(Parcels, ThatAreNotWhatWasSaidAreRefused) {
  using Deed = std::function<void(net::Transport&)>;
  const Deed deeds[] = {
      [](auto& t) { say(t, Opcode::kParcel, 2 * kMiB); },
      [](auto& t) { say(t, Opcode::kPing, kMiB); },
      [](auto& t) { say(t, Opcode::kParcel, kMiB), say(t, Opcode::kParcel, kMiB); },
      [](auto& t) { say(t, Opcode::kParcel, kMiB), sendBytes(t, 4096, 4096); },
      [](auto& t) { say(t, Opcode::kParcel, kMiB), sendBytes(t, 0, kMiB / 2), sendBytes(t, 0, kMiB / 2); },
      [](auto& t) { say(t, Opcode::kParcel, kMiB), sendBytes(t, 0, kMiB / 2), sendBytes(t, kMiB / 2, kMiB); },
      [](auto& t) { say(t, Opcode::kParcel, kMiB), sendBytes(t, 0, 0); },
      [](auto& t) { say(t, Opcode::kParcel, kMiB), sendBytes(t, 0, kMiB / 2), t.shutdown(); },
      [](auto& t) { t.shutdown(); },
  };
  std::uint64_t transfer = 5;
  for (const Deed& deed : deeds) {
    const wire::InviteReply invited = invite({kTarget, 0, 0, kMiB}, ++transfer);
    ASSERT_EQ(invited.status, hipSuccess) << transfer;
    const net::TransportPtr other = comeWith(invited.ticket);
    ASSERT_TRUE(other) << transfer;
    deed(*other);
    s.client->send<Opcode::kWithdraw>({transfer});  // of those that do not get as far as the session
    EXPECT_TRUE(streamIsFree()) << transfer;
  }
  EXPECT_FALSE(s.client->sawPush(Opcode::kAsyncFailure));
}

TEST_P(Parcels, AreFewAtATime) {
  const wire::Shape to{kTarget, 0, 0, kMiB};
  for (std::uint64_t i = 0; i < Parcel::kMost; ++i) EXPECT_EQ(invite(to, 5 + i).status, hipSuccess);
  EXPECT_EQ(invite(to, 100).status, hipErrorNotSupported);
  for (std::uint64_t i = 0; i < Parcel::kMost; ++i) s.client->send<Opcode::kWithdraw>({5 + i});
  EXPECT_TRUE(streamIsFree());
  EXPECT_TRUE(eventually([&] { return invite(to, ++next_).status == hipSuccess; }));
}

TEST_P(Parcels, OutsideOfMemoryAreNone) {
  EXPECT_EQ(invite({kTestDeviceBase + 127 * kMiB, 0, 0, 2 * kMiB}, 5).status, hipErrorInvalidDevicePointer);
  EXPECT_EQ(bring({kTestDeviceBase + 127 * kMiB, 0, 0, 2 * kMiB}, {}), hipErrorInvalidDevicePointer);
  EXPECT_TRUE(streamIsFree());
}

TEST_P(Parcels, ThatAreOnTheirWayEndWithTheSession) {
  const wire::InviteReply invited = invite({kTarget, 0, 0, kMiB}, 5);
  const net::TransportPtr other = comeWith(invited.ticket);
  ASSERT_TRUE(other);
  say(*other, Opcode::kParcel, kMiB);
  s.client->send<Opcode::kBring>({kFrom, {kTestDeviceBase, 0, 0, kMiB}, kDeaf, {}});
  EXPECT_TRUE(isAlive());
  s.end();
  EXPECT_EQ(s.fake.liveObjects(), 0) << s.fake.leaks();
}

TEST(Tickets, AreGoodWhileSomebodyWaits) {
  Tickets tickets;
  wire::Bits256 one{}, two{};
  Descriptor first = tickets.issue(0, one);
  {
    const Descriptor second = tickets.issue(1, two);
    EXPECT_NE(one, two);
    EXPECT_TRUE(tickets.find(tls::keyOfTicket(one).name));
    EXPECT_TRUE(tickets.find(tls::keyOfTicket(two).name));
  }
  EXPECT_FALSE(tickets.find(tls::keyOfTicket(two).name));
  tickets.close(0);
  EXPECT_FALSE(tickets.find(tls::keyOfTicket(one).name));
  pollfd entry{first.number(), POLLIN, 0};
  EXPECT_EQ(poll(&entry, 1, 0), 1);  // and the session sees that nobody will come
}

TEST(Tickets, AreFewForEachSession) {
  Tickets tickets;
  std::vector<Descriptor> doors;
  wire::Bits256 ticket{};
  for (std::size_t i = 0; i < Tickets::kMostOfSession; ++i) doors.push_back(tickets.issue(3, ticket));
  EXPECT_GE(doors.back().number(), 0);
  EXPECT_LT(tickets.issue(3, ticket).number(), 0);
  EXPECT_GE(tickets.issue(4, ticket).number(), 0);
  doors.pop_back();
  EXPECT_GE(tickets.issue(3, ticket).number(), 0);
}

TEST(Peers, AreThoseThatTheOwnerNames) {
  net::Socket listener;
  std::uint16_t port = 0;
  ASSERT_TRUE(net::listenOn("127.0.0.1", 0, listener, &port).ok());
  const std::string here = "127.0.0.1:" + std::to_string(port);
  Peers nobody, one, everybody;
  EXPECT_FALSE(nobody.any());
  EXPECT_LT(nobody.connect(here).number(), 0);
  ASSERT_TRUE(one.allow("127.0.0.1:1,localhost:" + std::to_string(port)).ok());
  EXPECT_TRUE(one.any());
  EXPECT_GE(one.connect(here).number(), 0);
  EXPECT_LT(one.connect("127.0.0.2:" + std::to_string(port)).number(), 0);
  EXPECT_LT(one.connect("127.0.0.1:2").number(), 0);
  EXPECT_LT(one.connect("localhost:" + std::to_string(port)).number(), 0);  // the supervisor asks nobody for names
  EXPECT_LT(one.connect("unix:/run/docker.sock").number(), 0);
  EXPECT_LT(one.connect("").number(), 0);
  ASSERT_TRUE(everybody.allow("*").ok());
  EXPECT_GE(everybody.connect(here).number(), 0);
  EXPECT_LT(everybody.connect("unix:/run/docker.sock").number(), 0);
  EXPECT_FALSE(Peers().allow("unix:/run/x").ok());
  EXPECT_FALSE(Peers().allow("127.0.0.1:port").ok());
}

}  // namespace
}  // namespace hipr::worker
