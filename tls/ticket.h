// A ticket: a key that was made for one connection of two workers and told to both. It makes the connection (psk.h),
// so both have proved that they know it before anything is said, and nobody else can read what they say.
#pragma once

#include <string_view>

#include "base/status.h"
#include "net/transport.h"
#include "tls/psk.h"

namespace hipr::tls {

TokenKey keyOfTicket(const Secret& ticket);
bool namesTicket(std::string_view name);  // of a key: it is a ticket's

// The side that comes: what makes a protected connection of `below`, which nothing has been sent over.
Status greetWithTicket(net::Transport& below, const Secret& ticket, int timeoutSeconds, Shield& out);
// The other side, where the connection is known to be for this ticket.
Status awaitTicket(net::Transport& below, const Secret& ticket, int timeoutSeconds, Shield& out);

}  // namespace hipr::tls
