// FrameReader: takes frames off a transport. Small ones come out of a read-ahead buffer, many per system call; bulk
// data goes straight to where it belongs. Used by one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "net/transport.h"
#include "wire/frame.h"
#include "wire/stream.h"

namespace hipr::worker {

class FrameReader {
 public:
  explicit FrameReader(net::Transport& transport);

  using Clock = std::chrono::steady_clock;
  void setDeadline(std::optional<Clock::time_point> end);  // of all waits together, until another one is set

  bool hasHeader() const { return buffered() >= wire::kHeaderSize; }  // it has arrived and been taken in
  // Takes in what has arrived, without waiting. False when there is no whole header yet.
  bool poll();

  // Waits for the next header. kCut when the peer closed between two frames or vanished inside one.
  Status next(wire::Header& header);

  // The payload of the frame, valid until the next call.
  Status payload(std::uint64_t length, wire::Bytes& out);

  // The next bytes of the payload, to their destination.
  Status read(void* out, std::size_t size);
  Status skip(std::uint64_t size);

  // Before the connection is closed: throws away whatever comes until the peer closes or falls silent, for a moment.
  // A connection closed over unread bytes is reset, and the reset can overtake the last thing we said.
  void discard();

 private:
  std::size_t buffered() const { return end_ - begin_; }
  void compact();
  // At least `wanted` bytes are buffered.
  Status fill(std::size_t wanted) { return buffered() >= wanted ? Status{} : fillMore(wanted); }
  Status fillMore(std::size_t wanted);
  Status receive(std::span<const net::Transport::Room> rooms, std::size_t* got);  // at least one byte

  net::Transport& transport_;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::optional<Clock::time_point> deadline_;
  bool drained_ = false;                // the last receive took all there was: the next poll() need not look
  std::unique_ptr<std::byte[]> large_;  // a payload beyond the buffer
};

}  // namespace hipr::worker
