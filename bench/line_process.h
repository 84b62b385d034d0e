// A line of the benchmark in a process of its own, so that neither the other library's threads nor the benchmark itself
// count: started once, then told how many operations to make, batch by batch.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <string>

#include "bench/lines.h"
#include "bench/usage.h"

namespace hipr::bench {

// The HIP runtime a line runs on: a library, and the worker behind it (0 when there is none).
struct Runtime {
  std::string library;
  pid_t worker = 0;
};

struct Sample {
  double time = 0;  // seconds per operation
  Spent spent;      // per operation, of this process and the worker's processes
};

class LineProcess {
 public:
  LineProcess(const Line& line, const Runtime& runtime);
  ~LineProcess();
  LineProcess(const LineProcess&) = delete;
  LineProcess& operator=(const LineProcess&) = delete;

  Sample run(int count);

 private:
  std::string name_;
  pid_t process_ = -1;
  FILE* orders_ = nullptr;
  FILE* answers_ = nullptr;
};

// What the client library counted, per operation.
struct Traffic {
  double roundTrips = 0;
  double messages = 0;  // to the worker
  double bytesSent = 0;
};
Traffic countTraffic(const Line& line, const Runtime& runtime, int count);

// The child's side: `hip-remote-bench --child-line KEY LIBRARY WORKER` and `--child-count KEY LIBRARY COUNT`.
int runLineChild(const Line& line, const Runtime& runtime);
[[noreturn]] void runCountChild(const Line& line, const std::string& library, int count);

}  // namespace hipr::bench
