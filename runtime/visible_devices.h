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

// What the environment leaves visible: of what ROCR_VISIBLE_DEVICES does, HIP_VISIBLE_DEVICES or, if that is not set or
// empty, CUDA_VISIBLE_DEVICES. An empty list hides all devices in the first variable, and none in the others.
std::vector<int> visibleDevices(const DeviceRow& row);

}  // namespace hipr
