// Quotas: how much of everything one session may have. A client that means no harm never meets them; one that asks for
// more gets HIP's own error, and nobody else notices. hip-worker --limit NAME=VALUE sets them, the metrics page shows
// them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>

#include "base/status.h"

namespace hipr::worker {

enum class Quota : std::size_t {
  kDeviceBytes,  // of each device's memory
  kStreams,
  kEvents,
  kModules,
  kFunctions,
  kImages,       // arrays, textures and surfaces
  kCodeBytes,    // of modules: as they came, and as they are loaded; of graphs
  kHostBytes,    // of host memory that kernels reach
  kStagedBytes,  // pinned memory for bytes between the network and the GPU
  kOperations,   // of all streams that are not done
  kHeldBytes,    // of operations that cannot be given to the runtime yet
  kWaits,        // answers that wait for the GPU
  kThreads,      // that wait for the GPU; beyond it one thread asks for all others
  kCompute,      // percent of each device's compute units (compute_part.h)
  kCount,
};
inline constexpr std::size_t kQuotas = static_cast<std::size_t>(Quota::kCount);

struct QuotaKind {
  const char* name;
  std::uint64_t standard;
  const char* what;
  std::uint64_t most = INT64_MAX;
};
const QuotaKind& kindOf(Quota quota);

class Limits {
 public:
  Limits();  // the standard ones
  std::uint64_t operator[](Quota quota) const { return values_[static_cast<std::size_t>(quota)]; }
  void set(Quota quota, std::uint64_t value) { values_[static_cast<std::size_t>(quota)] = value; }
  Status set(const std::string& text);  // "events=1000", "host-memory=4G"
  static std::string help();            // a line for each
  static auto fields(auto& m) { return std::tie(m.values_); }

 private:
  std::array<std::uint64_t, kQuotas> values_;
};

struct SessionCounters;

// What a session has of each kind now. Thread-safe.
class Meter {
 public:
  Meter(const Limits& limits, SessionCounters& counters);

  // Something that counts as long as anybody holds it. Null when it would be too much.
  using Share = std::shared_ptr<void>;
  Share take(Quota quota, std::uint64_t amount = 1);

  const Limits& limits() const { return limits_; }

 private:
  struct Used {
    std::array<std::atomic<std::uint64_t>, kQuotas> amount{};
  };

  const Limits limits_;
  SessionCounters& counters_;
  const std::shared_ptr<Used> used_ = std::make_shared<Used>();  // shares may outlive the meter
};

}  // namespace hipr::worker
