// What one machine said: the input of every view.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "types/gpu.h"

namespace hipr::smi {

struct HostReport {
  std::string host;  // as the user named it, "local" without a worker
  unsigned port = 0;
  Status status;  // when it is not ok(), nothing below means anything
  std::string hostName, workerVersion, source, libraryVersion;
  std::vector<telemetry::Gpu> gpus;
  std::vector<telemetry::Link> links;
  std::vector<telemetry::Reading> readings;  // one for each GPU
  std::vector<telemetry::Process> processes;
};

}  // namespace hipr::smi
