// RemoteCore: code objects on the worker. Loading goes on without waiting; the addresses of variables come back when
// they do.
#include <condition_variable>

#include "client/remote_core.h"
#include "runtime/async_error.h"

namespace hipr::client {
using wire::Opcode;

namespace {

struct Variables {
  std::mutex mutex;
  std::condition_variable known;
  bool answered = false;
  hipError_t status = kLost;
  std::vector<std::uint64_t> addresses;
};

struct ModuleObject : CoreObject {
  explicit ModuleObject(std::uint64_t wireId) : id(wireId) {}
  const std::uint64_t id;
  const std::shared_ptr<Variables> variables = std::make_shared<Variables>();
};

ModuleObject& remote(const Module& module) {
  return static_cast<ModuleObject&>(*module.impl);
}

class LoadAnswer : public Pending {
 public:
  explicit LoadAnswer(std::shared_ptr<Variables> variables) : variables_(std::move(variables)) {}
  void answered(wire::Bytes bytes) override {
    wire::ModuleLoadReply reply;
    wire::Reader reader(bytes);
    reader.get(reply);
    {
      std::lock_guard lock(variables_->mutex);
      variables_->answered = true;
      if (reader.ok()) {
        variables_->status = static_cast<hipError_t>(reply.status);
        variables_->addresses = std::move(reply.addresses);
      }
    }
    variables_->known.notify_all();
    if (reader.ok() && reply.status != hipSuccess) {
      raiseAsyncError(static_cast<hipError_t>(reply.status), "the worker could not load a code object");
    }
  }

 private:
  std::shared_ptr<Variables> variables_;
};

}  // namespace

hipError_t RemoteCore::load(Module& module) {
  Session& s = session();
  module.impl = std::make_unique<ModuleObject>(wire::kFirstObject + module.id);
  const ModuleObject& m = remote(module);
  const code::ContentHash hash = module.code->hash();
  wire::ModuleLoad message{.module = m.id, .device = module.device, .hash = {hash.low, hash.high}};
  if (!s.workerHasCode(message.hash)) message.code = module.code->bytes();
  for (const code::Variable& variable : module.code->variables()) message.variables.push_back(variable.name);
  s.connection().send<Opcode::kModuleLoad>(message, std::make_unique<LoadAnswer>(m.variables), [] {});
  return hipSuccess;
}

hipError_t RemoteCore::unload(Module& module) {
  session().connection().post<Opcode::kModuleUnload>({remote(module).id});
  module.impl.reset();
  return hipSuccess;
}

hipError_t RemoteCore::variable(Module& module, const std::string& name, void** address) {
  Variables& variables = *remote(module).variables;
  std::unique_lock lock(variables.mutex);
  variables.known.wait(lock, [&] { return variables.answered; });
  if (variables.status != hipSuccess) return variables.status;
  const auto& names = module.code->variables();
  for (std::size_t i = 0; i < names.size() && i < variables.addresses.size(); ++i) {
    if (names[i].name != name || !variables.addresses[i]) continue;
    *address = reinterpret_cast<void*>(variables.addresses[i]);
    return hipSuccess;
  }
  return hipErrorNotFound;
}

}  // namespace hipr::client
