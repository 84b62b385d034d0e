// The snapshot of all devices (types/platform.h), taken from a loaded HIP runtime of any version.
#pragma once

#include <cstdint>
#include <vector>

#include "types/platform.h"
#include "worker/hip_table.h"

namespace hipr::worker {

struct Survey {
  hipError_t status = hipSuccess;  // hipErrorNoDevice when there is none
  Platform platform;
  std::vector<std::uint64_t> freeMemory;  // of each device
};

// `devices`: which devices of the runtime, in which order; empty for all.
Survey survey(const HipTable& hip, std::vector<int>& devices);

// What the property struct of HIP 5 says, in the form of HIP 6 and 7. What it does not say is left zero.
hipDeviceProp_tR0600 convertProperties(const hipDeviceProp_tR0000& old);

}  // namespace hipr::worker
