// Station: what the telemetry service knows, and how it answers. Opens the source when the first client asks, and reads
// it once for all clients. Used by one thread.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "telemetry/sampler.h"
#include "telemetry/source.h"
#include "types/platform.h"
#include "wire/messages.h"
#include "worker/session_counters.h"

namespace hipr::worker {

class Station {
 public:
  using Open = std::function<Status(telemetry::SourcePtr&)>;

  // `platform`: the devices as HIP clients see them. `board` may be null: no sessions to tell of.
  Station(Open open, const Platform& platform, const SessionBoard* board, std::string workerVersion);

  // `devices`: which of the platform's the one who asks may see, as 0, 1, …; empty: everything.
  using Devices = std::span<const std::int32_t>;
  wire::SmiOpenReply greeting(Devices devices = {});
  wire::SmiReadReply read(std::uint32_t parts, Devices devices = {});
  std::string metricsPage(bool names);  // whether programs, hosts and processes are named

  void setClients(std::size_t clients) { clients_ = clients; }

 private:
  Status ready();  // opens the source, unless that failed a moment ago
  const telemetry::Sample& sample();
  void identifySessions();
  std::optional<std::vector<std::uint32_t>> seen(Devices devices) const;

  const Open open_;
  const Platform& platform_;
  const SessionBoard* board_;
  const std::string version_;
  std::size_t clients_ = 0;

  telemetry::SourcePtr source_;
  std::vector<telemetry::Gpu> gpus_;
  std::unique_ptr<telemetry::Sampler> sampler_;
  telemetry::Sample sample_;  // the last one, with what we know of the processes
  std::uint64_t sampleNumber_ = 0;
  Status failure_;
  std::chrono::steady_clock::time_point failedAt_{};
};

std::string deviceAddress(const hipDeviceProp_tR0600& props);  // on PCI, as sources write it

// What HIP knows of a device and older vendor libraries do not tell: target and compute units.
void complete(telemetry::Gpu& gpu, const hipDeviceProp_tR0600& props);

bool isSoftgpu(const Platform& platform);

// The source that fits the runtime this worker has chosen; where there is no telemetry, the devices without it.
Status openWorkerSource(const Platform& platform, telemetry::SourcePtr& source);

}  // namespace hipr::worker
