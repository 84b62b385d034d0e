// Fleet: the machines asked about, all at once. One that does not answer is remembered with the reason and asked again
// next time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "smi/options.h"
#include "smi/report.h"
#include "telemetry/source.h"

namespace hipr::smi {

class Fleet {
 public:
  explicit Fleet(const Options& options);
  ~Fleet();

  // Reads every machine, in parallel.
  std::vector<HostReport> read();

 private:
  struct Machine;
  std::vector<std::unique_ptr<Machine>> machines_;
};

}  // namespace hipr::smi
