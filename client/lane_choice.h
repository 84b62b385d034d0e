// LaneChoice: how many connections bulk data should have. One TCP flow often cannot fill a long line, but several may.
// So while much is sent without a pause, another connection, a lane, is tried, one at a time. It stays if it made all
// of them together faster by a fifth; if not, it is closed and none is tried for a long while.
//
// Lanes have a second use. Over a thin line a piece takes long, and small messages wait behind it. There the first lane
// stays, whether it makes anything faster or not, and the session's own connection is left to small messages.
//
// There is one LaneChoice for uploads and one for downloads. Not thread-safe.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "net/shortcut.h"
#include "net/transport.h"

namespace hipr::client {

// Makes one, which gets a number higher than those before. `roundTrip`: of the last question and its answer.
using OpenLane =
    std::function<Status(std::uint32_t& number, net::TransportPtr& link, std::chrono::nanoseconds& roundTrip)>;

class LaneChoice {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Advice { kNothing, kOpen, kClose };  // kOpen: opened() or failed() follows. kClose: the newest one

  // kAlways: also where the line is short. `most`: connections that bulk data has.
  void start(net::When when, std::size_t most) {
    when_ = when;
    most_ = when == net::When::kNever ? 0 : most;
  }

  // What comes now was not on its way before: the pause says nothing about the line.
  void resumed(Clock::time_point now) {
    if (now <= last_ || now - last_ > kBreath) return;
    since_ += now - last_;
    last_ = now;
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
    if (now - since_ < kGlance || bytes_ < kEnough) return Advice::kNothing;
    const double speed = static_cast<double>(bytes_) / std::chrono::duration<double>(now - since_).count();
    const bool thin = lanes_ == 0 && speed < kThin;  // that much is soon known
    if (!thin && now - since_ < kWindow) return Advice::kNothing;
    begin(now);
    speed_ = speed;
    const bool failed = trial_ && speed < before_ * kGain;
    trial_ = false;
    if (failed) {
      rest(now, kLong);
      return Advice::kClose;
    }
    if (waiting == 0 || now < next_) return Advice::kNothing;
    if (lanes_ == 0) relief_ = thin;
    const std::size_t flows = lanes_ + (relief_ ? 0 : 1);
    if (flows >= most_ || (flows != 0 && flow_ + waiting < kMuch)) return Advice::kNothing;
    before_ = speed;
    flows_ = std::max<std::size_t>(flows, 1);
    opening_ = true;
    return Advice::kOpen;
  }

  // `roundTrip`: how long one took on the new connection. False: the line is short, and one flow fills it.
  bool opened(Clock::time_point now, Clock::duration roundTrip) {
    opening_ = false;
    const bool relief = relief_ && lanes_ == 0;
    if (!relief && when_ == net::When::kWhereItPays && roundTrip < kShort) {
      most_ = lanes_;
      return false;
    }
    ++lanes_;
    trial_ = !relief;
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
  bool lanesCarryAll() const { return relief_ && lanes_ != 0; }  // and the session's own connection small messages only
  // Of one connection, in bytes per second, before the newest lane was opened.
  double speedOfOne() const { return before_ / static_cast<double>(flows_); }
  // Of all connections together, while there are lanes.
  std::optional<double> bytesPerSecond() const { return lanes_ ? speed_ : std::nullopt; }

 private:
  static constexpr std::chrono::milliseconds kGlance{100}, kWindow{250}, kBreath{500}, kSettling{150}, kShort{2};
  static constexpr std::chrono::seconds kPause{10}, kLong{300};
  static constexpr int kStart = 8;  // round trips until a new flow is as fast as it gets
  static constexpr std::uint64_t kEnough = 4 << 20, kMuch = 32 << 20;
  static constexpr double kGain = 1.2;
  static constexpr double kThin = 250 << 20;  // bytes per second, of which a piece takes 4 ms

  void begin(Clock::time_point now) {
    since_ = last_ = now;
    bytes_ = 0;
  }
  void rest(Clock::time_point now, Clock::duration time) { next_ = std::max(next_, now + time); }

  net::When when_ = net::When::kNever;
  std::size_t most_ = 0, lanes_ = 0;
  bool opening_ = false, trial_ = false;  // trial_: it is not known yet whether the newest one stays
  bool relief_ = false;                   // the first one is, or will be, to relieve the session's own connection
  double before_ = 0;                     // bytes per second without it
  std::size_t flows_ = 1;                 // connections that these came over
  std::optional<double> speed_;
  Clock::time_point since_{}, last_{}, settled_{}, next_{};
  std::uint64_t bytes_ = 0;  // since since_
  std::uint64_t flow_ = 0;   // without a pause
};

}  // namespace hipr::client
