// DelayRelay: a TCP relay on loopback that lets every byte through some time later, and only so many of them at a time,
// in both directions: a long or a thin line for machines where the kernel cannot make one (netem). It runs in a process
// of its own.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace hipr::bench {

class DelayRelay {
 public:
  // `oneWay` seconds in each direction; bytes per second in each, 0: as many as there are.
  DelayRelay(const std::string& host, int port, double oneWay, double bandwidth = 0);
  ~DelayRelay();
  int port() const { return port_; }

 private:
  std::uint16_t port_ = 0;
  pid_t process_ = -1;
};

}  // namespace hipr::bench
