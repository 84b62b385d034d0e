// core: kernel launch. The hot path: no allocation, no system call, no answer.
#include "client/session.h"
#include "runtime/core.h"

namespace hipr::core {
using namespace client;
using wire::Opcode;

namespace {

std::array<std::uint32_t, 3> dims(const dim3& d) {
  return {d.x, d.y, d.z};
}

std::uint64_t wireId(const Function& function) {
  return wire::kFirstObject + function.id;
}

// The worker learns of a function when it is first used.
void introduce(Session& s, Function& function) {
  std::lock_guard lock(function.module->mutex);
  std::atomic_ref<void*> known(function.impl);
  if (known.load(std::memory_order_relaxed)) return;
  s.connection().post<Opcode::kFunctionGet>(
      {wireId(function), wire::kFirstObject + function.module->id, function.kernel->metadata.name});
  known.store(&function, std::memory_order_release);
}

// Before kernels run, they must be able to see what the program wrote into memory they can reach.
wire::Bytes shareHostMemory(Session& s, wire::Bytes arguments, std::vector<std::byte>& rewritten) {
  rewritten.assign(arguments.begin(), arguments.end());
  s.host().scanArguments(rewritten);
  s.host().flush();
  return rewritten;
}

}  // namespace

hipError_t launch(const Launch& l, Stream& stream) {
  Session& s = session();
  if (!s.connection().alive()) return kLost;
  auto& r = *static_cast<RemoteStream*>(stream.impl);
  if (!std::atomic_ref<void*>(l.function->impl).load(std::memory_order_acquire)) introduce(s, *l.function);

  auto* start = l.start ? static_cast<RemoteEvent*>(l.start->impl) : nullptr;
  auto* stop = l.stop ? static_cast<RemoteEvent*>(l.stop->impl) : nullptr;
  const bool partial = l.threads.x != l.groups.x * l.block.x || l.threads.y != l.groups.y * l.block.y ||
                       l.threads.z != l.groups.z * l.block.z;
  wire::LaunchKernel message{.stream = r.id,
                             .function = wireId(*l.function),
                             .groups = dims(l.groups),
                             .block = dims(l.block),
                             .sharedBytes = l.sharedBytes,
                             .cooperative = l.cooperative,
                             .start = start ? start->id : 0,
                             .stop = stop ? stop->id : 0,
                             .arguments = l.arguments};
  if (partial) message.threads = dims(l.threads);

  std::vector<std::byte> rewritten;
  if (s.host().needsScan()) message.arguments = shareHostMemory(s, l.arguments, rewritten);

  s.connection().post<Opcode::kLaunchKernel>(message, [&] {
    const std::uint64_t position = r.posted.load(std::memory_order_relaxed) + 1;
    r.posted.store(position);
    if (start) start->recordedAt(r, position);
    if (stop) stop->recordedAt(r, position);
  });
  if (s.host().anyExposed()) s.exchangeHostMemory();
  return hipSuccess;
}

}  // namespace hipr::core
