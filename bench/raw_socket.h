// Plain TCP over loopback between two processes: what the machine itself can do. Nothing of the product is used here,
// only socket(2) with TCP_NODELAY, so that a baseline does not change with the code it judges.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <vector>

#include "bench/raw.h"

namespace hipr::bench {

// One exchange sends `up` bytes and receives `down` bytes from a process of its own.
class RawExchange : public Raw {
 public:
  // Spinning: neither side sleeps while it waits for the other. The peer does between batches.
  RawExchange(std::size_t up, std::size_t down, bool spinning);
  ~RawExchange() override;
  RawExchange(const RawExchange&) = delete;
  RawExchange& operator=(const RawExchange&) = delete;

  double time(int count, double pause) override;

 private:
  std::vector<char> up_, down_;
  bool spinning_;
  int socket_ = -1;
  pid_t peer_ = -1;
};

}  // namespace hipr::bench
