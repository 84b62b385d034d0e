#include "worker/shielded_visit.h"

#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>

namespace hipr::worker {
namespace {

bool sendNow(const net::Socket& socket, std::span<const std::byte> bytes) {
  return bytes.empty() || send(socket.fd(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
                              static_cast<ssize_t>(bytes.size());
}

}  // namespace

ShieldedVisit::Next ShieldedVisit::look(const net::Socket& socket, int& wanted) {
  std::byte header[tls::kRecordHeader];
  const ssize_t n = recv(socket.fd(), header, sizeof header, MSG_PEEK | MSG_DONTWAIT);
  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) return Next::kGone;
  wanted = sizeof header;
  if (n < static_cast<ssize_t>(sizeof header)) return Next::kWait;
  const std::size_t size = tls::recordSize(header);
  if (size == 0) return Next::kGone;
  int there = 0;
  wanted = static_cast<int>(size);
  if (ioctl(socket.fd(), FIONREAD, &there) != 0 || there < wanted) return Next::kWait;
  record_.resize(size);
  const int keep = shaken() ? MSG_PEEK : 0;
  if (recv(socket.fd(), record_.data(), size, MSG_DONTWAIT | keep) != static_cast<ssize_t>(size)) return Next::kGone;
  if (shaken()) return open();
  wanted = 0;  // perhaps the next record is here already
  return shake(socket);
}

ShieldedVisit::Next ShieldedVisit::shake(const net::Socket& socket) {
  std::vector<std::byte> reply;
  const Status status = handshake_.take(record_, reply);
  if (!sendNow(socket, reply)) return Next::kGone;
  if (!status.ok()) {
    why_ = "TLS: " + status.message();
    return Next::kFailed;
  }
  if (!handshake_.done()) return Next::kWait;
  const tls::Shield shield = handshake_.shield();
  sealer_.emplace(shield.cipher, shield.sending);
  opener_.emplace(shield.cipher, shield.receiving);
  return Next::kShaken;
}

ShieldedVisit::Next ShieldedVisit::open() {
  before_ = opener_->direction();
  const Status status = opener_->open(record_, plain_);
  return status.ok() && !plain_.empty() ? Next::kFrame : Next::kGone;
}

bool ShieldedVisit::drop(const net::Socket& socket) {
  return recv(socket.fd(), record_.data(), record_.size(), MSG_DONTWAIT) == static_cast<ssize_t>(record_.size());
}

tls::Shield ShieldedVisit::shield() const {
  tls::Shield out = handshake_.shield();
  out.sending = sealer_->direction();
  out.receiving = before_;
  return out;
}

}  // namespace hipr::worker
