// The way to the worker. TF_WORKER_HOST names it; in a pod of TensorFusion the operator does instead: it gives each
// client a worker of its own, which may still be starting, and another one when that is gone.
#pragma once

#include <string>

#include "base/status.h"
#include "client/options.h"
#include "net/socket.h"

namespace hipr::client {

// Connects. A worker that TensorFusion names is asked for anew before every attempt, and attempts go on until
// options.connectTimeout is over; one named by the user gets one attempt. `worker` tells where it turned out to be.
Status connectToWorker(const Options& options, net::Socket& socket, net::Endpoint& worker);

// "native+10.0.0.7+8000+name-revision": where, and for whom. The first field is the transport; the host may be IPv6.
Status parseConnection(const std::string& text, net::Endpoint& worker);

// kUnavailable: it may answer later. Anything else: asking again is of no use.
Status askOperator(const TensorFusion& operatorInfo, int timeoutSeconds, net::Endpoint& worker);

}  // namespace hipr::client
