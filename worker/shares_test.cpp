#include "worker/shares.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "worker/desk.h"

namespace hipr::worker {
namespace {

// Three sessions at the desk, the third of another identity.
class SharesOfSessions : public ::testing::Test {
 protected:
  SharesOfSessions() {
    for (std::size_t i = 0; i < kSessions; ++i) {
      int ends[2];
      EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
      desk_[i] = net::Socket(ends[0]);
      sessions_[i].emplace(net::Socket(ends[1]));
    }
    supervisor_ = std::thread([this] { attendAll(); });
  }
  ~SharesOfSessions() override {
    for (auto& session : sessions_) session.reset();
    supervisor_.join();
  }
  SharedMemory of(std::size_t session) { return SharedMemory(*sessions_[session]); }

  static constexpr std::size_t kSessions = 3;
  Shares shares_{kSessions};

 private:
  void attendAll() {
    const std::string names[] = {"one", "one", "other"};
    std::vector<pollfd> entries;
    for (const net::Socket& socket : desk_) entries.push_back({socket.fd(), POLLIN, 0});
    for (std::size_t left = kSessions; left > 0 && poll(entries.data(), entries.size(), 10'000) > 0;) {
      for (std::size_t i = 0; i < kSessions; ++i) {
        const Caller caller{static_cast<int>(i), names[i], {}, [](int) { return 0; }, [] { return Descriptor(); }};
        if (!entries[i].revents || attend(desk_[i], caller, {ledger_, shares_, tickets_, peers_})) continue;
        entries[i].fd = -1;
        --left;
      }
    }
  }

  Ledger ledger_{{1000}, kSessions};
  Tickets tickets_;
  Peers peers_;
  net::Socket desk_[kSessions];
  std::optional<SupervisorLink> sessions_[kSessions];
  std::thread supervisor_;
};

// Whoever knows the secret gets the descriptor; nobody else does, and nobody can take back what another has given.
TEST_F(SharesOfSessions, AreGivenToWhoKnowsTheirSecret) {
  SharedMemory made = of(0), used = of(1), foreign = of(2);
  const Descriptor file(memfd_create("shared", MFD_CLOEXEC));
  ASSERT_EQ(pwrite(file.number(), "here", 4, 0), 4);
  wire::Secret secret{}, other{};
  EXPECT_FALSE(made.keep(4096, -1, secret)) << "no descriptor";
  ASSERT_TRUE(made.keep(4096, file.number(), secret));
  EXPECT_NE(secret, other);
  std::uint64_t bytes = 0;
  char text[5] = {};
  {
    const Descriptor got = used.fetch(secret, bytes);
    EXPECT_EQ(bytes, 4096u);
    EXPECT_EQ(pread(got.number(), text, 4, 0), 4);
    EXPECT_STREQ(text, "here");
  }
  EXPECT_LT(foreign.fetch(secret, bytes).number(), 0) << "another identity, whatever it knows";
  other = secret;
  ++other[1];
  EXPECT_LT(used.fetch(other, bytes).number(), 0);
  EXPECT_EQ(bytes, 0u);
  used.drop(secret);  // not its own
  EXPECT_GE(used.fetch(secret, bytes).number(), 0);
  made.drop(secret);
  EXPECT_LT(used.fetch(secret, bytes).number(), 0);
}

TEST_F(SharesOfSessions, AreLimitedForEach) {
  SharedMemory made = of(0), used = of(1);
  const Descriptor file(memfd_create("shared", MFD_CLOEXEC));
  wire::Secret secret{}, other{};
  std::size_t kept = 0;
  while (kept <= Shares::kMostOfSession && made.keep(1, file.number(), other)) {
    secret = other;
    ++kept;
  }
  EXPECT_GT(kept, 10u);
  EXPECT_LE(kept, Shares::kMostOfSession);
  EXPECT_TRUE(used.keep(1, file.number(), other)) << "another one may still";
  std::uint64_t bytes = 0;
  EXPECT_GE(used.fetch(secret, bytes).number(), 0);
  made.drop(secret);
  EXPECT_TRUE(made.keep(1, file.number(), other)) << "what was taken back makes room";
}

// A packet has room for one descriptor. A sender that adds more must not fill our table with them.
TEST(PassDescriptor, TakesOneAndNoMore) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  const Descriptor ours(ends[0]), theirs(ends[1]);
  const int three[] = {0, 0, 0};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof three)] = {};
  char byte = 1;
  iovec part{&byte, 1};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof three);
  std::memcpy(CMSG_DATA(header), three, sizeof three);
  const int firstFree = dup(0);
  close(firstFree);
  ASSERT_EQ(sendmsg(theirs.number(), &message, 0), 1);
  {
    std::byte got[1];
    Descriptor taken;
    EXPECT_EQ(receivePacket(ours.number(), got, taken, Patience::kNone), 1);
    EXPECT_EQ(taken.number(), firstFree);
  }
  const int stillFree = dup(0);
  EXPECT_EQ(stillFree, firstFree);
  close(stillFree);
}

}  // namespace
}  // namespace hipr::worker
