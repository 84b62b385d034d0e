#include "backends/softgpu/module.h"

#include <algorithm>
#include <cstring>

#include "backends/softgpu/core.h"
#include "backends/softgpu/state.h"
#include "base/log.h"

namespace hipr::softgpu {

namespace {

bool endsAtOnce(const Mapping& image, std::uint64_t entry) {
  constexpr std::uint32_t kEndProgram = 0xbf810000;  // s_endpgm
  std::uint32_t first = 0;
  if (entry > image.size() - sizeof(first)) return false;
  std::memcpy(&first, image.bytes() + entry, sizeof(first));
  return first == kEndProgram;
}

}  // namespace

const LoadedKernel& LoadedModule::kernel(const code::Kernel& kernel) {
  const std::lock_guard lock(mutex_);
  const auto [at, isNew] = kernels_.try_emplace(&kernel);
  LoadedKernel& made = at->second;
  if (!isNew) return made;
  const std::byte* descriptor = image.bytes() + kernel.descriptorAddress;
  made.code.name = kernel.metadata.name;
  made.code.entry = image.address() + kernel.entryAddress;
  made.code.descriptor = KernelDescriptor::parse(std::span<const std::byte, 64>(descriptor, 64));
  made.code.code = code;
  made.empty = endsAtOnce(image, kernel.entryAddress);
  made.wantsQueue = kernel.descriptor.queuePtr();
  for (const code::KernelArg& arg : kernel.metadata.args) {
    made.wantsHostcalls |= arg.kind == code::ArgKind::kHiddenHostcallBuffer;
    made.wantsPrintfBuffer |= arg.kind == code::ArgKind::kHiddenPrintfBuffer;
    made.wantsHeap |= arg.kind == code::ArgKind::kHiddenHeapV1;
    made.wantsQueue |= arg.kind == code::ArgKind::kHiddenQueuePtr || arg.kind == code::ArgKind::kHiddenDefaultQueue;
  }
  return made;
}

void retireModule(std::unique_ptr<LoadedModule> module) {
  const std::shared_ptr<LoadedModule> last = std::move(module);
  state().retire(last->image.address(), std::make_shared<Task>([last] {}));
}

hipError_t SoftgpuCore::load(Module& module) {
  Device& device = state().device(module.device);
  auto loaded = std::make_unique<LoadedModule>();
  loaded->object = std::static_pointer_cast<const code::CodeObject>(module.code);  // it runs nothing but AMD's
  const code::CodeObject& object = *loaded->object;
  if (object.loadAlignment() > kHugePage) return hipErrorInvalidImage;
  // Large mappings are aligned to huge pages, others to pages.
  loaded->image = Mapping::make(std::max(object.loadSize(), object.loadAlignment() > kPage ? kHugePage : 0),
                                state().discrete.reach());
  if (!loaded->image) return hipErrorOutOfMemory;
  const std::span<std::byte> memory(loaded->image.bytes(), loaded->image.size());
  if (const Status status = object.load(memory, loaded->image.address()); !status.ok()) {
    logError("softgpu: cannot load a code object: %s", status.message().c_str());
    return hipErrorInvalidImage;
  }
  const Region region{loaded->image.address(), loaded->image.address() + loaded->image.size(), loaded->image.shift()};
  loaded->code = makeCodeCache(region, device.gpu);
  // Memory of a module belongs to its device, like what the program allocates there.
  if (!state().regions.insert(
          {region.begin, region.end, std::uint64_t{1} << device.index, device.index, false, region.shift}))
    return hipErrorOutOfMemory;
  module.impl = std::make_unique<ModuleObject>(*loaded);
  LoadedModule* const key = loaded.get();
  device.modules.add(key, std::move(loaded));
  return hipSuccess;
}

hipError_t SoftgpuCore::unload(Module& module) {
  auto loaded = state().device(module.device).modules.take(&loadedOf(module));
  module.impl.reset();
  if (loaded == nullptr) return hipErrorInvalidHandle;
  retireModule(std::move(loaded));
  return hipSuccess;
}

hipError_t SoftgpuCore::variable(Module& module, const std::string& name, void** address) {
  const code::Variable* variable = module.code->findVariable(name);
  if (variable == nullptr) return hipErrorNotFound;
  *address = reinterpret_cast<void*>(loadedOf(module).image.address() + variable->address);
  return hipSuccess;
}

}  // namespace hipr::softgpu
