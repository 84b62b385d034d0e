// The HSA kernel dispatch packet, which kernels read through their dispatch pointer: Dispatch::dispatchPacket is the
// address of one.
#pragma once

#include <cstdint>

namespace hipr::softgpu {

struct DispatchPacket {
  std::uint16_t header = 2;  // kernel dispatch
  std::uint16_t setup = 3;   // dimensions
  std::uint16_t groupSize[3] = {};
  std::uint16_t reserved0 = 0;
  std::uint32_t gridSize[3] = {};
  std::uint32_t privateBytes = 0;
  std::uint32_t groupBytes = 0;
  std::uint64_t kernelObject = 0;
  std::uint64_t kernarg = 0;
  std::uint64_t reserved1 = 0;
  std::uint64_t completionSignal = 0;
};
static_assert(sizeof(DispatchPacket) == 64);

}  // namespace hipr::softgpu
