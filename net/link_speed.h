// LinkSpeed: how fast bulk data really gets to the peer, measured by the peer's acknowledgements. How fast the socket
// accepts bytes says little: the first MiB only fill buffers on the way. Not thread-safe.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace hipr::net {

class LinkSpeed {
 public:
  using Clock = std::chrono::steady_clock;

  // Bulk data, as bytes [begin, end) of all that is ever sent.
  void sending(Clock::time_point now, std::uint64_t begin, std::uint64_t end) {
    const bool goesOn = end_ != 0 && (now - last_ < kBreath || end_ - std::min(end_, acknowledged_) > kStillOnTheWay);
    if (!goesOn) {
      since_ = now;
      begin_ = begin;
    }
    last_ = now;
    end_ = end;
  }
  // The peer has so much.
  void acknowledged(Clock::time_point now, std::uint64_t position) {
    acknowledged_ = position;
    if (end_ == 0 || position > end_ || position < begin_ + kEnough || now <= since_) return;
    const double speed = static_cast<double>(position - begin_) / std::chrono::duration<double>(now - since_).count();
    bytesPerSecond_ = std::max(speed, bytesPerSecond_.value_or(0) * kMemory);
  }
  // What follows waits for something else than the line.
  void interrupted() { end_ = 0; }

  std::optional<double> bytesPerSecond() const { return bytesPerSecond_; }

 private:
  static constexpr std::chrono::milliseconds kBreath{1};
  static constexpr std::uint64_t kStillOnTheWay = 2 << 20, kEnough = 1 << 20;
  static constexpr double kMemory = 0.9;  // a line that was faster once may be so again

  Clock::time_point since_{}, last_{};
  std::uint64_t begin_ = 0, end_ = 0;  // of what has been sent without a pause; 0: nothing
  std::uint64_t acknowledged_ = 0;
  std::optional<double> bytesPerSecond_;
};

}  // namespace hipr::net
