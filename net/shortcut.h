// Shortcut: decides about something that costs processor time and may save time on the line, such as naming data
// instead of sending it. It pays where the line is slower than the work, by measurement of both, and where it succeeds:
// after failures it is tried more and more rarely. Not thread-safe.
#pragma once

#include <algorithm>
#include <optional>

namespace hipr::net {

enum class When { kNever, kWhereItPays, kAlways };  // off, auto, on

class Shortcut {
 public:
  struct Habits {
    double faster;  // than the line it must be, so many times, to pay
    double speed;   // bytes per second of one thread, until it has been measured
    int patience;   // failures in a row, before fewer are tried
    int rarest;     // one of so many is tried all the same
  };
  explicit Shortcut(const Habits& habits) : speed_(habits.speed), habits_(habits) {}

  void start(When when) { when_ = when; }
  bool off() const { return when_ == When::kNever; }
  void lineIs(std::optional<double> bytesPerSecond) { line_ = bytesPerSecond; }
  // Nothing is known of the line yet.
  bool undecided() const { return when_ == When::kWhereItPays && !line_; }
  // The line is slow enough, or nobody asks.
  bool pays() const {
    return when_ == When::kAlways || (when_ == When::kWhereItPays && line_ && *line_ * habits_.faster < speed_);
  }

  bool all() const { return pays() && interval_ == 1; }  // every one is tried
  bool next() {                                          // the next one is
    if (!pays()) return false;
    if (skip_ > 0) return --skip_, false;
    skip_ = interval_ - 1;
    return true;
  }

 protected:
  void worked() {
    failures_ = skip_ = 0;
    interval_ = 1;
  }
  void failed() {
    if (++failures_ >= habits_.patience) interval_ = std::min(2 * interval_, habits_.rarest);
  }
  double speed_;

 private:
  const Habits habits_;
  When when_ = When::kNever;
  std::optional<double> line_;
  int interval_ = 1, skip_ = 0;
  int failures_ = 0;
};

}  // namespace hipr::net
