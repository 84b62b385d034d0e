// HIP_REMOTE_SOFTGPU_DISCRETE: software GPUs that are as unhelpful as a card in a slot, so that what runs above them is
// tested against that. Their memory is out of the CPU's reach, it cannot be placed at chosen addresses, host functions
// of all streams share one thread and must neither call HIP nor wait, and copies of pageable memory are synchronous.
// docs/softgpu.md tells the user's side.
#pragma once

#include <string_view>

#include "backends/softgpu/mapping.h"
#include "base/status.h"

namespace hipr::softgpu {

struct Discrete {
  bool on = false;
  bool placesMemory = true;        // virtual memory management
  bool abortsOnViolation = false;  // HIP_REMOTE_SOFTGPU_CHECK=abort: a bad host function ends the process

  Reach reach() const { return on ? Reach::kDeviceOnly : Reach::kCpu; }
};

// "" or "0": off; "1": on; "placed": on, but memory can be placed. `check` is "" or "abort".
Status parseDiscrete(std::string_view mode, std::string_view check, Discrete& out);

// What the environment says; the error names the variable.
Status configuredDiscrete(Discrete& out);

}  // namespace hipr::softgpu
