#include "runtime/library.h"

#include "runtime/module.h"
#include "runtime/registry.h"

namespace hipr {

hipError_t libraryModule(Process& p, Library& library, Device& device, Module*& out) {
  std::lock_guard lock(library.mutex);
  library.modules.resize(p.devices.size());
  Module*& module = library.modules[device.ordinal];
  if (module == nullptr) {
    if (library.image.empty()) return hipErrorInvalidImage;
    Module* loaded;
    HIPR_TRY(loadModuleByHand(p, device, library.image, loaded));
    loaded->library = &library;
    module = loaded;
  }
  out = module;
  return hipSuccess;
}

hipError_t libraryKernel(Process& p, Library& library, Device& device, const std::string& name, Function*& out) {
  Module* module;
  HIPR_TRY(libraryModule(p, library, device, module));
  return findFunction(p, *module, name, out);
}

void unloadLibrary(Process& p, Library* library) {
  std::vector<Module*> modules;
  {
    std::lock_guard lock(library->mutex);
    modules.swap(library->modules);
    library->image.clear();
  }
  for (Module* module : modules)
    if (module != nullptr) unloadModule(p, module);
}

hipError_t kernelOn(Process& p, Device& device, Function& kernel, Function*& out) {
  Library* library = kernel.module->library;
  if (library == nullptr) return hipErrorInvalidHandle;
  out = &kernel;
  return kernel.module->owner == &device ? hipSuccess : libraryKernel(p, *library, device, kernel.kernel->name(), out);
}

hipError_t namedFunction(Process& p, Device& device, const void* host, Function*& out) {
  const hipError_t error = registeredFunction(p, device, host, out);
  if (error != hipErrorInvalidDeviceFunction) [[likely]]
    return error;
  Function* kernel = p.functions.find(host);
  return kernel != nullptr && kernel->module->library != nullptr ? kernelOn(p, device, *kernel, out) : error;
}

void forgetLibraryModules(Process& p, const Device& device) {
  p.libraries.forEach([&](Library* library) {
    std::lock_guard lock(library->mutex);
    if (static_cast<std::size_t>(device.ordinal) < library->modules.size()) library->modules[device.ordinal] = nullptr;
  });
}

}  // namespace hipr
