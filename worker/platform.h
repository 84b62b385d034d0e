// The snapshot of all devices (types/platform.h), taken from a loaded HIP runtime of any version.
#pragma once

#include <cstdint>
#include <span>
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

// What somebody sees who may have only these of its devices, and so much memory of each; 0: all of it.
// REQUIRES: devices that are there.
Platform seenBy(const Platform& all, std::span<const std::int32_t> devices, std::uint64_t memory);

// What the property struct of HIP 5 says, in the form of HIP 6 and 7. What it does not say is left zero.
hipDeviceProp_tR0600 convertProperties(const hipDeviceProp_tR0000& old);

}  // namespace hipr::worker
