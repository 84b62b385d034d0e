#include "access/entry.h"

#include "access/challenge.h"
#include "access/token.h"
#include "base/env.h"
#include "net/socket_transport.h"

namespace hipr::access {
namespace {

using Protection = Credentials::Protection;

Status nothingToShow(const std::string& host) {
  return Status::unavailable(host +
                             " is another machine, and nothing says that it is the right one. Set HIP_REMOTE_TOKEN or "
                             "HIP_REMOTE_TOKEN_FILE to the worker's token, or HIP_REMOTE_TLS_CA to who signed its "
                             "certificate; or HIP_REMOTE_INSECURE=1 if others may read and change what travels");
}

}  // namespace

Status credentialsFromEnvironment(Credentials& out) {
  if (Status status = tokenFromEnvironment(out.identity.token); !status.ok()) return status;
  out.identity.authority = envText("HIP_REMOTE_TLS_CA").value_or("");
  out.identity.certificate = envText("HIP_REMOTE_TLS_CERT").value_or("");
  out.identity.key = envText("HIP_REMOTE_TLS_KEY").value_or("");
  if (out.identity.authority.empty() && !out.identity.certificate.empty())
    return Status::invalid("HIP_REMOTE_TLS_CERT is of use only with HIP_REMOTE_TLS_CA");
  out.protection = envFlag("HIP_REMOTE_TLS") ? Protection::kAlways : Protection::kElsewhere;
  if (!envFlag("HIP_REMOTE_INSECURE")) return {};
  if (out.protection == Protection::kAlways)
    return Status::invalid("HIP_REMOTE_TLS and HIP_REMOTE_INSECURE are both set");
  out.protection = Protection::kNever;
  return {};
}

Status enter(net::Socket socket, const std::string& host, const Credentials& credentials, const Timeouts& timeouts,
             net::TransportPtr& out, int& roundTrips) {
  const bool here = net::isLoopback(socket);
  if (!here && !net::isConnected(socket)) return Status::cut("the peer closed the connection");
  const bool plain =
      credentials.protection == Protection::kNever || (credentials.protection == Protection::kElsewhere && here);
  std::optional<tls::Binding> binding;
  roundTrips = 0;
  net::TransportPtr transport = net::overSocket(std::move(socket), timeouts.io);
  if (!plain) {
    if (credentials.none()) return nothingToShow(host);
    ++roundTrips;
    net::TransportPtr shielded;
    if (Status status =
            tls::connect(std::move(transport), credentials.identity, host, timeouts.greeting, shielded, binding);
        !status.ok())
      return status;
    transport = std::move(shielded);
  }
  if (plain || binding) {
    if (plain && !credentials.identity.token.empty()) ++roundTrips;
    if (Status status = present(*transport, credentials.identity.token, binding, timeouts.greeting); !status.ok())
      return status;
  }
  out = std::move(transport);
  return {};
}

}  // namespace hipr::access
