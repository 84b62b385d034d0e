#include "worker/frame_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace hipr::worker {
namespace {

constexpr std::size_t kCapacity = 256 << 10;
// How much is read ahead: many small messages, but little of bulk data, which would be copied twice. Behind bulk data
// there is probably more of it.
constexpr std::size_t kAhead = 16 << 10;
constexpr std::size_t kBehindBulk = 256;
constexpr std::chrono::seconds kPatience(2);
constexpr const char* kTooLate = "the client said nothing in time";

}  // namespace

FrameReader::FrameReader(net::Transport& transport) : transport_(transport), buffer_(new std::byte[kCapacity]) {}

void FrameReader::setDeadline(std::optional<Clock::time_point> end) {
  deadline_ = end;
  if (!end) transport_.setTimeout(0);
}

Status FrameReader::receive(std::span<const net::Transport::Room> rooms, std::size_t* got) {
  if (deadline_) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline_ - Clock::now()).count();
    if (left <= 0) return Status::unavailable(kTooLate);
    transport_.setTimeout(static_cast<int>(left));
  }
  Status status = transport_.receive(rooms, net::Transport::Patience::kWait, got);
  return status.ok() && *got == 0 ? Status::unavailable(kTooLate) : status;
}

void FrameReader::compact() {
  if (begin_ == 0) return;
  if (buffered()) std::memmove(buffer_.get(), buffer_.get() + begin_, buffered());
  end_ -= begin_;
  begin_ = 0;
}

bool FrameReader::poll() {
  if (hasHeader()) return true;
  if (std::exchange(drained_, false)) return false;
  compact();
  const net::Transport::Room room(buffer_.get() + end_, std::min(kAhead, kCapacity - end_));
  std::size_t got = 0;
  const Status status = transport_.receive({&room, 1}, net::Transport::Patience::kNone, &got);
  end_ += got;
  drained_ = got && got < room.size();
  // What went wrong is for next() to find, and so is the end of the stream.
  return !status.ok() || hasHeader();
}

Status FrameReader::fillMore(std::size_t wanted) {
  if (begin_ + wanted > kCapacity || begin_ == end_) compact();
  while (buffered() < wanted) {
    const net::Transport::Room room(buffer_.get() + end_,
                                    std::min(std::max(kAhead, wanted - buffered()), kCapacity - end_));
    std::size_t got = 0;
    if (Status status = receive({&room, 1}, &got); !status.ok()) return status;
    end_ += got;
    drained_ = got < room.size();
  }
  return {};
}

Status FrameReader::next(wire::Header& header) {
  large_.reset();
  if (Status status = fill(wire::kHeaderSize); !status.ok()) return status;
  const bool ours = wire::decodeHeader(
      std::span<const std::byte, wire::kHeaderSize>(buffer_.get() + begin_, wire::kHeaderSize), header);
  begin_ += wire::kHeaderSize;
  return ours ? Status{} : Status::invalid("not a HIP Remote frame");
}

Status FrameReader::payload(std::uint64_t length, wire::Bytes& out) {
  if (length > kCapacity) {
    large_.reset(new std::byte[length]);
    out = {large_.get(), length};
    return read(large_.get(), length);
  }
  if (Status status = fill(length); !status.ok()) return status;
  out = {buffer_.get() + begin_, length};
  begin_ += length;
  return {};
}

Status FrameReader::read(void* out, std::size_t size) {
  auto* at = static_cast<std::byte*>(out);
  const std::size_t ready = std::min(size, buffered());
  std::memcpy(at, buffer_.get() + begin_, ready);
  begin_ += ready;
  at += ready;
  size -= ready;
  if (size) begin_ = end_ = 0;
  while (size) {
    const net::Transport::Room rooms[2] = {{at, size}, {buffer_.get(), kBehindBulk}};
    std::size_t got = 0;
    if (Status status = receive(rooms, &got); !status.ok()) return status;
    const std::size_t direct = std::min(got, size);
    at += direct;
    size -= direct;
    end_ = got - direct;
  }
  return {};
}

void FrameReader::discard() {
  begin_ = end_ = 0;
  setDeadline(Clock::now() + kPatience);
  const net::Transport::Room room(buffer_.get(), kCapacity);
  std::size_t got = 0;
  while (receive({&room, 1}, &got).ok()) {
  }
}

Status FrameReader::skip(std::uint64_t size) {
  std::vector<std::byte> sink(std::min<std::uint64_t>(size, 64 << 10));
  while (size) {
    const std::size_t n = std::min<std::uint64_t>(size, sink.size());
    if (Status status = read(sink.data(), n); !status.ok()) return status;
    size -= n;
  }
  return {};
}

}  // namespace hipr::worker
