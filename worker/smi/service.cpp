#include "worker/smi/service.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/env.h"
#include "base/log.h"
#include "net/socket_transport.h"
#include "tls/tls_transport.h"

namespace hipr::worker {
namespace {

constexpr std::size_t kMaxPeers =
    512;  // below the usual limit of open files: running out of those would leave us spinning
constexpr std::chrono::seconds kPatience(15);  // to greet, to send a request of HTTP, to take an answer
constexpr std::chrono::seconds kIdle(300);     // between two questions; clients of ours connect again by themselves
constexpr int kIoTimeout = 60;
constexpr int kMostArrivals = 64;  // scrapers taken in before everybody else has a turn
constexpr int kMostAnswers = 16;   // to one that asks without a pause, likewise

}  // namespace

Status listenForMetrics(const std::string& address, net::Socket& listener, std::string& url) {
  if (address.empty()) return {};
  const std::size_t colon = address.rfind(':');
  const std::string portText = colon == std::string::npos ? address : address.substr(colon + 1);
  std::string host = colon == std::string::npos ? "" : address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty()) host = "127.0.0.1";
  const auto port = parseNumber(portText, 0, 65535);
  if (!port) return Status::invalid("--http: \"" + address + "\" is not ADDRESS:PORT");
  std::uint16_t bound = 0;
  const Status status = net::listenOn(host, static_cast<std::uint16_t>(*port), listener, &bound);
  const bool six = host.find(':') != std::string::npos;
  url = "http://" + (six ? "[" + host + "]" : host) + ":" + std::to_string(bound) + "/metrics";
  return status.within("--http");
}

void SmiService::admit(net::Socket socket, const std::optional<tls::Shield>& shield,
                       std::unique_ptr<Protocol> protocol) {
  // Whoever has been silent longest makes room: nobody keeps others out by doing nothing.
  if (peers_.size() >= kMaxPeers) {
    peers_.erase(std::min_element(peers_.begin(), peers_.end(),
                                  [](const Peer& a, const Peer& b) { return a.active < b.active; }));
  }
  const auto now = Clock::now();
  const int fd = socket.fd();
  net::TransportPtr transport = net::overSocket(std::move(socket), kIoTimeout);
  if (shield) transport = tls::overTls(std::move(transport), *shield);
  peers_.push_back({fd, std::move(transport), std::move(protocol), {}, {}, 0, false, now + kPatience, now});
}

void SmiService::acceptScrapers() {
  for (int i = 0; i < kMostArrivals; ++i) {
    net::Socket socket(accept4(metrics_.fd(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket.open()) return;
    const auto line = net::isLoopback(socket) ? HttpProtocol::Line::kLocal : HttpProtocol::Line::kOpen;
    admit(std::move(socket), {}, std::make_unique<HttpProtocol>(station_, line, knows_));
  }
}

bool SmiService::receive(Peer& peer, bool& more) {
  const std::size_t before = peer.in.size();
  more = false;
  if (before >= Protocol::kMaxInput) return true;
  peer.in.resize(Protocol::kMaxInput);
  const net::Transport::Room room(peer.in.data() + before, Protocol::kMaxInput - before);
  std::size_t got = 0;
  const Status status = peer.transport->receive({&room, 1}, net::Transport::Patience::kNone, &got);
  peer.in.resize(before + got);
  more = got > 0;
  return status.ok();
}

// One request at a time, and the next one when its answer has left: a client that asks and never reads holds one.
bool SmiService::answer(Peer& peer, int& most) {
  while (peer.out.empty() && !peer.ending && most > 0) {
    const Protocol::Next next = peer.protocol->serve(peer.in, peer.out);
    if (next == Protocol::Next::kWait) break;
    --most;
    peer.ending = next == Protocol::Next::kEnd;
    peer.deadline = Clock::now() + kPatience;
    if (!send(peer)) return false;
    if (peer.out.empty() && !peer.ending) peer.deadline = Clock::now() + kIdle;
  }
  return !(peer.ending && peer.out.empty());
}

bool SmiService::send(Peer& peer) {
  std::size_t taken = 0;
  const std::span<const std::byte> left = std::span<const std::byte>(peer.out).subspan(peer.sent);
  if (!left.empty() && !peer.transport->trySend(left, &taken).ok()) return false;
  peer.sent += taken;
  if (peer.sent < peer.out.size()) return true;
  peer.out.clear();
  peer.sent = 0;
  return true;
}

bool SmiService::attend(Peer& peer, short events) {
  peer.active = Clock::now();
  if (events & POLLOUT) {
    if (!send(peer)) return false;
    if (peer.out.empty()) peer.deadline = Clock::now() + kIdle;
  }
  // Until there is nothing more: what a protected connection has read ahead, poll does not know of.
  int left = kMostAnswers;
  for (bool more = true; more && peer.out.empty() && left > 0;) {
    if (!receive(peer, more)) return false;
    if (!answer(peer, left)) return false;
  }
  peer.asking = left == 0;
  return true;
}

int SmiService::pollTimeout(Clock::time_point now) const {
  auto soonest = now + std::chrono::hours(1);
  for (const Peer& peer : peers_) {
    if (peer.asking) return 0;
    soonest = std::min(soonest, peer.deadline);
  }
  return std::max(1, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(soonest - now).count()) + 1);
}

void SmiService::run() {
  if (metrics_.open()) fcntl(metrics_.fd(), F_SETFL, fcntl(metrics_.fd(), F_GETFL) | O_NONBLOCK);
  std::vector<pollfd> entries;
  for (;;) {
    station_.setClients(peers_.size());
    entries.clear();
    entries.push_back({doorway_.waitingFd(), POLLIN, 0});
    entries.push_back({metrics_.fd(), POLLIN, 0});  // poll passes over -1, which it is when there is none
    for (const Peer& peer : peers_)
      entries.push_back({peer.fd, static_cast<short>(peer.out.empty() ? POLLIN : POLLOUT), 0});
    if (poll(entries.data(), entries.size(), pollTimeout(Clock::now())) < 0 && errno != EINTR) {
      logError("telemetry: poll: %s", std::strerror(errno));
      return;
    }
    const auto now = Clock::now();
    std::size_t at = 2;
    std::erase_if(peers_, [&](Peer& peer) {
      const short events = entries[at++].revents;
      return ((events != 0 || peer.asking) && !attend(peer, events)) || now > peer.deadline;
    });
    net::Socket arrived;
    Passenger client;
    while (doorway_.take(arrived, client))
      admit(std::move(arrived), client.shield, std::make_unique<SmiProtocol>(station_, client.devices));
    if (entries[1].revents & POLLIN) acceptScrapers();
  }
}

}  // namespace hipr::worker
