// The way to a worker. TF_WORKER_HOST names one worker, or several of which any will do. In a pod of TensorFusion the
// operator decides instead: it gives each client a worker of its own, which may still be starting, and another one when
// that worker is gone.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "client/options.h"
#include "net/socket.h"

namespace hipr::client {

// Where a worker may be: how it is called, which is what its certificate shows, and an address of that name.
struct Place {
  net::Endpoint worker;
  std::string address;  // none of a unix socket
  std::string pod;      // what TensorFusion calls it: it has a token of its own

  net::Endpoint endpoint() const { return worker.path.empty() ? net::Endpoint{address, worker.port} : worker; }
  std::string name() const { return worker.name(); }
};

// In the order in which they are tried: as they are listed, and the addresses of one name as the system prefers them;
// those of one kind are equal, and come in random order, so that clients spread. Fails when no name has an address.
Status placesOf(const std::vector<net::Endpoint>& workers, std::vector<Place>& out);

// Makes a connection and hands it to `begin`, at one place after the other until that goes well. Where one of them is
// full and the rest do no better, all of them are tried again for as long as options.waitForRoom says.
using Begin = std::function<Status(net::Socket socket, const Place& place)>;
Status beginAnywhere(const Options& options, const Begin& begin);

// The same for a worker that TensorFusion names; its place has one address, and the name of its pod.
Status beginByTensorFusion(const Options& options, const Begin& begin);
// Attempts go on until options.connectTimeout is over; before each, the operator is asked anew.
Status connectByTensorFusion(const Options& options, net::Socket& socket, Place& place);

// "native+10.0.0.7+8000+pod-revision": where, and which. The first field is the transport; the host may be IPv6.
// "shmem+name+megabytes+version": a worker in the pod that this program is in (net/pod_socket.h).
Status parseConnection(const std::string& text, Place& place);

// away(): it may answer later. Anything else: asking again is of no use.
Status askOperator(const TensorFusion& operatorInfo, int timeoutSeconds, Place& place);

}  // namespace hipr::client
