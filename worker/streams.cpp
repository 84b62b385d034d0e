// Streams, waiting for events, and functions of the client that run in stream order.
#include "worker/streams.h"

#include "worker/session.h"

namespace hipr::worker {

Session::StreamPtr Session::stream(std::uint64_t number) {
  const auto found = nullStreams_.find(number);
  StreamPtr stream = found != nullStreams_.end() ? found->second : streams_.find(number);
  if (!stream) {
    refuse("stream " + std::to_string(number) + " does not exist");
  } else if (barrier_) {
    waitForBarrier(*stream);
  }
  return stream;
}

void Session::raiseBarrier(const StreamPtr& s) {
  if (s->broken != hipSuccess || progress_.settled(*s)) return;  // what it has is done: everybody finds it so
  backend_.use(s->device);
  hipEvent_t event = nullptr;
  if (backend_.hip.hipEventCreateWithFlags(&event, hipEventDisableTiming) != hipSuccess) return;
  barrier_ = std::make_shared<NativeEvent>(backend_, event);
  backend_.hip.hipEventRecord(event, s->native);
  s->barrier = ++barrierNumber_;
}

void Session::waitForBarrier(Stream& stream) {
  if (backend_.hip.hipEventQuery(barrier_->event) != hipErrorNotReady) {
    barrier_.reset();
    return;
  }
  if (stream.barrier == barrierNumber_ || stream.broken != hipSuccess) return;
  stream.barrier = barrierNumber_;
  backend_.use(stream.device);
  backend_.hip.hipStreamWaitEvent(stream.native, barrier_->event, 0);
}

bool Session::quiet(const StreamPtr& stream) {
  if (barrier_) return false;
  if (!progress_.settled(*stream)) return false;
  if (!stream->blocking) return true;
  if (stream->native)
    return progress_.settled(*nullStreams_[wire::kNullStream + static_cast<unsigned>(stream->device)]);
  for (const auto& [number, other] : streams_) {
    if (other->blocking && other->device == stream->device && !progress_.settled(*other)) return false;
  }
  return true;
}

hipError_t Session::onStreamCreate(const wire::StreamCreate& m) {
  if (!hasDevice(m.device)) return hipErrorInvalidDevice;
  auto stream = std::make_shared<Stream>();
  stream->id = m.stream;
  stream->device = m.device;
  stream->blocking = !(m.flags & hipStreamNonBlocking);
  if (!streams_.add(m.stream, stream)) {
    refuse("stream " + std::to_string(m.stream) + " cannot be made");
    return hipErrorInvalidHandle;
  }
  backend_.use(m.device);
  if (!m.cuMask.empty()) {
    stream->broken = backend_.hip.hipExtStreamCreateWithCUMask(
        &stream->native, static_cast<std::uint32_t>(m.cuMask.size()), m.cuMask.data());
  } else if (m.priority) {
    stream->broken = backend_.hip.hipStreamCreateWithPriority(&stream->native, m.flags, m.priority);
  } else {
    stream->broken = backend_.hip.hipStreamCreateWithFlags(&stream->native, m.flags);
  }
  return stream->broken;
}

hipError_t Session::onStreamDestroy(const wire::StreamDestroy& m) {
  StreamPtr stream = streams_.take(m.stream);
  if (!stream) {
    refuse("stream " + std::to_string(m.stream) + " does not exist");
    return hipErrorInvalidHandle;
  }
  return destroy(stream);
}

hipError_t Session::destroy(const StreamPtr& stream) {
  if (stream->broken != hipSuccess) return hipSuccess;
  if (progress_.settled(*stream)) return backend_.hip.hipStreamDestroy(stream->native);
  Markers markers{progress_.mark(stream)};
  waiters_.run([this, markers = std::move(markers), stream] {
    progress_.await(markers, true);
    backend_.hip.hipStreamDestroy(stream->native);
  });
  return hipSuccess;
}

Session::Answer Session::onStreamSynchronize(const wire::StreamSynchronize& m) {
  const StreamPtr s = stream(m.stream);
  if (!s) return std::nullopt;
  if (s->broken != hipSuccess) return s->broken;
  if (quiet(s)) {
    progress_.told(*s);
    return hipSuccess;
  }
  // The null stream is at its end only when the blocking streams before it are, which its marker waits for.
  answerAfter({progress_.mark(s)}, wire::Opcode::kStreamSynchronize);
  return std::nullopt;
}

hipError_t Session::onStreamWaitEvent(const wire::StreamWaitEvent& m) {
  const StreamPtr s = stream(m.stream);
  const std::shared_ptr<Event> e = event(m.event);
  if (!s || !e) return hipErrorInvalidHandle;
  hipError_t error = s->broken != hipSuccess ? s->broken : e->broken;
  if (error == hipSuccess) {
    backend_.use(s->device);
    error = backend_.hip.hipStreamWaitEvent(s->native, e->native->event, 0);
  }
  progress_.count(s);
  return error;
}

hipError_t Session::onHostFunction(const wire::HostFunction& m) {
  const StreamPtr s = stream(m.stream);
  if (!s) return hipErrorInvalidHandle;
  auto call = std::make_shared<HostCall>();
  if (!hostCalls_.emplace(m.id, call).second) {
    refuse("host function " + std::to_string(m.id) + " is still running");
    return hipErrorInvalidHandle;
  }
  hipError_t error = s->broken;
  if (error == hipSuccess) {
    backend_.use(s->device);
    error = backend_.callHost(s->native, [this, call, id = m.id] {
      // The function may look at what kernels before it wrote, and print after what they printed.
      hostMemory_.sendChanges();
      if (options_.output) options_.output->drain();
      push(outbox_, wire::Opcode::kRunHostFunction, wire::RunHostFunction{id});
      call->wait();
    });
  }
  if (error != hipSuccess) hostCalls_.erase(m.id);
  progress_.count(s);
  return error;
}

hipError_t Session::onHostFunctionDone(const wire::HostFunctionDone& m) {
  const auto found = hostCalls_.find(m.id);
  if (found == hostCalls_.end()) {
    refuse("host function " + std::to_string(m.id) + " does not exist");
    return hipErrorInvalidHandle;
  }
  found->second->finish();
  hostCalls_.erase(found);
  return hipSuccess;
}

}  // namespace hipr::worker
