#include "runtime/submit.h"

#include "runtime/async_error.h"

namespace hipr {

namespace {

// What an operation touches besides its stream, as far as HIP's rules let it be on another device.
hipError_t staysInside(const Device& device, const Operation& operation) {
  const auto with = [&](const Device* other) { return other == nullptr ? hipSuccess : inOneCore(device, *other); };
  if (const auto* copy = std::get_if<Copy>(&operation)) {
    HIPR_TRY(with(copy->to.owner));
    return with(copy->from.owner);
  }
  if (const auto* fill = std::get_if<Fill>(&operation)) return with(fill->owner);
  if (const auto* wait = std::get_if<Wait>(&operation)) return with(wait->event->owner);
  if (const auto* graph = std::get_if<GraphLaunch>(&operation)) return with(graph->exec->owner);
  if (const auto* steps = std::get_if<WordSteps>(&operation))
    for (const WordStep& step : steps->list) HIPR_TRY(with(step.owner));
  return hipSuccess;  // kernels and recorded events are of the stream's own device
}

}  // namespace

hipError_t hand(Stream& stream, const Operation& operation, Stage until) {
  Core* core;
  HIPR_TRY(stream.owner->reach(core));
  HIPR_TRY(staysInside(*stream.owner, operation));
  if (stream.capturing.load(std::memory_order_relaxed)) [[unlikely]]
    return openedProcess()->captures.add(*openedProcess(), stream, operation);
  return core->submit(stream, operation, until);
}

hipError_t afterAsync(Process& p, Stream& stream) {
  if (!p.launchBlocking || stream.capturing) [[likely]]
    return hipSuccess;
  HIPR_TRY(synchronize(stream));
  return asyncError();
}

hipError_t submit(Process& p, Stream& stream, const Operation& operation, Stage until) {
  HIPR_TRY(hand(stream, operation, until));
  return until == Stage::kVisible ? asyncError() : afterAsync(p, stream);
}

hipError_t synchronize(Stream& stream) {
  Core* core;
  HIPR_TRY(stream.owner->reach(core));
  return core->synchronize(stream);
}

}  // namespace hipr
