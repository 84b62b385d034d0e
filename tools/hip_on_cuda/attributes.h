// What a CUDA device says about itself, in HIP's words. It passes for a gfx90a, so that clients choose that code.
#pragma once

#include "hip_remote/hip.h"

namespace hipr::cuda {

inline constexpr char kPretendedTarget[] = "gfx90a:sramecc+:xnack-";
inline constexpr int kPretendedVersion = 70'000'000;  // HIP 7.0.0

// CUDA's number of an attribute, or 0 where CUDA has none.
int cudaAttribute(hipDeviceAttribute_t attribute);

hipError_t readProperties(int device, hipDeviceProp_tR0600& out);

}  // namespace hipr::cuda
