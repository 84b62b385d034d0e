// The page of metrics that Prometheus reads: text format 0.0.4.
#pragma once

#include <string>
#include <vector>

#include "telemetry/sampler.h"
#include "worker/session_counters.h"

namespace hipr::worker {

struct MetricsInput {
  bool names = false;  // of programs, hosts and processes; without, they are numbered
  std::string version;
  std::string source;                                 // empty: no telemetry of devices
  const std::vector<telemetry::Gpu>* gpus = nullptr;  // null like `sample` when there is no source
  const telemetry::Sample* sample = nullptr;
  std::uint64_t samples = 0;
  const SessionBoard* board = nullptr;  // null: no sessions to tell of
  std::size_t telemetryClients = 0;
};

std::string renderMetrics(const MetricsInput& input);

}  // namespace hipr::worker
