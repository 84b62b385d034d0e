// The process of the telemetry service (smi/), as the supervisor sees it: it is started when somebody asks for
// telemetry, and again when it has ended. Used by one thread.
#pragma once

#include <sys/types.h>

#include <chrono>

#include "net/socket.h"
#include "worker/session_counters.h"
#include "worker/smi/doorway.h"

namespace hipr::worker {

// What the supervisor and its telemetry service have in common.
struct Shared {
  SessionBoard& board;
  Doorway doorway;
  net::Socket metrics;  // the listener of the metrics page, if there is one
};

class TelemetryProcess {
 public:
  explicit TelemetryProcess(Shared& shared) : shared_(shared) {}

  int delay() const;                      // milliseconds until it may be started; -1: there is no need
  bool start();                           // true in the new process
  bool ended(pid_t process, int status);  // false: that was another one
  void end();

 private:
  Shared& shared_;
  pid_t process_ = 0;  // 0: there is none
  std::chrono::steady_clock::time_point started_{};
};

}  // namespace hipr::worker
