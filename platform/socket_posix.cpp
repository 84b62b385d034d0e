#include <fcntl.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "platform/socket_api.h"

// What one system has for a single call or a new socket, another has as a setting of the socket.
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif
#ifndef SOCK_CLOEXEC
#define SOCK_CLOEXEC 0
#endif

namespace hipr::platform {
namespace {

#ifdef TCP_KEEPIDLE
constexpr int kProbeIdle = TCP_KEEPIDLE;
#else
constexpr int kProbeIdle = TCP_KEEPALIVE;
#endif

void setTimeout(int socket, int option, int milliseconds) {
  const timeval timeout{milliseconds / 1000, static_cast<suseconds_t>(milliseconds % 1000 * 1000)};
  ::setsockopt(socket, SOL_SOCKET, option, &timeout, sizeof timeout);
}

void settle([[maybe_unused]] int socket) {
#ifdef SO_NOSIGPIPE
  setOption(socket, SOL_SOCKET, SO_NOSIGPIPE, 1);
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
#endif
}

bool nothingNow() {
  return errno == EAGAIN || errno == EWOULDBLOCK;
}

IoResult failure() {
  return {nothingNow() ? Io::kNothing : Io::kFailed};
}

template <class Part>
msghdr message(std::span<const Part> parts, iovec (&vectors)[kMostParts]) {
  msghdr out{};
  out.msg_iov = vectors;
  for (const Part& part : parts)
    vectors[out.msg_iovlen++] = {const_cast<void*>(static_cast<const void*>(part.data())), part.size()};
  return out;
}

}  // namespace

void startSockets() {}

SocketHandle newSocket(int family, int type, int protocol) {
  const int socket = ::socket(family, type | SOCK_CLOEXEC, protocol);
  if (socket != kNoSocket) settle(socket);
  return socket;
}

bool socketPair(SocketHandle (&ends)[2]) {
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
  for (const int end : ends) settle(end);
  return true;
}

void closeSocket(SocketHandle socket) {
  ::close(socket);
}

Status connectWithin(SocketHandle socket, const sockaddr* address, int size, int timeoutSeconds) {
  const int flags = ::fcntl(socket, F_GETFL);
  ::fcntl(socket, F_SETFL, flags | O_NONBLOCK);
  int error = ::connect(socket, address, static_cast<socklen_t>(size)) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    pollfd entry{socket, POLLOUT, 0};
    int ready = 0;
    do {
      ready = ::poll(&entry, 1, timeoutSeconds * 1000);
    } while (ready < 0 && errno == EINTR);
    if (ready == 0) return Status::unavailable("no answer in " + std::to_string(timeoutSeconds) + " s");
    socklen_t length = sizeof error;
    ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length);
  }
  if (error == ECONNREFUSED) return Status::notFound(std::strerror(error));
  if (error != 0) return Status::unavailable(std::strerror(error));
  ::fcntl(socket, F_SETFL, flags);
  return {};
}

void tuneSocket(SocketHandle socket, int unsent, int timeoutSeconds) {
  setOption(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  setOption(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, unsent);
  setOption(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  const int probe = std::clamp(timeoutSeconds / 12, 1, 5);
  setOption(socket, IPPROTO_TCP, kProbeIdle, probe);
  setOption(socket, IPPROTO_TCP, TCP_KEEPINTVL, probe);
#ifdef TCP_USER_TIMEOUT
  setOption(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, timeoutSeconds * 1000);
#else
  setOption(socket, IPPROTO_TCP, TCP_RXT_CONNDROPTIME, timeoutSeconds);
#endif
}

void shutdownSocket(SocketHandle socket, Direction direction) {
  ::shutdown(socket, direction == Direction::kBoth ? SHUT_RDWR : SHUT_WR);
}

void setSendTimeout(SocketHandle socket, int milliseconds) {
  setTimeout(socket, SO_SNDTIMEO, milliseconds);
}

void setReceiveTimeout(SocketHandle socket, int milliseconds) {
  setTimeout(socket, SO_RCVTIMEO, milliseconds);
}

IoResult sendParts(SocketHandle socket, std::span<const std::span<const std::byte>> parts, Patience patience) {
  iovec vectors[kMostParts];
  const msghdr out = message(parts, vectors);
  const int flags = MSG_NOSIGNAL | (patience == Patience::kNone ? MSG_DONTWAIT : 0);
  for (;;) {
    const ssize_t n = ::sendmsg(socket, &out, flags);
    if (n >= 0) return {Io::kDone, static_cast<std::size_t>(n)};
    if (errno != EINTR) return failure();
  }
}

IoResult receiveParts(SocketHandle socket, std::span<const std::span<std::byte>> rooms, Patience patience) {
  iovec vectors[kMostParts];
  msghdr in = message(rooms, vectors);
  const int flags = patience == Patience::kNone ? MSG_DONTWAIT : 0;
  for (;;) {
    const ssize_t n = ::recvmsg(socket, &in, flags);
    if (n > 0) return {Io::kDone, static_cast<std::size_t>(n)};
    if (n == 0) return {Io::kClosed};
    if (errno != EINTR) return failure();
  }
}

bool sendLast(SocketHandle socket, std::span<const std::byte> bytes) {
  return sendParts(socket, {&bytes, 1}, Patience::kNone).bytes == bytes.size();
}

bool readable(SocketHandle socket) {
  pollfd entry{socket, POLLIN, 0};
  return ::poll(&entry, 1, 0) > 0;
}

std::pair<bool, bool> awaitReadable(SocketHandle first, SocketHandle second, int milliseconds) {
  pollfd entries[] = {{first, POLLIN, 0}, {second, POLLIN, 0}};
  if (::poll(entries, 2, milliseconds) <= 0) return {false, false};
  return {entries[0].revents != 0, entries[1].revents != 0};
}

std::string socketError() {
  return std::strerror(errno);
}

}  // namespace hipr::platform
