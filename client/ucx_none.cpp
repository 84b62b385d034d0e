// UCX is for Linux.
#include "client/ucx.h"

namespace hipr::client {

Status exchangeForUcx(int, net::TransportPtr&, std::unique_ptr<net::UcxLink>&) {
  return Status::unsupported("not on this system");
}

}  // namespace hipr::client
