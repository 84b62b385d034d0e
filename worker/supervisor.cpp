#include "worker/supervisor.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/log.h"
#include "platform/secrets.h"
#include "worker/compile_process.h"
#include "worker/credit.h"
#include "worker/pass_socket.h"
#include "worker/session_process.h"

namespace hipr::worker {
namespace {

constexpr std::chrono::seconds kTelemetryPause(1);
constexpr std::chrono::seconds kLinger(5);       // for a session to end by itself when its client has gone
constexpr std::chrono::milliseconds kLook(200);  // between looks at the process of a client that was cut off
constexpr int kMostArrivals = 64;                // taken in before everybody else has a turn
constexpr char kCrowded[] = "the worker is serving as many clients as it may; try later";

sigset_t handledSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  return set;
}

// Seconds since the peer's machine last acknowledged anything. It answers keepalive probes (net/socket.h) whatever its
// program is doing. 0 where there is nothing to know.
int silence(const net::Socket& socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(socket.fd(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
  return static_cast<int>(info.tcpi_last_ack_recv / 1000);
}

bool pairOf(net::Socket& ours, net::Socket& sessions) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
  ours = net::Socket(ends[0]);
  sessions = net::Socket(ends[1]);
  return true;
}

int milliseconds(std::chrono::steady_clock::duration left) {
  return std::max(0, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count()));
}

}  // namespace

Supervisor::Supervisor(const Options& options, const ProbeResult& runtime, const SessionHomes& homes,
                       std::vector<std::uint64_t> capacities, Doors doors, Gate& gate, Shared& shared)
    : options_(options),
      runtime_(runtime),
      homes_(homes),
      ledger_(std::move(capacities), options.maxSessions, options.limits[Quota::kDeviceBytes]),
      listeners_(std::move(doors.listeners)),
      gate_(gate),
      shared_(shared),
      reception_(gate) {
  const sigset_t set = handledSignals();
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  reception_.setNearName(std::move(doors.nearName));
  for (const net::Socket& listener : listeners_)
    fcntl(listener.fd(), F_SETFL, fcntl(listener.fd(), F_GETFL) | O_NONBLOCK);
}

Supervisor::~Supervisor() {
  if (signals_ >= 0) close(signals_);
}

Role Supervisor::run() {
  std::vector<pollfd> entries;
  for (;;) {
    entries = {{signals_, POLLIN, 0}};
    for (const net::Socket& listener : listeners_) entries.push_back({listener.fd(), POLLIN, 0});
    for (const auto& [process, child] : children_) {
      entries.push_back({child.end ? -1 : child.socket.fd(), POLLRDHUP, 0});
      entries.push_back({child.control.fd(), POLLIN, 0});
      entries.push_back({child.door.fd(), POLLIN, 0});
    }
    const std::size_t visitors = entries.size();
    reception_.watch(entries);
    if (poll(entries.data(), entries.size(), pollTimeout()) < 0 && errno != EINTR) {
      logError("poll: %s", std::strerror(errno));
      return Role::kDone;
    }
    std::size_t at = 1 + listeners_.size();
    for (auto& [process, child] : children_) {
      watchOver(child, std::span(entries).subspan(at).first<3>(), process);
      at += 3;
    }
    checkPeers();
    for (Reception::Guest& guest : reception_.attend(std::span(entries).subspan(visitors))) serve(std::move(guest));
    bool stop = false, again = false;
    for (signalfd_siginfo info; read(signals_, &info, sizeof info) == sizeof info;) {
      stop |= info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT;
      again |= info.ssi_signo == SIGHUP;
    }
    if (again) gate_.refreshAnyway();
    reap();
    for (; !waiting_.empty() && freeAccount() >= 0; waiting_.pop_front()) serve(std::move(waiting_.front()));
    if (stop) startDraining();
    if (drainEnd_ && (children_.empty() || Clock::now() >= *drainEnd_)) {
      endSessions();
      return Role::kDone;
    }
    for (std::size_t i = 0; i < listeners_.size(); ++i)
      if (entries[1 + i].revents & POLLIN) receive(listeners_[i]);
    if (telemetryDelay() == 0 && startTelemetry()) return Role::kTelemetry;
  }
}

int Supervisor::pollTimeout() const {
  int timeout = reception_.patience();
  const auto atMost = [&timeout](int other) { timeout = timeout < 0 ? other : std::min(timeout, other); };
  const auto now = Clock::now();
  if (const int delay = telemetryDelay(); delay >= 0) atMost(delay);
  if (!children_.empty()) atMost(milliseconds(nextCheck_ - now));
  if (drainEnd_) atMost(milliseconds(*drainEnd_ - now));
  for (const auto& [process, child] : children_)
    if (child.end) atMost(milliseconds(std::min(*child.end, child.nextLook) - now));
  return timeout;
}

int Supervisor::freeAccount() const {
  std::vector<bool> taken(static_cast<std::size_t>(options_.maxSessions));
  for (const auto& [process, child] : children_) taken[static_cast<std::size_t>(child.account)] = true;
  const auto free = std::find(taken.begin(), taken.end(), false);
  return free == taken.end() ? -1 : static_cast<int>(free - taken.begin());
}

