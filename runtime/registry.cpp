#include "runtime/registry.h"

#include <algorithm>
#include <cstring>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "base/log.h"
#include "code_object/select.h"
#include "platform/exit.h"
#include "platform/memory.h"
#include "runtime/api.h"
#include "runtime/fork.h"
#include "runtime/host_map.h"
#include "runtime/memory.h"
#include "runtime/module.h"
#include "runtime/per_device.h"

namespace hipr {

namespace {

struct ManagedVariable {
  std::string name;
  void* host;
  std::size_t size;
};

struct Binary;

struct RegisteredKernel {
  Binary* binary;
  const void* host;
  std::string name;
  PerDevice<Function> functions;
};

struct RegisteredVariable {
  Binary* binary;
  const void* host;
  std::string name;
  std::size_t size;
  void* managed;  // where a __managed__ variable's value is, else null
};

struct Binary {
  const void* image = nullptr;
  PerDevice<Module> modules;
  std::vector<ManagedVariable> managed;
  std::list<RegisteredKernel> kernels;
  std::list<RegisteredVariable> variables;
  std::vector<std::pair<std::string, std::shared_ptr<const code::GpuCode>>> parsed;  // by the device's target id
};

// Whose an address of the program is. Programs register tens of thousands of them, and unregister each library's on
// their own.
template <class T>
class Addresses {
 public:
  T* find(const void* host) const { return at_.find(host); }

  void add(T& item) {  // the first stays in front
    if (find(item.host) == nullptr)
      at_.set(item.host, &item);
    else
      behind_.emplace(item.host, &item);
  }

  // Another registration of the same address takes the place of one that goes.
  void forget(std::list<T>& items) {
    for (T& item : items)
      for (auto [entry, end] = behind_.equal_range(item.host); entry != end;)
        entry = entry->second == &item ? behind_.erase(entry) : std::next(entry);
    for (T& item : items) {
      if (find(item.host) != &item) continue;
      const auto next = behind_.find(item.host);
      at_.set(item.host, next != behind_.end() ? next->second : nullptr);
      if (next != behind_.end()) behind_.erase(next);
    }
  }

