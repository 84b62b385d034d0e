#include "net/socket.h"

#include "base/env.h"
#include "platform/unix_socket.h"

namespace hipr::net {
namespace {

using platform::Io;
using platform::IoResult;

constexpr int kUnsentLimit = 256 << 10;
constexpr std::string_view kUnix = "unix:";

Status peerGone(const char* what, Io outcome) {
  if (outcome == Io::kNothing) return Status::unavailable(std::string(what) + ": the peer did not respond in time");
  return Status::cut(std::string(what) + ": " + platform::socketError());
}

}  // namespace

Socket& Socket::operator=(Socket&& other) noexcept {
  if (this != &other) {
    close();
    handle_ = other.release();
  }
  return *this;
}

void Socket::close() {
  if (open()) platform::closeSocket(release());
}

void Socket::shutdown() {
  if (open()) platform::shutdownSocket(handle_, platform::Direction::kBoth);
}

void Socket::tune(int ioTimeoutSeconds) {
  platform::tuneSocket(handle_, kUnsentLimit, ioTimeoutSeconds);
  platform::setSendTimeout(handle_, ioTimeoutSeconds * 1000);
}

Status Socket::send(std::span<const std::byte> bytes) {
  return send({&bytes, 1});
}

Status Socket::send(std::span<std::span<const std::byte>> parts) {
  while (!parts.empty()) {
    auto [outcome, sent] = platform::sendParts(handle_, parts, platform::Patience::kWait);
    if (outcome != Io::kDone) return peerGone("sending", outcome);
    while (!parts.empty() && sent >= parts.front().size()) {
      sent -= parts.front().size();
      parts = parts.subspan(1);
    }
    if (!parts.empty()) parts.front() = parts.front().subspan(sent);
  }
  return {};
}

void Socket::setReceiveTimeout(std::chrono::milliseconds timeout) const {
  platform::setReceiveTimeout(handle_, static_cast<int>(timeout.count()));
}

Status Socket::receiveSome(void* out, std::size_t capacity, std::size_t* got) {
  const std::span<std::byte> room(static_cast<std::byte*>(out), capacity);
  const IoResult result = platform::receiveParts(handle_, {&room, 1}, platform::Patience::kWait);
  *got = result.bytes;
  if (result.outcome == Io::kDone || result.outcome == Io::kClosed) return {};
  return peerGone("receiving", result.outcome);
}

Status Socket::receive(void* out, std::size_t size) {
  auto* at = static_cast<std::byte*>(out);
  while (size) {
    std::size_t got = 0;
    if (Status status = receiveSome(at, size, &got); !status.ok()) return status;
    if (got == 0) return Status::cut("the peer closed the connection");
    at += got;
    size -= got;
  }
  return {};
}

Status parseEndpoint(const std::string& text, std::uint16_t defaultPort, Endpoint& out) {
  if (text.starts_with(kUnix)) {
    out = {"localhost", 0, text.substr(kUnix.size())};
    return out.path.size() > 1 ? Status{} : Status::invalid("\"" + text + "\" is not unix:/PATH");
  }
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

Status parseEndpoints(const std::string& text, std::uint16_t defaultPort, std::vector<Endpoint>& out) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    if (Status status = parseEndpoint(text.substr(at, end - at), defaultPort, out.emplace_back()); !status.ok())
      return status;
    at = end + 1;
  }
  return {};
}

Status connectTo(const Endpoint& endpoint, int timeoutSeconds, Socket& out, bool* nobodyListens) {
  platform::SocketHandle socket;
  const Status status = endpoint.path.empty()
                            ? platform::connectSocket(endpoint.host, endpoint.port, timeoutSeconds, socket)
                            : platform::connectUnix(endpoint.path, socket);
  if (nobodyListens) *nobodyListens = status.code() == Code::kNotFound;
  if (status.code() == Code::kNotFound) return Status::unavailable(status.message());
  if (!status.ok()) return status;
  out = Socket(socket);
  return {};
}

Status listenOn(const std::string& address, std::uint16_t port, Socket& out, std::uint16_t* bound) {
  platform::SocketHandle socket;
  if (Status status = platform::listenSocket(address, port, socket, bound); !status.ok()) return status;
  out = Socket(socket);
  return {};
}

Status connectUnix(const std::string& name, Socket& out) {
  return connectTo({"localhost", 0, name}, 0, out);
}

Status listenUnix(const std::string& name, Socket& out) {
  platform::SocketHandle socket;
  if (Status status = platform::listenUnix(name, socket); !status.ok()) return status;
  out = Socket(socket);
  return {};
}

bool isUnix(const Socket& socket) {
  return platform::isUnix(socket.fd());
}

bool isConnected(const Socket& socket) {
  return peerName(socket) != platform::kNoPeer;
}

bool isLoopback(const Socket& socket) {
  if (isUnix(socket)) return true;
  const std::string name = peerName(socket);
  return name.starts_with("127.") || name.starts_with("[::1]") || name.starts_with("[::ffff:127.");
}

std::string peerName(const Socket& socket) {
  return platform::peerAddress(socket.fd());
}

std::string ownName(const Socket& socket) {
  return platform::ownAddress(socket.fd());
}

}  // namespace hipr::net
