// A Transport over a connected stream socket: TCP, a unix socket, or one end of a socket pair.
#pragma once

#include <utility>

#include "net/socket.h"
#include "net/transport.h"

namespace hipr::net {

// Waiting to send fails after this long without progress, and so does the connection itself when nothing is
// acknowledged.
TransportPtr overSocket(Socket socket, int ioTimeoutSeconds);

// Two ends in one process, for tests.
std::pair<TransportPtr, TransportPtr> loopback();

}  // namespace hipr::net
