// The client's side of TLS, whoever implements it on this system: OpenSSL, or nobody yet (client_none.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "net/transport.h"

namespace hipr::tls {

struct ClientIdentity {
  std::string token;                        // may be empty
  std::string authority, certificate, key;  // files in PEM; empty: none
};

using Binding = std::array<std::uint8_t, 32>;

// Makes a protected connection of `below`, which nothing has been sent over. With an authority the worker at `host` has
// to show a certificate of it, and the token is still to be proved, bound to `binding`. Without, the token's key makes
// the connection, and a worker without it, or a client, gets nowhere.
Status connect(net::TransportPtr below, const ClientIdentity& identity, const std::string& host, int timeoutSeconds,
               net::TransportPtr& out, std::optional<Binding>& binding);

}  // namespace hipr::tls
