// Events: markers in a stream, with a time.
#include <bit>

#include "runtime/api.h"
#include "runtime/async_error.h"
#include "runtime/shared_event.h"
#include "runtime/stream.h"
#include "runtime/submit.h"

namespace hipr::api {

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned int flags) {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  constexpr unsigned kFences = hipEventReleaseToDevice | hipEventReleaseToSystem | hipEventDisableSystemFence;
  constexpr unsigned kKnown = hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess | kFences;
  if (event == nullptr || (flags & ~kKnown) != 0 || std::popcount(flags & kFences) > 1) return hipErrorInvalidValue;
  if ((flags & hipEventInterprocess) != 0 && (flags & hipEventDisableTiming) == 0) return hipErrorInvalidValue;
  HIPR_TRY(asyncError(*device));

  Core* core;
  HIPR_TRY(device->reach(core));
  Event* e = p->events.create();
  if (e == nullptr) return hipErrorOutOfMemory;
  e->id = p->newId();
  e->owner = device;
  e->device = device->index;
  e->flags = flags;
  if (const hipError_t error = core->create(*e); error != hipSuccess) {
    p->events.take(e);
    p->events.recycle(e);
    return error;
  }
  *event = reinterpret_cast<hipEvent_t>(e);
  return hipSuccess;
}

hipError_t hipEventCreate(hipEvent_t* event) {
  return api::hipEventCreateWithFlags(event, hipEventDefault);
}

hipError_t hipEventDestroy(hipEvent_t event) {
  Process* p;
  HIPR_TRY(process(p));
  if (event == nullptr) return hipErrorInvalidHandle;
  Event* e = p->events.take(event);
  if (e == nullptr) return hipErrorContextIsDestroyed;
  if (e->captured) p->captures.drop(*e);
  endShared(*p, *e);
  const hipError_t error = e->owner->evenLost().destroy(*e);
  p->events.recycle(e);
  return error;
}

hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned int flags) {
  Process* p;
  Stream* s;
  HIPR_TRY(process(p));
  if (flags != hipEventRecordDefault && flags != hipEventRecordExternal) return hipErrorInvalidValue;
  Event* e = p->events.find(event);
  if (e == nullptr) return hipErrorInvalidHandle;
  HIPR_TRY(asyncError(*e->owner));
  HIPR_TRY(findStream(*p, stream, s));
  if (s->capturing) {
    if (flags == hipEventRecordExternal) return hand(*s, Record{e}, Stage::kSent);
    return p->captures.record(*s, *e);
  }
  if (s->owner != e->owner) return hipErrorInvalidHandle;
  if (e->captured) p->captures.drop(*e);
  if ((e->flags & hipEventInterprocess) != 0) return recordShared(*p, *e, *s);
  HIPR_TRY(hand(*s, Record{e}, Stage::kSent));
  e->recorded.store(true);
  if (p->usesPools.load(std::memory_order_relaxed)) e->place.set({s->id, s->order.step()});
  return hipSuccess;
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return api::hipEventRecordWithFlags(event, stream, hipEventRecordDefault);
}

hipError_t hipEventSynchronize(hipEvent_t event) {
  Process* p;
  HIPR_TRY(process(p));
  Event* e = p->events.find(event);
  if (e == nullptr) return hipErrorInvalidHandle;
  HIPR_TRY(p->captures.eventAllowed(*e));
  HIPR_TRY(asyncError(*e->owner));
  if (SharedEvent* shared = sharedEvent(*e)) return synchronizeShared(*p, *shared);
  if (!e->recorded.load()) return hipSuccess;
  Core* core;
  HIPR_TRY(e->owner->reach(core));
  HIPR_TRY(core->synchronize(*e));
  trimPools(*p, *e->owner);
  return asyncError(*e->owner);
}

hipError_t hipEventQuery(hipEvent_t event) {
  Process* p;
  HIPR_TRY(process(p));
  Event* e = p->events.find(event);
  if (e == nullptr) return hipErrorInvalidHandle;
  HIPR_TRY(p->captures.eventAllowed(*e));
  HIPR_TRY(asyncError(*e->owner));
  if (SharedEvent* shared = sharedEvent(*e)) return queryShared(*p, *shared);
  Core* core;
  HIPR_TRY(e->owner->reach(core));
  return e->recorded.load() ? core->query(*e) : hipSuccess;
}

hipError_t hipEventElapsedTime(float* ms, hipEvent_t start, hipEvent_t stop) {
  Process* p;
  HIPR_TRY(process(p));
  if (ms == nullptr) return hipErrorInvalidValue;
  Event *from = p->events.find(start), *to = p->events.find(stop);
  if (from == nullptr || to == nullptr || from->owner != to->owner) return hipErrorInvalidHandle;
  if (((from->flags | to->flags) & hipEventDisableTiming) != 0) return hipErrorInvalidHandle;
  if (!from->recorded.load() || !to->recorded.load()) return hipErrorInvalidHandle;
  HIPR_TRY(asyncError(*from->owner));
  Core* core;
  HIPR_TRY(from->owner->reach(core));
  return core->elapsed(*from, *to, ms);
}

}  // namespace hipr::api
