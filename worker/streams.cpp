// Streams, waiting for events, and functions of the client that run in stream order.
#include <algorithm>

#include "worker/session.h"

namespace hipr::worker {
namespace {

constexpr std::size_t kMostMaskWords = 64;  // more compute units than any GPU has

}  // namespace

const StreamPtr& Session::stream(std::uint64_t number) {
  const std::uint64_t device = number - wire::kNullStream;
  const StreamPtr& stream = device < nullStreams_.size() ? nullStreams_[device] : streams_.find(number);
  if (!stream) refuse("stream " + std::to_string(number) + " does not exist");
  return stream;
}

hipError_t Session::onStreamCreate(const wire::StreamCreate& m) {
  if (!hasDevice(m.device)) return hipErrorInvalidDevice;
  order_.sweep();
  const Meter::Share share = meter_.take(Quota::kStreams);
  if (!share) return hipErrorOutOfMemory;
  auto stream = std::make_shared<Stream>(m.stream, m.device, !(m.flags & hipStreamNonBlocking));
  stream->share = share;
  if (!streams_.add(m.stream, stream)) {
    refuse("stream " + std::to_string(m.stream) + " cannot be made");
    return hipErrorInvalidHandle;
  }
  backend_.use(m.device);
  if (!m.cuMask.empty()) {
    auto mask = options_.compute.empty() ? m.cuMask : options_.compute[m.device].translate(m.cuMask);
    mask.resize(std::min(mask.size(), kMostMaskWords));  // the runtime would keep all of it
    stream->broken = backend_.hip.hipExtStreamCreateWithCUMask(&stream->native, static_cast<std::uint32_t>(mask.size()),
                                                               mask.data());
  } else if (m.priority) {
    stream->broken = backend_.hip.hipStreamCreateWithPriority(&stream->native, m.flags, m.priority);
  } else {
    stream->broken = backend_.hip.hipStreamCreateWithFlags(&stream->native, m.flags);
  }
  order_.add(stream);
  return stream->broken;
}

hipError_t Session::onStreamDestroy(const wire::StreamDestroy& m) {
  StreamPtr stream = streams_.take(m.stream);
  if (!stream) {
    refuse("stream " + std::to_string(m.stream) + " does not exist");
    return hipErrorInvalidHandle;
  }
  order_.close(stream);
  return hipSuccess;
}

Session::Answer Session::onStreamSynchronize(const wire::StreamSynchronize& m) {
  const StreamPtr s = stream(m.stream);
  if (!s) return std::nullopt;
  if (s->broken != hipSuccess) return s->broken;
  // The null stream is at its end only when the blocking streams before it are.
  std::vector<StreamPtr> busy;
  for (const StreamPtr& other : s->null() ? order_.streams(s->device) : std::vector{s}) {
    if (!other->blocking && other != s) continue;
    if (order_.look(*other) != hipSuccess || reporter_.owes(*other)) busy.push_back(other);
  }
  if (!busy.empty()) return answerWhenDone(busy, wire::Opcode::kStreamSynchronize);
  reporter_.told(*s, s->sent);
  return order_.health(*s);
}

hipError_t Session::onStreamFence(const wire::StreamFence& m) {
  const StreamPtr s = stream(m.stream);
  if (!s) return hipErrorInvalidHandle;
  order_.fence(s);
  return hipSuccess;
}

hipError_t Session::onStreamWatch(const wire::StreamWatch& m) {
  const StreamPtr s = stream(m.stream);
  if (!s) return hipErrorInvalidHandle;
  const Meter::Share share = meter_.take(Quota::kWaits);
  if (!share) return hipErrorOutOfMemory;
  order_.whenDone(s, [this, s, share, position = s->sent](hipError_t error) {
    reporter_.failWork(*s, error);
    reporter_.show(*s, position);
    reporter_.progress(*s, position);
  });
  return hipSuccess;
}

void Session::onStreamWaitEvent(const wire::StreamWaitEvent& m) {
  const StreamPtr s = stream(m.stream);
  const std::shared_ptr<Event> e = event(m.event);
  if (!s || !e) return;
  const std::shared_ptr<Record> record = e->last;
  submit<wire::Opcode::kStreamWaitEvent>(
      s, m, e->broken,
      [this, record](const StreamPtr& on, const wire::StreamWaitEvent&) {
        if (!record) return hipSuccess;  // never recorded: there is nothing to wait for
        return backend_.hip.hipStreamWaitEvent(on->native, record->native->event, 0);
      },
      1, record ? record->place : Place{});
}

void Session::onHostFunction(const wire::HostFunction& m) {
  const StreamPtr s = stream(m.stream);
  if (!s) return;
  auto function = std::make_shared<HostFunction>(s);
  if (!hostFunctions_.emplace(m.id, function).second) {
    refuse("host function " + std::to_string(m.id) + " is still running");
    return;
  }
  order_.submit(s, m, [this, function](const StreamPtr& on, const wire::HostFunction& call) {
    order_.whenReached(on, [this, on, function, id = call.id, position = on->given](hipError_t) {
      // The function may look at what kernels before it wrote, and print after what they printed.
      reporter_.show(*on, position);
      function->due = true;
      push(outbox_, wire::Opcode::kRunHostFunction, wire::RunHostFunction{id});
    });
    return Start::kLater;
  });
}

hipError_t Session::onHostFunctionDone(const wire::HostFunctionDone& m) {
  const auto found = hostFunctions_.find(m.id);
  if (found == hostFunctions_.end() || !found->second->due) {
    refuse("host function " + std::to_string(m.id) + " is not running");
    return hipErrorInvalidHandle;
  }
  const StreamPtr s = found->second->stream;
  hostFunctions_.erase(found);
  order_.done(s);
  return hipSuccess;
}

}  // namespace hipr::worker
