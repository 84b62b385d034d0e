// A source for tests: two GPUs with known values, used by this process.
#pragma once

#include <unistd.h>

#include "telemetry/source.h"

namespace hipr::worker {

class FakeSource : public telemetry::Source {
 public:
  static constexpr std::uint64_t kUsed = 123456789;

  FakeSource() : gpus_(2) {
    gpus_[0].uuid = "fake-0";
    gpus_[1].uuid = "fake-1";
    gpus_[1].bdf = "0000:03:00.0";
    links_.resize(2);
    links_[0].to = links_[1].from = 1;
  }
  std::string_view kind() const override { return "fake"; }
  std::string libraryVersion() const override { return "9"; }
  const std::vector<telemetry::Gpu>& gpus() const override { return gpus_; }
  const std::vector<telemetry::Link>& links() const override { return links_; }
  std::vector<telemetry::Reading> read() override {
    std::vector<telemetry::Reading> out(2);
    out[0].memoryUsedBytes = kUsed;
    out[1].powerWatts = 300.5;
    return out;
  }
  std::vector<telemetry::Process> processes() override {
    std::vector<telemetry::Process> out(1);
    out[0].pid = static_cast<std::uint64_t>(getpid());
    return out;
  }

 private:
  std::vector<telemetry::Gpu> gpus_;
  std::vector<telemetry::Link> links_;
};

}  // namespace hipr::worker
