// core: events.
#include "client/session.h"
#include "runtime/core.h"

namespace hipr::core {
using namespace client;
using wire::Opcode;

namespace {

RemoteEvent& remote(Event& event) {
  return *static_cast<RemoteEvent*>(event.impl);
}

}  // namespace

hipError_t eventCreate(Event& event) {
  Session& s = session();
  if (!s.connection().alive()) return kLost;
  auto* e = new RemoteEvent(wire::kFirstObject + event.id);
  event.impl = e;
  s.connection().post<Opcode::kEventCreate>({e->id, event.device, event.flags});
  return hipSuccess;
}

hipError_t eventDestroy(Event& event) {
  RemoteEvent* e = &remote(event);
  session().connection().post<Opcode::kEventDestroy>({e->id});
  event.impl = nullptr;
  delete e;
  return hipSuccess;
}

hipError_t eventRecord(Event& event, Stream& stream) {
  Session& s = session();
  if (!s.connection().alive()) return kLost;
  RemoteEvent& e = remote(event);
  auto& r = *static_cast<RemoteStream*>(stream.impl);
  s.connection().post<Opcode::kEventRecord>({e.id, r.id}, [&] {
    const std::uint64_t position = r.posted.load(std::memory_order_relaxed) + 1;
    r.posted.store(position);
    e.recordedAt(r, position);
  });
  return hipSuccess;
}

hipError_t eventSynchronize(Event& event) {
  Session& s = session();
  if (!s.connection().alive()) return kLost;
  RemoteEvent& e = remote(event);
  const auto [stream, position] = e.where();
  if (!stream || stream->done(position)) return hipSuccess;
  wire::Done done;
  if (!s.connection().call<Opcode::kEventSynchronize>({e.id}, done)) return kLost;
  stream->advance(position);
  return static_cast<hipError_t>(done.status);
}

hipError_t eventQuery(Event& event) {
  if (!session().connection().alive()) return kLost;
  const auto [stream, position] = remote(event).where();
  if (!stream || stream->done(position)) return hipSuccess;
  return position <= stream->owed.load() ? eventSynchronize(event) : hipErrorNotReady;
}

hipError_t eventElapsed(Event& start, Event& stop, float* milliseconds) {
  Session& s = session();
  wire::EventElapsedReply reply;
  if (!s.connection().call<Opcode::kEventElapsed>({remote(start).id, remote(stop).id}, reply)) return kLost;
  *milliseconds = reply.milliseconds;
  return static_cast<hipError_t>(reply.status);
}

}  // namespace hipr::core
