// Supervisor: receives clients and gives each a process of its own, watches over those processes and ends the ones
// whose client is gone. Single-threaded, and it never loads a GPU library.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "net/socket.h"
#include "worker/ledger.h"
#include "worker/options.h"
#include "worker/probe.h"
#include "worker/reception.h"
#include "worker/return.h"
#include "worker/session_counters.h"
#include "worker/session_homes.h"
#include "worker/smi/doorway.h"

namespace hipr::worker {

// What the supervisor and its telemetry service have in common.
struct Shared {
  SessionBoard& board;
  Doorway doorway;
  net::Socket metrics;  // the listener of the metrics page, if there is one
};

// Where clients come in.
struct Doors {
  std::vector<net::Socket> listeners;
  std::string nearName;  // of a unix socket among them, for those of this machine who came by TCP; empty: there is none
};

// What the process is for that returns from Supervisor::run.
enum class Role { kDone, kTelemetry };

class Supervisor {
 public:
  Supervisor(const Options& options, const ProbeResult& runtime, const SessionHomes& homes,
             std::vector<std::uint64_t> capacities, Doors doors, Gate& gate, Shared& shared);
  ~Supervisor();

  // Serves until SIGTERM or SIGINT; kDone then. It also returns in the process of the telemetry service.
  Role run();

 private:
  using Clock = std::chrono::steady_clock;

  // A session. The socket is its client's: here it is only watched.
  struct Child {
    std::string peer;  // and who it is
    access::Identity identity;
    int account = 0;
    net::Socket socket{}, control{}, door{};
    wire::Bits256 resumeKey{};
    bool waits = false;                      // for its client, should that be cut off
    ProcessMark client{};                    // if it waits for one of this machine
    std::optional<Clock::time_point> end{};  // its client is gone: by then the session has to be, too
    Clock::time_point nextLook{};            // at the client's process
  };

  bool startTelemetry();       // true in the child
  int telemetryDelay() const;  // milliseconds until it may be started again; -1: there is no need
  void becomeTelemetry();
  void receive(const net::Socket& listener);
  void serve(Reception::Guest guest);
  void comeBack(Reception::Guest guest);
  bool makeRoom();  // a session that waits for its client gives way to one that has one
  void watchOver(Child& child, std::span<const pollfd, 3> entries, pid_t process);
  void hearWait(Child& child);
  void cutOff(Child& child);
  void checkPeers();
  void reap();
  void startDraining();
  void endSessions();
  int freeAccount() const;  // -1 when all are taken
  std::uint64_t allowanceOf(const access::Identity& identity, int device) const;
  bool hasRoomFor(const access::Identity& identity) const;
  int pollTimeout() const;

  const Options& options_;
  const ProbeResult& runtime_;
  const SessionHomes& homes_;
  Ledger ledger_;
  std::vector<net::Socket> listeners_;
  Gate& gate_;
  Shared& shared_;
  Reception reception_;
  int signals_ = -1;
  const pid_t supervisor_ = getpid();
  std::map<pid_t, Child> children_;
  std::deque<Reception::Guest> waiting_;  // until a session that gives way has gone
  Clock::time_point nextCheck_{};         // of the clients' machines
  std::optional<Clock::time_point> drainEnd_;
  pid_t telemetry_ = 0;  // 0: there is none
  Clock::time_point telemetryStarted_{};
};

}  // namespace hipr::worker
