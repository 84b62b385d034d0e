#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/env.h"
#include "net/socket.h"

namespace hipr::net {
namespace {

constexpr int kUnsentLimit = 256 << 10;

std::string systemError(const std::string& what) {
  return what + ": " + std::strerror(errno);
}

Status peerGone(const char* what) {
  if (errno == EAGAIN || errno == EWOULDBLOCK)
    return Status::unavailable(std::string(what) + ": the peer did not respond in time");
  return Status::unavailable(systemError(what));
}

std::string addressText(const sockaddr* address, socklen_t size) {
  char host[NI_MAXHOST] = "?", port[NI_MAXSERV] = "?";
  getnameinfo(address, size, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
  const bool v6 = address->sa_family == AF_INET6;
  return (v6 ? "[" + std::string(host) + "]" : std::string(host)) + ":" + port;
}

struct Addresses {
  addrinfo* list = nullptr;
  ~Addresses() {
    if (list) freeaddrinfo(list);
  }
};

Status resolve(const std::string& host, std::uint16_t port, int flags, Addresses& out) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &out.list);
  if (error) return Status::unavailable("cannot resolve \"" + host + "\": " + gai_strerror(error));
  return {};
}

// On Linux a blocking connect honours SO_SNDTIMEO and then fails with EINPROGRESS.
bool connectOne(int fd, const addrinfo& address, int timeoutSeconds) {
  timeval timeout{timeoutSeconds, 0};
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  return ::connect(fd, address.ai_addr, address.ai_addrlen) == 0;
}

}  // namespace

Socket& Socket::operator=(Socket&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void Socket::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

void Socket::shutdown() {
  if (fd_ >= 0) ::shutdown(fd_, SHUT_RDWR);
}

void Socket::tune(int ioTimeoutSeconds) {
  const int on = 1, unsent = kUnsentLimit;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(fd_, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent);
  setsockopt(fd_, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  const int probe = std::clamp(ioTimeoutSeconds / 12, 1, 5);
  setsockopt(fd_, IPPROTO_TCP, TCP_KEEPIDLE, &probe, sizeof probe);
  setsockopt(fd_, IPPROTO_TCP, TCP_KEEPINTVL, &probe, sizeof probe);
  const unsigned userTimeout = static_cast<unsigned>(ioTimeoutSeconds) * 1000;
  setsockopt(fd_, IPPROTO_TCP, TCP_USER_TIMEOUT, &userTimeout, sizeof userTimeout);
  timeval timeout{ioTimeoutSeconds, 0};
  setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
}

Status Socket::send(std::span<const std::byte> bytes) {
  iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};
  return send(&part, 1);
}

Status Socket::send(iovec* parts, std::size_t count) {
  while (count) {
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = count;
    ssize_t sent = ::sendmsg(fd_, &message, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) continue;
      return peerGone("sending");
    }
    while (count && static_cast<std::size_t>(sent) >= parts->iov_len) {
      sent -= static_cast<ssize_t>(parts->iov_len);
      ++parts;
      --count;
    }
    if (count) {
      parts->iov_base = static_cast<char*>(parts->iov_base) + sent;
      parts->iov_len -= static_cast<std::size_t>(sent);
    }
  }
  return {};
}

void Socket::setReceiveTimeout(int seconds) const {
  const timeval timeout{seconds, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
}

Status Socket::receiveSome(void* out, std::size_t capacity, std::size_t* got) {
  for (;;) {
    const ssize_t n = ::recv(fd_, out, capacity, 0);
    if (n >= 0) {
      *got = static_cast<std::size_t>(n);
      return {};
    }
    if (errno != EINTR) return peerGone("receiving");
  }
}

Status Socket::receive(void* out, std::size_t size) {
  auto* at = static_cast<std::byte*>(out);
  while (size) {
    std::size_t got = 0;
    if (Status status = receiveSome(at, size, &got); !status.ok()) return status;
    if (got == 0) return Status::unavailable("the peer closed the connection");
    at += got;
    size -= got;
  }
  return {};
}

bool Socket::readable() const {
  pollfd entry{fd_, POLLIN, 0};
  return ::poll(&entry, 1, 0) > 0;
}

Status parseEndpoint(const std::string& text, std::uint16_t defaultPort, Endpoint& out) {
  std::string host = text, port;
  if (!text.empty() && text.front() == '[') {
    const std::size_t close = text.find(']');
    if (close == std::string::npos) return Status::invalid("\"" + text + "\" lacks a closing bracket");
    host = text.substr(1, close - 1);
    if (close + 1 < text.size()) {
      if (text[close + 1] != ':') return Status::invalid("\"" + text + "\" is not HOST:PORT");
      port = text.substr(close + 2);
    }
  } else if (const std::size_t colon = text.find(':');
             colon != std::string::npos && text.find(':', colon + 1) == std::string::npos) {
    host = text.substr(0, colon);  // exactly one colon; more mean a bare IPv6 address
    port = text.substr(colon + 1);
  }
  out.host = host.empty() ? "localhost" : host;
  out.port = defaultPort;
  if (!port.empty()) {
    const auto number = parseNumber(port, 1, 65535);
    if (!number) return Status::invalid("\"" + port + "\" is not a port number");
    out.port = static_cast<std::uint16_t>(*number);
  }
  return {};
}

Status connectTo(const Endpoint& endpoint, int timeoutSeconds, Socket& out) {
  Addresses addresses;
  if (Status status = resolve(endpoint.host, endpoint.port, 0, addresses); !status.ok()) return status;
  std::string tried;
  for (const addrinfo* a = addresses.list; a; a = a->ai_next) {
    Socket socket(::socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol));
    if (socket.open() && connectOne(socket.fd(), *a, timeoutSeconds)) {
      out = std::move(socket);
      return {};
    }
    const bool timedOut = errno == EINPROGRESS || errno == EAGAIN;
    tried += (tried.empty() ? "" : "; ") + addressText(a->ai_addr, a->ai_addrlen) + ": " +
             (timedOut ? "no answer in " + std::to_string(timeoutSeconds) + " s" : std::strerror(errno));
  }
  return Status::unavailable(tried);
}

Status listenOn(const std::string& address, std::uint16_t port, Socket& out, std::uint16_t* bound) {
  Addresses addresses;
  if (Status status = resolve(address, port, AI_PASSIVE, addresses); !status.ok()) return status;
  const addrinfo& a = *addresses.list;
  Socket socket(::socket(a.ai_family, a.ai_socktype | SOCK_CLOEXEC, a.ai_protocol));
  const int on = 1, off = 0;
  if (!socket.open()) return Status::unavailable(systemError("socket"));
  setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  // "::" serves IPv4 clients too.
  if (a.ai_family == AF_INET6) setsockopt(socket.fd(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (::bind(socket.fd(), a.ai_addr, a.ai_addrlen) != 0 || ::listen(socket.fd(), 128) != 0) {
    return Status::unavailable(systemError("listening on " + addressText(a.ai_addr, a.ai_addrlen)));
  }
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&name), &size);
  *bound = ntohs(name.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&name)->sin6_port
                                            : reinterpret_cast<sockaddr_in*>(&name)->sin_port);
  out = std::move(socket);
  return {};
}

bool isLoopback(const Socket& socket) {
  const std::string name = peerName(socket);
  return name.starts_with("127.") || name.starts_with("[::1]") || name.starts_with("[::ffff:127.");
}

std::string peerName(const Socket& socket) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (getpeername(socket.fd(), reinterpret_cast<sockaddr*>(&name), &size) != 0) return "?";
  return addressText(reinterpret_cast<sockaddr*>(&name), size);
}

}  // namespace hipr::net
