#include "runtime/stream.h"

#include <algorithm>

#include "runtime/api.h"
#include "runtime/async_error.h"
#include "runtime/shared_event.h"
#include "runtime/submit.h"

namespace hipr {

namespace {

hipError_t makeStream(Process& p, Device& device, Stream::Kind kind, unsigned flags, int priority,
                      std::vector<std::uint32_t> cuMask, Stream*& out) {
  Core* core;
  HIPR_TRY(device.reach(core));
  Stream* stream = p.streams.create();
  if (stream == nullptr) return hipErrorOutOfMemory;
  stream->id = p.newId();
  stream->kind = kind;
  stream->owner = &device;
  stream->device = device.index;
  stream->flags = flags;
  stream->priority = priority;
  stream->cuMask = std::move(cuMask);
  device.used.store(true, std::memory_order_relaxed);
  if (const hipError_t error = core->create(*stream); error != hipSuccess) {
    p.streams.take(stream);
    p.streams.recycle(stream);
    return error;
  }
  out = stream;
  return hipSuccess;
}

hipError_t perThreadStream(Process& p, Device& device, Stream*& out) {
  ThreadObjects& mine = threadObjects();
  if (mine.owner != &p) {
    mine.owner = &p;
    mine.perThreadStream.clear();
  }
  mine.perThreadStream.resize(p.devices.size());
  Stream*& slot = mine.perThreadStream[device.ordinal];
  if (p.streams.find(slot) == nullptr)  // never made, or gone with a device reset
    HIPR_TRY(makeStream(p, device, Stream::Kind::kPerThread, hipStreamDefault, 0, {}, slot));
  out = slot;
  return hipSuccess;
}

hipError_t createForProgram(hipStream_t* out, unsigned flags, int priority, std::vector<std::uint32_t> cuMask) {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  return createStream(*p, *device, out, flags, priority, std::move(cuMask));
}

hipError_t lookUp(hipStream_t handle, Process*& p, Stream*& out) {
  HIPR_TRY(process(p));
  return findStream(*p, handle, out);
}

// A callback of hipStreamAddCallback on its way through a core.
struct Callback {
  const Device& device;
  hipStreamCallback_t function;
  hipStream_t stream;
  void* userData;

  static void run(void* self) {
    const std::unique_ptr<Callback> callback(static_cast<Callback*>(self));
    callback->function(callback->stream, callback->device.evenLost().asyncError.kept(), callback->userData);
  }
};

}  // namespace

hipError_t createStream(Process& p, Device& device, hipStream_t* out, unsigned flags, int priority,
                        std::vector<std::uint32_t> cuMask) {
  if (out == nullptr || (flags & ~hipStreamNonBlocking) != 0) return hipErrorInvalidValue;
  HIPR_TRY(asyncError(device));
  // Numerically smaller is more urgent: greatest <= priority <= least.
  priority = std::clamp(priority, device.info->greatestStreamPriority, device.info->leastStreamPriority);
  Stream* stream;
  HIPR_TRY(makeStream(p, device, Stream::Kind::kCreated, flags, priority, std::move(cuMask), stream));
  *out = reinterpret_cast<hipStream_t>(stream);
  return hipSuccess;
}

hipError_t nullStream(Process& p, Device& device, Stream*& out) {
  out = device.nullStream.load(std::memory_order_acquire);
  if (out != nullptr) [[likely]]
    return hipSuccess;
  std::lock_guard lock(device.nullStreamMutex);  // only for this device's first use
  if ((out = device.nullStream.load(std::memory_order_acquire)) != nullptr) return hipSuccess;
  HIPR_TRY(makeStream(p, device, Stream::Kind::kNull, hipStreamDefault, 0, {}, out));
  device.nullStream.store(out, std::memory_order_release);
  return hipSuccess;
}

hipError_t findStream(Process& p, hipStream_t handle, Stream*& out) {
  if (handle == nullptr || handle == hipStreamLegacy || handle == hipStreamPerThread) {
    Device* device;
    HIPR_TRY(findDevice(p, threadState().device, device));
    const bool perThread = handle == hipStreamPerThread || (handle == nullptr && threadState().perThreadDefault);
    return perThread ? perThreadStream(p, *device, out) : nullStream(p, *device, out);
  }
  out = p.streams.find(handle);
  return out != nullptr ? hipSuccess : hipErrorContextIsDestroyed;
}

hipError_t streamForWork(hipStream_t handle, Process*& p, Stream*& out) {
  HIPR_TRY(process(p));
  const hipError_t found = findStream(*p, handle, out);
  HIPR_TRY(found == hipSuccess ? asyncError(*out->owner) : asyncError());
  return found;
}

void destroyStream(Process& p, Stream* stream) {
  if (p.streams.take(stream) == nullptr) return;
  stream->owner->evenLost().destroy(*stream);
  p.streams.recycle(stream);
}

namespace api {

hipError_t hipStreamCreate(hipStream_t* stream) {
  return createForProgram(stream, hipStreamDefault, 0, {});
}

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned int flags) {
  return createForProgram(stream, flags, 0, {});
}

hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned int flags, int priority) {
  return createForProgram(stream, flags, priority, {});
}

hipError_t hipExtStreamCreateWithCUMask(hipStream_t* stream, uint32_t cuMaskSize, const uint32_t* cuMask) {
  if (stream == nullptr) return hipErrorInvalidHandle;
  if (cuMaskSize == 0 || cuMask == nullptr) return hipErrorInvalidValue;
  return createForProgram(stream, hipStreamDefault, 0, {cuMask, cuMask + cuMaskSize});
}

