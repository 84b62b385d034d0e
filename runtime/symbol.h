// __device__ and __constant__ variables, named by their stand-ins on the host.
#pragma once

#include <cstddef>

#include "runtime/process.h"

namespace hipr {

// The variable on that device, and its part [offset, offset + size).
hipError_t symbolPart(Process& p, Device& device, const void* symbol, std::size_t offset, std::size_t size,
                      void*& address);

}  // namespace hipr
