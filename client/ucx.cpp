#include "client/ucx.h"

#include <string_view>
#include <vector>

#include "access/frame.h"
#include "base/log.h"
#include "base/text.h"
#include "net/socket_transport.h"
#include "tls/ticket.h"
#include "tls/tls_transport.h"

namespace hipr::client {
namespace {

constexpr std::uint64_t kMostAnswer = 64 << 10;

}  // namespace

Status exchangeForUcx(int timeoutSeconds, net::TransportPtr& transport, std::unique_ptr<net::UcxLink>& link) {
  if (!net::UcxBridge::usable()) {
    logInfo("a forked child goes on without UCX");
    return {};
  }
  std::unique_ptr<net::UcxBridge> bridge;
  if (Status status = net::UcxBridge::open(bridge); !status.ok()) return status;
  std::vector<std::byte> frame, payload;
  wire::appendFrame(frame, wire::Opcode::kUcx, 0, 0, wire::Ucx{bridge->address()});
  transport->setTimeout(timeoutSeconds * 1000);
  if (Status status = transport->send(net::Transport::Part(frame)); !status.ok()) return status;
  wire::Header header;
  if (Status status = access::receiveFrame(*transport, kMostAnswer, header, payload); !status.ok()) return status;
  wire::UcxReply reply;
  if (header.opcode != static_cast<std::uint16_t>(wire::Opcode::kUcx) || !access::decode(payload, reply))
    return Status::invalid("a malformed answer about UCX");
  if (!reply.text.empty()) return Status::unavailable("the worker says: " + printable(reply.text));
  platform::SocketHandle ends[2];
  if (!platform::socketPair(ends)) return Status::exhausted("no descriptors left");
  const bool protects = std::string_view(transport->kind()) == "tls";
  link = std::make_unique<net::UcxLink>(std::move(bridge), std::move(reply.address), net::Socket(ends[1]),
                                        std::move(transport));
  transport = net::overSocket(net::Socket(ends[0]), timeoutSeconds);
  if (!protects) return {};
  tls::Shield shield;
  if (Status status = tls::greetWithTicket(*transport, reply.key, timeoutSeconds, shield); !status.ok()) {
    transport.reset();  // and with it the link
    return status.within("TLS over UCX");
  }
  transport = tls::overTls(std::move(transport), shield);
  return {};
}

}  // namespace hipr::client
