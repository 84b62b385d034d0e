// The lines of bench/lines.h, measured: directly, remoted and next to the raw exchanges their limits are made of, in
// turns, so that a machine that changes speed meanwhile changes it for all of them.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/line_process.h"
#include "bench/targets.h"

namespace hipr::bench {

struct Measured {
  double median = 0, minimum = 0;  // seconds per operation
  Spent spent;                     // medians per operation
};

struct Verdict {
  Limit limit;
  double value = 0, allowed = 0;
  bool met() const { return value <= allowed; }
  std::string text() const;  // "met", "missed by 12 %"
};

struct Result {
  const Line* line = nullptr;
  Measured direct, remoted;
  std::map<std::string, Measured> raw;  // by the baseline's key
  Traffic traffic;
  std::vector<Verdict> verdicts;

  void print() const;
  nlohmann::json json() const;
};

// Quick: a few operations only, to see that everything runs and to count round trips.
Result measureLine(const Line& line, const Runtime& direct, const Runtime& remote, bool near, bool quick);

}  // namespace hipr::bench
