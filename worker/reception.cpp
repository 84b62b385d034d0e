#include "worker/reception.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "access/frame.h"
#include "base/log.h"
#include "hip_remote/hip.h"
#include "net/ring_transport.h"
#include "net/socket_transport.h"
#include "platform/unix_socket.h"
#include "tls/ticket.h"
#include "wire/append.h"

namespace hipr::worker {
namespace {

constexpr std::uint64_t kMaxGreeting = 8 << 10;  // payload of Hello or SmiOpen
constexpr int kTlsHandshake = 22;  // what the first record of a TLS connection begins with; a frame does not
constexpr auto kHello = static_cast<std::uint16_t>(wire::Opcode::kHello);
constexpr auto kSmiOpen = static_cast<std::uint16_t>(wire::Opcode::kSmiOpen);
constexpr auto kResume = static_cast<std::uint16_t>(wire::Opcode::kResume);
constexpr auto kNearby = static_cast<std::uint16_t>(wire::Opcode::kNearby);
constexpr auto kShare = static_cast<std::uint16_t>(wire::Opcode::kShare);
constexpr auto kJoin = static_cast<std::uint16_t>(wire::Opcode::kJoin);
constexpr auto kUcx = static_cast<std::uint16_t>(wire::Opcode::kUcx);
constexpr auto kParcel = static_cast<std::uint16_t>(wire::Opcode::kParcel);
constexpr std::uint64_t kMaxNearby = 256;
constexpr char kEndless[] = "a greeting without an end";
// What one connection may say before it says what it wants. Honest ones need four frames, or half a dozen records.
constexpr int kMostFrames = 8, kMostRecords = 32;
constexpr std::size_t kMostIgnored = 256 << 10;  // bytes of one that has been refused
constexpr std::chrono::milliseconds kSlow(20);   // between looks at somebody who has woken us for half a frame

// Who shares a limit. A network of IPv6 is one household: its members have as many addresses as they like.
std::string addressOf(const std::string& peer) {
  std::string host = peer.substr(0, peer.rfind(':'));
  if (!host.starts_with('[') || host.find('.') != std::string::npos) return host;
  std::size_t end = 0;
  for (int group = 0; group < 4 && end != std::string::npos; ++group) end = host.find(':', end + 1);
  return host.substr(0, end);
}

// With what has come and not been read, without taking it.
bool peek(const net::Socket& socket, wire::Header& header, std::size_t& got, bool& ours) {
  std::byte bytes[wire::kHeaderSize];
  const ssize_t n = recv(socket.fd(), bytes, sizeof bytes, MSG_PEEK | MSG_DONTWAIT);
  got = n > 0 ? static_cast<std::size_t>(n) : 0;
  ours = got == sizeof bytes && wire::decodeHeader(bytes, header);
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR));
}

std::size_t unread(const net::Socket& socket) {
  int bytes = 0;
  return ioctl(socket.fd(), FIONREAD, &bytes) == 0 && bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

// An address of IPv4 is the same to both sides, whatever the listener is.
std::string unmapped(std::string name) {
  constexpr std::string_view kMapped = "[::ffff:";
  if (!name.starts_with(kMapped)) return name;
  name.erase(0, kMapped.size());
  std::erase(name, ']');  // a stranger may say it without one
  return name;
}

// Through the memory that the client reads from now on.
void sayThere(const net::Socket& socket, platform::SharedMemory memory, std::span<const std::byte> frame) {
  net::Socket again(fcntl(socket.fd(), F_DUPFD_CLOEXEC, 0));
  net::TransportPtr ring;
  std::size_t taken = 0;
  if (again.open() &&
      net::overRing(net::overSocket(std::move(again), 1), std::move(memory), net::RingSide::kSecond, 1, ring).ok())
    (void)ring->trySend(frame, &taken);
}

}  // namespace

