#include "client/resume.h"

#include <algorithm>

#include "access/frame.h"
#include "base/text.h"
#include "wire/append.h"

namespace hipr::client {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPatience = 5;                 // seconds of one attempt
constexpr std::chrono::seconds kRestart(2);  // a worker that is being restarted listens again within it
constexpr std::uint64_t kMostAnswer = 64 << 10;

Status hear(net::Transport& link, std::uint64_t& peerReceived) {
  std::byte head[wire::kHeaderSize];
  wire::Header header;
  if (Status status = link.receiveAll(head); !status.ok()) return status;
  if (!wire::decodeHeader(head, header) || header.length > kMostAnswer) return Status::invalid("a malformed answer");
  std::vector<std::byte> payload(header.length);
  if (Status status = link.receiveAll(payload); !status.ok()) return status;
  wire::Reader reader(payload);
  if (header.opcode == static_cast<std::uint16_t>(wire::Opcode::kRefused)) {
    wire::Refused refused;
    reader.get(refused);
    return Status::notFound("refused: " + printable(refused.text));
  }
  wire::ResumeReply reply;
  reader.get(reply);
  if (header.opcode != static_cast<std::uint16_t>(wire::Opcode::kResume) || !reader.ok() || !reader.atEnd())
    return Status::invalid("a malformed answer");
  peerReceived = reply.received;
  return {};
}

}  // namespace

Status Resumption::connect(net::TransportPtr& link, bool& nobodyListens) const {
  net::Socket socket;
  const int patience = std::min({kPatience, options_.connectTimeout, options_.ioTimeout});
  if (Status status = net::connectTo(place_.endpoint(), patience, socket, &nobodyListens); !status.ok()) return status;
  int roundTrips = 0;
  return access::enter(std::move(socket), place_.worker.host, credentials_, {patience, options_.ioTimeout}, link,
                       roundTrips);
}

Status Resumption::attempt(std::uint64_t received, net::TransportPtr& link, std::uint64_t& peerReceived) {
  bool nobodyListens = false;
  Status status = connect(link, nobodyListens);
  if (!nobodyListens) {
    silentSince_.reset();
  } else if (!silentSince_) {
    silentSince_ = Clock::now();
  } else if (Clock::now() - *silentSince_ > kRestart) {
    return Status::notFound(status.message());
  }
  if (!status.ok()) return status;
  link->setTimeout(std::min(kPatience, options_.ioTimeout) * 1000);
  std::vector<std::byte> frame;
  wire::appendFrame(frame, wire::Opcode::kResume, 0, 0, wire::Resume{key_, received});
  if (status = link->send(frame); status.ok()) status = hear(*link, peerReceived);
  return status;
}

Status Resumption::join(std::uint32_t& lane, net::TransportPtr& link, std::chrono::nanoseconds& roundTrip) {
  std::lock_guard joining(joining_);
  lane = ++lanes_;
  bool nobodyListens = false;
  if (Status status = connect(link, nobodyListens); !status.ok()) return status;
  link->setTimeout(std::min(kPatience, options_.ioTimeout) * 1000);
  std::vector<std::byte> frame, payload;
  wire::Header header;
  wire::JoinReply reply;
  wire::appendFrame(frame, wire::Opcode::kJoin, 0, 0, wire::Join{key_, lane});
  const Clock::time_point begin = Clock::now();
  if (Status status = link->send(frame); !status.ok()) return status;
  if (Status status = access::receiveFrame(*link, kMostAnswer, header, payload); !status.ok()) return status;
  roundTrip = Clock::now() - begin;
  if (header.opcode != static_cast<std::uint16_t>(wire::Opcode::kJoin) || !access::decode(payload, reply) ||
      reply.lane != lane)
    return Status::invalid("a malformed answer");
  return {};
}

}  // namespace hipr::client
