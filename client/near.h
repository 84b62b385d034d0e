// Near: a worker on the same machine shares memory with its client instead of being sent bytes (net/ring_transport.h).
// Memory is handed over through a unix socket. Whoever has come by TCP asks for one; the worker names it only to
// clients it sees exactly as they see themselves, so whoever comes through a relay or a tunnel stays with it.
#pragma once

#include "access/entry.h"
#include "client/options.h"
#include "net/socket.h"
#include "net/transport.h"

namespace hipr::client {

// What is known of the way to the worker.
struct Way {
  bool near = false;   // it shares memory: shareRings() comes next
  bool local = false;  // both are on this machine, or at least nobody has said that something stands between
  int roundTrips = 0;  // that it took to find out
};

// Exchanges the socket for a nearer one where the worker has one. A failure where shared memory was demanded and cannot
// be had.
Status comeNear(const Options& options, const access::Credentials& credentials, const net::Endpoint& worker,
                net::Socket& socket, Way& way);

// REQUIRES: the worker waits for the first message of a session. `near` becomes false where there is no memory for it.
Status shareRings(const Options& options, net::TransportPtr& transport, bool& near);

}  // namespace hipr::client
