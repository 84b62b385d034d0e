// RemoteCore: events.
#include "client/remote_core.h"

namespace hipr::client {
using wire::Opcode;

bool timed(const Event& event) {
  return (event.flags & hipEventDisableTiming) == 0;
}

hipError_t RemoteCore::create(Event& event) {
  Session& s = session();
  event.impl = s.spareEvents.take(event.device, event.flags);
  if (event.impl) return hipSuccess;
  if (s.eventCount >= s.limits().events)
    for (const auto& spare : s.spareEvents.takeAll())
      s.connection().post<Opcode::kEventDestroy>({static_cast<EventObject&>(*spare).remote.id});
  if (s.eventCount >= s.limits().events) return hipErrorOutOfMemory;
  const std::uint64_t id = wire::kFirstObject + event.id;
  event.impl = std::make_unique<EventObject>(id, s.eventCount);
  s.connection().post<Opcode::kEventCreate>({id, event.device, event.flags});
  return hipSuccess;
}

hipError_t RemoteCore::destroy(Event& event) {
  Session& s = session();
  RemoteEvent& e = remote(event);
  e.forget();
  if (s.spareEvents.keep(event.device, event.flags, event.impl)) return hipSuccess;
  s.connection().post<Opcode::kEventDestroy>({e.id});
  event.impl.reset();
  return hipSuccess;
}

hipError_t RemoteCore::perform(const Record& record, Stream& stream, Stage) {
  RemoteEvent& e = remote(*record.event);
  RemoteStream& r = remote(stream);
  session().submit<Opcode::kEventRecord>(r, {e.id, r.id}, [&](std::uint64_t position) {
    e.recordedAt(r, position);
    if (session().lazy() && timed(*record.event)) session().streams().tellTime(r, position);
  });
  return hipSuccess;
}

hipError_t RemoteCore::perform(const Wait& wait, Stream& stream, Stage) {
  RemoteStream& r = remote(stream);
  RemoteEvent& e = remote(*wait.event);
  if (!e.recorded()) return hipSuccess;  // but on the worker it may have been, for another (spare_events.h)
  session().submit<Opcode::kStreamWaitEvent>(r, {r.id, e.id}, [&](std::uint64_t) {
    const auto [stream, position] = e.where();
    session().streams().follow(r, stream, position);
  });
  return hipSuccess;
}

hipError_t RemoteCore::synchronize(Event& event) {
  Session& s = session();
  const auto [stream, position] = remote(event).where();
  if (!stream || stream->isVisible(position)) return hipSuccess;
  if (!s.mayPretend()) return waitFor(event);
  s.connection().post<Opcode::kStreamFence>({stream->id});
  stream->promise(position);
  return hipSuccess;
}

hipError_t RemoteCore::waitFor(Event& event) {
  RemoteEvent& e = remote(event);
  const auto [stream, position] = e.where();
  wire::Done done;
  if (!session().connection().call<Opcode::kEventSynchronize>({e.id}, done)) return kLost;
  if (tellsOfOrder(done)) session().streams().show(*stream, position);
  return errorFrom(done.status);
}

hipError_t RemoteCore::query(Event& event) {
  RemoteEvent& e = remote(event);
  const auto [stream, position] = e.where();
  if (!stream || stream->isVisible(position)) return hipSuccess;
  Connection& connection = session().connection();
  connection.poll();
  if (stream->isVisible(position)) return hipSuccess;
  if (position <= stream->promised.load()) return waitFor(event);
  if (e.watch()) connection.post<Opcode::kEventWatch>({e.id});
  return hipErrorNotReady;
}

void RemoteCore::whenReached(Event& event, std::function<void(bool lost)> tell) {
  Session& s = session();
  RemoteEvent& e = remote(event);
  const auto [stream, position] = e.where();
  if (!stream || stream->isVisible(position)) return tell(false);
  s.connection().expect(1);
  s.streams().whenVisible(stream, position, [&s, tell = std::move(tell)](bool lost) {
    s.connection().expect(-1);
    tell(lost);
  });
  if (e.watch()) s.connection().post<Opcode::kEventWatch>({e.id});
}

hipError_t RemoteCore::elapsed(Event& start, Event& stop, float* milliseconds) {
  Session& s = session();
  wire::EventElapsedReply reply;
  if (!s.connection().call<Opcode::kEventElapsed>({remote(start).id, remote(stop).id}, reply)) return kLost;
  *milliseconds = reply.milliseconds;
  return errorFrom(reply.status);
}

}  // namespace hipr::client
