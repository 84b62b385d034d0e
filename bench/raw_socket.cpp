#include "bench/raw_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "bench/timing.h"

namespace hipr::bench {
namespace {

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

void sendAtOnce(int socket) {
  const int on = 1;
  if (setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) fail("TCP_NODELAY");
}

bool sendAll(int socket, const std::vector<char>& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t sent = send(socket, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    at += static_cast<std::size_t>(sent);
  }
  return true;
}

bool receiveAll(int socket, std::vector<char>& bytes, bool spinning) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t got = recv(socket, bytes.data() + at, bytes.size() - at, spinning ? MSG_DONTWAIT : 0);
    if (got < 0 && errno == EAGAIN) continue;
    if (got <= 0) return false;
    at += static_cast<std::size_t>(got);
  }
  return true;
}

// The first byte of a message says whether the next one follows at once, so that it is worth spinning for.
constexpr char kLast = 0, kMore = 1;

[[noreturn]] void servePeer(int socket, std::size_t up, std::size_t down, bool spinning) {
  std::vector<char> question(up), answer(down, 1);
  bool hot = false;
  while (receiveAll(socket, question, hot) && sendAll(socket, answer)) hot = spinning && question[0] == kMore;
  _exit(0);
}

int listenOnLoopback(sockaddr_in& address) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (listener < 0 || bind(listener, generic, size) != 0 || listen(listener, 1) != 0 ||
      getsockname(listener, generic, &size) != 0) {
    fail("listening on loopback");
  }
  return listener;
}

}  // namespace

RawExchange::RawExchange(std::size_t up, std::size_t down, bool spinning)
    : up_(up, kMore), down_(down), spinning_(spinning) {
  sockaddr_in address{};
  const int listener = listenOnLoopback(address);
  peer_ = fork();
  if (peer_ < 0) fail("fork");
  if (peer_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int theirs = accept(listener, nullptr, nullptr);
    if (theirs < 0) _exit(1);
    sendAtOnce(theirs);
    servePeer(theirs, up, down, spinning);
  }
  socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) fail("connecting to loopback");
  close(listener);
  sendAtOnce(socket_);
}

RawExchange::~RawExchange() {
  close(socket_);
  kill(peer_, SIGKILL);  // another peer may have inherited our end of the connection and hold it open
  waitpid(peer_, nullptr, 0);
}

double RawExchange::time(int count, double pause) {
  int left = count;
  return timeBatch(count, pause, [&] {
    up_[0] = --left > 0 ? kMore : kLast;
    if (!sendAll(socket_, up_) || !receiveAll(socket_, down_, spinning_)) fail("raw socket");
  });
}

}  // namespace hipr::bench
