// How both sides of a new connection prove that they know the token, before anything else is said. Each side picks a
// random number; the proof is a keyed hash (HMAC-SHA-256) of both numbers. A listener learns nothing that opens another
// connection, and a stranger who poses as the worker is found out before the program's data go there.
//
//   client                          worker
//     Challenge{which token, client's number}  →
//                                 ←  ChallengeReply{worker's number, worker's proof}
//     Proof{client's proof}, Hello or SmiOpen  →
//
// That is for connections within a machine. On a protected connection (tls/) the token's key has made the connection,
// and nothing is left to prove; or a certificate has, and then the client proves that it knows the token in words that
// make sense on this connection alone:
//
//     Proof{client's proof}, Hello or SmiOpen  →
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "net/transport.h"
#include "wire/messages.h"

namespace hipr::access {

enum class Side { kClient, kWorker };

wire::Bits256 randomNumber();

wire::Bits256 prove(Side side, const std::string& token, const wire::Bits256& client, const wire::Bits256& worker);

// What the client proves on a connection with that binding (tls/client.h).
wire::Bits256 proveBound(const std::string& token, const wire::Bits256& binding);

// The client's part, one round trip; none with a binding. Does nothing when `token` is empty.
Status present(net::Transport& transport, const std::string& token, const std::optional<wire::Bits256>& binding,
               int timeoutSeconds);

}  // namespace hipr::access
