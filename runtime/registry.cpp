#include "runtime/registry.h"

#include <algorithm>
#include <cstring>
#include <list>
#include <string>
#include <unordered_map>
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

struct Binary {
  const void* image = nullptr;
  PerDevice<Module> modules;
  std::vector<ManagedVariable> managed;
  std::vector<std::pair<std::string, std::shared_ptr<const code::GpuCode>>> parsed;  // by the device's target id
};

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

// Changed under registryMutex(). Never destroyed: programs unregister after our own static destructors would have run.
struct Registry {
  HostMap<RegisteredKernel> kernelAt;
  HostMap<RegisteredVariable> variableAt;
  std::list<Binary> binaries;
  std::list<RegisteredKernel> kernels;
  std::list<RegisteredVariable> variables;
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

// Takes what belongs to the binary out of a list, and puts another registration of the same address in its place.
template <class T>
void forgetAll(std::list<T>& items, HostMap<T>& at, const Binary* binary) {
  std::vector<const void*> hosts;
  std::erase_if(items, [&](T& item) {
    if (item.binary != binary) return false;
    if (at.find(item.host) == &item) {
      at.set(item.host, nullptr);
      hosts.push_back(item.host);
    }
    return true;
  });
  for (T& item : items)
    if (std::find(hosts.begin(), hosts.end(), item.host) != hosts.end()) at.set(item.host, &item);
}

void registerVariable(void** modules, void* host, const char* name, std::size_t size) {
  if (modules == nullptr || name == nullptr) return;
  std::lock_guard lock(registryMutex());
  Registry& r = registry();
  RegisteredVariable& variable =
      r.variables.emplace_back(reinterpret_cast<Binary*>(modules), host, name, size, nullptr);
  if (r.variableAt.find(host) == nullptr) r.variableAt.set(host, &variable);
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
  for (RegisteredKernel& kernel : registry().kernels)
    if (kernel.functions.get(p, device) != nullptr) kernel.functions.set(p, device, nullptr);
  for (Binary& binary : registry().binaries)
    if (binary.modules.get(p, device) != nullptr) binary.modules.set(p, device, nullptr);
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
  std::lock_guard lock(registryMutex());
  Registry& r = registry();
  RegisteredKernel& kernel = r.kernels.emplace_back();
  kernel.binary = reinterpret_cast<Binary*>(modules);
  kernel.host = hostFunction;
  kernel.name = deviceName;
  if (r.kernelAt.find(hostFunction) == nullptr) r.kernelAt.set(hostFunction, &kernel);
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
  Registry& r = registry();
  binary->managed.push_back({name, memory, size});
  // A program names it by the slot or by what the slot holds, depending on how the compiler spells `&x`.
  for (const void* host : {static_cast<const void*>(pointer), static_cast<const void*>(memory)})
    r.variableAt.set(host, &r.variables.emplace_back(binary, host, name, size, memory));
}

void __hipUnregisterFatBinary(void** modules) {
  if (modules == nullptr || platform::otherThreadsGone()) return;
  auto* binary = reinterpret_cast<Binary*>(modules);
  {
    std::lock_guard lock(registryMutex());
    forgetAll(registry().kernels, registry().kernelAt, binary);
    forgetAll(registry().variables, registry().variableAt, binary);
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
