// Supervisor: receives clients and gives each a process of its own; starts and ends the others. Single-threaded, and it
// never loads a GPU library.
#pragma once

#include <chrono>
#include <deque>
#include <optional>

#include "net/socket.h"
#include "worker/listeners.h"
#include "worker/options.h"
#include "worker/reception.h"
#include "worker/running_sessions.h"
#include "worker/telemetry_process.h"

namespace hipr::worker {

class Supervisor {
 public:
  Supervisor(const Options& options, const ProbeResult& runtime, const SessionHomes& homes,
             std::vector<std::uint64_t> capacities, Doors doors, Gate& gate, Shared& shared);
  ~Supervisor();

  // Goes on with what an earlier supervisor has left. REQUIRES: before run().
  void inherit(const HandedState& state, Heritage& heritage);

  void run();  // until SIGTERM or SIGINT

 private:
  using Clock = std::chrono::steady_clock;
  enum class Follower { kNone, kProgram, kProcess };  // who goes on: nobody; the program on disk now; whoever is next

  void takeSignals();
  void receive(const net::Socket& listener);
  void serve(Reception::Guest guest);
  void reap();
  void startDraining();
  void handOver();
  int pollTimeout() const;

  const Options& options_;
  const ProbeResult& runtime_;
  const SessionHomes& homes_;
  Doors doors_;
  Gate& gate_;
  Shared& shared_;
  Reception reception_;
  RunningSessions sessions_;
  TelemetryProcess telemetry_;
  int signals_ = -1;
  std::deque<Reception::Guest> waiting_;  // until a session that gives way has gone
  std::optional<Clock::time_point> drainEnd_;
  Follower follower_ = Follower::kNone;
  Clock::time_point greetingsEnd_{};  // those who are being received have until then, when somebody follows
};

}  // namespace hipr::worker
