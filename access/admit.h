// The worker's part of a greeting on a connection of its own, waiting for each frame: for tests. A worker has many
// connections to wait for (worker/reception.h).
#pragma once

#include "access/admission.h"
#include "access/frame.h"

namespace hipr::access {

// `next` is the first message that is not about the token. A failure is a sentence for the client.
inline Status admit(net::Transport& transport, const std::string& token, int timeoutSeconds, wire::Header& next) {
  constexpr std::uint64_t kLimit = 8 << 10;
  transport.setTimeout(timeoutSeconds * 1000);
  auto keyring = std::make_shared<Keyring>();
  if (!token.empty()) keyring->addToken(token, {});
  Admission admission(keyring);
  for (;;) {
    std::vector<std::byte> payload, reply;
    if (Status status = receiveFrame(transport, kLimit, next, payload); !status.ok()) return status;
    if (!Admission::concerns(next)) return admission.open();
    if (Status status = admission.take(next, payload, reply); !status.ok()) return status;
    if (Status status = transport.send(net::Transport::Part(reply)); !status.ok()) return status;
  }
}

}  // namespace hipr::access
