// How a batch of operations is timed, the same for HIP calls and for the raw sockets they are compared with.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace hipr::bench {

inline double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// What two looks at the clock cost, which is part of every time taken around a single operation.
inline double clockCost() {
  static const double cost = [] {
    std::vector<double> pairs;
    for (int i = 0; i < 1001; ++i) {
      const double start = seconds();
      pairs.push_back(seconds() - start);
    }
    return median(pairs);
  }();
  return cost;
}

// Seconds per operation. With a pause each operation is timed alone, after the caller has been busy with something else
// for that long: whoever helps it has gone to sleep by then, but the caller has not.
template <class Operation>
double timeBatch(int count, double pause, Operation&& operation) {
  if (pause == 0) {
    const double start = seconds();
    for (int i = 0; i < count; ++i) operation();
    return (seconds() - start) / count;
  }
  std::vector<double> times;
  for (int i = 0; i < count; ++i) {
    const double resume = seconds() + pause;
    while (seconds() < resume) {
    }
    const double start = seconds();
    operation();
    times.push_back(std::max(0.0, seconds() - start - clockCost()));
  }
  return median(times);
}

}  // namespace hipr::bench
