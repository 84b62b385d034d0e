#include "tls/client.h"

namespace hipr::tls {

Status connect(net::TransportPtr, const ClientIdentity&, const std::string& host, int, net::TransportPtr&,
               std::optional<Binding>&) {
  return Status::unsupported(
      "HIP Remote has no TLS on this system yet, and " + host +
      " is on another machine. Use a tunnel that ends on this machine (ssh -L), or, if whoever can "
      "read and change the network may, HIP_REMOTE_INSECURE=1 with hip-worker --insecure");
}

}  // namespace hipr::tls
