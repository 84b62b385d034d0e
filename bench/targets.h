// What remoting may cost: the raw exchanges it is measured against, and one table of limits.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hipr::bench {

// A raw exchange (bench/raw_socket.h) that some limit is made of.
struct Baseline {
  const char* key;
  const char* what;
  std::size_t up, down;
  bool spinning = false;
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
std::vector<Limit> limitsOf(std::string_view line);

// A time as people read it: "84.1 us".
std::string timeText(double seconds);

}  // namespace hipr::bench
