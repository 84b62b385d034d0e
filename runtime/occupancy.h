// How many work-groups of a kernel fit on one compute unit.
#pragma once

#include <cstddef>

#include "code_object/gpu_code.h"
#include "types/platform.h"

namespace hipr {

// 0 when a single group does not fit. REQUIRES: blockSize > 0.
int blocksPerUnit(const DeviceInfo& device, const code::GpuKernel& kernel, int blockSize, std::size_t dynamicShared);

}  // namespace hipr
