// RemoteCore: code objects on the worker. Loading goes on without waiting; the addresses of variables come back when
// they do.
#include <condition_variable>
#include <map>

#include "access/digest.h"
#include "client/progress.h"
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
  ModuleObject(std::uint64_t wireId, std::atomic<std::uint64_t>& count) : id(wireId), counted(&count) {}
  const std::uint64_t id;
  const Counted counted;
  const std::shared_ptr<Variables> variables = std::make_shared<Variables>();
};

ModuleObject& remote(const Module& module) {
  return static_cast<ModuleObject&>(*module.impl);
}

// A device after the other loads the same code, and some of it has hundreds of megabytes: its digest is made once.
access::Digest digestOf(const std::shared_ptr<const code::GpuCode>& code) {
  using Known = std::map<std::weak_ptr<const code::GpuCode>, access::Digest, std::owner_less<>>;
  static std::mutex mutex;
  static auto* known = new Known;  // used until the very end of the process
  {
    std::lock_guard lock(mutex);
    if (const auto found = known->find(code); found != known->end()) return found->second;
  }
  const access::Digest digest = access::digestOf(code->bytes());
  std::lock_guard lock(mutex);
  std::erase_if(*known, [](const auto& entry) { return entry.first.expired(); });
  known->emplace(code, digest);
  return digest;
}

class LoadAnswer : public Pending {
 public:
  LoadAnswer(Session& session, std::shared_ptr<Variables> variables, std::shared_ptr<const code::GpuCode> code,
             std::uint64_t bytes)
      : session_(session),
        variables_(std::move(variables)),
        code_(std::move(code)),
        line_(lineOfCode(session, bytes)) {}
  void answered(wire::Bytes bytes) override {
    wire::ModuleLoadReply reply;
    wire::Reader reader(bytes);
    reader.get(reply);
    const bool sound = reader.ok() && (reply.status != hipSuccess || possible(reply.addresses));
    if (bytes.data() && !sound) session_.connection().lose(Status::invalid("malformed answer to ModuleLoad"));
    {
      std::lock_guard lock(variables_->mutex);
      variables_->answered = true;
      if (sound) {
        variables_->status = errorFrom(reply.status);
        variables_->addresses = std::move(reply.addresses);
      }
    }
    variables_->known.notify_all();
    if (sound && reply.status != hipSuccess) {
      raiseAsyncError(session_.core(), errorFrom(reply.status), "the worker could not load a code object");
    }
  }

 private:
  // One for each variable; 0 where the runtime has none.
  bool possible(const std::vector<std::uint64_t>& addresses) const {
    const auto& variables = code_->variables();
    if (addresses.size() != variables.size()) return false;
    for (std::size_t i = 0; i < addresses.size(); ++i)
      if (addresses[i] && !session_.worksAt(addresses[i], variables[i].size)) return false;
    return true;
  }

  Session& session_;
  std::shared_ptr<Variables> variables_;
  std::shared_ptr<const code::GpuCode> code_;
  const platform::ProgressLine line_;
};

}  // namespace

hipError_t RemoteCore::load(Module& module) {
  Session& s = session();
  if (s.moduleCount >= s.limits().modules) return hipErrorOutOfMemory;
  module.impl = std::make_unique<ModuleObject>(wire::kFirstObject + module.id, s.moduleCount);
  const ModuleObject& m = remote(module);
  wire::ModuleLoad message{.module = m.id, .device = module.device, .hash = digestOf(module.code)};
  for (const code::Variable& variable : module.code->variables()) message.variables.push_back(variable.name);
  const NoCancel whole;
  const std::lock_guard lock(s.codeMutex());
  std::size_t bytes = 0;
  if (!s.workerHasCode(message.hash)) {
    bytes = s.postPackedCode(message.hash, module.code->bytes());
    if (!bytes) message.code = module.code->bytes();
  }
  auto answer = std::make_unique<LoadAnswer>(s, m.variables, module.code, bytes + message.code.size());
  s.connection().send<Opcode::kModuleLoad>(message, std::move(answer));
  return hipSuccess;
}

hipError_t RemoteCore::unload(Module& module) {
  session().connection().post<Opcode::kModuleUnload>({remote(module).id});
  module.impl.reset();
  return hipSuccess;
}

hipError_t RemoteCore::variable(Module& module, const std::string& name, void** address) {
  const NoCancel whole;
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
