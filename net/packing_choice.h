// PackingChoice: which pieces of bulk data are packed for their way. It pays where the line is slower than packing, by
// measurement of both, and where the data shrinks: of what does not, fewer and fewer pieces are tried. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

namespace hipr::net {

// HIP_REMOTE_COMPRESS: off, auto, on.
enum class PackingMode { kNever, kWhereItPays, kAlways };

class PackingChoice {
 public:
  void start(PackingMode mode) { mode_ = mode; }
  bool off() const { return mode_ == PackingMode::kNever; }
  // Nothing is known of the line yet.
  bool undecided() const { return mode_ == PackingMode::kWhereItPays && !line_; }
  bool pays() const {
    return mode_ == PackingMode::kAlways ||
           (mode_ == PackingMode::kWhereItPays && line_ && *line_ * kFaster < packing_);
  }

  void lineIs(std::optional<double> bytesPerSecond) { line_ = bytesPerSecond; }

  // Whether the next piece is tried. One of these follows each that is.
  bool next() {
    if (!pays()) return false;
    if (skip_ > 0) return --skip_, false;
    skip_ = interval_ - 1;
    return true;
  }
  void shrank(std::size_t bytes, double seconds) {
    large_ = skip_ = 0;
    interval_ = 1;
    if (seconds <= 0) return;
    // Some data takes no time at all, which says nothing about the rest.
    const double speed = std::min(static_cast<double>(bytes) / seconds, kBelievable);
    packing_ += (speed - packing_) * kWeight;
  }
  void stayedLarge() {
    if (++large_ >= kPatience) interval_ = std::min(2 * interval_, kRarest);
  }

 private:
  static constexpr double kFaster = 2;  // than the line, to pay: it takes processors from the program
  static constexpr double kBelievable = 1e9, kWeight = 0.125;
  static constexpr int kPatience = 4;  // pieces in a row
  static constexpr int kRarest = 64;   // one of so many is tried

  PackingMode mode_ = PackingMode::kNever;
  std::optional<double> line_;  // bytes per second, as the next
  double packing_ = 300e6;      // of one thread; until it has been measured
  int interval_ = 1, skip_ = 0;
  int large_ = 0;
};

}  // namespace hipr::net
