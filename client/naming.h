// Naming: decides which blocks of uploads are named to the worker (wire::NamedData) instead of being sent. Naming costs
// a hash of the block here, and finding it costs the worker another. It pays where the line is much slower than
// hashing, and where the worker really has the block. Only where it pays does the worker keep what is sent. Not
// thread-safe.
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
