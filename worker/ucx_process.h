// For a client that comes over UCX: a process between the client and its session, with the bridge (net/ucx_bridge.h).
// UCX opens sockets and devices as it likes, which no session may do; so it lives here, where there is nothing but the
// bytes that pass, and those are encrypted if the client's connection is.
#pragma once

#include <sys/types.h>

#include <optional>

#include "base/status.h"
#include "net/socket.h"
#include "tls/shield.h"
#include "wire/messages.h"
#include "worker/sandbox.h"

namespace hipr::worker {

struct UcxBrief {
  SandboxPlan sandbox;
  std::optional<tls::Shield> shield;  // of the client's connection
  wire::Bits256 key{};                // for TLS between the client and the session
  std::int32_t peerTimeout = 0;
  bool verbose = false;
  static auto fields(auto& m) { return std::tie(m.sandbox, m.shield, m.key, m.peerTimeout, m.verbose); }
};

// In the supervisor. `client`: its Ucx is unread; `session`: the end of a pair whose other end is the session's. It
// ends when either does.
Status startUcxBridge(const UcxBrief& brief, const net::Socket& client, const net::Socket& session);

// In the new process.
bool isUcxProcess(int argc, char** argv);
[[noreturn]] void runUcxBridge();

}  // namespace hipr::worker
