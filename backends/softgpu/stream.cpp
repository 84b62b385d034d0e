#include "backends/softgpu/stream.h"

#include "backends/softgpu/state.h"
#include "runtime/core.h"

namespace hipr::softgpu {
namespace {

class HostCall : public Command {
 public:
  HostCall(hipHostFn_t function, void* userData) : function_(function), userData_(userData) {}

 protected:
  void start(Starter) override {
    state().hostFunctions.run(function_, userData_,
                              [self = std::static_pointer_cast<HostCall>(shared_from_this())] { self->finish(); });
  }

 private:
  hipHostFn_t function_;
  void* userData_;
};

EventState& stateOf(Event& event) {
  return *static_cast<EventState*>(event.impl);
}

}  // namespace
}  // namespace hipr::softgpu

namespace hipr::core {

using namespace softgpu;

hipError_t streamCreate(Stream& stream) {
  QueueSet& queues = state().device(stream.device).queues;
  if (stream.kind == Stream::Kind::kNull) {
    stream.impl = &queues.null();
  } else {
    stream.impl = queues.create((stream.flags & hipStreamNonBlocking) == 0);
  }
  return hipSuccess;
}

hipError_t streamDestroy(Stream& stream) {
  if (stream.kind != Stream::Kind::kNull) state().device(stream.device).queues.close(queueOf(stream));
  stream.impl = nullptr;
  return hipSuccess;
}

hipError_t streamSynchronize(Stream& stream) {
  for (const CommandPtr& command : queueOf(stream).unfinished()) command->wait();
  return state().device(stream.device).failure();
}

hipError_t streamQuery(Stream& stream) {
  if (!queueOf(stream).unfinished().empty()) return hipErrorNotReady;
  return state().device(stream.device).failure();
}

hipError_t streamWaitEvent(Stream& stream, Event& event) {
  const std::shared_ptr<Marker> marker = stateOf(event).last();
  if (marker == nullptr || marker->done()) return hipSuccess;
  const auto wait = std::make_shared<Marker>();
  wait->after(*marker);
  queueOf(stream).submit(wait);
  return hipSuccess;
}

hipError_t hostFunction(Stream& stream, hipHostFn_t function, void* userData) {
  queueOf(stream).submit(std::make_shared<HostCall>(function, userData));
  return hipSuccess;
}

hipError_t eventCreate(Event& event) {
  event.impl = state().device(event.device).events.add(std::make_unique<EventState>());
  return hipSuccess;
}

hipError_t eventDestroy(Event& event) {
  state().device(event.device).events.take(static_cast<EventState*>(event.impl));
  event.impl = nullptr;
  return hipSuccess;
}

hipError_t eventRecord(Event& event, Stream& stream) {
  const auto marker = std::make_shared<Marker>();
  EventState& e = stateOf(event);
  {
    const std::lock_guard lock(e.mutex);
    e.recorded = marker;
  }
  queueOf(stream).submit(marker);
  return hipSuccess;
}

hipError_t eventSynchronize(Event& event) {
  if (const auto marker = stateOf(event).last()) marker->wait();
  return state().device(event.device).failure();
}

hipError_t eventQuery(Event& event) {
  const auto marker = stateOf(event).last();
  if (marker != nullptr && !marker->done()) return hipErrorNotReady;
  return state().device(event.device).failure();
}

hipError_t eventElapsed(Event& start, Event& stop, float* milliseconds) {
  const auto from = stateOf(start).last(), to = stateOf(stop).last();
  if (from == nullptr || to == nullptr) return hipErrorInvalidHandle;
  if (!from->done() || !to->done()) return hipErrorNotReady;
  *milliseconds = static_cast<float>(static_cast<double>(to->reachedAt() - from->reachedAt()) * 1e-6);
  return hipSuccess;
}

}  // namespace hipr::core
