#include "worker/peers.h"

#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "base/log.h"
#include "net/socket.h"
#include "wire/frame.h"

namespace hipr::worker {
namespace {

struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;
  std::string text;
};

bool numeric(const std::string& host, std::uint16_t port, Address& out) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return false;
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  std::memcpy(&out.bytes, found->ai_addr, found->ai_addrlen);
  out.size = found->ai_addrlen;
  char name[NI_MAXHOST];
  if (getnameinfo(found->ai_addr, found->ai_addrlen, name, sizeof name, nullptr, 0, NI_NUMERICHOST) != 0) return false;
  out.text = std::string(name) + ":" + std::to_string(port);
  return true;
}

}  // namespace

Status Peers::allow(const std::string& list) {
  if (list == "*") {
    everybody_ = true;
    return {};
  }
  std::vector<net::Endpoint> workers;
  if (Status status = net::parseEndpoints(list, wire::kDefaultPort, workers); !status.ok()) return status;
  for (const net::Endpoint& worker : workers) {
    if (!worker.path.empty()) return Status::invalid(worker.name() + ": workers meet at addresses");
    std::vector<std::string> addresses;
    if (Status status = platform::resolveHost(worker.host, addresses); !status.ok()) return status;
    for (const std::string& address : addresses)
      if (Address found; numeric(address, worker.port, found)) allowed_.insert(found.text);
  }
  return {};
}

Descriptor Peers::connect(const std::string& worker) const {
  net::Endpoint endpoint;
  Address address;
  if (!net::parseEndpoint(worker, wire::kDefaultPort, endpoint).ok() || !endpoint.path.empty() ||
      !numeric(endpoint.host, endpoint.port, address))
    return Descriptor();
  if (!everybody_ && !allowed_.contains(address.text)) {
    logDebug("a client asks for a connection to %s, which --peers does not name", address.text.c_str());
    return Descriptor();
  }
  Descriptor socket(::socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket.number() < 0) return Descriptor();
  const auto* const to = reinterpret_cast<const sockaddr*>(&address.bytes);
  if (::connect(socket.number(), to, address.size) != 0 && errno != EINPROGRESS) return Descriptor();
  return socket;
}

}  // namespace hipr::worker
