#include "telemetry/sampler.h"

namespace hipr::telemetry {

const Sample& Sampler::sample(Clock::time_point now) {
  if (number_ != 0 && now - taken_ < interval_) return last_;
  last_.readings = source_.read();
  last_.readings.resize(source_.gpus().size());
  last_.processes = source_.processes();
  taken_ = now;
  ++number_;
  return last_;
}

}  // namespace hipr::telemetry
