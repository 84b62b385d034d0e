// A session over UCX (HIP_REMOTE_TRANSPORT=ucx): a client connects to the worker in the ordinary way, and then
// exchanges that connection for a faster one, where there is hardware for it.
#pragma once

#include <memory>

#include "base/status.h"
#include "net/transport.h"
#include "net/ucx_link.h"

namespace hipr::client {

// REQUIRES: the worker waits for the first message of a session. The link has to live as long as the transport, and
// longer. Protected with TLS if the ordinary connection is. A forked child, where UCX does not work, keeps that one.
Status exchangeForUcx(int timeoutSeconds, net::TransportPtr& transport, std::unique_ptr<net::UcxLink>& link);

}  // namespace hipr::client
