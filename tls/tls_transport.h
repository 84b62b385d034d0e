// A Transport that protects what goes through another one. Sending and receiving share nothing, so each direction may
// have its thread, as a Transport promises, and nobody holds a lock while waiting.
#pragma once

#include "net/transport.h"
#include "tls/shield.h"

namespace hipr::tls {

net::TransportPtr overTls(net::TransportPtr below, const Shield& shield);

}  // namespace hipr::tls
