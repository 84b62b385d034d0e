// Execution contexts: a part of a device's compute units, and the streams made for it. A program divides descriptions
// of the units (hipDevResource, plain data) and makes a context from one of the parts. The context's streams carry the
// mask of its units, which the core applies.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "hip_remote/hip.h"
#include "runtime/objects.h"

namespace hipr {

struct ResourceDescription {
  std::vector<hipDevResource> resources;
};

struct ExecutionContext {
  std::uint64_t id = 0;
  Device* owner = nullptr;
  bool primary = false;  // the device's own, which nobody destroys
  std::vector<hipDevResource> resources;
  std::vector<std::uint32_t> units;  // as in Stream::cuMask
  std::mutex mutex;
  std::vector<hipStream_t> streams;  // some of them may be gone
};

}  // namespace hipr
