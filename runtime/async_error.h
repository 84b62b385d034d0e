// A failure that happened after its call had returned: a faulted kernel, a posted call the worker refused, a lost
// worker. HIP reports it from later calls; so do we, and the log says at once which call it was.
#pragma once

#include <string>

#include "hip_remote/hip.h"

namespace hipr {

// Logs `what` (naming the call or kernel) and keeps the first error until hipDeviceReset. Thread-safe.
void raiseAsyncError(hipError_t error, const std::string& what);
hipError_t asyncError();  // hipSuccess when there is none
void clearAsyncError();

}  // namespace hipr
