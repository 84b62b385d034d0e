// RemoteCore: events.
#include "client/remote_core.h"

namespace hipr::client {
using wire::Opcode;

hipError_t RemoteCore::create(Event& event) {
  const std::uint64_t id = wire::kFirstObject + event.id;
  event.impl = std::make_unique<EventObject>(id);
  session().connection().post<Opcode::kEventCreate>({id, event.device, event.flags});
  return hipSuccess;
}

hipError_t RemoteCore::destroy(Event& event) {
  session().connection().post<Opcode::kEventDestroy>({remote(event).id});
  event.impl.reset();
  return hipSuccess;
}

hipError_t RemoteCore::perform(const Record& record, Stream& stream, Stage) {
  RemoteEvent& e = remote(*record.event);
  RemoteStream& r = remote(stream);
  session().connection().post<Opcode::kEventRecord>({e.id, r.id}, [&] {
    const std::uint64_t position = r.posted.load(std::memory_order_relaxed) + 1;
    r.posted.store(position);
    e.recordedAt(r, position);
  });
  return hipSuccess;
}

hipError_t RemoteCore::perform(const Wait& wait, Stream& stream, Stage) {
  RemoteStream& r = remote(stream);
  session().operate<Opcode::kStreamWaitEvent>(r, {r.id, remote(*wait.event).id});
  return hipSuccess;
}

hipError_t RemoteCore::synchronize(Event& event) {
  RemoteEvent& e = remote(event);
  const auto [stream, position] = e.where();
  if (!stream || stream->done(position)) return hipSuccess;
  wire::Done done;
  if (!session().connection().call<Opcode::kEventSynchronize>({e.id}, done)) return kLost;
  stream->advance(position);
  return static_cast<hipError_t>(done.status);
}

hipError_t RemoteCore::query(Event& event) {
  const auto [stream, position] = remote(event).where();
  if (!stream || stream->done(position)) return hipSuccess;
  return position <= stream->owed.load() ? synchronize(event) : hipErrorNotReady;
}

hipError_t RemoteCore::elapsed(Event& start, Event& stop, float* milliseconds) {
  Session& s = session();
  wire::EventElapsedReply reply;
  if (!s.connection().call<Opcode::kEventElapsed>({remote(start).id, remote(stop).id}, reply)) return kLost;
  *milliseconds = reply.milliseconds;
  return static_cast<hipError_t>(reply.status);
}

}  // namespace hipr::client
