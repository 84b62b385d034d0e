// A connection goes from one of the worker's processes to another. What the client has sent stays unread in the socket.
#pragma once

#include <optional>

#include "net/socket.h"
#include "tls/shield.h"

namespace hipr::worker {

// `shield`: the connection is protected. Without waiting; false: errno says why.
// REQUIRES: `through` keeps messages apart (SOCK_SEQPACKET).
bool passSocket(const net::Socket& through, const net::Socket& what, const std::optional<tls::Shield>& shield);

enum class Passed { kNothing, kSocket, kClosed };
// kNothing: there is none yet, unless it waits; or something else came.
Passed takeSocket(const net::Socket& through, bool wait, net::Socket& what, std::optional<tls::Shield>& shield);

}  // namespace hipr::worker
