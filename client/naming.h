// Naming: which blocks of uploads are named to the worker before, or instead of, being sent (wire::NamedData). Naming
// takes a hash of the block, and finding it takes the worker another; it pays where the line is much slower than that,
// and where the worker really has the block. So nothing is named on fast lines, and where the worker has had none of
// the last blocks fewer and fewer are tried. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace hipr::client {

// HIP_REMOTE_DATA_CACHE: off, auto, on.
enum class NamingMode { kNever, kWhereItPays, kAlways };

class Naming {
 public:
  void start(NamingMode mode) { mode_ = mode; }
  bool off() const { return mode_ == NamingMode::kNever; }

  // The line is slow enough, or nobody asks. What is sent is kept by the worker only then.
  bool pays() const {
    return mode_ == NamingMode::kAlways || (mode_ == NamingMode::kWhereItPays && line_ && *line_ * kFaster < hashing_);
  }
  // Nothing is known of the line yet.
  bool undecided() const { return mode_ == NamingMode::kWhereItPays && !line_; }

  void lineIs(std::optional<double> bytesPerSecond) { line_ = bytesPerSecond; }
  // Of one block. On a busy machine most of them take longer than they have to.
  void hashingWas(double bytesPerSecond) { hashing_ = std::max(bytesPerSecond, hashing_ * kMemory); }

  // Every block is named. Otherwise it is decided at the last moment, when more may be known.
  bool all() const { return pays() && interval_ == 1; }
  // Whether the next block is to be named.
  bool next() {
    if (undecided()) return first_ > 0 && first_-- > 0;
    if (!pays()) return false;
    if (skip_ > 0) return --skip_, false;
    skip_ = interval_ - 1;
    return true;
  }
  void answered(bool known) {
    if (known) {
      unknown_ = skip_ = 0;
      interval_ = 1;
    } else if (++unknown_ >= kPatience) {
      interval_ = std::min(2 * interval_, kRarest);
    }
  }

 private:
  static constexpr double kFaster = 3;  // than the line, to pay
  static constexpr double kMemory = 0.99;
  static constexpr int kPatience = 8;  // unknown blocks in a row
  static constexpr int kRarest = 16;   // one of so many is tried

  NamingMode mode_ = NamingMode::kNever;
  std::optional<double> line_;  // bytes per second, as the next
  double hashing_ = 1.5e9;      // of one thread; until it has been measured
  int first_ = 2;               // blocks that are tried before anything is known
  int interval_ = 1, skip_ = 0;
  int unknown_ = 0;
};

}  // namespace hipr::client
