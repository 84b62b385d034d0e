#include "worker/supervisor.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "base/log.h"
#include "hip_remote/hip.h"
#include "worker/outbox.h"

namespace hipr::worker {
namespace {

constexpr std::chrono::seconds kTelemetryPause(1);
constexpr int kWaitingRoom = 16;  // connections beyond --max-sessions that may say whether they want a session at all

sigset_t handledSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGCHLD, SIGTERM, SIGINT}) sigaddset(&set, signal);
  return set;
}

}  // namespace

Supervisor::Supervisor(const Options& options, net::Socket listener, Shared& shared)
    : options_(options), listener_(std::move(listener)), shared_(shared) {
  const sigset_t set = handledSignals();
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

Supervisor::~Supervisor() {
  if (signals_ >= 0) close(signals_);
}

Role Supervisor::run(SessionSeat& seat) {
  for (;;) {
    // Connections at the doorway matter only while there is nobody to take them.
    pollfd entries[3] = {
        {signals_, POLLIN, 0}, {listener_.fd(), POLLIN, 0}, {telemetry_ ? -1 : shared_.doorway.waitingFd(), POLLIN, 0}};
    const int delay = telemetryDelay();
    if (poll(entries, delay > 0 ? 2 : 3, delay) < 0 && errno != EINTR) {
      logError("poll: %s", std::strerror(errno));
      return Role::kDone;
    }
    bool stop = false;
    for (signalfd_siginfo info; read(signals_, &info, sizeof info) == sizeof info;) stop |= info.ssi_signo != SIGCHLD;
    reap();
    if (stop) {
      drain();
      return Role::kDone;
    }
    if ((entries[1].revents & POLLIN) && accept(seat)) return Role::kSession;
    if (telemetryDelay() == 0 && startTelemetry()) return Role::kTelemetry;
  }
}

int Supervisor::freeAccount() const {
  std::vector<bool> taken(static_cast<std::size_t>(options_.maxSessions));
  for (const auto& [pid, child] : children_)
    if (child.account != kNoAccount) taken[static_cast<std::size_t>(child.account)] = true;
  for (int i = 0; i < options_.maxSessions; ++i) {
    if (!taken[static_cast<std::size_t>(i)]) return i;
  }
  return kNoAccount;
}

void Supervisor::becomeChild() {
  // Dies with the supervisor, and leaves Ctrl-C to it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor_) _exit(1);
  signal(SIGINT, SIG_IGN);
  const sigset_t set = handledSignals();
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  listener_.close();
}

// Soon after its start it has probably crashed, and will again: not more often than this.
int Supervisor::telemetryDelay() const {
  if (telemetry_) return -1;
  pollfd entry{shared_.doorway.waitingFd(), POLLIN, 0};
  if (!shared_.metrics.open() && poll(&entry, 1, 0) <= 0) return -1;
  const auto wait = telemetryStarted_ + kTelemetryPause - Clock::now();
  if (telemetryStarted_ == Clock::time_point{} || wait <= wait.zero()) return 0;
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(wait).count());
}

bool Supervisor::startTelemetry() {
  telemetryStarted_ = Clock::now();
  const pid_t child = fork();
  if (child < 0) logError("telemetry: fork: %s", std::strerror(errno));
  if (child > 0) telemetry_ = child;
  if (child != 0) return false;
  becomeChild();
  return true;
}

bool Supervisor::accept(SessionSeat& seat) {
  net::Socket socket(accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!socket.open()) return false;  // the client has left again, or we are out of files
  const std::string peer = net::peerName(socket);
  const int account = freeAccount();
  if (account == kNoAccount && children_.size() >= static_cast<std::size_t>(options_.maxSessions) + kWaitingRoom) {
    logError("refused %s: %d sessions are running (--max-sessions)", peer.c_str(), options_.maxSessions);
    refuse(socket, kCrowded);
    return false;
  }
  const pid_t child = fork();
  if (child < 0) {
    logError("refused %s: fork: %s", peer.c_str(), std::strerror(errno));
    refuse(socket, "the worker cannot start another process");
    return false;
  }
  if (child > 0) {
    children_[child] = {peer, account};
    logDebug("session %d for %s", static_cast<int>(child), peer.c_str());
    return false;
  }
  becomeChild();
  shared_.metrics.close();
  seat = {std::move(socket), peer, account};
  return true;
}

// Nobody must wait here: a frame this small always fits into a fresh socket.
void refuse(const net::Socket& socket, const std::string& why) {
  std::vector<std::byte> frame;
  appendFrame(frame, wire::Opcode::kRefused, 0, wire::HIP_REMOTE_FLAG_NO_REPLY,
              wire::Refused{hipErrorNotInitialized, why});
  if (send(socket.fd(), frame.data(), frame.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
    logDebug("could not tell the client: %s", std::strerror(errno));
  }
  shutdown(socket.fd(), SHUT_WR);
}

void Supervisor::reap() {
  int status = 0;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (pid == telemetry_) {
      telemetry_ = 0;
      logError("the telemetry service ended (%s %d); sessions are not affected",
               WIFSIGNALED(status) ? "signal" : "code", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
      continue;
    }
    const auto found = children_.find(pid);
    if (found == children_.end()) continue;
    if (found->second.account != kNoAccount) {
      shared_.ledger.close(found->second.account);
      shared_.board.leave(found->second.account);
    }
    if (WIFSIGNALED(status)) {
      logError("session %d (%s) ended by signal %d (%s); other sessions are not affected", static_cast<int>(pid),
               found->second.peer.c_str(), WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else {
      logDebug("session %d (%s) ended", static_cast<int>(pid), found->second.peer.c_str());
    }
    children_.erase(found);
  }
}

void Supervisor::drain() {
  using Clock = std::chrono::steady_clock;
  listener_.close();
  const auto end = Clock::now() + std::chrono::seconds(options_.graceSeconds);
  if (!children_.empty())
    logInfo("stopping; %zu sessions have %d s to finish", children_.size(), options_.graceSeconds);
  while (!children_.empty() && Clock::now() < end) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd entry{signals_, POLLIN, 0};
    poll(&entry, 1, static_cast<int>(left) + 1);
    for (signalfd_siginfo info; read(signals_, &info, sizeof info) == sizeof info;) {
    }
    reap();
  }
  for (const auto& [pid, child] : children_) {
    logInfo("ending session %d (%s)", static_cast<int>(pid), child.peer.c_str());
    kill(pid, SIGKILL);
  }
  for (const auto& [pid, child] : children_) waitpid(pid, nullptr, 0);
  if (telemetry_) {
    kill(telemetry_, SIGKILL);
    waitpid(telemetry_, nullptr, 0);
  }
}

}  // namespace hipr::worker
