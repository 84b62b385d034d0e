// Connection: what the worker sends. Frames are taken in one after the other by whoever reads; the data of downloads
// goes to its place without a stop.
#include <algorithm>
#include <cstring>

#include "client/connection.h"

namespace hipr::client {

bool Connection::late() {
  const Clock::time_point now = Clock::now();
  if (messageEnd_ == Clock::time_point{})
    messageEnd_ = now + std::chrono::seconds(ioTimeout_) * (1 + coming_ / wire::kMaxDataChunk);
  return now >= messageEnd_;
}

Status Connection::giveUp(const Status& why) {
  if (!channel_->resumable()) return why;
  channel_->distrust(why);
  return {};
}

// Waits for bytes. A worker always answers a Ping at once, so silence while something is outstanding means that it, or
// the way to it, is gone.
Status Connection::receive(std::span<const net::Transport::Room> rooms, std::size_t* got) {
  Status status;
  const bool came = eager_ && spin_([&] {
                      status = channel_->receive(rooms, net::Transport::Patience::kNone, got);
                      return !status.ok() || *got;
                    });
  std::uint64_t cuts = channel_->cuts();
  for (int silent = 0; !came && status.ok(); ++silent) {
    if (begun_ && late()) {  // what is here already counts, however long this process has slept
      status = channel_->receive(rooms, net::Transport::Patience::kNone, got);
      if (!status.ok() || *got) break;
      status = giveUp(Status::unavailable("a message did not arrive whole within " + std::to_string(ioTimeout_) +
                                          " s (TF_IO_TIMEOUT)"));
    } else if (silent > 4) {
      status = giveUp(Status::unavailable("no answer for " + std::to_string(ioTimeout_) + " s (TF_IO_TIMEOUT)"));
    }
    if (status.ok()) status = channel_->receive(rooms, net::Transport::Patience::kWait, got);
    if (!status.ok() || *got) break;
    if (channel_->cuts() != cuts) {  // another connection has as much time
      cuts = channel_->cuts();
      silent = 0;
      messageEnd_ = {};
    }
    if (outbox_.started()) outbox_.ping();
  }
  if (!status.ok()) return status;
  stats_.received.fetch_add(*got, std::memory_order_relaxed);
  return {};
}

Status Connection::fill(void* out, std::size_t size) {
  auto* at = static_cast<std::byte*>(out);
  while (size) {
    if (dead_) return Status::unavailable("the connection was given up");  // and with it what this is for
    if (!buffered()) {
      // Large: straight to its place. What comes behind it goes into the buffer.
      const net::Transport::Room rooms[2] = {{at, size >= buffer_.size() ? size : 0}, buffer_};
      std::size_t got = 0;
      if (Status status = receive(rooms, &got); !status.ok()) return status;
      const std::size_t direct = std::min(got, rooms[0].size());
      at += direct;
      size -= direct;
      begin_ = 0;
      end_ = got - direct;
      continue;
    }
    const std::size_t n = std::min(size, end_ - begin_);
    std::memcpy(at, buffer_.data() + begin_, n);
    begin_ += n;
    begun_ = true;
    at += n;
    size -= n;
  }
  return {};
}

Status Connection::receiveData(const wire::Header& header) {
  const bool packed = header.opcode == static_cast<std::uint16_t>(wire::Opcode::kPackedData);
  const std::size_t prefixed = packed ? wire::kPackedDataPrefix : wire::kDataPrefix;
  std::uint64_t prefix[3] = {};
  if (header.length < prefixed) return Status::invalid("truncated data frame");
  if (Status status = fill(prefix, prefixed); !status.ok()) return status;
  const std::size_t coming = header.length - prefixed, size = packed ? prefix[2] : coming;
  if (size > wire::kMaxDataChunk || (packed && coming >= size)) return Status::invalid("data of no sensible size");
  HostShape to;
  if (Status status = place(prefix[0], prefix[1], size, to); !status.ok()) return status;
  Status status;
  if (packed) {
    status = unpack(to, prefix[1], size, coming);
  } else {
    to.forEachRun(prefix[1], size, [&](std::byte* at, std::size_t n) {
      if (status.ok()) status = fill(at, n);
    });
  }
  placed(prefix[0]);
  measure(coming);
  return status;
}

Status Connection::unpack(const HostShape& to, std::size_t offset, std::size_t size, std::size_t packed) {
  payload_.resize(packed);
  if (Status status = fill(payload_.data(), packed); !status.ok()) return status;
  unpacked_.resize(size);
  if (!unpacker_.unpack(payload_, unpacked_)) return Status::invalid("packed data that cannot be unpacked");
  to.unpack(offset, unpacked_);
  stats_.unpacked.fetch_add(size, std::memory_order_relaxed);
  return {};
}

bool Connection::handle(const wire::Header& header, wire::Bytes payload) {
  const auto opcode = static_cast<wire::Opcode>(header.opcode);
  if (header.flags & wire::HIP_REMOTE_FLAG_REPLY) {
    if (header.request == 0 && opcode == wire::Opcode::kPing) return true;
    return finish(header, payload);
  }
  if (opcode == wire::Opcode::kAcknowledge) return acknowledged(payload);
  if (opcode == wire::Opcode::kLaneData) return announced(payload);
  return opcode == wire::Opcode::kOutput ? print(payload) : onPush_(opcode, payload);
}

bool Connection::acknowledged(wire::Bytes payload) {
  wire::Acknowledge message;
  wire::Reader reader(payload);
  reader.get(message);
  if (!reader.ok() || !reader.atEnd() || !channel_->acknowledge(message.received)) return false;
  outbox_.acknowledged(message.received);
  return true;
}

bool Connection::print(wire::Bytes payload) {
  wire::Output output;
  wire::Reader reader(payload);
  reader.get(output);
  if (!reader.ok() || !reader.atEnd() || (output.stream != 1 && output.stream != 2)) return false;
  output_.add(output.stream, output.text);
  return true;
}

Status Connection::readFrame() {
  if (std::uint64_t position = 0; channel_->acknowledgementDue(position)) outbox_.acknowledge(position);
  std::byte head[wire::kHeaderSize];
  wire::Header header;
  begun_ = false;
  messageEnd_ = {};
  coming_ = sizeof head;
  if (Status status = fill(head, sizeof head); !status.ok()) return status;
  if (!wire::decodeHeader(head, header) || header.version != wire::kProtocolVersion)
    return Status::invalid("malformed frame header");
  coming_ = header.length;
  if (header.opcode == static_cast<std::uint16_t>(wire::Opcode::kData) ||
      header.opcode == static_cast<std::uint16_t>(wire::Opcode::kPackedData))
    return receiveData(header);
  payload_.resize(header.length);
  if (Status status = fill(payload_.data(), payload_.size()); !status.ok()) return status;
  static const std::byte empty{};
  // An empty answer is still an answer: only a lost connection gives a null pointer.
  const wire::Bytes bytes = payload_.empty() ? wire::Bytes(&empty, 0) : wire::Bytes(payload_);
  if (handle(header, bytes)) return {};
  const bool answer = header.flags & wire::HIP_REMOTE_FLAG_REPLY;
  return Status::invalid(std::string(answer ? "an answer to no question: " : "a message that makes no sense: ") +
                         wire::opcodeName(header.opcode));
}

}  // namespace hipr::client
