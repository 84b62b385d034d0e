// The description of the software GPUs: properties, attributes, limits and peers, all from one table of numbers per
// kind.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "backends/softgpu/discrete.h"
#include "backends/softgpu/isa/execute.h"
#include "types/platform.h"

namespace hipr::softgpu {

// REQUIRES: memoryBytes is what each device may hand out.
Platform describe(std::span<const Gpu> gpus, std::size_t memoryBytes, Discrete discrete = {});

// 16 hexadecimal digits: the same in every process of this machine, different on another. HIP's uuid of the device.
std::string deviceId(int index);

// Default values of the device limits.
inline constexpr std::size_t kDefaultStackBytes = 1024;
inline constexpr std::size_t kDefaultPrintfBytes = std::size_t{4} << 20;  // as AMD's runtime has it
inline constexpr std::size_t kDefaultHeapBytes = std::size_t{8} << 20;

}  // namespace hipr::softgpu
