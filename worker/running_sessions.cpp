#include "worker/running_sessions.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/log.h"
#include "platform/secrets.h"
#include "wire/platform_codec.h"
#include "worker/desk.h"
#include "worker/pass_socket.h"
#include "worker/platform.h"
#include "worker/session_process.h"
#include "worker/ucx_process.h"

namespace hipr::worker {
namespace {

constexpr std::chrono::seconds kLinger(5);       // for a session to end by itself when its client has gone
constexpr int kLastMoments = 1000;               // milliseconds for a process that was killed
constexpr std::chrono::milliseconds kLook(200);  // between looks at the process of a client that was cut off

// Seconds since the peer's machine last acknowledged anything. It answers keepalive probes (net/socket.h) whatever its
// program is doing. 0 where there is nothing to know.
int silence(const net::Socket& socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(socket.fd(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
  return static_cast<int>(info.tcpi_last_ack_recv / 1000);
}

bool hungUp(const net::Socket& socket) {
  pollfd entry{socket.fd(), POLLRDHUP, 0};
  return poll(&entry, 1, 0) > 0;
}

// Whether a client that has this machine's name has numbers of its own for its processes, as in a container: this one
// is nobody's, although the client is there, or another program's. `program`: the name of the client's.
bool countsElsewhere(std::uint64_t process, const std::string& program, const net::Socket& client) {
  if (!ProcessMark(process).known()) return !hungUp(client);
  char path[PATH_MAX];
  const ssize_t size = readlink(("/proc/" + std::to_string(process) + "/exe").c_str(), path, sizeof path);
  if (size < 0) return errno == ENOENT;  // one of the kernel's own
  const std::string name(path, static_cast<std::size_t>(size));
  return !name.substr(name.rfind('/') + 1).starts_with(program);  // which may be cut short
}

// Of a part of every device what belongs to these, by the numbers of whoever has them.
ComputePart only(ComputePart part, const std::vector<std::int32_t>& devices) {
  const std::vector<ComputeUnits> all = std::exchange(part.devices, {});
  if (!all.empty())
    for (const std::int32_t device : devices) part.devices.push_back(all[static_cast<std::size_t>(device)]);
  return part;
}

// Of two limits; 0 is none.
std::uint64_t smaller(std::uint64_t a, std::uint64_t b) {
  return a && b ? std::min(a, b) : std::max(a, b);
}

bool pairOf(net::Socket& ours, net::Socket& sessions) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
  ours = net::Socket(ends[0]);
  sessions = net::Socket(ends[1]);
  return true;
}

}  // namespace

RunningSessions::RunningSessions(const Options& options, const ProbeResult& runtime, const SessionHomes& homes,
                                 SessionBoard& board, std::vector<std::uint64_t> capacities)
    : options_(options),
      runtime_(runtime),
      homes_(homes),
      board_(board),
      ledger_(std::move(capacities), board.seats(), options.limits[Quota::kDeviceBytes]),
      shares_(board.seats()),
      supervisor_(getpid()) {
  (void)wire::decodePlatform(runtime.platform, platform_);  // ours, and in order: we made it
}

// --- room

int RunningSessions::freeAccount() const {
  std::vector<bool> taken(static_cast<std::size_t>(board_.seats()));
  for (const auto& [process, session] : sessions_) taken[static_cast<std::size_t>(session.account)] = true;
  const auto free = std::find(taken.begin(), taken.end(), false);
  return sessions_.size() >= static_cast<std::size_t>(options_.maxSessions) || free == taken.end()
             ? -1
             : static_cast<int>(free - taken.begin());
}

bool RunningSessions::hasRoomFor(const access::Identity& identity, std::ptrdiff_t coming) const {
  if (identity.sessions == 0) return true;
  const auto its = [&](const auto& entry) {
    return entry.second.identity.name == identity.name && !entry.second.leaving();
  };
  return std::ranges::count_if(sessions_, its) + coming < identity.sessions;
}

std::vector<std::int32_t> RunningSessions::devicesOf(const access::Identity& identity) const {
  std::vector<std::int32_t> out = identity.devices;
  if (out.empty()) {
    out.resize(runtime_.devices.size());
    std::iota(out.begin(), out.end(), 0);
  }
  std::erase_if(out, [&](std::int32_t device) { return static_cast<std::size_t>(device) >= runtime_.devices.size(); });
  return out;
}

// Of what an identity may have, all of its sessions together.
std::uint64_t RunningSessions::allowanceOf(const access::Identity& identity, int device) const {
  if (identity.memory == 0) return UINT64_MAX;
  std::uint64_t used = 0;
  for (const auto& [process, session] : sessions_)
    if (session.identity.name == identity.name) used += ledger_.promised(device, session.account);
  return identity.memory - std::min(identity.memory, used);
}

bool RunningSessions::makeRoom(std::size_t waiting) {
  const auto leaving = std::ranges::count_if(sessions_, [](const auto& entry) { return entry.second.leaving(); });
  if (static_cast<std::size_t>(leaving) > waiting) return true;
  Running* first = nullptr;
  pid_t process = 0;
  for (auto& [number, session] : sessions_) {
    if (!session.waits || !session.end || (first && *first->end < *session.end)) continue;
    first = &session;
    process = number;
  }
  if (!first) return false;
  logInfo("ending session %d, which waits for %s, to serve another client", static_cast<int>(process),
          first->peer.c_str());
  first->waits = false;
  end(*first, process);
  return true;
}

// --- a client comes

Status RunningSessions::start(Reception::Guest& guest) {
  const int account = freeAccount();
  const std::string who = guest.identity.name.empty() ? guest.peer : guest.identity.name + " at " + guest.peer;
  Running session{.peer = who, .identity = guest.identity, .account = account, .devices = devicesOf(guest.identity)};
  net::Socket control, door;  // the session's ends
  if (!pairOf(session.control, control) || !pairOf(session.door, door))
    return Status::exhausted("the worker has no descriptors left");
  platform::randomBytes(session.resumeKey);
  SessionBrief brief;
  if (guest.ucx) {
    if (Status status = makeBridge(guest, account, brief.key); !status.ok()) return status;
  }
  brief.resumeSeconds = options_.resumeSeconds;
  brief.resumeKey = session.resumeKey;
  brief.supervisor = supervisor_;
  brief.outlives = options_.keepSessions;
  brief.peer = who;
  brief.runtime = runtime_.path;
  for (const std::int32_t device : session.devices)
    brief.devices.push_back(runtime_.devices[static_cast<std::size_t>(device)]);
  brief.platform = runtime_.platform;
  std::vector<std::byte> own;  // what it sees, unless that is everything
  if (!guest.identity.devices.empty() || guest.identity.memory) {
    wire::encodePlatform(seenBy(platform_, session.devices, guest.identity.memory), own);
    brief.platform = own;
  }
  brief.cacheFolder = homes_.cacheFolder();
  brief.compiles = options_.compile;
  brief.identity = guest.identity.name;
  brief.cacheLimit = options_.cacheLimit;
  brief.dataFolder = homes_.dataFolder();
  brief.dataLimit = options_.dataLimit;
  brief.limits = options_.limits;
  brief.memoryLimit = smaller(options_.memoryLimit, guest.identity.memory);
  if (options_.compute) brief.compute = only(options_.compute->of(account), session.devices);
  brief.peerTimeout = options_.peerTimeout;
  brief.usageFolder = homes_.usageFolder();
  brief.sandbox = homes_.plan(account, guest.identity.name);
  brief.verbose = debugEnabled();
  brief.shield = guest.shield;
  brief.shares = guest.memory.open();
  brief.meetsPeers = options_.peers.any();
  brief.standsBack = guest.identity.standsBack;
  homes_.prepare(brief.sandbox, guest.identity.name);
  pid_t process = 0;
  if (Status status = startSession(brief, guest.socket, guest.memory.descriptor(), board_.descriptor(account), control,
                                   door, process);
      !status.ok()) {
    logError("%s", status.message().c_str());
    return Status::exhausted("the worker cannot start another process");
  }
  logDebug("session %d for %s", static_cast<int>(process), who.c_str());
  board_.sit(account, process, guest.identity.name);
  if (sessions_.empty()) nextCheck_ = Clock::now();
  session.socket = std::move(guest.socket);
  sessions_.emplace(process, std::move(session));
  return {};
}

Status RunningSessions::makeBridge(Reception::Guest& guest, int account, std::optional<wire::Bits256>& key) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Status::exhausted("the worker has no descriptors left");
  net::Socket bridges(ends[0]), sessions(ends[1]);
  UcxBrief brief{homes_.ucxPlan(account), guest.shield, {}, options_.peerTimeout, debugEnabled()};
  platform::randomBytes(brief.key);
  if (Status status = startUcxBridge(brief, guest.socket, bridges); !status.ok()) {
    logError("%s", status.message().c_str());
    return Status::exhausted("the worker cannot start another process");
  }
  if (guest.shield) key = brief.key;
  guest.shield.reset();
  guest.socket = std::move(sessions);
  return {};
}

bool RunningSessions::comeBack(Reception::Guest& guest) {
  for (auto& [process, session] : sessions_) {
    if (!platform::equalSecrets(session.resumeKey, *guest.back) || !session.waits) continue;
    const Passenger passenger{.shield = guest.shield, .lane = guest.lane};
    if (session.identity.name != guest.identity.name || !passSocket(session.door, guest.socket, passenger)) break;
    if (guest.lane) return true;
    logDebug("session %d of %s goes on from %s", static_cast<int>(process), session.peer.c_str(), guest.peer.c_str());
    session.socket = std::move(guest.socket);
    session.end.reset();
    return true;
  }
  return false;
}

bool RunningSessions::redeem(Reception::Guest& guest) {
  return guest.shield && tickets_.redeem(*guest.ticket, guest.socket, *guest.shield);
}

// --- and goes

void RunningSessions::hearWait(Running& session) {
  Wait wait;
  if (!takeWait(session.door, wait)) return session.door.close();
  if (wait.process && countsElsewhere(wait.process, board_.sitter(session.account).program, session.socket))
    wait.process = 0;
  session.clientProcess = wait.process;
  session.client = ProcessMark(wait.process);
  session.waits = !wait.over && (wait.process == 0 || session.client.known());  // it may have ended by now
  if (!session.waits && session.end) session.end = std::min(*session.end, Clock::now() + kLinger);
}

// A program that has ended will not come back, and what it had is wanted by the next one.
void RunningSessions::cutOff(Running& session) {
  const auto now = Clock::now();
  if (!session.end) session.end = now + (session.waits ? std::chrono::seconds(options_.resumeSeconds) : kLinger);
  session.nextLook = session.waits ? now + kLook : *session.end;
  if (session.waits && session.client.ended()) session.end = now;
}

bool RunningSessions::answer(const Running& session) {
  const auto allowance = [&](int device) { return allowanceOf(session.identity, device); };
  const auto compiler = [&] {
    const SandboxPlan plan = homes_.plan(session.account, session.identity.name);
    return options_.compile ? compilers_.start(session.account, plan) : Descriptor();
  };
  return worker::attend(session.control, {session.account, session.identity.name, session.devices, allowance, compiler},
                        {ledger_, shares_, tickets_, options_.peers});
}

void RunningSessions::watchOver(Running& session, std::span<const pollfd, kEntries> entries, pid_t process) {
  for (const pollfd& entry : entries.subspan<1, 2>())
    if (entry.revents) session.pace.count(Clock::now());
  if (entries[1].revents && !answer(session)) session.control.close();
  if (entries[2].revents) hearWait(session);
  if (entries[0].revents || (session.end && Clock::now() >= session.nextLook)) cutOff(session);
  if (!session.end || Clock::now() < *session.end) return;
  logInfo("the client %s is gone; ending session %d", session.peer.c_str(), static_cast<int>(process));
  end(session, process);
  session.end = Clock::now() + kLinger;
}

void RunningSessions::checkPeers() {
  if (sessions_.empty() || Clock::now() < nextCheck_) return;
  nextCheck_ = Clock::now() + std::chrono::milliseconds(options_.peerTimeout * 250);
  for (auto& [process, session] : sessions_)
    if (!session.end && silence(session.socket) > options_.peerTimeout) {
      if (session.waits) session.socket.shutdown();  // which the session notices, too
      cutOff(session);
      if (!session.waits) session.end = Clock::now();
    }
}

void RunningSessions::watch(std::vector<pollfd>& entries) const {
  const auto now = Clock::now();
  for (const auto& [process, session] : sessions_) {
    const bool heard = session.pace.open(now);
    entries.push_back({session.end ? -1 : session.socket.fd(), POLLRDHUP, 0});
    entries.push_back({heard ? session.control.fd() : -1, POLLIN, 0});
    entries.push_back({heard ? session.door.fd() : -1, POLLIN, 0});
    entries.push_back({session.process.fd(), POLLIN, 0});
  }
}

void RunningSessions::attend(std::span<const pollfd> entries) {
  for (auto next = sessions_.begin(); next != sessions_.end(); entries = entries.subspan(kEntries)) {
    const auto session = next++;
    watchOver(session->second, entries.first<kEntries>(), session->first);
    if (entries[3].revents) close(session);
  }
  checkPeers();
}

int RunningSessions::patience() const {
  if (sessions_.empty()) return -1;
  const auto now = Clock::now();
  auto first = nextCheck_;
  for (const auto& [process, session] : sessions_) {
    if (session.end) first = std::min({first, *session.end, session.nextLook});
    if (!session.pace.open(now)) first = std::min(first, session.pace.opens());
  }
  return std::max(0, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(first - now).count()));
}

