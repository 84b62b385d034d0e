// Events.
#include "worker/session.h"

namespace hipr::worker {

std::shared_ptr<Event> Session::event(std::uint64_t number) {
  std::shared_ptr<Event> event = events_.find(number);
  if (!event) refuse("event " + std::to_string(number) + " does not exist");
  return event;
}

hipError_t Session::makeNative(Event& event) {
  backend_.use(event.device);
  hipEvent_t native = nullptr;
  const hipError_t error = backend_.hip.hipEventCreateWithFlags(&native, event.flags);
  if (error == hipSuccess) event.native = std::make_shared<NativeEvent>(backend_, native);
  return error;
}

// A record must not move the goal of those who wait for the record before it.
hipError_t Session::prepareRecord(Event& event) {
  if (event.broken != hipSuccess) return event.broken;
  return event.native.use_count() > 1 ? makeNative(event) : hipSuccess;
}

hipError_t Session::onEventCreate(const wire::EventCreate& m) {
  if (!hasDevice(m.device)) return hipErrorInvalidDevice;
  auto event = std::make_shared<Event>();
  event->device = m.device;
  event->flags = m.flags;
  if (!events_.add(m.event, event)) {
    refuse("event " + std::to_string(m.event) + " cannot be made");
    return hipErrorInvalidHandle;
  }
  return event->broken = makeNative(*event);
}

hipError_t Session::onEventDestroy(const wire::EventDestroy& m) {
  if (!events_.take(m.event)) refuse("event " + std::to_string(m.event) + " does not exist");
  return hipSuccess;
}

hipError_t Session::onEventRecord(const wire::EventRecord& m) {
  const std::shared_ptr<Event> e = event(m.event);
  const StreamPtr s = stream(m.stream);
  if (!e || !s) return hipErrorInvalidHandle;
  hipError_t error = s->broken != hipSuccess ? s->broken : prepareRecord(*e);
  if (error == hipSuccess) {
    backend_.use(s->device);
    error = backend_.hip.hipEventRecord(e->native->event, s->native);
  }
  progress_.count(s);
  e->stream = s;
  e->position = s->issued;
  return error;
}

Session::Answer Session::onEventSynchronize(const wire::EventSynchronize& m) {
  const std::shared_ptr<Event> e = event(m.event);
  if (!e) return std::nullopt;
  if (e->broken != hipSuccess) return e->broken;
  if (!e->stream || progress_.settled(*e->stream)) return hipSuccess;
  waiters_.run([this, native = e->native, stream = e->stream, position = e->position, request = request_] {
    const hipError_t error = backend_.hip.hipEventSynchronize(native->event);
    progress_.finished(*stream, position, error);
    reply(outbox_, wire::Opcode::kEventSynchronize, request, wire::Done{error});
  });
  return std::nullopt;
}

wire::EventElapsedReply Session::onEventElapsed(const wire::EventElapsed& m) {
  wire::EventElapsedReply reply;
  const std::shared_ptr<Event> start = event(m.start), stop = event(m.stop);
  if (!start || !stop) return reply;
  reply.status = start->broken != hipSuccess ? start->broken : stop->broken;
  if (reply.status == hipSuccess) {
    reply.status = backend_.hip.hipEventElapsedTime(&reply.milliseconds, start->native->event, stop->native->event);
  }
  return reply;
}

}  // namespace hipr::worker
