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
constexpr auto kHello = static_cast<std::uint16_t>(wire::Opcode::kHello);
constexpr auto kSmiOpen = static_cast<std::uint16_t>(wire::Opcode::kSmiOpen);

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

// Nobody must wait here: a frame this small always fits into a fresh socket.
void refuse(const net::Socket& socket, const std::string& why) {
  std::vector<std::byte> frame;
  wire::appendFrame(frame, wire::Opcode::kRefused, 0, wire::HIP_REMOTE_FLAG_NO_REPLY,
                    wire::Refused{hipErrorNotInitialized, why});
  if (send(socket.fd(), frame.data(), frame.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
    logDebug("could not tell the client: %s", std::strerror(errno));
  }
  shutdown(socket.fd(), SHUT_WR);
}

void Reception::arrive(net::Socket socket) {
  const std::string peer = net::peerName(socket);
  std::string token;
  if (Status status = readToken_(token); !status.ok()) {
    logError("%s", status.message().c_str());
    return turnAway(std::move(socket), peer, "the worker cannot read its token");
  }
  makeRoom(addressOf(peer));
  visitors_.push_back(
      {std::move(socket), peer, addressOf(peer), access::Admission(std::move(token)), Clock::now() + limits_.greeting});
  await(visitors_.back(), wire::kHeaderSize);
}

void Reception::turnAway(net::Socket socket, const std::string& peer, const std::string& why) {
  makeRoom(addressOf(peer));
  visitors_.push_back({std::move(socket), peer, addressOf(peer), access::Admission(""), {}});
  refuse(visitors_.back(), why);
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

Reception::Next Reception::refuse(Visitor& visitor, const std::string& why) {
  logError("refused %s: %s", visitor.peer.c_str(), why.c_str());
  worker::refuse(visitor.socket, why);
  visitor.leaving = true;
  visitor.end = Clock::now() + limits_.leaving;
  return await(visitor, 1);
}

Reception::Next Reception::look(Visitor& visitor, Guest& guest) {
  if (visitor.leaving) {
    // A connection closed over unread bytes is reset, and the reset can overtake the last thing we said.
    std::byte sink[16 << 10];
    return recv(visitor.socket.fd(), sink, sizeof sink, MSG_DONTWAIT) > 0 ? Next::kStay : Next::kGo;
  }
  for (;;) {
    wire::Header header;
    std::size_t got = 0;
    bool ours = false;
    if (!peek(visitor.socket, header, got, ours)) return Next::kGo;
    if (got < wire::kHeaderSize) return await(visitor, wire::kHeaderSize);
    if (!ours) return refuse(visitor, "not a HIP Remote frame");
    if (header.version != wire::kProtocolVersion)
      return refuse(visitor, "the client speaks protocol version " + std::to_string(header.version) + ", this worker " +
                                 std::to_string(wire::kProtocolVersion) + "; install the same release on both sides");
    const std::string name = wire::opcodeName(header.opcode);
    const bool token = access::Admission::concerns(header);
    if (!token) {
      if (Status status = visitor.admission.open(); !status.ok()) return refuse(visitor, status.message());
      if (header.opcode != kHello && header.opcode != kSmiOpen) return refuse(visitor, name + " before Hello");
    }
    if (header.length > (token ? access::Admission::kMaxPayload : kMaxGreeting))
      return refuse(visitor, "a " + name + " of " + std::to_string(header.length) + " bytes");
    const std::size_t size = wire::kHeaderSize + header.length;
    if (unread(visitor.socket) < size) return await(visitor, static_cast<int>(size));
    if (!token) {
      await(visitor, 1);
      guest = {std::move(visitor.socket), visitor.peer, header.opcode == kSmiOpen};
      return Next::kServe;
    }
    std::byte frame[wire::kHeaderSize + access::Admission::kMaxPayload];
    if (recv(visitor.socket.fd(), frame, size, MSG_DONTWAIT) != static_cast<ssize_t>(size)) return Next::kGo;
    std::vector<std::byte> reply;
    if (Status status = visitor.admission.take(header, {frame + wire::kHeaderSize, header.length}, reply); !status.ok())
      return refuse(visitor, status.message());
    if (!reply.empty() && send(visitor.socket.fd(), reply.data(), reply.size(), MSG_DONTWAIT | MSG_NOSIGNAL) !=
                              static_cast<ssize_t>(reply.size()))
      return Next::kGo;
  }
}

}  // namespace hipr::worker
