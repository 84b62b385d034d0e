// LineRelay: a TCP relay on loopback that lets every byte through some time later, and only so many of them at a time,
// in both directions: a long or a thin line for machines where the kernel cannot make one (netem). It runs in a process
// of its own, carries any number of connections, and counts.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace hipr::testing {

class LineRelay {
 public:
  struct Line {
    double oneWay = 0;       // seconds, in each direction
    double bandwidth = 0;    // bytes per second in each, of all connections together; 0: as many as there are
    std::size_t window = 0;  // bytes of one connection that are on their way at most; 0: any number
  };
  LineRelay(const std::string& host, int port, const Line& line);
  ~LineRelay();
  LineRelay(const LineRelay&) = delete;
  LineRelay& operator=(const LineRelay&) = delete;

  int port() const { return port_; }
  std::uint64_t up() const;    // bytes that it has taken from clients so far
  std::uint64_t down() const;  // and from workers
  std::uint64_t connections() const;

 private:
  struct Counters;
  Counters* counters_;  // in memory that both processes have
  std::uint16_t port_ = 0;
  pid_t process_ = -1;
};

}  // namespace hipr::testing
