#include "worker/progress.h"

#include <algorithm>

#include "base/log.h"
#include "worker/transfers.h"

namespace hipr::worker {

Progress::Progress(const Backend& backend, Outbox& outbox, Waiters& waiters, HostMemory& hostMemory,
                   OutputRelay* output)
    : backend_(backend), outbox_(outbox), waiters_(waiters), hostMemory_(hostMemory), output_(output) {
  for (int i = 0; i < backend.devices(); ++i) events_.push_back(std::make_unique<EventPool>(backend, i));
}

Progress::~Progress() = default;

void Progress::count(const StreamPtr& stream) {
  ++stream->issued;
  ++issued_;
  SessionCounters::add(outbox_.counters().issued);
  if (stream->inUnwatched) return;
  stream->inUnwatched = true;
  unwatched_.push_back(stream);
}

bool Progress::needsHostSync(const Stream& stream) const {
  return hostMemory_.any() && stream.lastWriter.load() > stream.synced;
}

bool Progress::settled(Stream& stream) {
  if (stream.broken == hipSuccess && stream.finished.load() < stream.issued) {
    backend_.use(stream.device);
    if (backend_.hip.hipStreamQuery(stream.native) != hipSuccess) return false;
    {
      std::lock_guard lock(mutex_);
      if (needsHostSync(stream)) return false;
    }
    finish(stream, stream.issued, hipSuccess, false);
  }
  return true;
}

void Progress::told(Stream& stream) {
  std::lock_guard lock(mutex_);
  stream.reported = stream.issued;
}

void Progress::report() {
  for (const StreamPtr& stream : unwatched_) {
    stream->inUnwatched = false;
    if (settled(*stream)) {
      finish(*stream, stream->issued, hipSuccess, true);
      continue;
    }
    if (stream->watched >= stream->issued) continue;
    Marker marker = mark(stream);
    if (!marker.event) {
      finish(*stream, marker.position, marker.error, true);
      continue;
    }
    bool start = false;
    {
      std::lock_guard lock(mutex_);
      stream->watches.push_back({marker.event, marker.position});
      start = !std::exchange(stream->watching, true);
    }
    if (start) waiters_.run([this, stream] { watch(stream); });
  }
  unwatched_.clear();
}

Progress::Marker Progress::mark(const StreamPtr& stream) {
  Marker marker{stream, stream->issued, nullptr, stream->broken};
  if (marker.error == hipSuccess) {
    marker.event = events_[static_cast<std::size_t>(stream->device)]->record(stream->native, &marker.error);
  }
  stream->watched = stream->issued;
  return marker;
}

void Progress::watch(const StreamPtr& stream) {
  for (;;) {
    Stream::Watch next;
    {
      std::lock_guard lock(mutex_);
      if (stream->watches.empty()) {
        stream->watching = false;
        return;
      }
      next = stream->watches.front();
      stream->watches.pop_front();
    }
    const hipError_t error = backend_.hip.hipEventSynchronize(next.event);
    events_[static_cast<std::size_t>(stream->device)]->give(next.event);
    finish(*stream, next.position, error, true);
  }
}

hipError_t Progress::await(const std::vector<Marker>& markers, bool tell) {
  hipError_t first = hipSuccess;
  for (const Marker& marker : markers) {
    hipError_t error = marker.error;
    if (marker.event) {
      error = backend_.hip.hipEventSynchronize(marker.event);
      events_[static_cast<std::size_t>(marker.stream->device)]->give(marker.event);
    }
    if (tell) {
      finish(*marker.stream, marker.position, error, true);
    } else {
      finished(*marker.stream, marker.position, error);
    }
    if (first == hipSuccess) first = error;
  }
  return first;
}

void Progress::finished(Stream& stream, std::uint64_t position, hipError_t error) {
  finish(stream, position, error, false);
  std::lock_guard lock(mutex_);
  stream.reported = std::max(stream.reported, position);
}

void Progress::aboutToAnswer(Stream& stream, std::uint64_t position) {
  syncHost(stream, position);
  std::lock_guard lock(mutex_);
  stream.reported = std::max(stream.reported, position);
}

void Progress::syncHost(Stream& stream, std::uint64_t position) {
  if (output_) output_->drain();
  {
    std::lock_guard lock(mutex_);
    if (position <= stream.synced || !needsHostSync(stream)) return;
  }
  hostMemory_.sendChanges();
  std::lock_guard lock(mutex_);
  stream.synced = std::max(stream.synced, position);
}

void Progress::finish(Stream& stream, std::uint64_t position, hipError_t error, bool tell) {
  if (error != hipSuccess && tell) {
    fail(error,
         "work on stream " + std::to_string(stream.id) + " of device " + std::to_string(stream.device) + " failed",
         wire::Opcode::kLaunchKernel);
  }
  syncHost(stream, position);
  std::vector<std::function<void()>> cleanups;
  std::vector<std::shared_ptr<Transfer>> abandoned;
  {
    std::lock_guard lock(mutex_);
    if (const std::uint64_t before = stream.finished.load(); position > before) {
      SessionCounters::add(outbox_.counters().finished, position - before);
      finished_ += position - before;
      stream.finished = position;
    }
    while (!stream.cleanups.empty() && stream.cleanups.front().position <= position) {
      cleanups.push_back(std::move(stream.cleanups.front().action));
      stream.cleanups.pop_front();
    }
    if (error != hipSuccess) abandoned = stream.transfers;
    if (tell && position > stream.reported) {
      stream.reported = position;
      push(outbox_, wire::Opcode::kProgress, wire::Progress{stream.id, position});
    }
  }
  for (auto& transfer : abandoned) {
    if (transfer->position <= position) transfer->abandon(error);
  }
  for (auto& cleanup : cleanups) cleanup();
}

void Progress::whenNextFinished(const StreamPtr& stream, std::function<void()> action) {
  std::lock_guard lock(mutex_);
  stream->cleanups.push_back({stream->issued + 1, std::move(action)});
}

void Progress::expect(Stream& stream, std::shared_ptr<Transfer> transfer) {
  std::lock_guard lock(mutex_);
  stream.transfers.push_back(std::move(transfer));
}

void Progress::reached(Stream& stream, const Transfer* transfer) {
  std::lock_guard lock(mutex_);
  std::erase_if(stream.transfers, [&](const auto& other) { return other.get() == transfer; });
}

void Progress::fail(hipError_t error, const std::string& what, wire::Opcode opcode) {
  {
    std::lock_guard lock(mutex_);
    if (opcode == wire::Opcode::kLaunchKernel) {
      if (std::find(failures_.begin(), failures_.end(), error) != failures_.end()) return;
      failures_.push_back(error);
    }
  }
  SessionCounters::add(outbox_.counters().errors);
  logDebug("%s: %s", what.c_str(), backend_.hip.errorName(error));
  push(outbox_, wire::Opcode::kAsyncFailure, wire::AsyncFailure{error, static_cast<std::uint16_t>(opcode), what});
}

void Progress::forgetFailures() {
  std::lock_guard lock(mutex_);
  failures_.clear();
}

}  // namespace hipr::worker