void RunningSessions::end(const Running& session, pid_t process) {
  if (session.process.open()) {
    syscall(SYS_pidfd_send_signal, session.process.fd(), SIGKILL, nullptr, 0);
  } else {
    kill(process, SIGKILL);
  }
}

void RunningSessions::close(std::map<pid_t, Running>::iterator session) {
  compilers_.end(session->second.account);
  ledger_.close(session->second.account);
  shares_.close(session->second.account);
  tickets_.close(session->second.account);
  board_.leave(session->second.account);
  homes_.clear(session->second.account, session->first);
  sessions_.erase(session);
}

void RunningSessions::ended(pid_t process, int status) {
  compilers_.reaped(process);
  const auto found = sessions_.find(process);
  if (found == sessions_.end()) return;
  const Running& session = found->second;
  if (WIFSIGNALED(status) && !session.end) {
    logError("session %d (%s) ended by signal %d (%s); other sessions are not affected", static_cast<int>(process),
             session.peer.c_str(), WTERMSIG(status), strsignal(WTERMSIG(status)));
  } else {
    logDebug("session %d (%s) ended", static_cast<int>(process), session.peer.c_str());
  }
  close(found);
}

void RunningSessions::endAll() {
  for (const auto& [process, session] : sessions_) {
    logInfo("ending session %d (%s)", static_cast<int>(process), session.peer.c_str());
    end(session, process);
    compilers_.end(session.account);
  }
  for (const auto& [process, session] : sessions_) {
    pollfd entry{session.process.fd(), POLLIN, 0};
    if (session.process.open()) poll(&entry, 1, kLastMoments);
    waitpid(process, nullptr, 0);
  }
}

}  // namespace hipr::worker