hipError_t hipExtStreamGetCUMask(hipStream_t stream, uint32_t cuMaskSize, uint32_t* cuMask) {
  Process* p;
  Stream* s;
  HIPR_TRY(lookUp(stream, p, s));
  if (cuMask == nullptr) return hipErrorInvalidValue;
  const std::size_t units = s->owner->info->props.multiProcessorCount;
  if (cuMaskSize < (units + 31) / 32) return hipErrorInvalidValue;
  // A mask that names no unit of the device is none: all units it is.
  const std::vector<std::uint32_t>& asked = s->cuMask;
  const auto has = [&](std::size_t unit) {
    return unit / 32 < asked.size() && (asked[unit / 32] >> unit % 32 & 1) != 0;
  };
  bool any = false;
  for (std::size_t unit = 0; unit < units; ++unit) any = any || has(unit);
  std::fill_n(cuMask, cuMaskSize, 0);
  for (std::size_t unit = 0; unit < units; ++unit)
    if (!any || has(unit)) cuMask[unit / 32] |= 1u << unit % 32;
  return hipSuccess;
}

hipError_t hipStreamDestroy(hipStream_t stream) {
  Process* p;
  HIPR_TRY(process(p));
  if (stream == nullptr || stream == hipStreamLegacy || stream == hipStreamPerThread) return hipErrorInvalidHandle;
  Stream* s = p->streams.find(stream);
  if (s == nullptr) return hipErrorContextIsDestroyed;
  if (s->kind != Stream::Kind::kCreated) return hipErrorInvalidHandle;
  if (s->capturing) p->captures.drop(*p, *s);
  if (p->streams.take(s) == nullptr) return hipErrorContextIsDestroyed;
  const hipError_t error = s->owner->evenLost().destroy(*s);
  p->streams.recycle(s);
  return error;
}

hipError_t hipStreamSynchronize(hipStream_t stream) {
  Process* p;
  Stream* s;
  HIPR_TRY(streamForWork(stream, p, s));
  HIPR_TRY(p->captures.streamWaitAllowed(*s));
  HIPR_TRY(synchronize(*s));
  trimPools(*p, *s->owner);
  return asyncError(*s->owner);
}

hipError_t hipStreamQuery(hipStream_t stream) {
  Process* p;
  Stream* s;
  HIPR_TRY(streamForWork(stream, p, s));
  HIPR_TRY(p->captures.streamWaitAllowed(*s));
  Core* core;
  HIPR_TRY(s->owner->reach(core));
  return core->query(*s);
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags) {
  Process* p;
  Stream* s;
  HIPR_TRY(process(p));
  if (flags != hipEventWaitDefault && flags != hipEventWaitExternal) return hipErrorInvalidValue;
  Event* e = p->events.find(event);
  if (e == nullptr || findStream(*p, stream, s) != hipSuccess) return hipErrorInvalidHandle;
  HIPR_TRY(asyncError(*s->owner));
  if (s->capturing && flags == hipEventWaitExternal) return hand(*s, Wait{e}, Stage::kSent);
  if (s->capturing || e->captured) {
    bool taken;
    HIPR_TRY(p->captures.wait(*s, *e, taken));
    if (taken) return hipSuccess;
  }
  if (SharedEvent* shared = sharedEvent(*e)) return waitShared(*p, *shared, *s);
  if (!e->recorded.load()) return hipSuccess;  // nothing to wait for
  // What is no part of a capture does not become one: the stream itself waits, even while it is captured.
  HIPR_TRY(giveToCore(*s, Wait{e}, Stage::kSent));
  if (p->usesPools.load(std::memory_order_relaxed)) s->order.follow(e->place.get());
  return hipSuccess;
}

hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* userData, unsigned int flags) {
  Process* p;
  Stream* s;
  HIPR_TRY(process(p));
  if (callback == nullptr || flags != 0) return hipErrorInvalidValue;
  HIPR_TRY(findStream(*p, stream, s));
  HIPR_TRY(p->captures.callbackAllowed(*s));
  auto thunk = std::make_unique<Callback>(Callback{*s->owner, callback, stream, userData});
  HIPR_TRY(giveToCore(*s, HostFunction{Callback::run, thunk.get()}, Stage::kSent));  // never a node
  thunk.release();                                                                   // run() owns it now
  return afterAsync(*p, *s);
}

hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t fn, void* userData) {
  Process* p;
  Stream* s;
  HIPR_TRY(process(p));
  if (fn == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findStream(*p, stream, s));
  return submit(*p, *s, HostFunction{fn, userData});
}

hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int* flags) {
  Process* p;
  Stream* s;
  HIPR_TRY(process(p));
  // The null stream has none to tell; the thread's own one, which _spt calls mean by null, has.
  if (flags == nullptr || (stream == nullptr && !threadState().perThreadDefault)) return hipErrorInvalidValue;
  HIPR_TRY(findStream(*p, stream, s));
  *flags = s->flags;
  return hipSuccess;
}

hipError_t hipStreamGetPriority(hipStream_t stream, int* priority) {
  Process* p;
  Stream* s;
  HIPR_TRY(process(p));
  if (priority == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findStream(*p, stream, s));
  *priority = s->priority;
  return hipSuccess;
}

hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device) {
  Process* p;
  Stream* s;
  HIPR_TRY(process(p));
  if (device == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findStream(*p, stream, s));
  *device = s->owner->ordinal;
  return hipSuccess;
}

hipError_t hipStreamGetId(hipStream_t stream, unsigned long long* streamId) {
  Process* p;
  Stream* s;
  HIPR_TRY(process(p));
  if (streamId == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findStream(*p, stream, s));
  *streamId = s->id;
  return hipSuccess;
}

int hipGetStreamDeviceId(hipStream_t stream) {
  hipDevice_t device = -1;
  return api::hipStreamGetDevice(stream, &device) == hipSuccess ? device : -1;
}

}  // namespace api
}  // namespace hipr
