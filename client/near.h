// Near: a worker on the same machine shares memory with its client, so no bytes are sent (net/ring_transport.h). The
// memory is handed over through a unix socket. A client that came by TCP asks for that socket. The worker names it only
// if it sees the same two addresses of the connection as the client; a client that came through a relay or a tunnel
// does not get it and goes on with TCP.
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
