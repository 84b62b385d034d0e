// How both sides of a new connection prove that they know the token, before anything else is said. Each side picks a
// random number; the proof is a keyed hash (HMAC-SHA-256) of both numbers. A listener learns nothing that opens another
// connection, and a stranger who poses as the worker is found out before the program's data go there.
//
//   client                          worker
//     Challenge{client's number}  →
//                                 ←  ChallengeReply{worker's number, worker's proof}
//     Proof{client's proof}, Hello or SmiOpen  →
//
// It does not hide what follows: on a network that others can read or write, tunnel the connection.
#pragma once

#include <string>

#include "base/status.h"
#include "net/socket.h"
#include "wire/messages.h"

namespace hipr::access {

enum class Side { kClient, kWorker };

wire::Bits256 prove(Side side, const std::string& token, const wire::Bits256& client, const wire::Bits256& worker);

// The client's part, one round trip. Does nothing when `token` is empty.
Status present(net::Socket& socket, const std::string& token, int timeoutSeconds);

// The worker's part. Leaves the first message that is not about the token unread. A failure is a sentence for the
// client, who has not been told yet.
Status admit(net::Socket& socket, const std::string& token, int timeoutSeconds);

}  // namespace hipr::access
