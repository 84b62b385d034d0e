// Supervisor: accepts clients and gives each a process of its own. Single-threaded, and it never loads a GPU library.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "net/socket.h"
#include "worker/ledger.h"
#include "worker/options.h"
#include "worker/session_counters.h"
#include "worker/smi/doorway.h"

namespace hipr::worker {

// What a session needs when it starts.
struct SessionSeat {
  net::Socket socket;
  std::string peer;
  int account = 0;  // kNoAccount: there is no room, except for somebody who asks for telemetry
};
inline constexpr int kNoAccount = -1;

// What the supervisor and its children have in common.
struct Shared {
  Ledger& ledger;
  SessionBoard& board;
  Doorway doorway;
  net::Socket metrics;  // the listener of the metrics page, if there is one
};

// What the process is for that returns from Supervisor::run.
enum class Role { kDone, kSession, kTelemetry };

// Tells a client, in words, that it is not served, and closes the connection.
void refuse(const net::Socket& socket, const std::string& why);
inline constexpr char kCrowded[] = "the worker is serving as many clients as it may; try later";

class Supervisor {
 public:
  Supervisor(const Options& options, net::Socket listener, Shared& shared);
  ~Supervisor();

  // Serves until SIGTERM or SIGINT; kDone then. It also returns in each new process: with its seat in that of a
  // session.
  Role run(SessionSeat& seat);

 private:
  struct Child {
    std::string peer;
    int account;
  };

  using Clock = std::chrono::steady_clock;

  bool accept(SessionSeat& seat);  // true in the child
  bool startTelemetry();           // true in the child
  int telemetryDelay() const;      // milliseconds until it may be started again; -1: there is no need
  void becomeChild();
  void reap();
  void drain();
  int freeAccount() const;  // kNoAccount when all are taken

  const Options& options_;
  net::Socket listener_;
  Shared& shared_;
  int signals_ = -1;
  const pid_t supervisor_ = getpid();
  std::map<pid_t, Child> children_;
  pid_t telemetry_ = 0;  // 0: there is none
  Clock::time_point telemetryStarted_{};
};

}  // namespace hipr::worker
