// Command line of smi-remote.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "net/socket.h"

namespace hipr::smi {

enum class Command { List, Metrics, Info, Power, Processes, Topology, Watch };
enum class Format { Table, Json, Csv };

// What the exit code says.
enum Exit : int {
  kExitOk = 0,
  kExitSomeFailed = 1,  // some host did not answer, the others are shown
  kExitUsage = 2,
  kExitNoneAnswered = 3,
  kExitNoSuchGpu = 4,
};

struct Options {
  Command command = Command::List;
  Format format = Format::Table;
  std::vector<net::Endpoint> hosts;  // empty with --local
  bool local = false;
  std::optional<unsigned> gpu;  // only this one
  double intervalSeconds = 1;
  unsigned count = 0;  // of updates by watch; 0: until it is told to stop
  int connectTimeout = 5, ioTimeout = 10;
};

// Prints and exits for --help, --version and whatever makes no sense.
Options parseOptions(int argc, char** argv);

}  // namespace hipr::smi