std::vector<std::byte> refusal(const std::string& why, Refusal kind) {
  const std::int32_t status = kind == Refusal::kForNow ? wire::Refused::kLater : hipErrorNotInitialized;
  std::vector<std::byte> frame;
  wire::appendFrame(frame, wire::Opcode::kRefused, 0, wire::HIP_REMOTE_FLAG_NO_REPLY, wire::Refused{status, why});
  return frame;
}

void Reception::arrive(net::Socket socket) {
  const std::string peer = net::peerName(socket);
  gate_.refresh();
  makeRoom(addressOf(peer));
  visitors_.push_back(
      {std::move(socket), peer, addressOf(peer), access::Admission(gate_.keyring()), Clock::now() + limits_.greeting});
  await(visitors_.back(), 1);  // which of the two it speaks
}

void Reception::turnAway(Guest guest, const std::string& why, Refusal kind) {
  makeRoom(addressOf(guest.peer));
  visitors_.push_back(
      {std::move(guest.socket), guest.peer, addressOf(guest.peer), access::Admission(gate_.keyring()), {}});
  Visitor& visitor = visitors_.back();
  std::vector<std::byte> frame = refusal(why, kind);
  if (guest.shield) {
    std::vector<std::byte> sealed;
    tls::Sealer(guest.shield->cipher, guest.shield->sending).seal(tls::Sealer::Part(frame), sealed);
    frame = std::move(sealed);
  }
  if (guest.memory.open()) {
    sayThere(visitor.socket, std::move(guest.memory), frame);
    frame.clear();
  }
  refuse(visitor, why, frame);
}

bool Reception::dropOldest() {
  if (visitors_.empty()) return false;
  visitors_.pop_front();
  return true;
}

// Whoever greets as it should needs a moment, and is hardly ever the one that has been here longest.
void Reception::makeRoom(const std::string& address) {
  const auto here = [](const std::string& where) {
    return [&where](const Visitor& visitor) { return visitor.address == where; };
  };
  std::string crowd = address;
  if (std::count_if(visitors_.begin(), visitors_.end(), here(address)) <
      static_cast<std::ptrdiff_t>(limits_.mostPerAddress)) {
    if (visitors_.size() < limits_.most) return;
    std::map<std::string, std::size_t> crowds;
    for (const Visitor& visitor : visitors_) ++crowds[visitor.address];
    crowd = std::max_element(crowds.begin(), crowds.end(), [](const auto& a, const auto& b) {
              return a.second < b.second;
            })->first;
  }
  visitors_.erase(std::find_if(visitors_.begin(), visitors_.end(), here(crowd)));
}

void Reception::watch(std::vector<pollfd>& entries) const {
  const auto now = Clock::now();
  for (const Visitor& visitor : visitors_) {
    const short what = now < visitor.nextLook ? POLLRDHUP : POLLIN | POLLRDHUP;
    entries.push_back({visitor.socket.fd(), what, 0});
  }
}

int Reception::patience() const {
  if (visitors_.empty()) return -1;
  const auto now = Clock::now();
  const auto due = [now](const Visitor& visitor) {
    return visitor.nextLook > now ? std::min(visitor.nextLook, visitor.end) : visitor.end;
  };
  const auto soonest = due(*std::ranges::min_element(visitors_, {}, due));
  return std::max(0, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(soonest - now).count()));
}

std::vector<Reception::Guest> Reception::attend(std::span<const pollfd> entries) {
  std::vector<Guest> guests;
  const auto now = Clock::now();
  std::size_t at = 0;
  visitors_.remove_if([&](Visitor& visitor) {
    const short events = entries[at++].revents;
    Guest guest;
    Next next = events ? look(visitor, guest) : Next::kStay;
    // It cannot say any more than it has.
    if (next == Next::kStay && !visitor.leaving && (events & (POLLRDHUP | POLLHUP | POLLERR))) next = Next::kGo;
    if (next == Next::kServe) guests.push_back(std::move(guest));
    return next != Next::kStay || now >= visitor.end;
  });
  return guests;
}

