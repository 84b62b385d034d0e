#include "backends/softgpu/module.h"

#include <cstring>

#include "backends/softgpu/state.h"
#include "base/log.h"
#include "runtime/core.h"

namespace hipr::softgpu {

const LoadedKernel& LoadedModule::kernel(const code::Kernel& kernel) {
  const std::lock_guard lock(mutex_);
  const auto [at, isNew] = kernels_.try_emplace(&kernel);
  LoadedKernel& made = at->second;
  if (!isNew) return made;
  const std::byte* descriptor = image.begin() + kernel.descriptorAddress;
  made.code.name = kernel.metadata.name;
  made.code.entry = image.address() + kernel.entryAddress;
  made.code.descriptor = KernelDescriptor::parse(std::span<const std::byte, 64>(descriptor, 64));
  made.code.code = code;
  made.wantsQueue = kernel.descriptor.queuePtr();
  for (const code::KernelArg& arg : kernel.metadata.args) {
    made.wantsHostcalls |= arg.kind == code::ArgKind::kHiddenHostcallBuffer;
    made.wantsPrintfBuffer |= arg.kind == code::ArgKind::kHiddenPrintfBuffer;
    made.wantsHeap |= arg.kind == code::ArgKind::kHiddenHeapV1;
    made.wantsQueue |= arg.kind == code::ArgKind::kHiddenQueuePtr || arg.kind == code::ArgKind::kHiddenDefaultQueue;
  }
  return made;
}

namespace {

// Memory of a module belongs to its device, like what the program allocates there.
bool expose(const Mapping& mapping, std::uint64_t devices, int owner) {
  return state().regions.insert({mapping.address(), mapping.address() + mapping.size(), devices, owner, false});
}

// `__managed__ T x`: the code reads a pointer; it gets storage with the initial value, reachable from everywhere.
hipError_t placeManaged(LoadedModule& module, const code::Variable& variable) {
  Mapping storage = Mapping::make(std::max<std::size_t>(variable.initialSize, 1));
  if (!storage) return hipErrorOutOfMemory;
  std::memcpy(storage.begin(), module.image.begin() + variable.initialAddress, variable.initialSize);
  const std::uint64_t pointer = storage.address();
  std::memcpy(module.image.begin() + variable.address, &pointer, sizeof pointer);
  module.managed.push_back(std::move(storage));
  return expose(module.managed.back(), kEveryDevice, -1) ? hipSuccess : hipErrorOutOfMemory;
}

}  // namespace

void retireModule(std::unique_ptr<LoadedModule> module) {
  State& s = state();
  const std::shared_ptr<LoadedModule> last = std::move(module);
  for (const Mapping& storage : last->managed) s.retire(storage.address(), std::make_shared<Task>([last] {}));
  if (last->image) s.retire(last->image.address(), std::make_shared<Task>([last] {}));
}

}  // namespace hipr::softgpu

namespace hipr::core {

using namespace softgpu;

hipError_t moduleLoad(Module& module) {
  Device& device = state().device(module.device);
  auto loaded = std::make_unique<LoadedModule>();
  loaded->object = module.code;
  const code::CodeObject& object = *module.code;
  loaded->image = Mapping::make(object.loadSize());
  if (!loaded->image) return hipErrorOutOfMemory;
  const std::span<std::byte> memory(loaded->image.begin(), loaded->image.size());
  if (const Status status = object.load(memory, loaded->image.address()); !status.ok()) {
    logError("softgpu: cannot load a code object: %s", status.message().c_str());
    return hipErrorInvalidImage;
  }
  const Region region{loaded->image.address(), loaded->image.address() + loaded->image.size()};
  loaded->code = makeCodeCache(region, device.gpu);
  hipError_t error =
      expose(loaded->image, std::uint64_t{1} << device.index, device.index) ? hipSuccess : hipErrorOutOfMemory;
  for (const code::Variable& variable : object.variables())
    if (variable.managed && error == hipSuccess) error = placeManaged(*loaded, variable);
  if (error != hipSuccess) {
    retireModule(std::move(loaded));
    return error;
  }
  module.impl = device.modules.add(std::move(loaded));
  return hipSuccess;
}

hipError_t moduleUnload(Module& module) {
  auto loaded = state().device(module.device).modules.take(static_cast<LoadedModule*>(module.impl));
  module.impl = nullptr;
  if (loaded == nullptr) return hipErrorInvalidHandle;
  retireModule(std::move(loaded));
  return hipSuccess;
}

hipError_t moduleVariable(Module& module, const std::string& name, void** address) {
  const code::Variable* variable = module.code->findVariable(name);
  if (variable == nullptr) return hipErrorNotFound;
  *address = static_cast<LoadedModule*>(module.impl)->image.begin() + variable->address;
  return hipSuccess;
}

}  // namespace hipr::core
