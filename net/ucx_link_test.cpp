// A bridge over UCX between two processes, over its own transports within a machine.
#include "net/ucx_link.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "net/socket_transport.h"

namespace hipr::net {
namespace {

std::vector<std::byte> pattern(std::size_t size, unsigned seed) {
  std::vector<std::byte> out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>((i * 2654435761u + seed) >> 13);
  return out;
}

// One end: the transport over it, and what carries that.
struct End {
  std::unique_ptr<UcxLink> link;
  TransportPtr transport;

  Status open(TransportPtr lifeline) {
    std::unique_ptr<UcxBridge> bridge;
    if (Status status = UcxBridge::open(bridge); !status.ok()) return status;
    const std::vector<std::uint8_t> mine = bridge->address();
    const std::uint64_t size = mine.size();
    std::uint64_t otherSize = 0;
    if (Status status = lifeline->send(std::as_bytes(std::span(&size, 1))); !status.ok()) return status;
    if (Status status = lifeline->send(std::as_bytes(std::span(mine))); !status.ok()) return status;
    if (Status status = lifeline->receiveAll(std::as_writable_bytes(std::span(&otherSize, 1))); !status.ok())
      return status;
    std::vector<std::uint8_t> other(otherSize);
    if (Status status = lifeline->receiveAll(std::as_writable_bytes(std::span(other))); !status.ok()) return status;
    platform::SocketHandle ends[2];
    if (!platform::socketPair(ends)) return Status::exhausted("sockets");
    link = std::make_unique<UcxLink>(std::move(bridge), std::move(other), Socket(ends[1]), std::move(lifeline));
    transport = overSocket(Socket(ends[0]), 20);
    return {};
  }
};

// What UCX is told it reads once in each process; so both ends have one of their own.
template <class Body>
pid_t inProcess(const char* ways, TransportPtr lifeline, TransportPtr& others, Body body) {
  const pid_t child = fork();
  if (child != 0) return child;
  others.reset();
  setenv("UCX_TLS", ways, 1);
  setenv("UCX_NET_DEVICES", "lo", 1);
  bool content = false;
  {
    End end;
    const Status status = end.open(std::move(lifeline));
    if (!status.ok()) std::fprintf(stderr, "%s\n", status.message().c_str());
    content = status.ok() && body(end);
    if (end.transport) end.transport->shutdown();
    if (status.code() == Code::kUnsupported) _exit(77);
  }
  _exit(content ? 0 : 1);
}

int statusOf(pid_t process) {
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class OverUcx : public ::testing::TestWithParam<const char*> {
 protected:
  template <class Here, class There>
  void between(Here here, There there) {
    auto [one, two] = loopback();
    const pid_t first = inProcess(GetParam(), std::move(one), two, here);
    TransportPtr none;
    const pid_t second = inProcess(GetParam(), std::move(two), none, there);
    one.reset();
    two.reset();
    const int results[] = {statusOf(first), statusOf(second)};
    if (results[0] == 77) GTEST_SKIP() << "UCX is not installed here (Debian: libucx0, libucx-dev)";
    EXPECT_EQ(results[0], 0);
    EXPECT_EQ(results[1], 0);
  }
};

INSTANTIATE_TEST_SUITE_P(Ways, OverUcx, ::testing::Values("tcp,self", "posix,self", "sysv,self"),
                         [](const auto& info) { return std::string(info.param).substr(0, 3); });

bool gives(Transport& transport, const std::vector<std::byte>& expected) {
  std::vector<std::byte> got(expected.size());
  return transport.receiveAll(got).ok() && got == expected;
}

TEST_P(OverUcx, SmallWordsGoBackAndForth) {
  const auto talk = [](End& end, bool first) {
    for (unsigned i = 0; i < 300; ++i) {
      const auto word = pattern(1 + i % 50, i);
      if (first && !end.transport->send(Transport::Part(word)).ok()) return false;
      if (!gives(*end.transport, word)) return false;
      if (!first && !end.transport->send(Transport::Part(word)).ok()) return false;
    }
    return true;
  };
  between([&](End& end) { return talk(end, true); }, [&](End& end) { return talk(end, false); });
}

TEST_P(OverUcx, ManyBytesGoBothWaysAtOnce) {
  const auto exchange = [](End& end, unsigned mine, unsigned other) {
    const auto out = pattern(24 << 20, mine), in = pattern(24 << 20, other);
    bool sent = false;
    std::thread sender([&] { sent = end.transport->send(Transport::Part(out)).ok(); });
    const bool received = gives(*end.transport, in);
    sender.join();
    return sent && received;
  };
  between([&](End& end) { return exchange(end, 1, 2); }, [&](End& end) { return exchange(end, 2, 1); });
}

// Sends what is taken, until nothing has been for a while.
std::size_t sendUntilFull(Transport& transport, std::span<const std::byte> bytes) {
  std::size_t sent = 0;
  for (int idle = 0; idle < 50 && sent < bytes.size(); ++idle) {
    std::size_t taken = 0;
    if (!transport.trySend(bytes.subspan(sent), &taken).ok()) break;
    if (taken > 0) idle = 0;
    sent += taken;
    std::this_thread::sleep_for(std::chrono::milliseconds(taken > 0 ? 0 : 10));
  }
  return sent;
}

// Who does not read holds up who sends, instead of filling memory; and gets all of it afterwards.
TEST_P(OverUcx, WhoDoesNotReadIsWaitedFor) {
  int full[2];
  ASSERT_EQ(pipe(full), 0);
  const auto bytes = pattern(64 << 20, 3);
  between(
      [&](End& end) {
        const std::size_t sent = sendUntilFull(*end.transport, bytes);
        if (write(full[1], "x", 1) != 1) return false;
        return sent < 2 * kUcxWindow && end.transport->send(std::span(bytes).subspan(sent)).ok();
      },
      [&](End& end) {
        char word = 0;
        return read(full[0], &word, 1) == 1 && gives(*end.transport, bytes);
      });
  close(full[0]);
  close(full[1]);
}

// What was said before an end leaves arrives, and then its end is seen.
TEST_P(OverUcx, TheLastWordsArrive) {
  const auto last = pattern(3 << 20, 7);
  between(
      [&](End& end) {
        std::size_t got = 0;
        std::byte more{};
        const Transport::Room room(&more, 1);
        return gives(*end.transport, last) &&
               !end.transport->receive({&room, 1}, Transport::Patience::kWait, &got).ok();
      },
      [&](End& end) { return end.transport->send(Transport::Part(last)).ok(); });
}

// A process that is gone is noticed by the connection beside the bridge.
TEST_P(OverUcx, AnEndThatDiesIsNoticed) {
  between(
      [&](End& end) {
        std::size_t got = 0;
        std::byte more{};
        const Transport::Room room(&more, 1);
        return gives(*end.transport, pattern(100, 1)) &&
               !end.transport->receive({&room, 1}, Transport::Patience::kWait, &got).ok();
      },
      [&](End& end) {
        if (!end.transport->send(Transport::Part(pattern(100, 1))).ok()) return false;
        std::byte never{};
        const Transport::Room room(&never, 1);
        std::size_t got = 0;
        end.transport->setTimeout(300);
        (void)end.transport->receive({&room, 1}, Transport::Patience::kWait, &got);
        _exit(0);  // without a word
        return false;
      });
}

}  // namespace
}  // namespace hipr::net
