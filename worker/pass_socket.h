// A connection goes from one of the worker's processes to another. What the client has sent stays unread in the socket.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "net/socket.h"
#include "tls/shield.h"

namespace hipr::worker {

// What is known of it.
struct Passenger {
  std::optional<tls::Shield> shield;    // it is protected
  std::vector<std::int32_t> devices{};  // access/identity.h
  std::uint32_t lane = 0;               // of a session (data_lanes.h); 0: it is none
  static auto fields(auto& m) { return std::tie(m.shield, m.devices, m.lane); }
};

// Without waiting; false: errno says why.
// REQUIRES: `through` keeps messages apart (SOCK_SEQPACKET).
bool passSocket(const net::Socket& through, const net::Socket& what, const Passenger& passenger);

enum class Passed { kNothing, kSocket, kClosed };
// kNothing: there is none yet, unless it waits; or something else came.
Passed takeSocket(const net::Socket& through, bool wait, net::Socket& what, Passenger& passenger);

}  // namespace hipr::worker
