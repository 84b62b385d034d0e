// Live: a telemetry source as the C libraries need it. Programs ask for one value per call, a hundred calls for one
// screen; here one request answers all that come within a tenth of a second. Not thread-safe.
#pragma once

#include <chrono>
#include <vector>

#include "telemetry/source.h"

namespace hipr::smi {

class Live {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kFresh{100};
  static constexpr std::chrono::seconds kPause{1};  // after a failure: the calls of one screen fail together

  explicit Live(telemetry::SourcePtr source) : source_(std::move(source)) {}

  const std::vector<telemetry::Gpu>& gpus() const { return source_->gpus(); }
  const std::vector<telemetry::Link>& links() const { return source_->links(); }

  // One for each GPU; null when the source cannot be read, which is logged once.
  const std::vector<telemetry::Reading>* readings(Clock::time_point now = Clock::now());
  const std::vector<telemetry::Process>* processes(Clock::time_point now = Clock::now());

 private:
  bool failed();

  telemetry::SourcePtr source_;
  Clock::time_point readAgain_{}, listAgain_{};
  std::vector<telemetry::Reading> readings_;
  std::vector<telemetry::Process> processes_;
  bool read_ = false, listed_ = false, complained_ = false;
};

// The worker that the environment names, with one line on stderr when it cannot be reached. Tests bring their own.
Status openWorker(telemetry::SourcePtr& source);

}  // namespace hipr::smi
