// A session's process: a program image of its own, so that nothing of another session or of the supervisor is in it,
// not even where things lie in memory. It is this same program, started again by the supervisor with a few descriptors
// and a brief that says the rest.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "net/socket.h"
#include "tls/shield.h"
#include "wire/messages.h"
#include "worker/compute_part.h"
#include "worker/quotas.h"
#include "worker/sandbox.h"

namespace hipr::worker {

struct SessionBrief {
  std::int32_t supervisor = 0;  // its process, which the session does not outlive
  bool outlives = false;        // but for a supervisor that follows and has its end of the socket for credit
  std::string peer;
  std::string runtime;                // path of the library to load
  std::vector<std::int32_t> devices;  // the runtime's numbers, in the client's order
  wire::Bytes platform;               // wire/platform_codec.h
  std::string cacheFolder;
  bool compiles = false;  // compile_process.h
  std::string identity;   // whose code it finds there
  std::uint64_t cacheLimit = 0;
  std::string dataFolder;
  std::uint64_t dataLimit = 0;
  Limits limits;
  std::uint64_t memoryLimit = 0;
  ComputePart compute;
  std::int32_t peerTimeout = 0;    // seconds without any sign of life of the client's machine
  std::int32_t resumeSeconds = 0;  // that the supervisor lets it wait for a client that was cut off
  wire::Bits256 resumeKey{};
  std::string usageFolder;  // HIP_REMOTE_SOFTGPU_USAGE, unless empty
  SandboxPlan sandbox;
  bool verbose = false;
  bool standsBack = false;             // access/identity.h
  std::optional<tls::Shield> shield;   // the connection is protected
  bool shares = false;                 // memory with its client: the connection wakes it, and no more
  std::optional<wire::Bits256> key{};  // its client comes over UCX, and speaks TLS with this (tls/ticket.h)
  bool meetsPeers = false;             // the supervisor connects it with other workers
  static auto fields(auto& m) {
    return std::tie(m.supervisor, m.outlives, m.peer, m.runtime, m.devices, m.platform, m.cacheFolder, m.compiles,
                    m.identity, m.cacheLimit, m.dataFolder, m.dataLimit, m.limits, m.memoryLimit, m.compute,
                    m.peerTimeout, m.resumeSeconds, m.resumeKey, m.usageFolder, m.sandbox, m.verbose, m.standsBack,
                    m.shield, m.shares, m.key, m.meetsPeers);
  }
};

// In the supervisor. `memory`: what the client shares with it, if it does; `page`: for SessionPage::map; `control` and
// `door`: the session's ends of the sockets for credit and for a client that comes back (return.h).
Status startSession(const SessionBrief& brief, const net::Socket& client, int memory, int page,
                    const net::Socket& control, const net::Socket& door, pid_t& process);

// In the new process: whether it is one, and its whole life.
bool isSessionProcess(int argc, char** argv);
[[noreturn]] void runSession();

}  // namespace hipr::worker
