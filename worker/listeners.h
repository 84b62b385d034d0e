// The sockets at which a worker is asked for something.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "net/socket.h"
#include "worker/hand_over.h"
#include "worker/options.h"

namespace hipr::worker {

// Where clients come in.
struct Doors {
  std::vector<net::Socket> listeners;
  std::string nearName;  // of a unix socket among them, for those of this machine who came by TCP; empty: there is none
};

struct Listeners {
  Doors doors;
  std::uint16_t port = 0;
  net::Socket metrics;
  std::string metricsUrl;
};

// Those of an earlier supervisor where they are what we want: whoever has connected meanwhile waits in them.
Status openListeners(const Options& options, const std::optional<HandedState>& handed, Heritage& heritage,
                     Listeners& out);
// Leaves them to the next.
void handOver(const Options& options, const Doors& doors, const net::Socket& metrics, HandedState& state,
              Heritage& heritage);

}  // namespace hipr::worker
