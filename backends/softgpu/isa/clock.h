// The clock of the processor: what s_memtime counts, and what the device's properties name.
#pragma once

#include "backends/softgpu/isa/execute.h"

namespace hipr::softgpu {

constexpr int shaderClockKhz(Gpu gpu) {
  return gpu == Gpu::kGfx942 ? 2100000 : 1700000;
}

}  // namespace hipr::softgpu
