#include <poll.h>

#include "net/socket_transport.h"
#include "worker/parcels.h"
#include "worker/pass_socket.h"
#include "worker/tickets.h"

namespace hipr::worker {
namespace {

constexpr int kPatience = 20;  // seconds between two signs of life

FrameReader::Clock::time_point deadline() {
  return FrameReader::Clock::now() + std::chrono::seconds(kPatience);
}

bool is(const wire::Header& header, wire::Opcode opcode) {
  return header.version == wire::kProtocolVersion && header.opcode == static_cast<std::uint16_t>(opcode);
}

}  // namespace

Status IncomingParcel::meet() {
  pollfd entry{door_.fd(), POLLIN, 0};
  if (poll(&entry, 1, static_cast<int>(std::chrono::milliseconds(Tickets::kLife).count())) <= 0)
    return Status::unavailable("nobody came with it");
  net::Socket socket;
  Passenger who;
  if (takeSocket(door_, false, socket, who) != Passed::kSocket || !who.shield)
    return Status::unavailable("nobody will come with it");
  if (!speakThrough(net::overSocket(std::move(socket), kPatience))) return Status::unavailable("it was withdrawn");
  protect(*who.shield);
  return {};
}

// What the other worker says is foreign: it has a ticket, and that is all we know of it.
Status IncomingParcel::unpack(FrameReader& reader) {
  const std::uint64_t total = shape_.bytes();
  wire::Header header;
  wire::Bytes payload;
  wire::Parcel parcel;
  reader.setDeadline(deadline());
  if (Status status = reader.next(header); !status.ok()) return status;
  if (!is(header, wire::Opcode::kParcel) || header.length != sizeof parcel)
    return Status::invalid("something else than a parcel");
  if (Status status = reader.payload(header.length, payload); !status.ok()) return status;
  wire::Reader(payload).get(parcel);
  if (parcel.bytes != total) return Status::invalid("a parcel of another size than was said");
  for (std::uint64_t offset = 0; offset < total;) {
    std::uint64_t prefix[2];
    static_assert(sizeof prefix == wire::kDataPrefix);
    reader.setDeadline(deadline());
    if (Status status = reader.next(header); !status.ok()) return status;
    if (!is(header, wire::Opcode::kData) || header.length <= sizeof prefix ||
        header.length - sizeof prefix > std::min(total - offset, wire::kMaxDataChunk))
      return Status::invalid("something else than its bytes");
    const std::uint64_t length = header.length - sizeof prefix;
    if (Status status = reader.read(prefix, sizeof prefix); !status.ok()) return status;
    if (prefix[1] != offset) return Status::invalid("bytes out of order");
    if (Piece copied; pieces_.size() >= kAhead) {
      if (Status status = finishFirst(copied); !status.ok()) return status;
    }
    Piece piece{context_.staging.take(length), offset, length};
    if (!piece.block) return Status::exhausted("no memory for its bytes");
    if (Status status = reader.read(piece.block.get(), length); !status.ok()) return status;
    if (Status status = give(std::move(piece), hipMemcpyHostToDevice); !status.ok()) return status;
    offset += length;
  }
  for (Piece copied; !pieces_.empty();) {
    if (Status status = finishFirst(copied); !status.ok()) return status;
  }
  return {};
}

Status IncomingParcel::carry() {
  if (Status status = meet(); !status.ok()) return status;
  FrameReader reader(*transport_);
  return unpack(reader);
}

// The stream is past it: who hears this may use the memory.
void IncomingParcel::conclude(const Status& status) {
  if (!transport_) return;
  std::vector<std::byte> frame;
  wire::appendFrame(frame, wire::Opcode::kParcel, 0, wire::HIP_REMOTE_FLAG_REPLY,
                    wire::ParcelReply{status.ok() ? hipSuccess : hipErrorUnknown});
  (void)transport_->send(frame);
  transport_->finishSending();
}

}  // namespace hipr::worker