 private:
  HostMap<T> at_;
  std::multimap<const void*, T*> behind_;  // registered when the address was another's already: few, if any
};

// Changed under registryMutex(). Never destroyed: programs unregister after our own static destructors would have run.
struct Registry {
  Addresses<RegisteredKernel> kernelAt;
  Addresses<RegisteredVariable> variableAt;
  std::list<Binary> binaries;
};
Registry& registry() {
  static auto* instance = new Registry;
  return *instance;
}

// The program reads the variable's memory directly, from before main. It becomes known to the core on first use.
hipError_t adoptManaged(Process& p, Device& device, const ManagedVariable& variable, void*& devicePointer) {
  if (const auto known = p.allocations.find(variable.host)) {
    devicePointer = known->allocation.devicePointer;
    return hipSuccess;
  }
  Region region{.allocation = {.kind = MemoryKind::kRegistered,
                               .owner = &device,
                               .device = device.index,
                               .size = variable.size,
                               .flags = hipHostRegisterPortable | hipHostRegisterMapped,
                               .host = variable.host,
                               .id = p.newId(),
                               .ownPages = true},
                .origin = Region::Origin::kVariable};
  Core* core;
  HIPR_TRY(device.reach(core));
  HIPR_TRY(allocateIn(*core, region.allocation));
  if (!p.allocations.insert(region)) {  // another thread was faster, for another device
    static_cast<void>(releaseFrom(*core, region.allocation));
    return adoptManaged(p, device, variable, devicePointer);
  }
  devicePointer = region.allocation.devicePointer;
  return hipSuccess;
}

hipError_t loadBinary(Process& p, Device& device, Binary& binary, Module*& out) {
  if ((out = binary.modules.get(p, device)) != nullptr) return hipSuccess;
  std::lock_guard lock(binary.modules.mutexFor(p));  // needed only by those who wait for this very code
  if ((out = binary.modules.get(p, device)) != nullptr) return hipSuccess;

  const std::string target = device.info->props.gcnArchName;
  auto parsed = std::find_if(binary.parsed.begin(), binary.parsed.end(), [&](auto& e) { return e.first == target; });
  if (parsed == binary.parsed.end()) {
    std::size_t size = 0;
    if (const Status status = code::imageSize(binary.image, size); !status.ok()) {
      logError("embedded code: %s", status.message().c_str());
      return hipErrorInvalidImage;
    }
    std::shared_ptr<const code::GpuCode> code;
    HIPR_TRY(parseCode(device, {static_cast<const std::byte*>(binary.image), size}, true, code));
    binary.parsed.emplace_back(target, std::move(code));
    parsed = std::prev(binary.parsed.end());
  }
  Module* module;
  HIPR_TRY(loadModule(p, device, parsed->second, module));
  for (const ManagedVariable& variable : binary.managed) {
    if (module->code->findVariable(variable.name) == nullptr) continue;
    void* devicePointer;
    hipError_t error = adoptManaged(p, device, variable, devicePointer);
    if (error == hipSuccess) error = pointManagedVariable(p, *module, variable.name, devicePointer);
    if (error != hipSuccess) {
      unloadModule(p, module);
      return error;
    }
  }
  binary.modules.set(p, device, module);
  out = module;
  return hipSuccess;
}

void unload(Process& p, Binary& binary) {
  for (const auto& device : p.devices)
    if (Module* module = binary.modules.get(p, *device)) unloadModule(p, module);
  for (const ManagedVariable& variable : binary.managed)
    if (auto region = p.allocations.take(variable.host, [](const Region&) { return true; }))
      static_cast<void>(releaseFrom(region->allocation.owner->evenLost(), region->allocation));
}

void registerVariable(void** modules, void* host, const char* name, std::size_t size) {
  if (modules == nullptr || name == nullptr) return;
  auto* binary = reinterpret_cast<Binary*>(modules);
  std::lock_guard lock(registryMutex());
  registry().variableAt.add(binary->variables.emplace_back(binary, host, name, size, nullptr));
}

}  // namespace

hipError_t registeredFunction(Process& p, Device& device, const void* host, Function*& out) {
  RegisteredKernel* kernel = registry().kernelAt.find(host);
  if (kernel == nullptr) return hipErrorInvalidDeviceFunction;
  if ((out = kernel->functions.get(p, device)) != nullptr) [[likely]]
    return hipSuccess;
  Module* module;
  HIPR_TRY(loadBinary(p, device, *kernel->binary, module));
  if (findFunction(p, *module, kernel->name, out) != hipSuccess) return hipErrorInvalidDeviceFunction;
  out->host = host;
  kernel->functions.set(p, device, out);
  return hipSuccess;
}

hipError_t registeredVariable(Process& p, Device& device, const void* host, void*& address, std::size_t& size) {
  RegisteredVariable* variable = registry().variableAt.find(host);
  if (variable == nullptr) return hipErrorInvalidSymbol;
  Module* module;
  HIPR_TRY(loadBinary(p, device, *variable->binary, module));
  if (variable->managed != nullptr) {
    size = variable->size;
    return adoptManaged(p, device, {variable->name, variable->managed, variable->size}, address);
  }
  return findVariable(p, *module, variable->name, address, size) == hipSuccess ? hipSuccess : hipErrorInvalidSymbol;
}

std::optional<Region> managedVariableAt(Process& p, const void* address) {
  std::optional<ManagedVariable> found;
  {
    std::lock_guard lock(registryMutex());
    for (const Binary& binary : registry().binaries)
      for (const ManagedVariable& variable : binary.managed)
        if (static_cast<const std::byte*>(address) - static_cast<const std::byte*>(variable.host) <
                static_cast<std::ptrdiff_t>(variable.size) &&
            address >= variable.host)
          found = variable;
  }
  Device* device;
  void* devicePointer;
  if (!found || findDevice(p, threadState().device, device) != hipSuccess) return std::nullopt;
  if (adoptManaged(p, *device, *found, devicePointer) != hipSuccess) return std::nullopt;
  return p.allocations.find(address);
}

bool registeredSymbol(const void* host) {
  return registry().variableAt.find(host) != nullptr;
}

const char* registeredKernelName(const void* host) {
  const RegisteredKernel* kernel = registry().kernelAt.find(host);
  return kernel != nullptr ? kernel->name.c_str() : nullptr;
}

void forgetLoaded(Process& p, Device& device) {
  std::lock_guard lock(registryMutex());
  for (Binary& binary : registry().binaries) {
    for (RegisteredKernel& kernel : binary.kernels)
      if (kernel.functions.get(p, device) != nullptr) kernel.functions.set(p, device, nullptr);
    if (binary.modules.get(p, device) != nullptr) binary.modules.set(p, device, nullptr);
  }
}

namespace api {

void** __hipRegisterFatBinary(const void* data) {
  const void* image = nullptr;
  if (data == nullptr) return nullptr;
  if (const Status status = code::fatBinaryImage(data, image); !status.ok()) {
    logError("registering embedded code: %s", status.message().c_str());
    return nullptr;
  }
  std::lock_guard lock(registryMutex());
  Binary& binary = registry().binaries.emplace_back();
  binary.image = image;
  return reinterpret_cast<void**>(&binary);
}

void __hipRegisterFunction(void** modules, const void* hostFunction, char*, const char* deviceName, unsigned int,
                           uint3*, uint3*, dim3*, dim3*, int*) {
  if (modules == nullptr || deviceName == nullptr) return;
  auto* binary = reinterpret_cast<Binary*>(modules);
  std::lock_guard lock(registryMutex());
  RegisteredKernel& kernel = binary->kernels.emplace_back();
  kernel.binary = binary;
  kernel.host = hostFunction;
  kernel.name = deviceName;
  registry().kernelAt.add(kernel);
}

void __hipRegisterVar(void** modules, void* var, char*, char* deviceVar, int, size_t size, int, int) {
  registerVariable(modules, var, deviceVar, size);
}

// References to textures and surfaces are variables of a known type; on the device they hold what they are bound to.
void __hipRegisterTexture(void** modules, void* var, char* hostVar, char*, int, int, int) {
  registerVariable(modules, var, hostVar, sizeof(textureReference));
}
void __hipRegisterSurface(void** modules, void* var, char* hostVar, char*, int, int) {
  registerVariable(modules, var, hostVar, sizeof(hipSurfaceObject_t));
}

void __hipRegisterManagedVar(void* hipModule, void** pointer, void* init_value, const char* name, size_t size,
                             unsigned int) {
  if (hipModule == nullptr || pointer == nullptr || name == nullptr || size == 0) return;
  // Whole pages of its own, so that a core may watch them.
  void* memory = platform::allocatePages(size);
  if (memory == nullptr) {
    logError("no memory for the managed variable %s (%zu bytes)", name, size);
    return;
  }
  if (init_value != nullptr) std::memcpy(memory, init_value, size);
  *pointer = memory;
  auto* binary = static_cast<Binary*>(hipModule);
  std::lock_guard lock(registryMutex());
  binary->managed.push_back({name, memory, size});
  // A program names it by the slot or by what the slot holds, depending on how the compiler spells `&x`.
  for (const void* host : {static_cast<const void*>(pointer), static_cast<const void*>(memory)})
    registry().variableAt.add(binary->variables.emplace_back(binary, host, name, size, memory));
}

void __hipUnregisterFatBinary(void** modules) {
  if (modules == nullptr || platform::otherThreadsGone()) return;
  auto* binary = reinterpret_cast<Binary*>(modules);
  {
    std::lock_guard lock(registryMutex());
    registry().kernelAt.forget(binary->kernels);
    registry().variableAt.forget(binary->variables);
  }
  Process* p = openedProcess();
  if (p == nullptr && !exited()) p = endingProcess();  // most programs unregister when they end
  if (p != nullptr) unload(*p, *binary);
  for (const ManagedVariable& variable : binary->managed) platform::freePages(variable.host, variable.size);
  std::lock_guard lock(registryMutex());
  std::erase_if(registry().binaries, [&](const Binary& b) { return &b == binary; });
}

}  // namespace api
}  // namespace hipr
