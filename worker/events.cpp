// Events.
#include "worker/session.h"

namespace hipr::worker {

std::shared_ptr<Event> Session::event(std::uint64_t number) {
  std::shared_ptr<Event> event = events_.find(number);
  if (!event) refuse("event " + std::to_string(number) + " does not exist");
  return event;
}

hipError_t Session::makeNative(Event& event, int device) {
  backend_.use(device);
  hipEvent_t native = nullptr;
  const hipError_t error = backend_.hip.hipEventCreateWithFlags(&native, event.flags);
  if (error == hipSuccess) event.native = std::make_shared<NativeEvent>(backend_, native);
  event.nativeDevice = device;
  return error;
}

// A record must not move the goal of those who wait for the record before it. In graphs an event may be of another
// device than its stream; the runtime's own events may not.
std::shared_ptr<Record> Session::newRecord(Event& event, const StreamPtr& stream) {
  const long ours =
      event.last && event.last.use_count() == 1 ? 2 : 1;  // the event itself, and a record nobody else has
  if (event.broken == hipSuccess && (event.native.use_count() > ours || event.nativeDevice != stream->device))
    event.broken = makeNative(event, stream->device);
  event.last = std::make_shared<Record>(Place{stream, stream->sent + 1}, event.native);
  return event.last;
}

hipError_t Session::onEventCreate(const wire::EventCreate& m) {
  if (!hasDevice(m.device)) return hipErrorInvalidDevice;
  auto event = std::make_shared<Event>();
  event->share = meter_.take(Quota::kEvents);
  if (!event->share) return hipErrorOutOfMemory;
  event->device = m.device;
  event->flags = m.flags;
  if (!events_.add(m.event, event)) {
    refuse("event " + std::to_string(m.event) + " cannot be made");
    return hipErrorInvalidHandle;
  }
  return event->broken = makeNative(*event, m.device);
}

hipError_t Session::onEventDestroy(const wire::EventDestroy& m) {
  if (!events_.take(m.event)) refuse("event " + std::to_string(m.event) + " does not exist");
  return hipSuccess;
}

void Session::onEventRecord(const wire::EventRecord& m) {
  const std::shared_ptr<Event> e = event(m.event);
  const StreamPtr s = stream(m.stream);
  if (!e || !s) return;
  const std::shared_ptr<Record> record = newRecord(*e, s);
  submit<wire::Opcode::kEventRecord>(s, m, e->broken, [this, record](const StreamPtr& on, const wire::EventRecord&) {
    const hipError_t error = backend_.hip.hipEventRecord(record->native->event, on->native);
    order_.wasGiven(*record);
    return error;
  });
}

Session::Answer Session::onEventSynchronize(const wire::EventSynchronize& m) {
  const std::shared_ptr<Event> e = event(m.event);
  if (!e) return std::nullopt;
  if (e->broken != hipSuccess || !e->last) return e->broken;
  const Place place = e->last->place;
  if (place.stream->broken != hipSuccess) return place.stream->broken;
  const Meter::Share share = meter_.take(Quota::kWaits);
  if (!share) return hipErrorOutOfMemory;
  // Not in the stream's own series: there, somebody may be waiting for something later.
  order_.whenDone(e->last, std::make_shared<Series>(), [this, place, share, request = request_](hipError_t error) {
    reporter_.show(*place.stream, place.position);
    reporter_.told(*place.stream, place.position);
    reply(outbox_, wire::Opcode::kEventSynchronize, request, wire::Done{error});
  });
  return std::nullopt;
}

hipError_t Session::onEventWatch(const wire::EventWatch& m) {
  const std::shared_ptr<Event> e = event(m.event);
  if (!e || !e->last) return e ? hipSuccess : hipErrorInvalidHandle;
  const Meter::Share share = meter_.take(Quota::kWaits);
  if (!share) return hipErrorOutOfMemory;
  order_.whenDone(e->last, e->last->place.stream->watchers, [this, share, place = e->last->place](hipError_t error) {
    reporter_.failWork(*place.stream, error);
    reporter_.show(*place.stream, place.position);
    reporter_.progress(*place.stream, place.position);
  });
  return hipSuccess;
}

wire::EventElapsedReply Session::onEventElapsed(const wire::EventElapsed& m) {
  wire::EventElapsedReply reply;
  const std::shared_ptr<Event> start = event(m.start), stop = event(m.stop);
  if (!start || !stop) return reply;
  reply.status = start->broken != hipSuccess ? start->broken : stop->broken;
  if (reply.status != hipSuccess) return reply;
  for (const auto& e : {start, stop}) {
    if (!e->last) reply.status = hipErrorInvalidHandle;
    if (e->last && !order_.isGiven(e->last->place)) reply.status = hipErrorNotReady;
  }
  if (reply.status == hipSuccess) {
    reply.status =
        backend_.hip.hipEventElapsedTime(&reply.milliseconds, start->last->native->event, stop->last->native->event);
  }
  return reply;
}

}  // namespace hipr::worker
