// The process of the telemetry service (smi/), as the supervisor sees it: it is started when somebody asks for
// telemetry, and again when it has ended. It is a program image of its own, in a sandbox (own_image.h, sandbox.h):
// others may talk to it without showing anything. Used by one thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "net/socket.h"
#include "worker/sandbox.h"
#include "worker/session_counters.h"
#include "worker/smi/doorway.h"
#include "worker/smi/token_desk.h"

namespace hipr::worker {

// What the supervisor and its telemetry service have in common.
struct Shared {
  SessionBoard& board;
  Doorway doorway;
  TokenDesk tokenDesk;
  net::Socket metrics;  // the listener of the metrics page, if there is one
};

class TelemetryProcess {
 public:
  // `platform`: wire/platform_codec.h. `usageFolder`: of softgpu's; empty: where it always is.
  TelemetryProcess(const Shared& shared, SandboxPlan sandbox, std::vector<std::byte> platform, std::string usageFolder,
                   bool verbose)
      : shared_(shared),
        sandbox_(std::move(sandbox)),
        platform_(std::move(platform)),
        usageFolder_(std::move(usageFolder)),
        verbose_(verbose) {}

  int delay() const;  // milliseconds until it may be started; -1: there is no need
  void start();
  bool ended(pid_t process, int status);  // false: that was another one
  void end();

 private:
  const Shared& shared_;
  const SandboxPlan sandbox_;
  const std::vector<std::byte> platform_;
  const std::string usageFolder_;
  const bool verbose_;
  pid_t process_ = 0;  // 0: there is none
  std::chrono::steady_clock::time_point started_{};
};

// In the new process: whether it is one, and its whole life.
bool isTelemetryProcess(int argc, char** argv);
[[noreturn]] void runTelemetry(const char* version);

}  // namespace hipr::worker
