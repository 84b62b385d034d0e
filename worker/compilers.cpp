#include "worker/compilers.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "base/log.h"
#include "worker/compile_process.h"
#include "worker/hand_over.h"

namespace hipr::worker {

Descriptor Compilers::start(int account, const SandboxPlan& plan) {
  end(account);
  Compiler compiler{};
  std::string folder = plan.temporary;
  if (folder.empty()) {
    char pattern[] = "/tmp/hip-compile-XXXXXX";
    if (mkdtemp(pattern) == nullptr) return Descriptor();
    folder = compiler.folder = pattern;
  }
  Descriptor socket;
  if (Status status = startCompiler(compileProgram(), plan, folder, compiler.process, socket); !status.ok()) {
    logError("%s", status.message().c_str());
    return Descriptor();
  }
  running_[account] = compiler;
  return socket;
}

void Compilers::kill(const Compiler& compiler) {
  ::kill(-compiler.process, SIGKILL);
  std::error_code ignored;
  if (!compiler.folder.empty()) std::filesystem::remove_all(compiler.folder, ignored);
}

void Compilers::end(int account) {
  const auto node = running_.extract(account);
  if (node.empty()) return;
  ::kill(node.mapped().process, SIGKILL);  // it may not have a group yet
  kill(node.mapped());
}

void Compilers::handOver(HandedState& state) const {
  for (const auto& [account, compiler] : running_)
    state.compilers.push_back({account, compiler.process, compiler.folder});
}

void Compilers::inherit(const HandedState& state) {
  for (const HandedCompiler& in : state.compilers)
    if (isChild(in.process)) running_.emplace(in.account, Compiler{in.process, in.folder});
}

void Compilers::reaped(pid_t process) {
  const auto found =
      std::ranges::find_if(running_, [process](const auto& entry) { return entry.second.process == process; });
  if (found == running_.end()) return;
  kill(found->second);
  running_.erase(found);
}

}  // namespace hipr::worker
