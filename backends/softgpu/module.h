// A code object in device memory.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "backends/softgpu/isa/execute.h"
#include "backends/softgpu/mapping.h"
#include "code_object/code_object.h"
#include "runtime/objects.h"

namespace hipr::softgpu {

struct LoadedKernel {
  KernelCode code;
  bool empty = false;  // it ends with its first instruction
  bool wantsHostcalls = false;
  bool wantsPrintfBuffer = false;
  bool wantsHeap = false;
  bool wantsQueue = false;
};

struct LoadedModule {
  std::shared_ptr<const code::CodeObject> object;
  Mapping image;
  std::shared_ptr<CodeCache> code;

  // Made when first launched: a library may hold thousands of kernels.
  const LoadedKernel& kernel(const code::Kernel& kernel);

 private:
  std::mutex mutex_;
  std::unordered_map<const code::Kernel*, LoadedKernel> kernels_;
};

// What a module of the runtime is here. The device keeps what was loaded, so that a reset can drop it at once.
struct ModuleObject : CoreObject {
  explicit ModuleObject(LoadedModule& module) : loaded(module) {}
  LoadedModule& loaded;
};
inline LoadedModule& loadedOf(const Module& module) {
  return static_cast<ModuleObject&>(*module.impl).loaded;
}

// Takes the module away from kernels and frees it when nothing can run it any more.
void retireModule(std::unique_ptr<LoadedModule> module);

}  // namespace hipr::softgpu
