#include "runtime/submit.h"

#include "runtime/across.h"
#include "runtime/async_error.h"

namespace hipr {

namespace {

bool inside(const Device& device, const Device* owner, MemoryKind kind) {
  return owner == nullptr || kind != MemoryKind::kDevice || sameCore(device, *owner);
}

}  // namespace

bool staysInside(const Device& device, const Operation& operation) {
  if (const auto* copy = std::get_if<Copy>(&operation))
    return inside(device, copy->to.owner, copy->to.kind) && inside(device, copy->from.owner, copy->from.kind);
  if (const auto* fill = std::get_if<Fill>(&operation)) return inside(device, fill->owner, fill->kind);
  if (const auto* record = std::get_if<Record>(&operation)) return sameCore(device, *record->event->owner);
  if (const auto* wait = std::get_if<Wait>(&operation)) return sameCore(device, *wait->event->owner);
  if (const auto* graph = std::get_if<GraphLaunch>(&operation)) return sameCore(device, *graph->exec->owner);
  if (const auto* steps = std::get_if<WordSteps>(&operation)) {
    for (const WordStep& step : steps->list)
      if (!inside(device, step.owner, step.kind)) return false;
  }
  return true;  // kernels are of the stream's own device
}

hipError_t giveToCore(Stream& stream, const Operation& operation, Stage until) {
  Core* core;
  HIPR_TRY(stream.owner->reach(core));
  if (!staysInside(*stream.owner, operation)) [[unlikely]]
    return submitAcross(stream, operation, until);
  return core->submit(stream, operation, until);
}

hipError_t hand(Stream& stream, const Operation& operation, Stage until) {
  if (!stream.capturing.load(std::memory_order_relaxed)) [[likely]]
    return giveToCore(stream, operation, until);
  Core* core;
  HIPR_TRY(stream.owner->reach(core));
  if (!staysInside(*stream.owner, operation)) return severalWorkers("a graph");
  return openedProcess()->captures.add(*openedProcess(), stream, operation);
}

hipError_t afterAsync(Process& p, Stream& stream) {
  if (!p.launchBlocking || stream.capturing) [[likely]]
    return hipSuccess;
  HIPR_TRY(synchronize(stream));
  return asyncError(*stream.owner);
}

hipError_t submit(Process& p, Stream& stream, const Operation& operation, Stage until) {
  HIPR_TRY(hand(stream, operation, until));
  return until == Stage::kVisible ? asyncError(*stream.owner) : afterAsync(p, stream);
}

hipError_t synchronize(Stream& stream) {
  Core* core;
  HIPR_TRY(stream.owner->reach(core));
  return core->synchronize(stream);
}

}  // namespace hipr
