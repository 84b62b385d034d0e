// Every fill of the HIP API in one form.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/operation.h"
#include "runtime/process.h"

namespace hipr {

struct FillRequest {
  void* address = nullptr;
  std::uint32_t value = 0;
  std::uint32_t elementSize = 1;
  std::size_t pitch = 0, slice = 0;              // bytes
  std::size_t width = 0, height = 1, depth = 1;  // width in elements
};

// Checks the request by HIP's rules and finds out what memory it names. REQUIRES: no extent is 0.
hipError_t makeFill(const Process& p, const FillRequest& request, Fill& out);

}  // namespace hipr
