// Library: code that is not bound to a device. It is loaded as a module on each device where something of it is first
// asked for. A kernel of a library is the function in one of those modules: its handle is the function's, as with AMD's
// runtime, so it can be launched as it is. From it the same kernel on the other devices can be found.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "hip_remote/hip.h"
#include "runtime/objects.h"

namespace hipr {

struct Process;

struct Library {
  std::vector<std::byte> image;  // empty when what the program gave is none, which is told on first use
  std::mutex mutex;              // held while the code is being loaded
  std::vector<Module*> modules;  // by the ordinal of the device; null where nothing has been asked for yet
};

hipError_t libraryModule(Process& p, Library& library, Device& device, Module*& out);
hipError_t libraryKernel(Process& p, Library& library, Device& device, const std::string& name, Function*& out);
void unloadLibrary(Process& p, Library* library);

// The same kernel on another device. hipErrorInvalidHandle when `kernel` belongs to no library.
hipError_t kernelOn(Process& p, Device& device, Function& kernel, Function*& out);

// A kernel by whatever stands for one on the host: what the compiler registered, or the handle of a library's kernel.
hipError_t namedFunction(Process& p, Device& device, const void* host, Function*& out);

// For a device reset: the modules themselves are the caller's.
void forgetLibraryModules(Process& p, const Device& device);

}  // namespace hipr
