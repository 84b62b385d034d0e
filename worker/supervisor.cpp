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

sigset_t handledSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGCHLD, SIGTERM, SIGINT}) sigaddset(&set, signal);
  return set;
}

}  // namespace

Supervisor::Supervisor(const Options& options, net::Socket listener, Ledger& ledger)
    : options_(options), listener_(std::move(listener)), ledger_(ledger) {
  const sigset_t set = handledSignals();
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

Supervisor::~Supervisor() {
  if (signals_ >= 0) close(signals_);
}

bool Supervisor::run(SessionSeat& seat) {
  for (;;) {
    pollfd entries[2] = {{signals_, POLLIN, 0}, {listener_.fd(), POLLIN, 0}};
    if (poll(entries, 2, -1) < 0 && errno != EINTR) {
      logError("poll: %s", std::strerror(errno));
      return true;
    }
    bool stop = false;
    for (signalfd_siginfo info; read(signals_, &info, sizeof info) == sizeof info;) stop |= info.ssi_signo != SIGCHLD;
    reap();
    if (stop) {
      drain();
      return true;
    }
    if ((entries[1].revents & POLLIN) && accept(seat)) return false;
  }
}

int Supervisor::freeAccount() const {
  std::vector<bool> taken(static_cast<std::size_t>(options_.maxSessions));
  for (const auto& [pid, child] : children_) taken[static_cast<std::size_t>(child.account)] = true;
  for (int i = 0; i < options_.maxSessions; ++i) {
    if (!taken[static_cast<std::size_t>(i)]) return i;
  }
  return -1;
}

bool Supervisor::accept(SessionSeat& seat) {
  net::Socket socket(accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!socket.open()) return false;  // the client has left again, or we are out of files
  const std::string peer = net::peerName(socket);
  const int account = freeAccount();
  if (account < 0) {
    logError("refused %s: %d sessions are running (--max-sessions)", peer.c_str(), options_.maxSessions);
    refuse(std::move(socket), "the worker is serving as many clients as it may; try later");
    return false;
  }
  const pid_t supervisor = getpid();
  const pid_t child = fork();
  if (child < 0) {
    logError("refused %s: fork: %s", peer.c_str(), std::strerror(errno));
    refuse(std::move(socket), "the worker cannot start another process");
    return false;
  }
  if (child > 0) {
    children_[child] = {peer, account};
    logDebug("session %d for %s", static_cast<int>(child), peer.c_str());
    return false;
  }
  // The session: dies with the supervisor, and leaves Ctrl-C to it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(1);
  signal(SIGINT, SIG_IGN);
  const sigset_t set = handledSignals();
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  listener_.close();
  seat = {std::move(socket), peer, account};
  return true;
}

// The listener's own thread must not wait: a frame this small always fits into a fresh socket.
void Supervisor::refuse(net::Socket socket, const std::string& why) {
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
    const auto found = children_.find(pid);
    if (found == children_.end()) continue;
    ledger_.close(found->second.account);
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
}

}  // namespace hipr::worker
