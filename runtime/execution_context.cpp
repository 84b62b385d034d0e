#include "runtime/execution_context.h"

#include <algorithm>

#include "runtime/api.h"
#include "runtime/device_resource.h"
#include "runtime/stream.h"

namespace hipr::api {

namespace {

hipError_t makeContext(Process& p, Device& device, const std::vector<hipDevResource>& resources,
                       ExecutionContext*& out) {
  ExecutionContext* context = p.executionContexts.create();
  if (context == nullptr) return hipErrorOutOfMemory;
  const unsigned units = device.info->props.multiProcessorCount;
  context->id = p.newId();
  context->owner = &device;
  context->resources = resources;
  context->units.resize((units + 31) / 32);
  for (const hipDevResource& part : resources) {
    const std::uint64_t first = originOf(part).first, end = std::min<std::uint64_t>(first + part.sm.smCount, units);
    for (std::uint64_t unit = first; unit < end; ++unit) context->units[unit / 32] |= 1u << unit % 32;
  }
  out = context;
  return hipSuccess;
}

hipError_t findContext(hipExecutionCtx_t handle, Process*& p, ExecutionContext*& out) {
  HIPR_TRY(process(p));
  out = p->executionContexts.find(handle);
  return out != nullptr ? hipSuccess : hipErrorInvalidValue;
}

// Those of its streams that still exist.
std::vector<hipStream_t> streamsOf(Process& p, ExecutionContext& context) {
  std::lock_guard lock(context.mutex);
  std::erase_if(context.streams, [&](hipStream_t stream) { return p.streams.find(stream) == nullptr; });
  return context.streams;
}

// Another current device for the calls made in its scope.
class OnDevice {
 public:
  explicit OnDevice(const Device& device) : before_(threadState().device) { threadState().device = device.ordinal; }
  ~OnDevice() { threadState().device = before_; }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_;
};

// Makes `stream` wait for what `other` has now.
hipError_t follow(hipStream_t stream, hipStream_t other) {
  hipEvent_t reached;
  HIPR_TRY(api::hipEventCreateWithFlags(&reached, hipEventDisableTiming));
  hipError_t error = api::hipEventRecord(reached, other);
  if (error == hipSuccess) error = api::hipStreamWaitEvent(stream, reached, 0);
  const hipError_t destroyed = api::hipEventDestroy(reached);
  return error != hipSuccess ? error : destroyed;
}

}  // namespace

hipError_t hipGreenCtxCreate(hipExecutionCtx_t* ctx, hipDevResourceDesc_t desc, int device, unsigned int flags) {
  Process* p;
  Device* d;
  ExecutionContext* context;
  HIPR_TRY(process(p));
  const ResourceDescription* description = p->resourceDescriptions.find(desc);
  if (ctx == nullptr || description == nullptr || flags != 0) return hipErrorInvalidValue;
  HIPR_TRY(findDevice(*p, device, d));
  HIPR_TRY(makeContext(*p, *d, description->resources, context));
  *ctx = reinterpret_cast<hipExecutionCtx_t>(context);
  return hipSuccess;
}

hipError_t hipDeviceGetExecutionCtx(hipExecutionCtx_t* ctx, int device) {
  Process* p;
  Device* d;
  HIPR_TRY(process(p));
  if (ctx == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findDevice(*p, device, d));
  std::lock_guard lock(d->mutex);
  if (d->executionContext == nullptr) {
    HIPR_TRY(makeContext(*p, *d, {wholeDevice(d->ordinal, d->info->props.multiProcessorCount)}, d->executionContext));
    d->executionContext->primary = true;
  }
  *ctx = reinterpret_cast<hipExecutionCtx_t>(d->executionContext);
  return hipSuccess;
}

// Its streams stay what they are.
hipError_t hipExecutionCtxDestroy(hipExecutionCtx_t ctx) {
  Process* p;
  ExecutionContext* context;
  HIPR_TRY(findContext(ctx, p, context));
  if (context->primary || p->executionContexts.take(context) == nullptr) return hipErrorInvalidValue;
  p->executionContexts.recycle(context);
  return hipSuccess;
}

hipError_t hipExecutionCtxStreamCreate(hipStream_t* stream, hipExecutionCtx_t greenctx, unsigned int flags,
                                       int priority) {
  Process* p;
  ExecutionContext* context;
  HIPR_TRY(findContext(greenctx, p, context));
  HIPR_TRY(createStream(*p, *context->owner, stream, flags, priority, context->units));
  std::lock_guard lock(context->mutex);
  context->streams.push_back(*stream);
  return hipSuccess;
}

hipError_t hipExecutionCtxGetDevResource(hipExecutionCtx_t ctx, hipDevResource* resource, hipDevResourceType type) {
  Process* p;
  ExecutionContext* context;
  HIPR_TRY(findContext(ctx, p, context));
  if (resource == nullptr) return hipErrorInvalidValue;
  if (type != hipDevResourceTypeSm) return hipErrorInvalidResourceType;
  hipDevResource* last = nullptr;
  for (const hipDevResource& part : context->resources) {
    *resource = part;
    resource->nextResource = nullptr;
    if (last != nullptr) last->nextResource = resource;
    last = resource++;
  }
  return hipSuccess;
}

hipError_t hipExecutionCtxGetDevice(int* device, hipExecutionCtx_t ctx) {
  Process* p;
  ExecutionContext* context;
  HIPR_TRY(findContext(ctx, p, context));
  if (device == nullptr) return hipErrorInvalidValue;
  *device = context->owner->ordinal;
  return hipSuccess;
}

hipError_t hipExecutionCtxGetId(hipExecutionCtx_t ctx, unsigned long long* ctxId) {
  Process* p;
  ExecutionContext* context;
  HIPR_TRY(findContext(ctx, p, context));
  if (ctxId == nullptr) return hipErrorInvalidValue;
  *ctxId = context->id;
  return hipSuccess;
}

// An event that is reached when all of its streams have come this far; without a stream it stays as it was.
hipError_t hipExecutionCtxRecordEvent(hipExecutionCtx_t ctx, hipEvent_t event) {
  Process* p;
  ExecutionContext* context;
  HIPR_TRY(findContext(ctx, p, context));
  if (p->events.find(event) == nullptr) return hipErrorInvalidHandle;
  const std::vector<hipStream_t> streams = streamsOf(*p, *context);
  if (streams.empty()) return hipSuccess;
  const OnDevice scope(*context->owner);
  for (std::size_t i = 1; i < streams.size(); ++i) HIPR_TRY(follow(streams[0], streams[i]));
  return api::hipEventRecord(event, streams[0]);
}

hipError_t hipExecutionCtxWaitEvent(hipExecutionCtx_t ctx, hipEvent_t event) {
  Process* p;
  ExecutionContext* context;
  HIPR_TRY(findContext(ctx, p, context));
  if (p->events.find(event) == nullptr) return hipErrorInvalidHandle;
  for (hipStream_t stream : streamsOf(*p, *context)) HIPR_TRY(api::hipStreamWaitEvent(stream, event, 0));
  return hipSuccess;
}

hipError_t hipExecutionCtxSynchronize(hipExecutionCtx_t ctx) {
  Process* p;
  ExecutionContext* context;
  HIPR_TRY(findContext(ctx, p, context));
  for (hipStream_t stream : streamsOf(*p, *context)) HIPR_TRY(api::hipStreamSynchronize(stream));
  return hipSuccess;
}

}  // namespace hipr::api
