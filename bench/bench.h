// What every section of the benchmark gets and gives. Numbers that depend on the machine are always taken next to a
// baseline measured in the same run, and reported as a ratio to it.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "testing/hip.h"

namespace hipr::bench {

struct Row {
  std::string what;
  double value = 0;
  std::string unit;
  std::string target;  // as design demands it; empty when there is none
  bool met = true;
};

class Report {
 public:
  void section(const std::string& title);
  void add(const std::string& what, double value, const std::string& unit);
  void atMost(const std::string& what, double value, const std::string& unit, double limit);
  void atLeast(const std::string& what, double value, const std::string& unit, double limit);
  void print() const;  // the readable table
  nlohmann::json json() const;
  bool allMet() const;

 private:
  struct Section {
    std::string title;
    std::vector<Row> rows;
  };
  std::vector<Section> sections_;
};

using testing::Hip;

inline double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The time of one call of f, in seconds: the median of `batches` batches of `count`.
template <class F>
double timePerCall(int batches, int count, F&& f) {
  std::vector<double> times;
  for (int b = 0; b < batches; ++b) {
    const double start = seconds();
    for (int i = 0; i < count; ++i) f();
    times.push_back((seconds() - start) / count);
  }
  std::nth_element(times.begin(), times.begin() + batches / 2, times.end());
  return times[batches / 2];
}

void measureCalls(Report& report, const Hip& remote);
void measureCopies(Report& report, const Hip& remote);
void measureLaunches(Report& report, const Hip& remote, const Hip& direct);
void measureStartup(Report& report, const std::string& host, int port);
void measureDelay(Report& report, const std::string& host, int port, const Hip& direct);

// Child modes of the same program.
// What it prints, one line. `environment` as a shell takes it: "NAME=value ".
std::string runSelf(const std::string& arguments, const std::string& environment = "");
int runStartupChild();         // connect, launch, wait; prints round trips and time
int runStepChild(int rounds);  // steps of that much work over a delayed connection; prints seconds per step

}  // namespace hipr::bench
