// What the sections of the benchmark other than its lines (bench/remoting.h) get and give. Numbers that depend on the
// machine are always taken next to a baseline measured in the same run, and reported as a ratio to it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/timing.h"
#include "testing/hip.h"

namespace hipr::bench {

struct Row {
  std::string what;
  double value = 0;
  std::string unit;
  std::string target;  // the limit, as it is printed; empty when there is none
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

void measureStartup(Report& report, const std::string& host, int port);
void measureDelay(Report& report, const std::string& host, int port, const std::string& directLibrary);

void measureUploads(Report& report, std::size_t mebibytes);      // known by content, over a thin line
void measureCompression(Report& report, std::size_t mebibytes);  // of copies over a thin line
void measureLanes(Report& report, std::size_t mebibytes);        // of an upload over a long line
void measurePacing(Report& report, bool quick);                  // of small calls beside bulk data

// Child modes of the same program.
// What it prints, one line. `environment` as a shell takes it: "NAME=value ".
std::string runSelf(const std::string& arguments, const std::string& environment = "");
int runStartupChild();  // connect, launch, wait; prints round trips and time
int runUploadChild(std::size_t mebibytes, unsigned seed, unsigned changedPercent);  // prints seconds
// What programs copy: 16-bit weights, text, and what nothing can make smaller.
enum Content { kWeights, kWords, kNoise };
int runCopyChild(std::size_t mebibytes, int content);  // prints seconds there and back
int runPacingChild(std::size_t mebibytes, int steps, hipMemcpyKind direction);
int runStepChild(int rounds);  // steps of that much work over a delayed connection; prints seconds per step

}  // namespace hipr::bench
