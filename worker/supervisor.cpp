#include "worker/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/log.h"

namespace hipr::worker {
namespace {

constexpr int kMostArrivals = 64;  // taken in before everybody else has a turn
constexpr std::chrono::seconds kGreetings(1);
constexpr char kCrowded[] = "the worker is serving as many clients as it may; try later";

sigset_t handledSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGUSR2}) sigaddset(&set, signal);
  return set;
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
      doors_(std::move(doors)),
      gate_(gate),
      shared_(shared),
      reception_(gate),
      sessions_(options, runtime, homes, shared.board, std::move(capacities)),
      telemetry_(shared, homes.telemetryPlan(), runtime.platform, homes.usageFolder(), options.verbose) {
  const sigset_t set = handledSignals();
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  reception_.setNearName(doors_.nearName);
  reception_.setUcx(options.ucx);
  gate_.honourTickets([this](const std::string& name) { return sessions_.findTicket(name); });
  for (const net::Socket& listener : doors_.listeners)
    fcntl(listener.fd(), F_SETFL, fcntl(listener.fd(), F_GETFL) | O_NONBLOCK);
}

Supervisor::~Supervisor() {
  if (signals_ >= 0) close(signals_);
}

void Supervisor::run() {
  std::vector<pollfd> entries;
  for (;;) {
    entries = {{signals_, POLLIN, 0}, {shared_.tokenDesk.askedFd(), POLLIN, 0}};
    for (const net::Socket& listener : doors_.listeners)
      entries.push_back({follower_ == Follower::kNone ? listener.fd() : -1, POLLIN, 0});
    const std::size_t sessions = entries.size();
    sessions_.watch(entries);
    const std::size_t visitors = entries.size();
    reception_.watch(entries);
    if (poll(entries.data(), entries.size(), pollTimeout()) < 0 && errno != EINTR) {
      logError("poll: %s", std::strerror(errno));
      return;
    }
    sessions_.attend(std::span(entries).first(visitors).subspan(sessions));
    for (Reception::Guest& guest : reception_.attend(std::span(entries).subspan(visitors))) serve(std::move(guest));
    if (entries[1].revents & POLLIN) shared_.tokenDesk.answer([this](auto token) { return gate_.knows(token); });
    takeSignals();
    reap();
    while (!waiting_.empty() && !sessions_.full()) {
      Reception::Guest next = std::move(waiting_.front());
      waiting_.pop_front();
      serve(std::move(next));
    }
    if (follower_ != Follower::kNone && ((reception_.empty() && waiting_.empty()) || Clock::now() >= greetingsEnd_))
      handOver();
    if (drainEnd_ && (sessions_.empty() || Clock::now() >= *drainEnd_)) {
      sessions_.endAll();
      telemetry_.end();
      return;
    }
    for (std::size_t i = 0; i < doors_.listeners.size(); ++i)
      if (entries[2 + i].revents & POLLIN) receive(doors_.listeners[i]);
    if (!drainEnd_ && telemetry_.delay() == 0) telemetry_.start();
  }
}

int Supervisor::pollTimeout() const {
  int timeout = -1;
  const auto atMost = [&timeout](int other) {
    if (other >= 0) timeout = timeout < 0 ? other : std::min(timeout, other);
  };
  atMost(reception_.patience());
  atMost(sessions_.patience());
  if (!drainEnd_) atMost(telemetry_.delay());
  if (drainEnd_) atMost(milliseconds(*drainEnd_ - Clock::now()));
  if (follower_ != Follower::kNone) atMost(milliseconds(greetingsEnd_ - Clock::now()));
  return timeout;
}

