// Naming: which blocks of uploads are named to the worker before, or instead of, being sent (wire::NamedData). Naming
// takes a hash of the block, and finding it takes the worker another; it pays where the line is much slower than that,
// and where the worker really has the block. What is sent is kept by the worker only where it pays. Not thread-safe.
#pragma once

#include <algorithm>

#include "net/shortcut.h"

namespace hipr::client {

class Naming : public net::Shortcut {
 public:
  Naming() : Shortcut({.faster = 3, .speed = 1.5e9, .patience = 8, .rarest = 16}) {}

  // Whether the next block is to be named. Unless all() are, that is decided at the last moment, when more may be
  // known.
  bool next() { return undecided() ? first_ > 0 && first_-- > 0 : Shortcut::next(); }
  void answered(bool known) { known ? worked() : failed(); }
  // Of one block. On a busy machine most of them take longer than they have to.
  void hashingWas(double bytesPerSecond) { speed_ = std::max(bytesPerSecond, speed_ * kMemory); }

 private:
  static constexpr double kMemory = 0.99;
  int first_ = 2;  // blocks that are tried before anything is known
};

}  // namespace hipr::client
