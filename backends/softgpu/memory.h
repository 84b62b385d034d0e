// Memory handed to the program: where a block came from, so that it can go back there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "backends/softgpu/arena.h"
#include "backends/softgpu/mapping.h"

namespace hipr::softgpu {

class Device;

struct Block {
  std::uint64_t begin = 0;    // as kernels name it
  std::uint64_t shift = 0;    // from there to where this process has the bytes
  std::size_t size = 0;       // as kernels may use it
  Mapping mapping;            // its own, or
  Arena* arena = nullptr;     // the arena it was cut from, or neither: the program's own memory
  Device* charged = nullptr;  // whose memory it counts as

  ~Block();
};

// Takes the block away from kernels and gives it back when nothing can touch it any more.
void retireBlock(std::unique_ptr<Block> block);

}  // namespace hipr::softgpu