// --- clients

void Supervisor::receive(const net::Socket& listener) {
  for (int i = 0; i < kMostArrivals; ++i) {
    net::Socket socket(accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC));
    if (socket.open()) {
      reception_.arrive(std::move(socket));
    } else if ((errno != EMFILE && errno != ENFILE) || !reception_.dropOldest()) {
      return;  // nobody is there any more
    }
  }
}

bool Supervisor::hasRoomFor(const access::Identity& identity) const {
  if (identity.sessions == 0) return true;
  return std::ranges::count_if(children_, [&](const auto& entry) {
           return entry.second.identity.name == identity.name;
         }) < identity.sessions;
}

// Of what an identity may have, all of its sessions together.
std::uint64_t Supervisor::allowanceOf(const access::Identity& identity, int device) const {
  if (identity.memory == 0) return UINT64_MAX;
  std::uint64_t used = 0;
  for (const auto& [process, child] : children_)
    if (child.identity.name == identity.name) used += ledger_.promised(device, child.account);
  return identity.memory - std::min(identity.memory, used);
}

void Supervisor::serve(Reception::Guest guest) {
  if (guest.telemetry) {
    if (Status status = shared_.doorway.handOver(guest.socket, guest.shield); !status.ok())
      reception_.turnAway(std::move(guest), status.message());
    return;
  }
  if (guest.back) return comeBack(std::move(guest));
  const int account = freeAccount();
  if (account < 0) {
    if (!makeRoom()) return reception_.turnAway(std::move(guest), kCrowded);
    return waiting_.push_back(std::move(guest));
  }
  if (drainEnd_) return reception_.turnAway(std::move(guest), "the worker is stopping");
  if (!hasRoomFor(guest.identity)) {
    const std::string most = std::to_string(guest.identity.sessions);
    const std::string why = guest.identity.name + " has " + most + " sessions already, which is as many as it may";
    return reception_.turnAway(std::move(guest), why);
  }
  const std::string who = guest.identity.name.empty() ? guest.peer : guest.identity.name + " at " + guest.peer;
  Child child{.peer = who, .identity = guest.identity, .account = account};
  net::Socket control, door;  // the session's ends
  if (!pairOf(child.control, control) || !pairOf(child.door, door))
    return reception_.turnAway(std::move(guest), "the worker has no descriptors left");
  platform::randomBytes(child.resumeKey);
  SessionTicket ticket;
  ticket.resumeSeconds = options_.resumeSeconds;
  ticket.resumeKey = child.resumeKey;
  ticket.supervisor = supervisor_;
  ticket.peer = who;
  ticket.runtime = runtime_.path;
  ticket.devices = runtime_.devices;
  ticket.platform = runtime_.platform;
  ticket.cacheFolder = homes_.cacheFolder();
  if (options_.compile) ticket.compiler = compileProgram();
  ticket.identity = guest.identity.name;
  ticket.cacheLimit = options_.cacheLimit;
  ticket.limits = options_.limits;
  ticket.memoryLimit = options_.memoryLimit;
  ticket.peerTimeout = options_.peerTimeout;
  ticket.usageFolder = homes_.usageFolder();
  ticket.sandbox = homes_.plan(account);
  ticket.verbose = debugEnabled();
  ticket.shield = guest.shield;
  ticket.shares = guest.memory.open();
  ticket.standsBack = guest.identity.standsBack;
  homes_.prepare(ticket.sandbox);
  pid_t process = 0;
  if (Status status = startSession(ticket, guest.socket, guest.memory.descriptor(), shared_.board.descriptor(account),
                                   control, door, process);
      !status.ok()) {
    logError("%s", status.message().c_str());
    return reception_.turnAway(std::move(guest), "the worker cannot start another process");
  }
  logDebug("session %d for %s", static_cast<int>(process), who.c_str());
  shared_.board.sit(account, process, guest.identity.name);
  if (children_.empty()) nextCheck_ = Clock::now();
  child.socket = std::move(guest.socket);
  children_.emplace(process, std::move(child));
}

void Supervisor::comeBack(Reception::Guest guest) {
  for (auto& [process, child] : children_) {
    if (!platform::equalSecrets(child.resumeKey, *guest.back) || !child.waits) continue;
    if (child.identity.name != guest.identity.name || !passSocket(child.door, guest.socket, guest.shield)) break;
    logDebug("session %d of %s goes on from %s", static_cast<int>(process), child.peer.c_str(), guest.peer.c_str());
    child.socket = std::move(guest.socket);
    child.end.reset();
    return;
  }
  reception_.turnAway(std::move(guest), "that session has ended");
}

bool Supervisor::makeRoom() {
  Child* first = nullptr;
  pid_t process = 0;
  for (auto& [number, child] : children_) {
    if (!child.waits || !child.end || (first && *first->end < *child.end)) continue;
    first = &child;
    process = number;
  }
  if (!first) return false;
  logInfo("ending session %d, which waits for %s, to serve another client", static_cast<int>(process),
          first->peer.c_str());
  first->waits = false;
  kill(process, SIGKILL);
  return true;
}