void Supervisor::takeSignals() {
  const auto follow = [this](Follower who) {
    follower_ = who;
    greetingsEnd_ = Clock::now() + kGreetings;
  };
  for (signalfd_siginfo info; read(signals_, &info, sizeof info) == sizeof info;) {
    const auto signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGHUP) gate_.refreshAnyway();
    if (signal == SIGUSR2 && !drainEnd_) follow(Follower::kProgram);
    if (signal == SIGINT || (signal == SIGTERM && !options_.keepSessions)) startDraining();
    if (signal == SIGTERM && options_.keepSessions && !drainEnd_) follow(Follower::kProcess);
  }
}

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

void Supervisor::serve(Reception::Guest guest) {
  if (guest.telemetry) {
    if (Status status = shared_.doorway.handOver(guest.socket, {guest.shield, guest.identity.devices}); !status.ok())
      reception_.turnAway(std::move(guest), status.message());
    return;
  }
  if (guest.ticket) {
    if (!sessions_.redeem(guest)) reception_.turnAway(std::move(guest), "that ticket is not good any more");
    return;
  }
  if (guest.back) {
    if (!sessions_.comeBack(guest)) reception_.turnAway(std::move(guest), "that session has ended");
    return;
  }
  if (drainEnd_) return reception_.turnAway(std::move(guest), "the worker is stopping");
  const auto before = std::ranges::count_if(
      waiting_, [&](const Reception::Guest& other) { return other.identity.name == guest.identity.name; });
  if (!sessions_.hasRoomFor(guest.identity, before)) {
    const std::string most = std::to_string(guest.identity.sessions);
    const std::string why = guest.identity.name + " has " + most + " sessions already, which is as many as it may";
    return reception_.turnAway(std::move(guest), why, Refusal::kForNow);
  }
  if (!guest.identity.devices.empty() && sessions_.devicesOf(guest.identity).empty()) {
    const std::string why = "this worker has none of the devices that are for " + guest.identity.name;
    return reception_.turnAway(std::move(guest), why);
  }
  // Last of all: nobody else's session ends for somebody who is not served then.
  if (sessions_.full()) {
    if (!sessions_.makeRoom(waiting_.size())) return reception_.turnAway(std::move(guest), kCrowded, Refusal::kForNow);
    return waiting_.push_back(std::move(guest));
  }
  if (Status status = sessions_.start(guest); !status.ok()) reception_.turnAway(std::move(guest), status.message());
}

void Supervisor::reap() {
  int status = 0;
  for (pid_t process; (process = waitpid(-1, &status, WNOHANG)) > 0;)
    if (!telemetry_.ended(process, status)) sessions_.ended(process, status);
}

void Supervisor::startDraining() {
  doors_.listeners.clear();
  if (drainEnd_) return;
  follower_ = Follower::kNone;
  drainEnd_ = Clock::now() + std::chrono::seconds(options_.graceSeconds);
  if (!sessions_.empty())
    logInfo("stopping; %zu sessions have %d s to finish", sessions_.size(), options_.graceSeconds);
}

// --- another one goes on

void Supervisor::inherit(const HandedState& state, Heritage& heritage) {
  sessions_.inherit(state, heritage);
  if (!sessions_.empty()) logInfo("going on with %zu sessions", sessions_.size());
}

// Connections that come now wait in the listening socket, which stays open all the time.
void Supervisor::handOver() {
  const bool program = follower_ == Follower::kProgram;
  follower_ = Follower::kNone;
  Status status = program ? takesOver(options_.program) : Status{};
  Heritage heritage;
  if (status.ok()) {
    HandedState state;
    state.setRuntime(runtime_);
    state.folder = homes_.folder();
    state.pageLayout = pageLayout();
    sessions_.handOver(state, heritage);
    worker::handOver(options_, doors_, shared_.metrics, state, heritage);
    const net::Socket file = writeState(state);
    heritage.add(kStateName, file.fd());
    telemetry_.end();  // the follower starts its own
    status = program ? heritage.become(options_.program) : heritage.store();
    if (status.ok()) _exit(0);  // no destructors: what they would clear away is in use
  }
  logError("%s", status.within("handing over").message().c_str());
  if (!program) startDraining();
}

}  // namespace hipr::worker
