#include "runtime/module.h"

#include <cstring>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/log.h"
#include "code_object/select.h"
#include "runtime/memcpy.h"
#include "runtime/memory.h"
#include "runtime/submit.h"

namespace hipr {

namespace {

struct OwnedCode {
  std::vector<std::byte> bytes;
  std::unique_ptr<const code::GpuCode> object;
};

struct HashOf {
  std::size_t operator()(const code::ContentHash& h) const { return h.low; }
};

// Code in use, by content: eight devices loading one file parse it once. Never destroyed: modules may outlive main.
struct CodeCache {
  std::mutex mutex;
  std::unordered_map<code::ContentHash, std::weak_ptr<const code::GpuCode>, HashOf> known;
};
CodeCache& codeCache() {
  static auto* cache = new CodeCache;
  return *cache;
}

hipError_t toError(const Status& status) {
  if (status.ok()) return hipSuccess;
  logError("code object: %s", status.message().c_str());
  return status.code() == Code::kNotFound || status.code() == Code::kUnsupported ? hipErrorNoBinaryForGpu
                                                                                 : hipErrorInvalidImage;
}

std::shared_ptr<const code::GpuCode> objectOf(std::shared_ptr<OwnedCode> owned) {
  return {owned, owned->object.get()};
}

hipError_t share(code::Bytes bytes, std::shared_ptr<const code::GpuCode>& out) {
  const code::ContentHash hash = code::hashContent(bytes);
  CodeCache& cache = codeCache();
  {
    std::lock_guard lock(cache.mutex);
    if (const auto it = cache.known.find(hash); it != cache.known.end() && (out = it->second.lock()) != nullptr)
      return hipSuccess;
  }
  auto owned = std::make_shared<OwnedCode>();
  owned->bytes.assign(bytes.begin(), bytes.end());
  HIPR_TRY(toError(code::parseCode(owned->bytes, owned->object)));
  out = objectOf(std::move(owned));
  std::lock_guard lock(cache.mutex);
  std::erase_if(cache.known, [](const auto& entry) { return entry.second.expired(); });
  cache.known[hash] = out;
  return hipSuccess;
}

// Managed variables of code loaded by hand. (Those the compiler registers have their memory before main, registry.cpp.)
hipError_t makeManagedVariables(Process& p, Module& module) {
  Core* core;
  HIPR_TRY(module.owner->reach(core));
  for (const code::Variable& variable : module.code->variables()) {
    if (!variable.managed || variable.initialSize == 0) continue;
    Region region{.allocation = {.kind = MemoryKind::kManaged,
                                 .owner = module.owner,
                                 .device = module.device,
                                 .size = variable.initialSize,
                                 .flags = hipMemAttachGlobal,
                                 .id = p.newId()},
                  .origin = Region::Origin::kVariable,
                  .owner = &module};
    HIPR_TRY(allocateIn(*core, region.allocation));
    p.allocations.insert(region);
    const auto initial = module.code->initialBytes(variable.initialAddress, variable.initialSize);
    std::memcpy(region.allocation.host, initial.data(), initial.size());
    module.variables[variable.name] = region.allocation.devicePointer;
    HIPR_TRY(pointManagedVariable(p, module, variable.name, region.allocation.devicePointer));
  }
  return hipSuccess;
}

}  // namespace

hipError_t parseCode(const Device& device, code::Bytes image, bool keep, std::shared_ptr<const code::GpuCode>& out) {
  code::Selection selection;
  HIPR_TRY(toError(code::selectCode(image, device.info->props.gcnArchName, selection)));
  if (!keep) return share(selection.bytes, out);
  auto owned = std::make_shared<OwnedCode>();
  owned->bytes = std::move(selection.unpacked);  // of a compressed image; `bytes` points into it, or into the program
  HIPR_TRY(toError(code::parseCode(selection.bytes, owned->object)));
  out = objectOf(std::move(owned));
  return hipSuccess;
}

hipError_t loadModule(Process& p, Device& device, std::shared_ptr<const code::GpuCode> code, Module*& out) {
  Core* core;
  HIPR_TRY(device.reach(core));
  Module* module = p.modules.create();
  if (module == nullptr) return hipErrorOutOfMemory;
  module->id = p.newId();
  module->owner = &device;
  module->device = device.index;
  module->code = std::move(code);
  device.used.store(true, std::memory_order_relaxed);
  const hipError_t error = core->load(*module);
  if (error != hipSuccess) {
    p.modules.take(module);
    p.modules.recycle(module);
    return error;
  }
  out = module;
  return hipSuccess;
}

hipError_t loadModuleByHand(Process& p, Device& device, code::Bytes image, Module*& out) {
  std::shared_ptr<const code::GpuCode> code;
  HIPR_TRY(parseCode(device, image, false, code));
  HIPR_TRY(loadModule(p, device, std::move(code), out));
  const hipError_t error = makeManagedVariables(p, *out);
  if (error != hipSuccess) unloadModule(p, out);
  return error;
}

hipError_t unloadModule(Process& p, Module* module) {
  if (p.modules.take(module) == nullptr) return hipErrorInvalidHandle;
  std::map<std::string, Function*> functions;
  {
    std::lock_guard lock(module->mutex);
    functions.swap(module->functions);
  }
  for (const auto& [name, function] : functions)
    if (p.functions.take(function) != nullptr) p.functions.recycle(function);
  Core& core = module->owner->evenLost();
  for (Region& region : p.allocations.takeAll([&](const Region& r) { return r.owner == module; }))
    if (region.allocation.kind != MemoryKind::kDevice) static_cast<void>(releaseFrom(core, region.allocation));
  p.moduleTextures.dropOf(*module);
  const hipError_t error = core.unload(*module);
  module->code.reset();
  p.modules.recycle(module);
  return error;
}

hipError_t findFunction(Process& p, Module& module, const std::string& name, Function*& out) {
  std::lock_guard lock(module.mutex);
  if (const auto it = module.functions.find(name); it != module.functions.end()) {
    out = it->second;
    return hipSuccess;
  }
  const code::GpuKernel* kernel = module.code->kernel(name);
  if (kernel == nullptr) return hipErrorNotFound;
  Function* function = p.functions.create();
  if (function == nullptr) return hipErrorOutOfMemory;
  function->id = p.newId();
  function->module = &module;
  function->kernel = kernel;
  function->argumentBytes = kernel->argumentBytes();
  module.functions.emplace(name, function);
  out = function;
  return hipSuccess;
}

hipError_t findVariable(Process& p, Module& module, const std::string& name, void*& address, std::size_t& size) {
  const code::Variable* variable = module.code->findVariable(name);
  if (variable == nullptr) return hipErrorNotFound;
  size = variable->managed ? variable->initialSize : variable->size;
  {
    std::lock_guard lock(module.mutex);
    if (const auto it = module.variables.find(name); it != module.variables.end()) {
      address = it->second;
      return hipSuccess;
    }
  }
  Core* core;
  HIPR_TRY(module.owner->reach(core));
  HIPR_TRY(core->variable(module, name, &address));
  // Copies to and from it are checked like those of any other memory. Two threads may both come here: one insert wins.
  if (size != 0)
    p.allocations.insert({.allocation = {.kind = MemoryKind::kDevice,
                                         .owner = module.owner,
                                         .device = module.device,
                                         .size = size,
                                         .devicePointer = address,
                                         .id = p.newId()},
                          .origin = Region::Origin::kVariable,
                          .owner = &module});
  std::lock_guard lock(module.mutex);
  module.variables.emplace(name, address);
  return hipSuccess;
}

hipError_t pointManagedVariable(Process& p, Module& module, const std::string& name, void* target) {
  Stream* stream;
  void* slot = nullptr;
  Core* core;
  HIPR_TRY(module.owner->reach(core));
  HIPR_TRY(nullStream(p, *module.owner, stream));
  HIPR_TRY(core->variable(module, name, &slot));
  const Copy copy{.to = {.address = slot, .kind = MemoryKind::kDevice, .owner = module.owner, .device = module.device},
                  .from = {.address = &target},
                  .width = sizeof(target)};
  return submit(p, *stream, copy, Stage::kDone);  // kernels of any stream may read it from now on
}

}  // namespace hipr
