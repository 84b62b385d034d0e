// Names for GPUs that Kubernetes accepts: a GPU becomes a cluster-wide object named after its UUID.
#pragma once

#include <string>
#include <vector>

#include "types/gpu.h"

namespace hipr::provider {

// One for each GPU, in order, no two alike. A source's own UUID where it is a fit name.
std::vector<std::string> deviceNames(const std::vector<telemetry::Gpu>& gpus);

bool fitName(const std::string& name);  // RFC 1123 label; not beginning with "gpu-", which the hypervisor rewrites

}  // namespace hipr::provider
