// The worker's part of a greeting on a socket of its own, waiting for each frame: for tests. A worker has many
// connections to wait for (worker/reception.h).
#pragma once

#include "access/challenge.h"
#include "access/frame.h"

namespace hipr::access {

// `next` is the first message that is not about the token. A failure is a sentence for the client.
inline Status admit(net::Socket& socket, const std::string& token, int timeoutSeconds, wire::Header& next) {
  constexpr std::uint64_t kLimit = 8 << 10;
  socket.setReceiveTimeout(std::chrono::seconds(timeoutSeconds));
  Admission admission(token);
  for (;;) {
    std::vector<std::byte> payload, reply;
    if (Status status = receiveFrame(socket, kLimit, next, payload); !status.ok()) return status;
    if (!Admission::concerns(next)) return admission.open();
    if (Status status = admission.take(next, payload, reply); !status.ok()) return status;
    if (Status status = socket.send(reply); !status.ok()) return status;
  }
}

}  // namespace hipr::access
