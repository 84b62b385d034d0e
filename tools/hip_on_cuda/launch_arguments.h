// The list that tells a launch where its packed arguments lie, from HIP's form to CUDA's. CUDA insists on the size that
// the PTX declares; AMD's arguments may be followed by padding.
#pragma once

#include <cstddef>

namespace hipr::cuda {

struct LaunchArguments {
  void* list[5] = {};
  std::size_t size = 0;

  void** extra() { return size ? list : nullptr; }  // what CUDA is given

  // `declared` is what the kernel takes, SIZE_MAX when that is not known. False when `extra` is malformed or has less.
  bool read(void** extra, std::size_t declared);
};

}  // namespace hipr::cuda
