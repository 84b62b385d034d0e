// Retained: the last bytes of a sent stream, which the peer may not have yet. When a connection breaks, the bytes that
// were lost on the way are read from here and sent again.
//
// Small messages are kept as copies. Bulk data stays where it is, under its owner's number, until the owner says that
// its memory may change; only what has not been acknowledged by then is copied, which is little. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace hipr::net {

class Retained {
 public:
  using Part = std::span<const std::byte>;

  void copy(Part bytes);                        // appends
  void refer(Part bytes, std::uint64_t owner);  // appends without copying. REQUIRES: settle(owner) before they change
  // Its memory, or this memory whoever owns it, may change from now on. False, and nothing is done, when what would be
  // copied for that makes more than `most` altogether.
  bool settle(std::uint64_t owner, std::size_t most = SIZE_MAX);
  bool settle(Part memory, std::size_t most = SIZE_MAX);

  // The peer has everything before `position`, or had even more when it said that before; false: it cannot.
  bool acknowledge(std::uint64_t position);
  void clear();

  std::uint64_t acknowledged() const { return acknowledged_; }
  std::uint64_t end() const { return end_; }
  std::size_t copied() const { return copied_; }  // bytes of memory this costs
  // Bytes from `position` on, as many as fit. REQUIRES: acknowledged() <= position
  std::size_t read(std::uint64_t position, std::span<std::byte> out) const;

 private:
  struct Segment {
    Part bytes;
    std::uint64_t owner = 0;  // 0: in `own`
    std::vector<std::byte> own{};
  };
  template <class Which>
  bool settleThose(Which which, std::size_t most);
  void dropFirst();
  std::vector<std::byte> roomFor(std::size_t size);
  void giveBack(std::vector<std::byte> room);

  std::deque<Segment> segments_;
  std::uint64_t begin_ = 0;  // position of the first segment's first byte
  std::uint64_t acknowledged_ = 0, end_ = 0;
  std::size_t copied_ = 0;
  std::deque<std::vector<std::byte>> spare_;  // of segments that went, to be filled again: fresh memory is slow
  std::size_t spareBytes_ = 0;
};

}  // namespace hipr::net
