// Compiling for clients that have no compiler, when the owner of this worker lets them. It happens in a process of its
// own (compile_process.h): a compiler is a large program that reads what a stranger wrote.
#include "base/log.h"
#include "worker/compile_process.h"
#include "worker/session.h"

namespace hipr::worker {

std::optional<wire::CompileSourceReply> Session::onCompileSource(const wire::CompileSource& m) {
  if (!options_.compiler) return wire::CompileSourceReply{hipErrorNotSupported, {}};
  const Meter::Share place = meter_.take(Quota::kWaits), room = meter_.take(Quota::kHeldBytes, m.request.size());
  if (!place || !room) return wire::CompileSourceReply{hipErrorOutOfMemory, {}};
  std::string request(reinterpret_cast<const char*>(m.request.data()), m.request.size());
  // One after the other: a client has no more of this machine than one compiler.
  crew_.add(compiling_, [this, place, room, request = std::move(request), number = request_] {
    wire::CompileSourceReply answer;
    std::string& result = answer.result.bytes;
    result = compileThrough(options_.compiler(), request, [this] { return ending_.load(); });
    answer.status = result.empty() ? hipErrorUnknown : hipSuccess;
    if (result.empty()) logError("compiling for a client: the compiler did not finish");
    reply(outbox_, wire::Opcode::kCompileSource, number, answer);
  });
  return std::nullopt;
}

}  // namespace hipr::worker
