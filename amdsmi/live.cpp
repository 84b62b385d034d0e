#include "amdsmi/live.h"

#include "base/log.h"

namespace hipr::smi {

bool Live::failed() {
  const Status status = source_->failure();
  if (!status.ok() && !complained_) logError("no telemetry from the worker: %s", status.message().c_str());
  complained_ = !status.ok();
  return !status.ok();
}

const std::vector<telemetry::Reading>* Live::readings(Clock::time_point now) {
  if (now >= readAgain_) {
    readings_ = source_->read();
    read_ = !failed() && readings_.size() == gpus().size();
    readAgain_ = read_ ? now + kFresh : Clock::now() + kPause;
  }
  return read_ ? &readings_ : nullptr;
}

const std::vector<telemetry::Process>* Live::processes(Clock::time_point now) {
  if (now >= listAgain_) {
    processes_ = source_->processes();
    listed_ = !failed();
    listAgain_ = listed_ ? now + kFresh : Clock::now() + kPause;
  }
  return listed_ ? &processes_ : nullptr;
}

}  // namespace hipr::smi
