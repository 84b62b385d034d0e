// Order: finding out what is done, and telling those who wait for it.
#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

#include "worker/order.h"

namespace hipr::worker {
namespace {

constexpr std::size_t kMostKept = 64;       // then it is time to find out what is done
constexpr std::uint64_t kMarkEvery = 1024;  // operations
constexpr std::uint64_t kRetiredBytes = 256;

}  // namespace

void Order::markNowAndThen(Stream& stream) {
  if (stream.given < stream.marked + kMarkEvery || stream.broken != hipSuccess) return;
  hipError_t error = hipSuccess;
  stream.marked = stream.given;
  if (hipEvent_t event = events(stream.device).record(stream.native, &error))
    stream.marks.push_back({event, stream.given});
}

void Order::mark(const StreamPtr& stream, std::uint64_t position, Then then) {
  hipError_t error = stream->broken;
  EventPool& pool = events(stream->device);
  hipEvent_t event = error == hipSuccess ? pool.record(stream->native, &error) : nullptr;
  const auto due = [this, event] { return !event || backend_.hip.hipEventQuery(event) != hipErrorNotReady; };
  crew_.add(
      stream->series,
      [this, stream, position, event, error, &pool, then = std::move(then)]() mutable {
        if (event) {
          error = backend_.hip.hipEventSynchronize(event);
          pool.give(event);
        }
        reached(stream, position);
        then(error);
      },
      due);
}

void Order::whenDone(const StreamPtr& stream, Then then) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t position = stream->sent;
  if (stream->held.empty()) return mark(stream, position, std::move(then));
  hold(stream, {0, 0, {}, [this, stream, position, then = std::move(then)] {
                  mark(stream, position, then);
                  return Start::kGiven;
                }});
}

void Order::whenReached(const StreamPtr& stream, Then then) {
  mark(stream, stream->given, std::move(then));
}

void Order::wasGiven(Record& record) {
  for (auto& action : record.whenGiven) action();
  record.whenGiven.clear();
}

bool Order::isGiven(const Place& place) {
  const std::lock_guard lock(mutex_);
  return place.stream->given >= place.position;
}

void Order::whenDone(const std::shared_ptr<Record>& record, const SeriesPtr& series, Then then) {
  const std::lock_guard lock(mutex_);
  auto start = [this, series, place = record->place, native = record->native, then = std::move(then)] {
    const auto due = [this, native] { return backend_.hip.hipEventQuery(native->event) != hipErrorNotReady; };
    crew_.add(
        series,
        [this, place, native, then] {
          const hipError_t error = backend_.hip.hipEventSynchronize(native->event);
          reached(place.stream, place.position);
          then(error);
        },
        due);
  };
  if (record->place.stream->given >= record->place.position) return start();
  record->whenGiven.push_back(std::move(start));
}

void Order::raise(Stream& stream, std::uint64_t position) {
  if (position <= stream.done) return;
  SessionCounters::addAlone(counters_.finished, position - stream.done);
  if (stream.broken == hipSuccess) unfinished_ -= position - stream.done;
  for (; !stream.weights.empty() && stream.weights.front().position <= position; stream.weights.pop_front()) {
    unfinished_ -= stream.weights.front().more;
    weight_ -= stream.weights.front().more;
  }
  counters_.used[static_cast<std::size_t>(Quota::kOperations)].store(unfinished_, std::memory_order_relaxed);
  stream.done = position;
  while (!stream.kept.empty() && stream.kept.front().position <= stream.done) stream.kept.pop_front();
  retire();
}

void Order::reached(const StreamPtr& stream, std::uint64_t position) {
  const std::lock_guard lock(mutex_);
  raise(*stream, position);
}

void Order::retire() {
  const auto over = [](const Retired& retired) {
    return std::ranges::all_of(retired.until, [](const Place& place) { return place.stream->done >= place.position; });
  };
  while (!retired_.empty() && over(retired_.front())) {
    countHeld(heldBytes_ - retired_.front().bytes);
    crew_.add(retiring_, std::move(retired_.front().action));
    retired_.pop_front();
  }
}

