// LaneChoice: how many connections bulk data should have. One TCP flow often cannot fill a long line, several may. So
// while much is sent without a pause another connection, a lane, is tried, one at a time; it stays if all of them
// together became faster by a fifth, and if not none is tried for a long while. Not thread-safe.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "net/shortcut.h"

namespace hipr::client {

class LaneChoice {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Advice { kNothing, kOpen, kClose };  // kOpen: opened() or failed() follows. kClose: the newest one

  void start(net::When when, std::size_t most) {  // kAlways: also where the line is short
    when_ = when;
    most_ = when == net::When::kNever ? 0 : most;
  }

  // The peer has got so many bytes more, over all connections together, and so many wait to be sent.
  Advice arrived(Clock::time_point now, std::uint64_t bytes, std::uint64_t waiting) {
    if (most_ == 0 || opening_ || now < settled_) return Advice::kNothing;
    if (now - last_ > kBreath) {  // nobody sent anything
      begin(now);
      flow_ = 0;
    }
    last_ = now;
    bytes_ += bytes;
    flow_ += bytes;
    if (now - since_ < kWindow || bytes_ < kEnough) return Advice::kNothing;
    const double speed = static_cast<double>(bytes_) / std::chrono::duration<double>(now - since_).count();
    begin(now);
    speed_ = speed;
    const bool failed = trial_ && speed < before_ * kGain;
    trial_ = false;
    if (failed) {
      rest(now, kLong);
      return Advice::kClose;
    }
    if (lanes_ == most_ || waiting == 0 || flow_ + waiting < kMuch || now < next_) return Advice::kNothing;
    before_ = speed;
    opening_ = true;
    return Advice::kOpen;
  }

  // `roundTrip`: how long one took on the new connection. False: the line is short, and one flow fills it.
  bool opened(Clock::time_point now, Clock::duration roundTrip) {
    opening_ = false;
    if (when_ == net::When::kWhereItPays && roundTrip < kShort) {
      most_ = lanes_;
      return false;
    }
    ++lanes_;
    trial_ = true;
    settled_ = now + std::max<Clock::duration>(kSettling, kStart * roundTrip);
    begin(settled_);
    return true;
  }
  void failed(Clock::time_point now) {
    opening_ = false;
    rest(now, kLong);
  }
  // One has been closed, or was lost.
  void closed(Clock::time_point now) {
    --lanes_;
    trial_ = false;
    rest(now, kPause);
    begin(now);
  }

  std::size_t lanes() const { return lanes_; }
  // Of all connections together, while there are lanes.
  std::optional<double> bytesPerSecond() const { return lanes_ ? speed_ : std::nullopt; }

 private:
  static constexpr std::chrono::milliseconds kWindow{250}, kBreath{500}, kSettling{150}, kShort{2};
  static constexpr std::chrono::seconds kPause{10}, kLong{300};
  static constexpr int kStart = 8;  // round trips until a new flow is as fast as it gets
  static constexpr std::uint64_t kEnough = 4 << 20, kMuch = 32 << 20;
  static constexpr double kGain = 1.2;

  void begin(Clock::time_point now) {
    since_ = last_ = now;
    bytes_ = 0;
  }
  void rest(Clock::time_point now, Clock::duration time) { next_ = std::max(next_, now + time); }

  net::When when_ = net::When::kNever;
  std::size_t most_ = 0, lanes_ = 0;
  bool opening_ = false, trial_ = false;  // trial_: it is not known yet whether the newest one stays
  double before_ = 0;                     // bytes per second without it
  std::optional<double> speed_;
  Clock::time_point since_{}, last_{}, settled_{}, next_{};
  std::uint64_t bytes_ = 0;  // since since_
  std::uint64_t flow_ = 0;   // without a pause
};

}  // namespace hipr::client
