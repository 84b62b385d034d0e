// Which telemetry an AMD provider reads.
#include "base/env.h"
#include "provider/provider.h"

namespace hipr::provider {

Status openAmdSource(telemetry::SourcePtr& source) {
  Status status = telemetry::openAmdSmi(source);
  if (status.ok() && source && !source->gpus().empty()) return {};
  if (!envText("HIP_REMOTE_SOFTGPU")) return status;
  return telemetry::openSoftgpu(source);
}

}  // namespace hipr::provider
