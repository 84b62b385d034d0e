// Compute units of a device as data that programs hand around: hipDevResource. Where a part comes from is written in
// the bytes that HIP reserves for the runtime.
#pragma once

#include <cstdint>

#include "hip_remote/hip.h"

namespace hipr {

struct ResourceOrigin {
  std::uint32_t split = 0;  // which call made it; 0: the whole device
  std::int32_t device = -1;
  std::uint32_t first = 0;  // its first unit
};

ResourceOrigin originOf(const hipDevResource& resource);

// All units of a device.
hipDevResource wholeDevice(int ordinal, unsigned units);

}  // namespace hipr
