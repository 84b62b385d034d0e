#include "client/near.h"

#include <string_view>
#include <vector>

#include "access/frame.h"
#include "base/log.h"
#include "net/ring_transport.h"

namespace hipr::client {
namespace {

constexpr std::uint64_t kMostAnswer = 256;
constexpr std::size_t kDigits = 32;

Status cannot(const std::string& why) {
  return Status::unavailable("HIP_REMOTE_TRANSPORT=shm: " + why);
}

bool isWorkersName(std::string_view name) {
  if (!name.starts_with(wire::kNearbyName)) return false;
  name.remove_prefix(std::string_view(wire::kNearbyName).size());
  return name.size() == kDigits && name.find_first_not_of("0123456789abcdef") == name.npos;
}

// The connection goes on as if nothing had been said, unless this fails. `name` is empty when there is no such socket.
Status askForSocket(net::Socket& socket, int timeoutSeconds, std::string& name) {
  std::vector<std::byte> frame;
  wire::appendFrame(frame, wire::Opcode::kNearby, 0, 0, wire::Nearby{net::ownName(socket), net::peerName(socket)});
  socket.setReceiveTimeout(timeoutSeconds);
  if (Status status = socket.send(net::Transport::Part(frame)); !status.ok()) return status;
  std::byte head[wire::kHeaderSize];
  wire::Header header;
  if (Status status = socket.receive(head, sizeof head); !status.ok()) return status;
  if (!wire::decodeHeader(head, header) || header.length > kMostAnswer ||
      header.opcode != static_cast<std::uint16_t>(wire::Opcode::kNearby))
    return Status::unsupported("the worker does not know of it");
  std::vector<std::byte> payload(header.length);
  if (Status status = socket.receive(payload.data(), payload.size()); !status.ok()) return status;
  wire::NearbyReply reply;
  if (!access::decode(payload, reply)) return Status::invalid("a malformed answer");
  socket.setReceiveTimeout(0);
  // Whoever says it may not be the worker: it must not lead to other programs' sockets.
  if (!reply.name.empty() && !isWorkersName(reply.name)) return Status::invalid("a strange address");
  name = reply.name;
  return {};
}

}  // namespace

Status comeNear(const Options& options, const access::Credentials& credentials, const net::Endpoint& worker,
                net::Socket& socket, Way& way) {
  way = {.local = net::isLoopback(socket)};
  const bool demanded = options.nearness == Nearness::kShared;
  if (options.nearness == Nearness::kNever || options.nearness == Nearness::kUcx) return {};
  if (!platform::kCanShareMemory) return demanded ? cannot("not on this system") : Status{};
  if (!way.local)
    return demanded && net::isConnected(socket) ? cannot(worker.name() + " is another machine") : Status{};
  if (credentials.protection == access::Credentials::Protection::kAlways)
    return demanded ? cannot("HIP_REMOTE_TLS wants a connection") : Status{};
  if (!net::isUnix(socket)) {
    std::string name;
    ++way.roundTrips;
    const Status asked = askForSocket(socket, options.ioTimeout, name);
    Status status = asked;
    way.local = !asked.ok() || !name.empty();
    if (status.ok() && name.empty())
      status = Status::unavailable("the worker sees this program elsewhere, as it would through a relay");
    if (status.ok()) status = net::connectUnix(name, socket);
    if (!status.ok() && demanded) return cannot(status.message());
    if (!status.ok()) {
      logDebug("no shared memory with the worker at %s: %s", worker.name().c_str(), status.message().c_str());
      return asked.ok() ? Status{} : net::connectTo(worker, options.connectTimeout, socket);
    }
  }
  way.near = true;
  return {};
}

Status shareRings(const Options& options, net::TransportPtr& transport, bool& near) {
  platform::SharedMemory memory;
  if (Status status = net::makeRingMemory(memory); !status.ok()) {
    near = false;
    return options.nearness == Nearness::kShared ? cannot(status.message()) : Status{};
  }
  std::vector<std::byte> frame;
  wire::appendFrame(frame, wire::Opcode::kShare, 0, wire::HIP_REMOTE_FLAG_NO_REPLY, wire::Share{net::ringMemorySize()});
  if (Status status = transport->sendMemory(frame, memory); !status.ok()) return status;
  return net::overRing(std::move(transport), std::move(memory), net::RingSide::kFirst, options.ioTimeout, transport);
}

}  // namespace hipr::client
