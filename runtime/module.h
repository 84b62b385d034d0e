// Loading code: from an image in any of its wrappings to a module on a device, its functions and its variables.
#pragma once

#include <memory>
#include <string>

#include "code_object/bytes.h"
#include "code_object/gpu_code.h"
#include "runtime/process.h"

namespace hipr {

// The piece of `image` for the device, parsed. With `keep` the program promises to keep the image, so nothing is
// copied; otherwise equal code is shared between all who load it.
hipError_t parseCode(const Device& device, code::Bytes image, bool keep, std::shared_ptr<const code::GpuCode>& out);

hipError_t loadModule(Process& p, Device& device, std::shared_ptr<const code::GpuCode> code, Module*& out);
// The whole way, for code a program loads itself: managed variables get memory of their own.
hipError_t loadModuleByHand(Process& p, Device& device, code::Bytes image, Module*& out);
hipError_t unloadModule(Process& p, Module* module);

// hipErrorNotFound when the module has no such kernel or variable.
hipError_t findFunction(Process& p, Module& module, const std::string& name, Function*& out);
hipError_t findVariable(Process& p, Module& module, const std::string& name, void*& address, std::size_t& size);

// Stores the device address of managed memory in the pointer variable `name` that stands for it in device code.
hipError_t pointManagedVariable(Process& p, Module& module, const std::string& name, void* target);

}  // namespace hipr