// --- sessions

void Supervisor::hearWait(Child& child) {
  Wait wait;
  if (!takeWait(child.door, wait)) return child.door.close();
  child.client = ProcessMark(wait.process);
  child.waits = !wait.over && (wait.process == 0 || child.client.known());  // it may have ended by now
  if (!child.waits && child.end) child.end = std::min(*child.end, Clock::now() + kLinger);
}

// A program that has ended will not come back, and what it had is wanted by the next one.
void Supervisor::cutOff(Child& child) {
  const auto now = Clock::now();
  if (!child.end) child.end = now + (child.waits ? std::chrono::seconds(options_.resumeSeconds) : kLinger);
  child.nextLook = child.waits ? now + kLook : *child.end;
  if (child.waits && child.client.ended()) child.end = now;
}

void Supervisor::watchOver(Child& child, std::span<const pollfd, 3> entries, pid_t process) {
  const auto allowance = [&](int device) { return allowanceOf(child.identity, device); };
  if (entries[1].revents && !answerCredit(child.control, ledger_, child.account, allowance)) child.control.close();
  if (entries[2].revents) hearWait(child);
  if (entries[0].revents || (child.end && Clock::now() >= child.nextLook)) cutOff(child);
  if (!child.end || Clock::now() < *child.end) return;
  logInfo("the client %s is gone; ending session %d", child.peer.c_str(), static_cast<int>(process));
  kill(process, SIGKILL);
  child.end = Clock::now() + kLinger;
}

void Supervisor::checkPeers() {
  if (children_.empty() || Clock::now() < nextCheck_) return;
  nextCheck_ = Clock::now() + std::chrono::milliseconds(options_.peerTimeout * 250);
  for (auto& [process, child] : children_)
    if (!child.end && silence(child.socket) > options_.peerTimeout) {
      if (child.waits) child.socket.shutdown();  // which the session notices, too
      cutOff(child);
      if (!child.waits) child.end = Clock::now();
    }
}

void Supervisor::reap() {
  int status = 0;
  for (pid_t process; (process = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (process == telemetry_) {
      telemetry_ = 0;
      logError("the telemetry service ended (%s %d); sessions are not affected",
               WIFSIGNALED(status) ? "signal" : "code", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
      continue;
    }
    const auto found = children_.find(process);
    if (found == children_.end()) continue;
    const Child& child = found->second;
    ledger_.close(child.account);
    shared_.board.leave(child.account);
    homes_.clear(child.account, process);
    if (WIFSIGNALED(status) && !child.end) {
      logError("session %d (%s) ended by signal %d (%s); other sessions are not affected", static_cast<int>(process),
               child.peer.c_str(), WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else {
      logDebug("session %d (%s) ended", static_cast<int>(process), child.peer.c_str());
    }
    children_.erase(found);
  }
}

void Supervisor::startDraining() {
  listeners_.clear();
  if (drainEnd_) return;
  drainEnd_ = Clock::now() + std::chrono::seconds(options_.graceSeconds);
  if (!children_.empty())
    logInfo("stopping; %zu sessions have %d s to finish", children_.size(), options_.graceSeconds);
}

void Supervisor::endSessions() {
  for (const auto& [process, child] : children_) {
    logInfo("ending session %d (%s)", static_cast<int>(process), child.peer.c_str());
    kill(process, SIGKILL);
  }
  for (const auto& [process, child] : children_) waitpid(process, nullptr, 0);
  if (telemetry_) {
    kill(telemetry_, SIGKILL);
    waitpid(telemetry_, nullptr, 0);
  }
}

// --- telemetry

// Soon after its start it has probably crashed, and will again: not more often than this.
int Supervisor::telemetryDelay() const {
  if (telemetry_ || drainEnd_) return -1;
  pollfd entry{shared_.doorway.waitingFd(), POLLIN, 0};
  if (!shared_.metrics.open() && poll(&entry, 1, 0) <= 0) return -1;
  const auto wait = telemetryStarted_ + kTelemetryPause - Clock::now();
  if (telemetryStarted_ == Clock::time_point{} || wait <= wait.zero()) return 0;
  return milliseconds(wait);
}

bool Supervisor::startTelemetry() {
  telemetryStarted_ = Clock::now();
  const pid_t child = fork();
  if (child < 0) logError("telemetry: fork: %s", std::strerror(errno));
  if (child > 0) telemetry_ = child;
  if (child != 0) return false;
  becomeTelemetry();
  return true;
}

void Supervisor::becomeTelemetry() {
  // Dies with the supervisor, and leaves Ctrl-C to it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor_) _exit(1);
  signal(SIGINT, SIG_IGN);
  const sigset_t set = handledSignals();
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  listeners_.clear();
  reception_.clear();
  children_.clear();
}

}  // namespace hipr::worker