void Order::afterEverything(std::function<void()> action) {
  const std::lock_guard lock(mutex_);
  bool over = true;
  Retired retired;
  for (const StreamPtr& stream : streams_) {
    if (isDone(*stream)) continue;
    over = false;
    // What came before this waits for as much, and goes first: only what has been sent since is new.
    if (std::exchange(stream->awaited, stream->sent) < stream->sent) retired.until.push_back({stream, stream->sent});
  }
  if (over) return action();
  retired.action = std::move(action);
  retired.bytes = kRetiredBytes + retired.until.size() * sizeof(Place);
  countHeld(heldBytes_ + retired.bytes);
  retired_.push_back(std::move(retired));
}

void Order::finishRetired() {
  {
    const std::lock_guard lock(mutex_);
    for (const StreamPtr& stream : streams_) (void)isDone(*stream);  // finds out what is due
  }
  const auto over = std::make_shared<std::promise<void>>();
  crew_.add(retiring_, [over] { over->set_value(); });
  crew_.delegate();
  over->get_future().wait_for(std::chrono::seconds(2));
}

void Order::keep(const StreamPtr& stream, std::shared_ptr<void> object) {
  const std::lock_guard lock(mutex_);
  stream->kept.push_back({stream->sent, std::move(object)});
  if (stream->kept.size() < kMostKept) return;
  lookAtMarks(*stream);
  if (!stream->marks.empty() && stream->marks.back().position + kMostKept / 2 > stream->sent) return;
  hipError_t error = hipSuccess;
  if (hipEvent_t event = events(stream->device).record(stream->native, &error)) {
    stream->marks.push_back({event, stream->given});
    stream->marked = stream->given;
  }
}

void Order::lookAtMarks(Stream& stream) {
  while (!stream.marks.empty() && backend_.hip.hipEventQuery(stream.marks.front().event) != hipErrorNotReady) {
    events(stream.device).give(stream.marks.front().event);
    raise(stream, stream.marks.front().position);
    stream.marks.pop_front();
  }
}

hipError_t Order::lookAtGiven(Stream& stream) {
  if (stream.done >= stream.given || stream.broken != hipSuccess) return stream.broken;
  lookAtMarks(stream);
  backend_.use(stream.device);
  const hipError_t error = backend_.hip.hipStreamQuery(stream.native);
  if (error != hipErrorNotReady) raise(stream, stream.given);  // a failed stream will do no more
  return error;
}

hipError_t Order::look(Stream& stream) {
  const std::lock_guard lock(mutex_);
  const hipError_t error = lookAtGiven(stream);
  // Also where the device has failed: what is held here may name memory, and it has not been refused yet.
  return stream.broken == hipSuccess && stream.given < stream.sent ? hipErrorNotReady : error;
}

hipError_t Order::health(const Stream& stream) {
  backend_.use(stream.device);
  const hipError_t error = backend_.hip.hipStreamQuery(stream.native);
  return error == hipErrorNotReady ? hipSuccess : error;
}

bool Order::unfinished() {
  const std::lock_guard lock(mutex_);
  return std::any_of(streams_.begin(), streams_.end(), [this](const StreamPtr& stream) { return !isDone(*stream); });
}

std::uint64_t Order::doneSoFar(Stream& stream) {
  const std::lock_guard lock(mutex_);
  return stream.done;
}

bool Order::quiet(const StreamPtr& stream) {
  if (lookAtGiven(*stream) != hipSuccess) return false;
  dropFences();
  for (const Fence& fence : fences_)
    if (fence.behind.stream != stream) return false;
  return std::all_of(streams_.begin(), streams_.end(), [&](const StreamPtr& other) {
    return other == stream || !stream->follows(*other) || isDone(*other);
  });
}

}  // namespace hipr::worker
