#include "worker/reception.h"

#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "base/log.h"
#include "hip_remote/hip.h"
#include "wire/append.h"

namespace hipr::worker {
namespace {

constexpr std::uint64_t kMaxGreeting = 8 << 10;  // payload of Hello or SmiOpen
constexpr int kTlsHandshake = 22;  // what the first record of a TLS connection begins with; a frame does not
constexpr auto kHello = static_cast<std::uint16_t>(wire::Opcode::kHello);
constexpr auto kSmiOpen = static_cast<std::uint16_t>(wire::Opcode::kSmiOpen);
constexpr auto kResume = static_cast<std::uint16_t>(wire::Opcode::kResume);

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

}  // namespace

std::vector<std::byte> refusal(const std::string& why) {
  std::vector<std::byte> frame;
  wire::appendFrame(frame, wire::Opcode::kRefused, 0, wire::HIP_REMOTE_FLAG_NO_REPLY,
                    wire::Refused{hipErrorNotInitialized, why});
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

void Reception::turnAway(Guest guest, const std::string& why) {
  makeRoom(addressOf(guest.peer));
  visitors_.push_back(
      {std::move(guest.socket), guest.peer, addressOf(guest.peer), access::Admission(gate_.keyring()), {}});
  Visitor& visitor = visitors_.back();
  std::vector<std::byte> frame = refusal(why);
  if (guest.shield) {
    std::vector<std::byte> sealed;
    tls::Sealer(guest.shield->cipher, guest.shield->sending).seal(tls::Sealer::Part(frame), sealed);
    frame = std::move(sealed);
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
  for (const Visitor& visitor : visitors_) entries.push_back({visitor.socket.fd(), POLLIN | POLLRDHUP, 0});
}

int Reception::patience() const {
  if (visitors_.empty()) return -1;
  const auto soonest = std::min_element(visitors_.begin(), visitors_.end(), [](const Visitor& a, const Visitor& b) {
                         return a.end < b.end;
                       })->end;
  return std::max(0, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(soonest - Clock::now()).count()));
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

// The system wakes us when that much is there, and not for every byte of somebody who is slow.
Reception::Next Reception::await(Visitor& visitor, int bytes) {
  if (visitor.wanted != bytes) {
    visitor.wanted = bytes;
    setsockopt(visitor.socket.fd(), SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
  }
  return Next::kStay;
}

// Nobody must wait here: a frame this small always fits into a fresh socket.
Reception::Next Reception::refuse(Visitor& visitor, const std::string& why, std::span<const std::byte> words) {
  logError("refused %s: %s", visitor.peer.c_str(), why.c_str());
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
Status Reception::judge(const Visitor& visitor, const wire::Header& header) {
  if (header.version != wire::kProtocolVersion)
    return Status::invalid("the client speaks protocol version " + std::to_string(header.version) + ", this worker " +
                           std::to_string(wire::kProtocolVersion) + "; install the same release on both sides");
  const std::string name = wire::opcodeName(header.opcode);
  const bool token = access::Admission::concerns(header);
  if (!token) {
    if (Status status = visitor.admission.open(); !status.ok()) return status;
    if (header.opcode != kHello && header.opcode != kSmiOpen && header.opcode != kResume)
      return Status::invalid(name + " before Hello");
  }
  if (header.length > (token ? access::Admission::kMaxPayload : kMaxGreeting))
    return Status::invalid("a " + name + " of " + std::to_string(header.length) + " bytes");
  return {};
}

// It has said what it wants. Whoever serves it reads that again.
Reception::Next Reception::serve(Visitor& visitor, std::span<const std::byte> frame, std::optional<tls::Shield> shield,
                                 Guest& guest) {
  wire::Header header;
  wire::decodeHeader(frame.first<wire::kHeaderSize>(), header);
  wire::Resume resume;
  if (header.opcode == kResume) {
    wire::Reader reader(frame.subspan(wire::kHeaderSize));
    reader.get(resume);
    if (!reader.ok() || !reader.atEnd()) return refuse(visitor, "malformed Resume");
  }
  await(visitor, 1);
  guest = {std::move(visitor.socket), visitor.peer, header.opcode == kSmiOpen, shield, visitor.admission.identity()};
  if (header.opcode == kResume) guest.back = resume.key;
  return Next::kServe;
}

Reception::Next Reception::look(Visitor& visitor, Guest& guest) {
  if (visitor.leaving) {
    // A connection closed over unread bytes is reset, and the reset can overtake the last thing we said.
    std::byte sink[16 << 10];
    return recv(visitor.socket.fd(), sink, sizeof sink, MSG_DONTWAIT) > 0 ? Next::kStay : Next::kGo;
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
  for (;;) {
    wire::Header header;
    std::size_t got = 0;
    bool ours = false;
    if (!peek(visitor.socket, header, got, ours)) return Next::kGo;
    if (got < wire::kHeaderSize) return await(visitor, wire::kHeaderSize);
    if (!ours) return refuse(visitor, "not a HIP Remote frame");
    if (Status status = judge(visitor, header); !status.ok()) return refuse(visitor, status.message());
    const std::size_t size = wire::kHeaderSize + header.length;
    if (unread(visitor.socket) < size) return await(visitor, static_cast<int>(size));
    const bool token = access::Admission::concerns(header);
    std::byte bytes[wire::kHeaderSize + kMaxGreeting];
    if (recv(visitor.socket.fd(), bytes, size, MSG_DONTWAIT | (token ? 0 : MSG_PEEK)) != static_cast<ssize_t>(size))
      return Next::kGo;
    const std::span<const std::byte> frame(bytes, size);
    if (!token) return serve(visitor, frame, {}, guest);
    std::vector<std::byte> reply;
    if (Status status = visitor.admission.take(header, frame.subspan(wire::kHeaderSize), reply); !status.ok())
      return refuse(visitor, status.message());
    if (!reply.empty() && send(visitor.socket.fd(), reply.data(), reply.size(), MSG_DONTWAIT | MSG_NOSIGNAL) !=
                              static_cast<ssize_t>(reply.size()))
      return Next::kGo;
  }
}

Reception::Next Reception::lookAtRecords(Visitor& visitor, Guest& guest) {
  ShieldedVisit& visit = *visitor.shielded;
  for (;;) {
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
}

}  // namespace hipr::worker
