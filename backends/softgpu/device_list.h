// Which software GPUs this process has: the text of HIP_REMOTE_SOFTGPU as a list of device kinds.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "backends/softgpu/isa/execute.h"
#include "base/status.h"

namespace hipr::softgpu {

inline constexpr std::size_t kMaxDevices = 64;  // access to memory is kept as one bit per device

// "gfx90a", "gfx90ax4", "gfx90a,gfx942x2"; "none" gives an empty list.
Status parseDeviceList(std::string_view text, std::vector<Gpu>& out);

// Those of HIP_REMOTE_SOFTGPU; the error names it.
Status configuredDevices(std::vector<Gpu>& out);

// Half of the machine's memory between all devices, or what HIP_REMOTE_SOFTGPU_MEMORY says.
std::size_t memoryPerDevice(std::size_t devices);

}  // namespace hipr::softgpu