// The system wakes us when that much is there, and not for every byte of somebody who is slow. Of a unix socket it does
// not know how, nor where a peer has filled its window: whoever has woken us for nothing is looked at a while later.
Reception::Next Reception::await(Visitor& visitor, int bytes) {
  if (visitor.wanted == bytes) {
    if (unread(visitor.socket) > 0) visitor.nextLook = Clock::now() + kSlow;
    return Next::kStay;
  }
  visitor.wanted = bytes;
  setsockopt(visitor.socket.fd(), SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
  return Next::kStay;
}

// Nobody must wait here: a frame this small always fits into a fresh socket.
Reception::Next Reception::refuse(Visitor& visitor, const std::string& why, std::span<const std::byte> words) {
  if (refusals_.allows()) {
    if (const std::uint64_t more = refusals_.takeSuppressed())
      logError("refused %llu more, which are not listed", static_cast<unsigned long long>(more));
    logError("refused %s: %s", visitor.peer.c_str(), why.c_str());
  }
  if (send(visitor.socket.fd(), words.data(), words.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
    logDebug("could not tell the client: %s", std::strerror(errno));
  shutdown(visitor.socket.fd(), SHUT_WR);
  visitor.leaving = true;
  visitor.end = Clock::now() + limits_.leaving;
  return await(visitor, 1);
}

Reception::Next Reception::refuse(Visitor& visitor, const std::string& why) {
  const std::vector<std::byte> frame = refusal(why);
  if (!visitor.shielded) return refuse(visitor, why, frame);
  std::vector<std::byte> sealed;
  if (visitor.shielded->shaken()) visitor.shielded->seal(frame, sealed);
  return refuse(visitor, why, sealed);
}

// What it begins to say is something we would hear.
Status Reception::judge(const Visitor& visitor, const wire::Header& header) const {
  if (header.version != wire::kProtocolVersion)
    return Status::invalid("the client speaks protocol version " + std::to_string(header.version) + ", this worker " +
                           std::to_string(wire::kProtocolVersion) + "; install the same release on both sides");
  const std::string name = wire::opcodeName(header.opcode);
  if (visitor.ticket || header.opcode == kParcel)
    return visitor.ticket && header.opcode == kParcel && header.length == sizeof(wire::Parcel)
               ? Status{}
               : Status::invalid("a ticket is for a Parcel, and a Parcel needs one");
  const bool token = access::Admission::concerns(header), nearby = header.opcode == kNearby && !visitor.shielded;
  if (!token && !nearby) {
    if (Status status = visitor.admission.open(); !status.ok()) return status;
    const bool shares = header.opcode == kShare && net::isUnix(visitor.socket) && !visitor.shielded;
    if (header.opcode == kUcx && !ucx_) return Status::unavailable("this worker serves nobody over UCX (--ucx)");
    if (header.opcode != kHello && header.opcode != kSmiOpen && header.opcode != kResume && header.opcode != kJoin &&
        header.opcode != kUcx && !shares)
      return Status::invalid(name + " before Hello");
  }
  if (header.length > (token ? access::Admission::kMaxPayload : nearby ? kMaxNearby : kMaxGreeting))
    return Status::invalid("a " + name + " of " + std::to_string(header.length) + " bytes");
  return {};
}

// The socket is named to clients that nobody stands between: a relay that is avoided relays nothing.
bool Reception::answerNearby(const Visitor& visitor, std::span<const std::byte> payload) {
  wire::Nearby nearby;
  wire::Reader reader(payload);
  reader.get(nearby);
  if (!reader.ok() || !reader.atEnd()) return false;
  const bool direct =
      unmapped(nearby.own) == unmapped(visitor.peer) && unmapped(nearby.peer) == unmapped(net::ownName(visitor.socket));
  std::vector<std::byte> reply;
  wire::appendFrame(reply, wire::Opcode::kNearby, 0, wire::HIP_REMOTE_FLAG_REPLY,
                    wire::NearbyReply{direct ? nearName_ : ""});
  if (send(visitor.socket.fd(), reply.data(), reply.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
    logDebug("could not answer the client: %s", std::strerror(errno));
  return true;
}

// Its Hello is, or will be, in the memory that comes with this; the session hears it there. So is what we say to it.
Reception::Next Reception::share(Visitor& visitor, const wire::Header& header, Guest& guest) {
  wire::Share share;
  std::byte bytes[wire::kHeaderSize + sizeof share];
  int descriptor = -1;
  if (!platform::receiveDescriptor(visitor.socket.fd(), bytes, descriptor)) {
    if (descriptor >= 0) close(descriptor);
    return refuse(visitor, "malformed Share");
  }
  if (descriptor < 0) return refuse(visitor, "Share without memory");
  platform::SharedMemory memory;
  if (Status status = platform::SharedMemory::take(descriptor, net::ringMemorySize(), memory); !status.ok())
    return refuse(visitor, status.message());
  if (Status status = judge(visitor, header); !status.ok()) {
    sayThere(visitor.socket, std::move(memory), refusal(status.message()));
    return refuse(visitor, status.message(), {});
  }
  await(visitor, 1);
  guest = {std::move(visitor.socket), visitor.peer, false, {}, visitor.admission.identity(), std::move(memory)};
  return Next::kServe;
}

// It has said what it wants. Whoever serves it reads that again.
Reception::Next Reception::serve(Visitor& visitor, std::span<const std::byte> frame, std::optional<tls::Shield> shield,
                                 Guest& guest) {
  wire::Header header;
  wire::decodeHeader(frame.first<wire::kHeaderSize>(), header);
  const std::span<const std::byte> payload = frame.subspan(wire::kHeaderSize);
  wire::Resume resume;
  if (header.opcode == kResume && !access::decode(payload, resume)) return refuse(visitor, "malformed Resume");
  wire::Join join;
  if (header.opcode == kJoin && (!access::decode(payload, join) || join.lane == 0))
    return refuse(visitor, "malformed Join");
  await(visitor, 1);
  guest = {
      std::move(visitor.socket), visitor.peer, header.opcode == kSmiOpen, shield, visitor.admission.identity(), {}};
  if (header.opcode == kResume) guest.back = resume.key;
  if (header.opcode == kJoin) guest.back = join.key;
  guest.lane = join.lane;
  guest.ticket = visitor.ticket;
  guest.ucx = header.opcode == kUcx;
  return Next::kServe;
}

Reception::Next Reception::look(Visitor& visitor, Guest& guest) {
  if (visitor.leaving) {
    // A connection closed over unread bytes is reset, and the reset can overtake the last thing we said.
    std::byte sink[16 << 10];
    const ssize_t n = recv(visitor.socket.fd(), sink, sizeof sink, MSG_DONTWAIT);
    if (n > 0) visitor.ignored += static_cast<std::size_t>(n);
    return n > 0 && visitor.ignored < kMostIgnored ? Next::kStay : Next::kGo;
  }
  if (visitor.shielded) return lookAtRecords(visitor, guest);
  std::byte first{};
  const ssize_t n = recv(visitor.socket.fd(), &first, 1, MSG_PEEK | MSG_DONTWAIT);
  if (n == 1 && std::to_integer<int>(first) == kTlsHandshake) {
    visitor.shielded = std::make_unique<ShieldedVisit>(gate_.tls());
    return lookAtRecords(visitor, guest);
  }
  if (n == 1 && !gate_.takesPlain(net::isLoopback(visitor.socket)))
    return refuse(visitor,
                  "this worker speaks TLS only; set HIP_REMOTE_TOKEN, HIP_REMOTE_TOKEN_FILE or HIP_REMOTE_TLS_CA, "
                  "and not HIP_REMOTE_INSECURE");
  return lookAtFrames(visitor, guest);
}

Reception::Next Reception::lookAtFrames(Visitor& visitor, Guest& guest) {
  for (; visitor.heard < kMostFrames; ++visitor.heard) {
    wire::Header header;
    std::size_t got = 0;
    bool ours = false;
    if (!peek(visitor.socket, header, got, ours)) return Next::kGo;
    if (got < wire::kHeaderSize) return await(visitor, wire::kHeaderSize);
    if (!ours) return refuse(visitor, "not a HIP Remote frame");
    const bool shares = header.opcode == kShare && header.length == sizeof(wire::Share) && net::isUnix(visitor.socket);
    if (Status status = judge(visitor, header); !status.ok() && !shares) return refuse(visitor, status.message());
    const std::size_t size = wire::kHeaderSize + header.length;
    if (unread(visitor.socket) < size) return await(visitor, static_cast<int>(size));
    if (shares) return share(visitor, header, guest);
    const bool nearby = header.opcode == kNearby, token = access::Admission::concerns(header);
    std::byte bytes[wire::kHeaderSize + kMaxGreeting];
    const int how = MSG_DONTWAIT | (token || nearby ? 0 : MSG_PEEK);
    if (recv(visitor.socket.fd(), bytes, size, how) != static_cast<ssize_t>(size)) return Next::kGo;
    const std::span<const std::byte> frame(bytes, size);
    if (nearby) {
      if (!answerNearby(visitor, frame.subspan(wire::kHeaderSize))) return refuse(visitor, "malformed Nearby");
      continue;
    }
    if (!token) return serve(visitor, frame, {}, guest);
    std::vector<std::byte> reply;
    if (Status status = visitor.admission.take(header, frame.subspan(wire::kHeaderSize), reply); !status.ok())
      return refuse(visitor, status.message());
    if (!reply.empty() && send(visitor.socket.fd(), reply.data(), reply.size(), MSG_DONTWAIT | MSG_NOSIGNAL) !=
                              static_cast<ssize_t>(reply.size()))
      return Next::kGo;
  }
  return refuse(visitor, kEndless);
}

Reception::Next Reception::lookAtRecords(Visitor& visitor, Guest& guest) {
  ShieldedVisit& visit = *visitor.shielded;
  for (; visitor.heard < kMostRecords; ++visitor.heard) {
    int wanted = 0;
    switch (visit.look(visitor.socket, wanted)) {
      case ShieldedVisit::Next::kGone:
        return Next::kGo;
      case ShieldedVisit::Next::kFailed:
        return refuse(visitor, visit.why(), {});
      case ShieldedVisit::Next::kWait:
        if (wanted > 0) return await(visitor, wanted);
        continue;
      case ShieldedVisit::Next::kShaken: {
        const tls::Handshake& shaken = visit.handshake();
        if (const auto name = shaken.tokenName(); name && tls::namesTicket(*name)) {
          visitor.ticket = name;
          continue;
        }
        if (Status status = visitor.admission.shielded(shaken.tokenName(), shaken.certificate(), shaken.binding());
            !status.ok())
          return refuse(visitor, status.message());
        continue;
      }
      case ShieldedVisit::Next::kFrame:
        break;
    }
    const std::span<const std::byte> frame = visit.frame();
    wire::Header header;
    if (frame.size() < wire::kHeaderSize || !wire::decodeHeader(frame.first<wire::kHeaderSize>(), header))
      return refuse(visitor, "not a HIP Remote frame");
    if (Status status = judge(visitor, header); !status.ok()) return refuse(visitor, status.message());
    if (frame.size() != wire::kHeaderSize + header.length)
      return refuse(visitor, "a greeting that does not come in records of its own");
    if (!access::Admission::concerns(header)) return serve(visitor, frame, visit.shield(), guest);
    std::vector<std::byte> reply;
    if (Status status = visitor.admission.take(header, frame.subspan(wire::kHeaderSize), reply); !status.ok())
      return refuse(visitor, status.message());
    if (!visit.drop(visitor.socket)) return Next::kGo;
  }
  return refuse(visitor, kEndless);
}

}  // namespace hipr::worker
