// Doorway: how a connection that turns out to ask for telemetry gets to the telemetry service. What the client has sent
// stays unread in the socket. Connections queue here while there is no service, which is how the supervisor learns that
// one is needed.
#pragma once

#include "base/status.h"
#include "net/socket.h"
#include "worker/pass_socket.h"

namespace hipr::worker {

class Doorway {
 public:
  Doorway() = default;
  explicit Doorway(net::Socket inside) : inside_(std::move(inside)) {}  // in the service
  static Status make(Doorway& out);

  // Without waiting; fails when too many are queued.
  Status handOver(const net::Socket& socket, const Passenger& passenger);
  bool take(net::Socket& socket, Passenger& passenger);  // without waiting; false when nobody is there
  int waitingFd() const { return inside_.fd(); }         // readable when somebody is

 private:
  net::Socket outside_, inside_;
};

}  // namespace hipr::worker
