// RemoteCore: kernel launch. The hot path: no allocation, no system call, no answer.
#include "client/remote_core.h"
#include "client/work.h"

namespace hipr::client {
using wire::Opcode;

namespace {

std::array<std::uint32_t, 3> dims(const dim3& d) {
  return {d.x, d.y, d.z};
}

std::uint64_t wireId(const Function& function) {
  return wire::kFirstObject + function.id;
}

// Before kernels run, they must be able to see what the program wrote into memory they can reach.
wire::Bytes shareHostMemory(Session& s, wire::Bytes arguments, std::vector<std::byte>& rewritten) {
  if (s.host().mayName(arguments)) {
    rewritten.assign(arguments.begin(), arguments.end());
    s.host().scanArguments(rewritten);
    arguments = rewritten;
  }
  s.host().flush();
  return arguments;
}

}  // namespace

void introduce(Session& s, Function& function) {
  if (function.introduced.load(std::memory_order_acquire)) return;
  std::lock_guard lock(function.module->mutex);
  if (function.introduced.load(std::memory_order_relaxed)) return;
  s.connection().post<Opcode::kFunctionGet>(
      {wireId(function), wire::kFirstObject + function.module->id, function.kernel->name()});
  function.introduced.store(true, std::memory_order_release);
}

wire::LaunchKernel launchMessage(const Launch& l) {
  const bool partial = l.threads.x != l.groups.x * l.block.x || l.threads.y != l.groups.y * l.block.y ||
                       l.threads.z != l.groups.z * l.block.z;
  return {.function = wireId(*l.function),
          .groups = dims(l.groups),
          .block = dims(l.block),
          .threads = partial ? dims(l.threads) : std::array<std::uint32_t, 3>{},
          .sharedBytes = l.sharedBytes,
          .cooperative = l.cooperative,
          .arguments = l.arguments};
}

hipError_t RemoteCore::perform(const Launch& l, Stream& stream, Stage) {
  Session& s = session();
  RemoteStream& r = remote(stream);
  introduce(s, *l.function);

  RemoteEvent* start = l.start ? &remote(*l.start) : nullptr;
  RemoteEvent* stop = l.stop ? &remote(*l.stop) : nullptr;
  wire::LaunchKernel message = launchMessage(l);
  message.stream = r.id;
  message.start = start ? start->id : 0;
  message.stop = stop ? stop->id : 0;

  std::vector<std::byte> rewritten;
  if (s.host().needsScan()) message.arguments = shareHostMemory(s, l.arguments, rewritten);

  s.submit<Opcode::kLaunchKernel>(r, message, [&](std::uint64_t position) {
    if (start) start->recordedAt(r, position);
    if (stop) stop->recordedAt(r, position);
    if (s.lazy() && ((start && timed(*l.start)) || (stop && timed(*l.stop)))) s.streams().tellTime(r, position);
  });
  if (s.host().anyMirrored()) s.exchangeHostMemory();
  return hipSuccess;
}

}  // namespace hipr::client
