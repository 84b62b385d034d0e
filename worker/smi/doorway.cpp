#include "worker/smi/doorway.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "worker/pass_socket.h"

namespace hipr::worker {

Status Doorway::make(Doorway& out) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return Status::unavailable(std::string("socketpair: ") + std::strerror(errno));
  out.outside_ = net::Socket(ends[0]);
  out.inside_ = net::Socket(ends[1]);
  return {};
}

Status Doorway::handOver(const net::Socket& socket, const Passenger& passenger) {
  if (passSocket(outside_, socket, passenger)) return {};
  return Status::unavailable(std::string("handing a connection to the telemetry service: ") + std::strerror(errno));
}

bool Doorway::take(net::Socket& socket, Passenger& passenger) {
  return takeSocket(inside_, false, socket, passenger) == Passed::kSocket;
}

}  // namespace hipr::worker
