#include "worker/listeners.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "platform/secrets.h"
#include "worker/smi/service.h"

namespace hipr::worker {
namespace {

constexpr char kDoor[] = "listener", kMetrics[] = "metrics";

Status listenTcp(const Options& options, net::Socket& listener, std::uint16_t* port) {
  if (options.bind != "*") return net::listenOn(options.bind, options.port, listener, port);
  if (net::listenOn("::", options.port, listener, port).ok()) return {};
  return net::listenOn("0.0.0.0", options.port, listener, port);  // a machine without IPv6
}

// A name that nobody can have taken before us, nor guess: clients believe it because they hear it from our port.
std::string newName() {
  std::array<std::uint8_t, 16> random;
  platform::randomBytes(random);
  std::string name = wire::kNearbyName;
  for (const std::uint8_t byte : random) {
    name += "0123456789abcdef"[byte >> 4];
    name += "0123456789abcdef"[byte & 15];
  }
  return name;
}

Status listen(const Options& options, Doors& doors, std::uint16_t* port) {
  net::Socket listener;
  if (!options.unixPath.empty()) {
    if (Status status = net::listenUnix(options.unixPath, listener); !status.ok()) return status;
    if (options.unixForAll && ::chmod(options.unixPath.c_str(), 0666) != 0)
      return Status::unavailable("opening unix:" + options.unixPath + " to all: " + std::strerror(errno));
    doors.listeners.push_back(std::move(listener));
  }
  if (options.bind.empty()) return {};
  if (Status status = listenTcp(options, listener, port); !status.ok()) {
    const bool taken = status.message().ends_with(std::strerror(EADDRINUSE));
    return taken ? Status::unavailable(status.message() + " (another hip-worker? --port chooses another port)")
                 : status;
  }
  doors.listeners.push_back(std::move(listener));
  const std::string name = newName();
  if (options.gate.tlsOnly || !net::listenUnix(name, listener).ok()) return {};  // then all of them stay with TCP
  doors.listeners.push_back(std::move(listener));
  doors.nearName = name;
  return {};
}

std::uint16_t portOf(const net::Socket& listener) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  getsockname(listener.fd(), reinterpret_cast<sockaddr*>(&name), &size);
  if (name.ss_family == AF_INET) return ntohs(reinterpret_cast<sockaddr_in*>(&name)->sin_port);
  return name.ss_family == AF_INET6 ? ntohs(reinterpret_cast<sockaddr_in6*>(&name)->sin6_port) : 0;
}

}  // namespace

Status openListeners(const Options& options, const std::optional<HandedState>& handed, Heritage& heritage,
                     Listeners& out) {
  if (handed && handed->bind == options.bind && handed->unixPath == options.unixPath && handed->port == options.port) {
    for (int i = 0; heritage.has(nameOf(kDoor, i)); ++i) out.doors.listeners.push_back(heritage.take(nameOf(kDoor, i)));
    out.doors.nearName = handed->nearName;
    for (const net::Socket& listener : out.doors.listeners) out.port = std::max(out.port, portOf(listener));
  } else if (Status status = listen(options, out.doors, &out.port); !status.ok()) {
    return status;
  }
  out.metricsUrl = "the address as before";
  if (handed && handed->metrics == options.metrics) out.metrics = heritage.take(kMetrics);
  return out.metrics.open() ? Status{} : listenForMetrics(options.metrics, out.metrics, out.metricsUrl);
}

void handOver(const Options& options, const Doors& doors, const net::Socket& metrics, HandedState& state,
              Heritage& heritage) {
  state.bind = options.bind;
  state.unixPath = options.unixPath;
  state.port = options.port;
  state.nearName = doors.nearName;
  state.metrics = options.metrics;
  for (std::size_t i = 0; i < doors.listeners.size(); ++i)
    heritage.add(nameOf(kDoor, static_cast<int>(i)), doors.listeners[i].fd());
  heritage.add(kMetrics, metrics.fd());
}

}  // namespace hipr::worker
