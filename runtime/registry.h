// What compiler-made code registers before main: fat binaries, their kernels and variables. Registration needs no
// device and reads no code; a binary is loaded on a device when something of it is first used there. The registry
// survives a fork; what has been loaded does not.
#pragma once

#include <cstddef>
#include <optional>

#include "runtime/process.h"

namespace hipr {

// hipErrorInvalidDeviceFunction when `host` was never registered. Takes no lock once the kernel has been used.
hipError_t registeredFunction(Process& p, Device& device, const void* host, Function*& out);

// hipErrorInvalidSymbol when `host` was never registered.
hipError_t registeredVariable(Process& p, Device& device, const void* host, void*& address, std::size_t& size);

// The memory of the __managed__ variable that contains `address`, known to the core from now on.
std::optional<Region> managedVariableAt(Process& p, const void* address);

// Whether `host` stands for a variable, a texture or a surface that was registered.
bool registeredSymbol(const void* host);

// Null when never registered.
const char* registeredKernelName(const void* host);

// For a device reset: every binary will be loaded anew. The modules themselves are the caller's.
void forgetLoaded(Process& p, Device& device);

}  // namespace hipr
