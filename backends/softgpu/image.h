// Arrays as this device keeps them: rows of texels one after the other, each at a pitch that descriptors can name.
#pragma once

#include "runtime/operation.h"

namespace hipr::softgpu {

struct ArrayObject : CoreObject {
  Allocation memory;
  std::size_t pitch = 0, slice = 0;
};

// The same side of a copy with the address of its first byte: what it is for memory already.
Plane placed(const Plane& plane);

}  // namespace hipr::softgpu
