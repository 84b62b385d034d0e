// The heap behind malloc() and free() in kernels. The device library (ROCm device-libs, "dm") keeps all its bookkeeping
// in one block of memory and gets the rest from the host, a 2 MiB slab at a time, through the hostcall service "device
// memory". All zeros is the valid initial state of that block in every version of the library.
//
// Code object version 5 and later finds the block through hidden_heap_v1; version 4 has it as a variable of its own.
#pragma once

#include <cstdint>

namespace hipr::softgpu {

struct DeviceHeap {
  // For hidden_heap_v1: zeroed memory of this size, one per device, kept as long as the device is.
  static constexpr std::uint64_t kSize = 128 << 10;
  static constexpr std::uint64_t kAlignment = 4096;

  static constexpr std::uint64_t kSlab = 2 << 20;

  // free() finds the slab of a small block by clearing the low 21 bits of its address, and takes an address with 12
  // zero bits for a large block; so slabs and large blocks must be aligned like this.
  static constexpr std::uint64_t alignmentFor(std::uint64_t size) { return size >= kSlab ? kSlab : 4096; }
};

}  // namespace hipr::softgpu
