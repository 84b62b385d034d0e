// The supervisor's desk: what it answers when a session asks (supervisor_link.h).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "worker/credit.h"
#include "worker/peers.h"
#include "worker/shares.h"
#include "worker/tickets.h"

namespace hipr::worker {

// Who asks.
struct Caller {
  int account;
  const std::string& identity;
  std::span<const std::int32_t> devices;  // of the ledger, by the session's numbers
  Allowance allowance;
  std::function<Descriptor()> compiler;  // starts one; gives the socket to talk to it, if the session may have one
};

// What there is to give out.
struct Books {
  Ledger& ledger;
  Shares& shares;
  Tickets& tickets;
  const Peers& peers;
};

// Answers one question that has arrived, without waiting. False when the session has closed its end.
bool attend(const net::Socket& session, const Caller& caller, const Books& books);

}  // namespace hipr::worker
