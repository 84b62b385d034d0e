// Systems that Debian has no OpenSSL for. Only connections that need TLS fail.
#include "tls/client.h"

namespace hipr::tls {

Status connect(net::TransportPtr, const ClientIdentity&, const std::string& host, int, net::TransportPtr&,
               std::optional<Binding>&) {
  return Status::unsupported("this client was built without TLS, and a connection to " + host +
                             " needs it. Use a tunnel that ends on this machine: ssh -N -L 18515:localhost:18515 " +
                             host +
                             ", with localhost as the worker. Or, if whoever can read and change the network may, "
                             "HIP_REMOTE_INSECURE=1 with hip-worker --insecure");
}

}  // namespace hipr::tls
