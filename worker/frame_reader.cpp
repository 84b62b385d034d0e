#include "worker/frame_reader.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace hipr::worker {
namespace {

constexpr std::size_t kCapacity = 256 << 10;
// After bulk data only this much is read ahead: the next header, but little of the next bulk, which would be copied
// twice.
constexpr std::size_t kBehindBulk = 256;
constexpr std::chrono::seconds kPatience(2);

Status gone(const char* what) {
  return Status::unavailable(what);
}

}  // namespace

FrameReader::FrameReader(int fd) : fd_(fd), buffer_(new std::byte[kCapacity]) {}

void FrameReader::setTimeout(int seconds) {
  const timeval timeout{seconds, 0};
  setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
}

void FrameReader::compact() {
  if (begin_ == 0) return;
  if (buffered()) std::memmove(buffer_.get(), buffer_.get() + begin_, buffered());
  end_ -= begin_;
  begin_ = 0;
}

bool FrameReader::poll() {
  if (buffered() >= wire::kHeaderSize) return true;
  compact();
  const ssize_t n = ::recv(fd_, buffer_.get() + end_, kCapacity - end_, MSG_DONTWAIT);
  if (n > 0) end_ += static_cast<std::size_t>(n);
  return n >= 0 && buffered() >= wire::kHeaderSize;  // errors and the end of the stream are for next() to find
}

Status FrameReader::receive(std::byte* out, std::size_t capacity, std::size_t* got) {
  for (;;) {
    const ssize_t n = ::recv(fd_, out, capacity, 0);
    if (n > 0) {
      *got = static_cast<std::size_t>(n);
      return {};
    }
    if (n == 0) return gone("the client closed the connection");
    if (errno == EINTR) continue;
    return gone(errno == EAGAIN ? "the client said nothing in time" : std::strerror(errno));
  }
}

Status FrameReader::fill(std::size_t wanted) {
  if (begin_ + wanted > kCapacity || begin_ == end_) compact();
  while (buffered() < wanted) {
    std::size_t got = 0;
    if (Status status = receive(buffer_.get() + end_, kCapacity - end_, &got); !status.ok()) return status;
    end_ += got;
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
    iovec parts[2] = {{at, size}, {buffer_.get(), kBehindBulk}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    const ssize_t n = ::recvmsg(fd_, &message, 0);
    if (n == 0) return gone("the client closed the connection");
    if (n < 0) {
      if (errno == EINTR) continue;
      return gone(std::strerror(errno));
    }
    const std::size_t direct = std::min(static_cast<std::size_t>(n), size);
    at += direct;
    size -= direct;
    end_ = static_cast<std::size_t>(n) - direct;
  }
  return {};
}

void FrameReader::discard() {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  begin_ = end_ = 0;
  setTimeout(static_cast<int>(kPatience.count()));
  std::size_t got = 0;
  while (std::chrono::steady_clock::now() < end && receive(buffer_.get(), kCapacity, &got).ok()) {
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
