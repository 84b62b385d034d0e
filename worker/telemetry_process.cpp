#include "worker/telemetry_process.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/log.h"

namespace hipr::worker {

constexpr std::chrono::seconds kPause(1);

// Soon after its start it has probably crashed, and will again: not more often than this.
int TelemetryProcess::delay() const {
  if (process_) return -1;
  pollfd entry{shared_.doorway.waitingFd(), POLLIN, 0};
  if (!shared_.metrics.open() && poll(&entry, 1, 0) <= 0) return -1;
  const auto wait = started_ + kPause - std::chrono::steady_clock::now();
  if (started_ == std::chrono::steady_clock::time_point{} || wait <= wait.zero()) return 0;
  return std::max(1, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(wait).count()));
}

bool TelemetryProcess::start() {
  started_ = std::chrono::steady_clock::now();
  const pid_t supervisor = getpid(), child = fork();
  if (child < 0) logError("telemetry: fork: %s", std::strerror(errno));
  if (child > 0) process_ = child;
  if (child != 0) return false;
  // Dies with the supervisor, and leaves Ctrl-C to it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(1);
  signal(SIGINT, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  return true;
}

bool TelemetryProcess::ended(pid_t process, int status) {
  if (process != process_) return false;
  process_ = 0;
  logError("the telemetry service ended (%s %d); sessions are not affected", WIFSIGNALED(status) ? "signal" : "code",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  return true;
}

void TelemetryProcess::end() {
  if (!process_) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = 0;
}

}  // namespace hipr::worker
