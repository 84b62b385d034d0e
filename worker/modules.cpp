// Modules: code objects by content, and the functions in them.
#include <algorithm>

#include "base/log.h"
#include "code_object/kernarg.h"
#include "worker/session.h"

namespace hipr::worker {
namespace {

constexpr std::size_t kMostForgotten = 64;  // codes of which no module is left
constexpr const char* kTooMuchCode = "more code than a client may have (--limit code-memory)";

// A runtime that sees `x.managed` next to `x` makes managed memory of its own for x. Here x must point to the client's
// memory instead, and the client fills it in; so the runtime gets to see an ordinary variable.
void hideManagedVariables(const code::CodeObject& code, std::vector<std::byte>& bytes) {
  for (const code::Variable& variable : code.variables()) {
    if (!variable.managed) continue;
    const std::string name = std::string(1, '\0') + variable.name + ".managed" + '\0';
    const auto* wanted = reinterpret_cast<const std::byte*>(name.data());
    auto from = bytes.begin();
    while ((from = std::search(from, bytes.end(), wanted, wanted + name.size())) != bytes.end()) {
      from[static_cast<std::ptrdiff_t>(name.size()) - 2] = std::byte{'D'};
      ++from;
    }
  }
}

bool hasManagedVariables(const code::CodeObject& code) {
  return std::any_of(code.variables().begin(), code.variables().end(), [](const auto& v) { return v.managed; });
}

}  // namespace

hipError_t Session::onPackedCode(const wire::PackedCode& m) {
  const Status status = codeCache_.unpack(m);
  if (status.code() == Code::kInvalid) refuse(status.message());
  return status.ok() ? hipSuccess : hipErrorOutOfMemory;
}

Status Session::readCode(const wire::ModuleLoad& m, std::shared_ptr<const ModuleCode>& out) {
  auto made = std::make_shared<ModuleCode>();
  Status status =
      m.code.empty() ? codeCache_.load(m.hash, made->bytes) : codeCache_.receive(m.hash, m.code, made->bytes);
  if (!status.ok()) return status;
  if (moduleCode_.size() > kMostForgotten + 2 * modules_.size())
    std::erase_if(moduleCode_, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<const ModuleCode>& known = moduleCode_[m.hash];
  if ((out = known.lock())) return {};
  if (status = code::CodeObject::parse(*made->bytes, made->object); !status.ok()) return status;
  const bool changes = hasManagedVariables(made->object);
  // What was read from it we have, and so may the runtime.
  made->memory =
      meter_.take(Quota::kCodeBytes, 2 * made->object.footprint() + (changes ? made->bytes->size() : std::size_t{0}));
  if (!made->memory) return Status::exhausted(kTooMuchCode);
  if (changes) {
    auto changed = std::make_shared<std::vector<std::byte>>(*made->bytes);
    hideManagedVariables(made->object, *changed);
    made->bytes = changed;
    if (status = code::CodeObject::parse(*made->bytes, made->object); !status.ok()) return status;
  }
  known = made;
  out = std::move(made);
  return {};
}

wire::ModuleLoadReply Session::onModuleLoad(const wire::ModuleLoad& m) {
  wire::ModuleLoadReply reply;
  if (!hasDevice(m.device)) return reply;
  auto module = std::make_shared<Module>();
  module->share = meter_.take(Quota::kModules);
  if (!module->share) {
    reply.status = hipErrorOutOfMemory;
    return reply;
  }
  module->device = m.device;
  if (!modules_.add(m.module, module)) {
    refuse("module " + std::to_string(m.module) + " cannot be made");
    return reply;
  }
  Status status = readCode(m, module->code);
  if (status.ok()) {
    module->memory = meter_.take(Quota::kCodeBytes, module->code->object.loadSize());
    if (!module->memory) status = Status::exhausted(kTooMuchCode);
  }
  if (!status.ok()) {
    logError("ModuleLoad: %s", status.message().c_str());
    reply.status = status.code() == Code::kNotFound    ? hipErrorFileNotFound
                   : status.code() == Code::kExhausted ? hipErrorOutOfMemory
                                                       : hipErrorInvalidImage;
    return reply;
  }
  if (m.variables.size() > module->code->object.variables().size()) {
    refuse("more names of variables than the code has");
    return reply;
  }
  codeCache_.store(m.hash);
  backend_.use(m.device);
  reply.status = backend_.hip.hipModuleLoadData(&module->native, module->code->bytes->data());
  if (reply.status != hipSuccess) return reply;
  for (const std::string& name : m.variables) {
    hipDeviceptr_t address = nullptr;
    std::size_t size = 0;
    if (backend_.hip.hipModuleGetGlobal(&address, &size, module->native, name.c_str()) != hipSuccess) address = nullptr;
    reply.addresses.push_back(reinterpret_cast<std::uint64_t>(address));
    if (!address) continue;
    memory_.adopt(m.device, reply.addresses.back(), size);
    module->variables.push_back(reply.addresses.back());
  }
  return reply;
}

hipError_t Session::onModuleUnload(const wire::ModuleUnload& m) {
  const std::shared_ptr<Module> module = modules_.take(m.module);
  if (!module) {
    refuse("module " + std::to_string(m.module) + " does not exist");
    return hipErrorInvalidHandle;
  }
  functions_.eraseIf([&](const Function& function) { return function.module == module; });
  unload(module);
  return hipSuccess;
}

void Session::unload(const std::shared_ptr<Module>& module) {
  ++departures_;
  for (const std::uint64_t address : module->variables) memory_.disown(address);
  if (!module->native) return;
  order_.afterEverything([this, module] { backend_.hip.hipModuleUnload(module->native); });
}

hipError_t Session::onFunctionGet(const wire::FunctionGet& m) {
  auto function = std::make_shared<Function>();
  function->share = meter_.take(Quota::kFunctions);
  if (!function->share) return hipErrorOutOfMemory;
  function->module = modules_.find(m.module);
  if (!function->module || !functions_.add(m.function, function)) {
    refuse("function " + std::to_string(m.function) + " of module " + std::to_string(m.module) + " cannot be made");
    return hipErrorInvalidHandle;
  }
  if (!function->module->native) return hipErrorInvalidHandle;  // its module could not be loaded
  function->kernel = function->module->code->object.findKernel(m.name);
  if (!function->kernel) return hipErrorNotFound;
  function->argumentBytes = code::explicitSize(function->kernel->metadata);
  function->prints = std::ranges::any_of(function->kernel->metadata.args, [](const code::KernelArg& arg) {
    return arg.kind == code::ArgKind::kHiddenHostcallBuffer || arg.kind == code::ArgKind::kHiddenPrintfBuffer;
  });
  return backend_.hip.hipModuleGetFunction(&function->native, function->module->native, m.name.c_str());
}

}  // namespace hipr::worker
