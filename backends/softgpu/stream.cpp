#include "backends/softgpu/stream.h"

#include "backends/softgpu/commands.h"
#include "backends/softgpu/core.h"
#include "backends/softgpu/state.h"

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

class QueuePoint : public StreamPoint {
 public:
  explicit QueuePoint(std::vector<CommandPtr> unfinished) : unfinished_(std::move(unfinished)) {}

  bool reached() override {
    std::erase_if(unfinished_, [](const CommandPtr& command) { return command->done(); });
    return unfinished_.empty();
  }
  void wait() override {
    for (const CommandPtr& command : unfinished_) command->wait();
  }

 private:
  std::vector<CommandPtr> unfinished_;
};

EventState& stateOf(Event& event) {
  return static_cast<EventState&>(*event.impl);
}

}  // namespace

CommandPtr hostCommand(const HostFunction& f) {
  return std::make_shared<HostCall>(f.function, f.userData);
}

CommandPtr recordCommand(const Record& record) {
  const auto marker = std::make_shared<Marker>();
  EventState& e = stateOf(*record.event);
  const std::lock_guard lock(e.mutex);
  e.recorded = marker;
  return marker;
}

CommandPtr waitCommand(const Wait& wait) {
  const auto marker = std::make_shared<Marker>();
  if (const std::shared_ptr<Marker> reached = stateOf(*wait.event).last()) marker->after(*reached);
  return marker;
}

hipError_t SoftgpuCore::submit(Stream& stream, const Operation& operation, Stage until) {
  return std::visit([&](const auto& work) { return perform(work, stream, until); }, operation);
}

hipError_t SoftgpuCore::create(Stream& stream) {
  QueueSet& queues = state().device(stream.device).queues;
  const bool blocking = (stream.flags & hipStreamNonBlocking) == 0;
  Queue& queue = stream.kind == Stream::Kind::kNull ? queues.null() : *queues.create(blocking);
  stream.impl = std::make_unique<StreamObject>(queue);
  return hipSuccess;
}

hipError_t SoftgpuCore::destroy(Stream& stream) {
  if (stream.kind == Stream::Kind::kCreated) static_cast<void>(synchronize(stream));
  if (stream.kind != Stream::Kind::kNull) state().device(stream.device).queues.close(queueOf(stream));
  stream.impl.reset();
  return hipSuccess;
}

hipError_t SoftgpuCore::synchronize(Stream& stream) {
  for (const CommandPtr& command : queueOf(stream).unfinished()) command->wait();
  return state().device(stream.device).failure();
}

hipError_t SoftgpuCore::query(Stream& stream) {
  if (!queueOf(stream).unfinished().empty()) return hipErrorNotReady;
  return state().device(stream.device).failure();
}

std::unique_ptr<StreamPoint> SoftgpuCore::point(Stream& stream) {
  auto unfinished = queueOf(stream).unfinished();
  return unfinished.empty() ? nullptr : std::make_unique<QueuePoint>(std::move(unfinished));
}

hipError_t SoftgpuCore::perform(const Wait& work, Stream& stream, Stage) {
  queueOf(stream).submit(waitCommand(work));
  return hipSuccess;
}

hipError_t SoftgpuCore::perform(const HostFunction& f, Stream& stream, Stage) {
  queueOf(stream).submit(hostCommand(f));
  return hipSuccess;
}

hipError_t SoftgpuCore::create(Event& event) {
  event.impl = std::make_unique<EventState>();
  return hipSuccess;
}

hipError_t SoftgpuCore::destroy(Event& event) {
  event.impl.reset();
  return hipSuccess;
}

hipError_t SoftgpuCore::perform(const Record& record, Stream& stream, Stage) {
  queueOf(stream).submit(recordCommand(record));
  return hipSuccess;
}

hipError_t SoftgpuCore::synchronize(Event& event) {
  if (const auto marker = stateOf(event).last()) marker->wait();
  return state().device(event.device).failure();
}

hipError_t SoftgpuCore::query(Event& event) {
  const auto marker = stateOf(event).last();
  if (marker != nullptr && !marker->done()) return hipErrorNotReady;
  return state().device(event.device).failure();
}

hipError_t SoftgpuCore::elapsed(Event& start, Event& stop, float* milliseconds) {
  const auto from = stateOf(start).last(), to = stateOf(stop).last();
  if (from == nullptr || to == nullptr) return hipErrorInvalidHandle;
  if (!from->done() || !to->done()) return hipErrorNotReady;
  *milliseconds = static_cast<float>(static_cast<double>(to->reachedAt() - from->reachedAt()) * 1e-6);
  return hipSuccess;
}

}  // namespace hipr::softgpu
