// HIP_VISIBLE_DEVICES and its relatives: which devices a program sees, and in which order.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "types/platform.h"

namespace hipr {

using DeviceRow = std::vector<const DeviceInfo*>;  // of all cores, one after the other

// Applies one list to `devices` (indexes into the row). An entry is a position in `devices` or "GPU-" and the
// device's uuid. The list ends at the first entry that is neither: HIP ignores what follows an invalid entry.
std::vector<int> filterDevices(const DeviceRow& row, const std::vector<int>& devices, const std::string& list);

// What the environment leaves visible: ROCR_VISIBLE_DEVICES first, then GPU_DEVICE_ORDINAL, then HIP_VISIBLE_DEVICES
// or, without it, CUDA_VISIBLE_DEVICES; each counts in what the one before left.
std::vector<int> visibleDevices(const DeviceRow& row);

}  // namespace hipr
