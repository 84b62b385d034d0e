// What remoting may cost: the raw exchanges it is measured against, and one table of limits.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hipr::bench {

// What some limit is made of: an exchange over a raw socket (bench/raw_socket.h), or raw memory (bench/raw_memory.h).
struct Baseline {
  enum class Kind { kSocket, kSpinningSocket, kCopy, kFutex };
  const char* key;
  const char* what;
  std::size_t up, down;
  Kind kind = Kind::kSocket;
};
const Baseline& findBaseline(std::string_view key);

enum class Quantity { kTime, kProcessorTime, kRoundTrips };

// value(remoted) <= direct x value(direct) + raw x time(baseline) + fixed
struct Limit {
  const char* line;
  Quantity quantity = Quantity::kTime;
  double direct = 0;
  double raw = 0;
  const char* baseline = nullptr;  // with raw != 0
  double fixed = 0;                // seconds, or round trips

  double of(double directValue, double rawValue) const { return direct * directValue + raw * rawValue + fixed; }
  std::string text() const;  // "direct + 1.15 x blocking ping-pong"
};
// `near`: program and worker share memory.
std::vector<Limit> limitsOf(std::string_view line, bool near);

// A time as people read it: "84.1 us".
std::string timeText(double seconds);

}  // namespace hipr::bench
