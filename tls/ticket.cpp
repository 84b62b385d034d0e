#include "tls/ticket.h"

#include "tls/shake.h"

namespace hipr::tls {
namespace {

constexpr std::string_view kPrefix = "ticket-";

}  // namespace

TokenKey keyOfTicket(const Secret& ticket) {
  return {nameOfKey(kPrefix, ticket), ticket};
}

bool namesTicket(std::string_view name) {
  return name.starts_with(kPrefix);
}

Status greetWithTicket(net::Transport& below, const Secret& ticket, int timeoutSeconds, Shield& out) {
  std::shared_ptr<const ClientContext> context;
  if (Status status = ClientContext::make({}, keyOfTicket(ticket), context); !status.ok()) return status;
  Handshake handshake(context, "");
  if (Status status = shakeHands(below, handshake, timeoutSeconds); !status.ok()) return status;
  below.setTimeout(0);
  out = handshake.shield();
  return {};
}

Status awaitTicket(net::Transport& below, const Secret& ticket, int timeoutSeconds, Shield& out) {
  const TokenKey key = keyOfTicket(ticket);
  const auto find = [&key](const std::string& name) { return name == key.name ? std::optional(key) : std::nullopt; };
  std::shared_ptr<const ServerContext> context;
  if (Status status = ServerContext::make({}, find, false, context); !status.ok()) return status;
  Handshake handshake(context);
  if (Status status = shakeHands(below, handshake, timeoutSeconds, Begins::kPeer); !status.ok()) return status;
  if (!handshake.tokenName()) return Status::invalid("TLS without the ticket");
  below.setTimeout(0);
  out = handshake.shield();
  return {};
}

}  // namespace hipr::tls
