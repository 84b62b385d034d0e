// PackingChoice: which pieces of bulk data are packed for their way. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>

#include "net/shortcut.h"

namespace hipr::net {

// One of shrank() and stayedLarge() follows each piece that is tried.
class PackingChoice : public Shortcut {
 public:
  // Twice as fast as the line, because it takes processors from the program.
  PackingChoice() : Shortcut({.faster = 2, .speed = 300e6, .patience = 4, .rarest = 64}) {}

  void shrank(std::size_t bytes, double seconds) {
    worked();
    if (seconds <= 0) return;
    // Some data takes no time at all, which says nothing about the rest.
    const double speed = std::min(static_cast<double>(bytes) / seconds, kBelievable);
    speed_ += (speed - speed_) * kWeight;
  }
  void stayedLarge() { failed(); }

 private:
  static constexpr double kBelievable = 1e9, kWeight = 0.125;
};

}  // namespace hipr::net
