// A handshake over a transport, waiting for each record.
#pragma once

#include "base/status.h"
#include "net/transport.h"
#include "tls/handshake.h"

namespace hipr::tls {

// kInvalid: one of the two did not want the other; what says so is TLS's own word.
enum class Begins { kThisSide, kPeer };
Status shakeHands(net::Transport& below, Handshake& handshake, int timeoutSeconds, Begins who = Begins::kThisSide);

}  // namespace hipr::tls
