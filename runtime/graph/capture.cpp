#include "runtime/graph/capture.h"

#include <algorithm>

#include "runtime/graph/graph.h"
#include "runtime/graph/works.h"
#include "runtime/process.h"

namespace hipr {

namespace {

bool every(const Capture&) {
  return true;
}

bool ofThisThread(const Capture& capture) {
  return capture.mode != hipStreamCaptureModeRelaxed && capture.thread == std::this_thread::get_id();
}

bool disturbedByAnyThread(const Capture& capture) {
  return capture.mode == hipStreamCaptureModeGlobal || ofThisThread(capture);
}

// Everything that was captured leads to the end of the origin stream.
bool joined(const Capture& capture) {
  const std::vector<GraphNode*>& end = capture.frontiers.at(capture.origin);
  return std::all_of(capture.graph->nodes.begin(), capture.graph->nodes.end(), [&](GraphNode* node) {
    const bool leaf = node->before.empty() && !node->byHand && !capture.letGo.contains(node);
    return !leaf || std::find(end.begin(), end.end(), node) != end.end();
  });
}

}  // namespace

Capture* Captures::of(const Stream& stream) {
  for (const auto& capture : captures_)
    if (capture->frontiers.contains(const_cast<Stream*>(&stream))) return capture.get();
  return nullptr;
}

Capture* Captures::of(const Event& event) {
  for (const auto& capture : captures_)
    if (capture->events.contains(const_cast<Event*>(&event))) return capture.get();
  return nullptr;
}

hipError_t Captures::begin(Process& p, Stream& stream, hipStreamCaptureMode mode, Graph* into,
                           const std::vector<GraphNode*>& after) {
  const std::lock_guard lock(mutex_);
  if (Capture* before = of(stream)) {
    if (!before->invalidated || before->origin != &stream) return hipErrorIllegalState;
    discard(p, *before);
  }
  auto capture = std::make_unique<Capture>();
  capture->id = p.newId();
  capture->graph = into;
  capture->intoExisting = into != nullptr;
  capture->mode = mode;
  capture->origin = &stream;
  capture->thread = std::this_thread::get_id();
  capture->frontiers[&stream] = after;
  if (into == nullptr) HIPR_TRY(makeGraph(p, *stream.owner, capture->graph));
  for (GraphNode* node : capture->graph->nodes) capture->letGo.insert(node);
  captures_.push_back(std::move(capture));
  stream.capturing = true;
  ++count_;
  return hipSuccess;
}

void Captures::finish(Capture& capture) {
  for (const auto& [stream, frontier] : capture.frontiers) stream->capturing = false;
  for (const auto& [event, nodes] : capture.events) event->captured = false;
  std::erase_if(captures_, [&](const auto& c) { return c.get() == &capture; });
  --count_;
}

void Captures::discard(Process& p, Capture& capture) {
  if (!capture.intoExisting) destroyGraph(p, capture.graph);
  finish(capture);
}

hipError_t Captures::end(Process& p, Stream& stream, Graph*& out) {
  const std::lock_guard lock(mutex_);
  out = nullptr;
  Capture* capture = of(stream);
  if (capture == nullptr) return hipErrorIllegalState;
  if (capture->origin != &stream) return hipErrorStreamCaptureUnmatched;
  if (capture->mode != hipStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id())
    return hipErrorStreamCaptureWrongThread;
  hipError_t error = hipSuccess;
  if (capture->invalidated) {
    error = hipErrorStreamCaptureInvalidated;
  } else if (!joined(*capture)) {
    error = hipErrorStreamCaptureUnjoined;
  }
  for (GraphNode* node : capture->graph->nodes) node->byHand = false;
  if (error == hipSuccess) {
    out = capture->graph;
  } else if (!capture->intoExisting) {
    destroyGraph(p, capture->graph);
  }
  finish(*capture);
  return error;
}

void Captures::drop(Process& p, Stream& stream) {
  const std::lock_guard lock(mutex_);
  Capture* capture = of(stream);
  if (capture == nullptr) return;
  if (capture->origin == &stream) return discard(p, *capture);
  capture->frontiers.erase(&stream);
  stream.capturing = false;
}

void Captures::drop(Event& event) {
  const std::lock_guard lock(mutex_);
  if (Capture* capture = of(event)) capture->events.erase(&event);
}

void Captures::dropAll() {
  const std::lock_guard lock(mutex_);
  while (!captures_.empty()) finish(*captures_.back());
}

hipError_t Captures::add(Process& p, Stream& stream, const Operation& operation) {
  const auto one = [&](const Operation& work) {
    return addWith(stream, [&](Capture& capture, const std::vector<GraphNode*>& frontier, GraphNode*& node) {
      NodeWork made;
      HIPR_TRY(workOf(p, work, made));
      HIPR_TRY(addBehind(p, *capture.graph, frontier, std::move(made), node));
      node->device = stream.owner;
      return hipSuccess;
    });
  };
  const auto* launch = std::get_if<Launch>(&operation);
  if (launch == nullptr || launch->start == nullptr) return one(operation);
  HIPR_TRY(one(Record{launch->start}));
  Launch rest = *launch;
  rest.start = nullptr;
  return one(rest);
}

hipError_t Captures::record(Stream& stream, Event& event) {
  const std::lock_guard lock(mutex_);
  Capture* capture = of(stream);
  if (capture == nullptr) return hipErrorIllegalState;
  if (capture->invalidated) return hipErrorStreamCaptureInvalidated;
  if (Capture* before = of(event)) before->events.erase(&event);
  capture->events[&event] = capture->frontiers[&stream];
  event.captured = true;
  return hipSuccess;
}

hipError_t Captures::wait(Stream& stream, Event& event, bool& taken) {
  const std::lock_guard lock(mutex_);
  Capture *source = of(event), *here = of(stream);
  taken = source != nullptr;
  if (!taken) return hipSuccess;  // nothing of a capture: the stream itself waits, as always
  if (stream.kind == Stream::Kind::kNull) {
    source->invalidated = true;
    return hipErrorStreamCaptureImplicit;
  }
  if (source->invalidated) return hipErrorStreamCaptureInvalidated;
  if (here != nullptr && here != source) {
    here->invalidated = source->invalidated = true;
    return hipErrorStreamCaptureMerge;
  }
  std::vector<GraphNode*>& frontier = source->frontiers[&stream];
  for (GraphNode* node : source->events[&event])
    if (std::find(frontier.begin(), frontier.end(), node) == frontier.end()) frontier.push_back(node);
  stream.capturing = true;
  return hipSuccess;
}

bool Captures::invalidate(bool (*which)(const Capture&)) {
  bool found = false;
  for (const auto& capture : captures_) {
    if (!which(*capture)) continue;
    capture->invalidated = found = true;
  }
  return found;
}

hipError_t Captures::allocationAllowed() {
  if (!any() || threadState().ignoresCapture) [[likely]]
    return hipSuccess;
  const hipStreamCaptureMode mode = threadState().captureMode;
  if (mode == hipStreamCaptureModeRelaxed) return hipSuccess;
  const std::lock_guard lock(mutex_);
  const auto disturbed = mode == hipStreamCaptureModeGlobal ? disturbedByAnyThread : ofThisThread;
  return invalidate(disturbed) ? hipErrorStreamCaptureUnsupported : hipSuccess;
}

hipError_t Captures::blockingCallAllowed() {
  if (!any()) [[likely]]
    return hipSuccess;
  const std::lock_guard lock(mutex_);
  return invalidate(every) ? hipErrorStreamCaptureImplicit : hipSuccess;
}

hipError_t Captures::deviceWaitAllowed() {
  if (!any() || threadState().ignoresCapture) [[likely]]
    return hipSuccess;
  const std::lock_guard lock(mutex_);
  return invalidate(every) ? hipErrorStreamCaptureUnsupported : hipSuccess;
}

hipError_t Captures::streamWaitAllowed(Stream& stream) {
  if (!any() || stream.kind == Stream::Kind::kNull) [[likely]]
    return hipSuccess;
  const std::lock_guard lock(mutex_);
  if (Capture* capture = of(stream)) {
    capture->invalidated = true;
    return hipErrorStreamCaptureUnsupported;
  }
  if (threadState().captureMode == hipStreamCaptureModeRelaxed) return hipSuccess;
  return invalidate(disturbedByAnyThread) ? hipErrorStreamCaptureUnsupported : hipSuccess;
}

hipError_t Captures::callbackAllowed(Stream& stream) {
  if (!any() || threadState().ignoresCapture) [[likely]]
    return hipSuccess;
  if (stream.kind == Stream::Kind::kNull) return blocksNullStream() ? blockingCallAllowed() : hipSuccess;
  if (!stream.capturing) return hipSuccess;
  const std::lock_guard lock(mutex_);
  Capture* capture = of(stream);
  if (capture == nullptr) return hipSuccess;
  capture->invalidated = true;
  return hipErrorStreamCaptureUnsupported;
}

hipError_t Captures::eventAllowed(Event& event) {
  if (!event.captured) [[likely]]
    return hipSuccess;
  const std::lock_guard lock(mutex_);
  Capture* capture = of(event);
  if (capture == nullptr) return hipSuccess;
  capture->invalidated = true;
  return hipErrorCapturedEvent;
}

bool Captures::blocksNullStream() {
  if (!any()) [[likely]]
    return false;
  const std::lock_guard lock(mutex_);
  return std::any_of(captures_.begin(), captures_.end(), [](const auto& capture) {
    return std::any_of(capture->frontiers.begin(), capture->frontiers.end(),
                       [](const auto& entry) { return (entry.first->flags & hipStreamNonBlocking) == 0; });
  });
}

}  // namespace hipr
