// The GPUs that a program under `hip-remote run` sees, for those who tell it about them.
#pragma once

#include <vector>

#include "telemetry/source.h"

namespace hipr::telemetry {

// `hip-remote run --softgpu` sets it to "softgpu"; otherwise the GPUs are those of the worker.
inline constexpr char kTargetVariable[] = "HIP_REMOTE_TARGET";

Status openTarget(SourcePtr& source);

// The places in `gpus` of those that HIP programs see, in HIP's order. All of them when none says its number.
std::vector<std::size_t> inOrderOfHip(const std::vector<Gpu>& gpus);

}  // namespace hipr::telemetry
