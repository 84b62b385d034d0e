#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "net/socket_transport.h"
#include "tls/ticket.h"
#include "worker/parcels.h"

namespace hipr::worker {
namespace {

constexpr int kConnecting = 5, kGreeting = 5, kPatience = 20;  // seconds
constexpr int kLook = 100;                                     // milliseconds between looks whether it is still wanted

// As the supervisor began it.
Status awaitConnection(const Descriptor& socket, const std::function<bool()>& unwanted) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kConnecting);
  pollfd entry{socket.number(), POLLOUT, 0};
  while (poll(&entry, 1, kLook) <= 0)
    if (unwanted() || std::chrono::steady_clock::now() > end) return Status::unavailable("it does not answer");
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0)
    return Status::unavailable(std::strerror(error));
  fcntl(socket.number(), F_SETFL, fcntl(socket.number(), F_GETFL) & ~O_NONBLOCK);
  return {};
}

}  // namespace

Status OutgoingParcel::meet() {
  Descriptor socket = errand_.connect(errand_.worker);
  if (socket.number() < 0) return Status::unsupported("this worker does not connect to it (--peers)");
  if (Status status = awaitConnection(socket, [this] { return cancelled(); }); !status.ok()) return status;
  if (!speakThrough(net::overSocket(net::Socket(socket.release()), kPatience)))
    return Status::unavailable("nobody wants it any more");
  tls::Shield shield;
  if (Status status = tls::greetWithTicket(*transport_, errand_.ticket, kGreeting, shield); !status.ok()) return status;
  protect(shield);
  return {};
}

Status OutgoingParcel::pack() {
  const std::uint64_t total = shape_.bytes();
  std::vector<std::byte> frame;
  wire::appendFrame(frame, wire::Opcode::kParcel, 0, 0, wire::Parcel{total});
  if (Status status = transport_->send(net::Transport::Part(frame)); !status.ok()) return status;
  for (std::uint64_t given = 0, sent = 0; sent < total;) {
    for (; given < total && pieces_.size() < kAhead;) {
      const std::uint64_t length = std::min<std::uint64_t>(total - given, Staging::kBlock);
      Piece piece{context_.staging.take(length), given, length};
      if (!piece.block) return Status::exhausted("no memory for its bytes");
      if (Status status = give(std::move(piece), hipMemcpyDeviceToHost); !status.ok()) return status;
      given += length;
    }
    Piece piece;
    if (Status status = finishFirst(piece); !status.ok()) return status;
    const DataHead head = dataHead(0, piece.offset, piece.length);
    const net::Transport::Part parts[] = {head, {piece.block.get(), piece.length}};
    if (Status status = transport_->send(parts); !status.ok()) return status;
    sent += piece.length;
  }
  return {};
}

Status OutgoingParcel::hearAnswer() {
  std::byte bytes[wire::kHeaderSize + sizeof(wire::ParcelReply)];
  transport_->setTimeout(kPatience * 1000);
  if (Status status = transport_->receiveAll(bytes); !status.ok()) return status;
  wire::Header header;
  wire::ParcelReply reply;
  if (!wire::decodeHeader(std::span(bytes).first<wire::kHeaderSize>(), header) || header.length != sizeof reply ||
      header.opcode != static_cast<std::uint16_t>(wire::Opcode::kParcel))
    return Status::invalid("an answer that is none");
  wire::Reader(wire::Bytes(bytes).subspan(wire::kHeaderSize)).get(reply);
  return reply.status == hipSuccess ? Status{} : Status::unavailable("the other worker could not take it");
}

Status OutgoingParcel::carry() {
  Status status = meet();
  if (status.ok()) status = pack();
  return status.ok() ? hearAnswer() : status.within(errand_.worker);
}

void OutgoingParcel::conclude(const Status& status) {
  const bool never = status.code() == Code::kUnsupported;
  const hipError_t error = status.ok() ? hipSuccess : never ? hipErrorNotSupported : hipErrorUnknown;
  context_.reporter.show(*stream_, position_);
  context_.reporter.told(*stream_, position_);
  reply(context_.outbox, wire::Opcode::kBring, errand_.request, wire::Done{error});
}

}  // namespace hipr::worker
