// Connecting and listening: from names to sockets. The same on every system.
#include <string>

#include "platform/socket_api.h"
#include "platform/unix_socket.h"

namespace hipr::platform {
namespace {

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
  startSockets();
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  const std::string service = std::to_string(port);
  int error = getaddrinfo(host.c_str(), service.c_str(), &hints, &out.list);
  // Its meaning is fixed, also on a system without a list of names.
  if (error && host == "localhost") error = getaddrinfo("127.0.0.1", service.c_str(), &hints, &out.list);
  if (error) return Status::unavailable("cannot resolve \"" + host + "\": " + gai_strerror(error));
  return {};
}

SocketHandle socketFor(const addrinfo& address) {
  return newSocket(address.ai_family, address.ai_socktype, address.ai_protocol);
}

}  // namespace

Status resolveHost(const std::string& host, std::vector<std::string>& addresses) {
  Addresses found;
  if (Status status = resolve(host, 0, 0, found); !status.ok()) return status;
  for (const addrinfo* a = found.list; a; a = a->ai_next) {
    char text[NI_MAXHOST] = "?";
    getnameinfo(a->ai_addr, static_cast<socklen_t>(a->ai_addrlen), text, sizeof text, nullptr, 0, NI_NUMERICHOST);
    addresses.push_back(text);
  }
  return {};
}

Status connectSocket(const std::string& host, std::uint16_t port, int timeoutSeconds, SocketHandle& out) {
  Addresses addresses;
  if (Status status = resolve(host, port, 0, addresses); !status.ok()) return status;
  std::string tried;
  Code code = Code::kNotFound;  // unless one of them is somewhere
  for (const addrinfo* a = addresses.list; a; a = a->ai_next) {
    const SocketHandle socket = socketFor(*a);
    Status status = Status::unavailable(socket == kNoSocket ? socketError() : "");
    if (socket != kNoSocket) {
      status = connectWithin(socket, a->ai_addr, static_cast<int>(a->ai_addrlen), timeoutSeconds);
      if (status.ok()) {
        out = socket;
        return {};
      }
      closeSocket(socket);
    }
    if (status.code() != Code::kNotFound) code = Code::kUnavailable;
    tried += (tried.empty() ? "" : "; ") + addressText(a->ai_addr, static_cast<socklen_t>(a->ai_addrlen)) + ": " +
             status.message();
  }
  return {code, tried};
}

Status listenSocket(const std::string& address, std::uint16_t port, SocketHandle& out, std::uint16_t* bound) {
  Addresses addresses;
  if (Status status = resolve(address, port, AI_PASSIVE, addresses); !status.ok()) return status;
  const addrinfo& a = *addresses.list;
  const SocketHandle socket = socketFor(a);
  if (socket == kNoSocket) return Status::unavailable("socket: " + socketError());
#ifndef _WIN32  // where it would let several programs listen on one port
  setOption(socket, SOL_SOCKET, SO_REUSEADDR, 1);
#endif
  // "::" serves IPv4 clients too.
  if (a.ai_family == AF_INET6) setOption(socket, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  const auto size = static_cast<socklen_t>(a.ai_addrlen);
  if (::bind(socket, a.ai_addr, size) != 0 || ::listen(socket, 128) != 0) {
    const std::string why = socketError();
    closeSocket(socket);
    return Status::unavailable("listening on " + addressText(a.ai_addr, size) + ": " + why);
  }
  sockaddr_storage name{};
  socklen_t nameSize = sizeof name;
  getsockname(socket, reinterpret_cast<sockaddr*>(&name), &nameSize);
  *bound = ntohs(name.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&name)->sin6_port
                                            : reinterpret_cast<sockaddr_in*>(&name)->sin_port);
  out = socket;
  return {};
}

std::string peerAddress(SocketHandle socket) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&name), &size) != 0) return kNoPeer;
  if (name.ss_family == AF_UNIX) return unixPeer(socket);
  return addressText(reinterpret_cast<sockaddr*>(&name), size);
}

std::string ownAddress(SocketHandle socket) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&name), &size) != 0) return "?";
  return addressText(reinterpret_cast<sockaddr*>(&name), size);
}

}  // namespace hipr::platform
