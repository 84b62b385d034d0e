// DelayRelay: a TCP relay on loopback that lets every byte through some time later, in both directions: a long line for
// machines where the kernel cannot make one (netem). It runs in a process of its own and does not limit bandwidth.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace hipr::bench {

class DelayRelay {
 public:
  // `oneWay` seconds in each direction.
  DelayRelay(const std::string& host, int port, double oneWay);
  ~DelayRelay();
  int port() const { return port_; }

 private:
  std::uint16_t port_ = 0;
  pid_t process_ = -1;
};

}  // namespace hipr::bench
