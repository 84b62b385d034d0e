// HIP_VISIBLE_DEVICES and its relatives: which devices of the platform a program sees, and in which order.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/platform.h"

namespace hipr {

// Applies one list to `devices` (indexes into the platform). An entry is a position in `devices` or "GPU-" and the
// device's uuid. The list ends at the first entry that is neither: HIP ignores what follows an invalid entry.
std::vector<int> filterDevices(const Platform& platform, const std::vector<int>& devices, const std::string& list);

// What the environment leaves visible: ROCR_VISIBLE_DEVICES first, then GPU_DEVICE_ORDINAL, then HIP_VISIBLE_DEVICES
// or, without it, CUDA_VISIBLE_DEVICES; each counts in what the one before left.
std::vector<int> visibleDevices(const Platform& platform);

}  // namespace hipr
