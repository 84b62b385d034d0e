// Command line and environment of hip-worker.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "worker/compute_part.h"
#include "worker/gate.h"
#include "worker/peers.h"
#include "worker/quotas.h"
#include "worker/sandbox.h"

namespace hipr::worker {

struct Options {
  std::string bind = "127.0.0.1";  // "*": all addresses, IPv6 and IPv4; empty: only at unixPath
  std::string unixPath;            // of a unix socket; empty: none
  bool unixForAll = false;         // whoever sees that one may connect, not only whom the umask lets
  std::uint16_t port = 0;
  int device = -1;  // clients see it as device 0; -1: the runtime's order
  std::string runtime = "auto";
  int maxSessions = 64;
  std::optional<SandboxMode> sandbox;  // nullopt: what fits the runtime
  std::int64_t sessionUser = -1;  // the first user of sessions, and their group; 0: the worker's own; -1: we choose
  int graceSeconds = 5;
  int peerTimeout = 20;       // seconds without a sign of life of a client's machine before its session ends
  int resumeSeconds = 60;     // that a session waits for a client whose connection broke
  bool keepSessions = false;  // sessions go on after SIGTERM; whoever systemd starts next takes them over
  std::string program;        // the path of this one
  std::string cacheFolder;
  std::uint64_t cacheLimit = std::uint64_t{1} << 30;  // bytes of one identity
  std::optional<std::string> dataFolder;              // of what clients upload; empty: nothing is kept
  std::uint64_t dataLimit = std::uint64_t{16} << 30;  // bytes of one identity
  GateOptions gate;
  bool pairing = false;                   // make a token where there is none, and say what to do with it
  std::string metrics;                    // address of the metrics page; empty: none
  std::uint64_t memoryLimit = 0;          // bytes of each GPU to give out; 0: all (tensor_fusion.h)
  Limits limits;                          // of each session
  const ComputeParts* compute = nullptr;  // of this worker and of each session
  Peers peers;                            // other workers that this one connects to, for copies that go there
  bool ucx = false;                       // clients may come over it
  bool compile = false;                   // kernels for clients that have no compiler
  bool verbose = false;
};

// Prints usage or version and exits where asked for or where the arguments make no sense.
Options parseOptions(int argc, char** argv);

}  // namespace hipr::worker
