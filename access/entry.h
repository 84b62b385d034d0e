// The way from a connected socket to a connection on which a worker listens: protected where others could read it, with
// the token proved. Clients of every kind come in here.
#pragma once

#include <string>

#include "base/status.h"
#include "net/socket.h"
#include "net/transport.h"
#include "tls/client.h"

namespace hipr::access {

// What this program has to show, and how careful it is.
struct Credentials {
  tls::ClientIdentity identity;
  enum class Protection {
    kElsewhere,  // unless the worker is on this machine
    kAlways,     // HIP_REMOTE_TLS=1
    kNever,      // HIP_REMOTE_INSECURE=1
  } protection = Protection::kElsewhere;

  bool none() const { return identity.token.empty() && identity.authority.empty(); }
};

// HIP_REMOTE_TOKEN, HIP_REMOTE_TOKEN_FILE, HIP_REMOTE_TLS_CA, HIP_REMOTE_TLS_CERT, HIP_REMOTE_TLS_KEY, HIP_REMOTE_TLS,
// HIP_REMOTE_INSECURE.
Status credentialsFromEnvironment(Credentials& out);

struct Timeouts {
  int greeting;  // seconds, for each of TLS's handshake and the worker's answer about the token
  int io;        // as net::overSocket
};

// REQUIRES: nothing has been sent yet. `roundTrips` says how many this took.
Status enter(net::Socket socket, const std::string& host, const Credentials& credentials, const Timeouts& timeouts,
             net::TransportPtr& out, int& roundTrips);

}  // namespace hipr::access
