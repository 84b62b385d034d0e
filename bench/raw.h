// What the machine itself can do, without anything of the product: what remoting is compared with.
#pragma once

namespace hipr::bench {

class Raw {
 public:
  virtual ~Raw() = default;
  // Seconds for one exchange, one after the other, each after `pause` (bench/timing.h).
  virtual double time(int count, double pause) = 0;
};

}  // namespace hipr::bench
