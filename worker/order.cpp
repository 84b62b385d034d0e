#include "worker/order.h"

#include <algorithm>

namespace hipr::worker {
namespace {

constexpr std::uint64_t kWorkBytes = 256;  // of an operation that is held, besides its message

// One place for each stream: who comes after the last of several comes after all of them.
void addNeed(std::vector<Place>& needs, const Place& need) {
  const auto known = std::ranges::find(needs, need.stream, &Place::stream);
  if (known == needs.end()) return needs.push_back(need);
  known->position = std::max(known->position, need.position);
}

}  // namespace

Order::Order(const Backend& backend, Crew& crew, const Meter& meter, SessionCounters& counters)
    : backend_(backend),
      crew_(crew),
      counters_(counters),
      mostOperations_(meter.limits()[Quota::kOperations]),
      mostHeldBytes_(meter.limits()[Quota::kHeldBytes]) {
  for (int i = 0; i < backend.devices(); ++i) events_.push_back(std::make_unique<EventPool>(backend, i));
}

Order::~Order() {
  for (const Fence& fence : fences_)
    if (fence.event) events(fence.behind.stream->device).give(fence.event);
  for (const StreamPtr& stream : streams_) {
    for (const Stream::Mark& mark : stream->marks) events(stream->device).give(mark.event);
    stream->held.clear();  // it holds the stream in turn
    stream->kept.clear();
  }
  for (Retired& retired : retired_) retired.action();
}

void Order::add(const StreamPtr& stream) {
  const std::lock_guard lock(mutex_);
  streams_.push_back(stream);
}

void Order::close(const StreamPtr& stream) {
  const std::lock_guard lock(mutex_);
  stream->closed = true;
  sweep();
}

void Order::sweep() {
  const std::lock_guard lock(mutex_);
  std::erase_if(streams_, [this](const StreamPtr& stream) {
    if (!stream->closed || !isDone(*stream)) return false;
    if (stream->native) backend_.hip.hipStreamDestroy(stream->native);
    stream->native = nullptr;
    stream->share.reset();  // events that were recorded in it may live on
    return true;
  });
}

std::vector<StreamPtr> Order::streams(int device) {
  const std::lock_guard lock(mutex_);
  std::vector<StreamPtr> out;
  for (const StreamPtr& stream : streams_)
    if (device < 0 || stream->device == device) out.push_back(stream);
  return out;
}

std::vector<Place> Order::unmetNeeds(const Stream& stream, const Place& more) const {
  std::vector<Place> unmet;
  for (const StreamPtr& other : streams_)
    if (other.get() != &stream && other->given < other->sent && stream.follows(*other))
      addNeed(unmet, {other, other->sent});
  for (const Fence& fence : fences_)
    if (fence.number > stream.fenced && fence.behind.stream.get() != &stream && !fence.event)
      addNeed(unmet, fence.behind);
  if (more.stream && more.stream.get() != &stream && more.stream->given < more.position) addNeed(unmet, more);
  return unmet;
}

std::uint64_t Order::count(Stream& stream) {
  if (stream.broken == hipSuccess) ++unfinished_;
  SessionCounters::addAlone(counters_.issued);
  return ++stream.sent;
}

void Order::hold(const StreamPtr& stream, Work work) {
  if (stream->held.empty()) ++held_;
  work.bytes += kWorkBytes + work.needs.size() * sizeof(Place);
  countHeld(heldBytes_ + work.bytes);
  stream->held.push_back(std::move(work));
}

void Order::countHeld(std::uint64_t bytes) {
  heldBytes_ = bytes;
  counters_.used[static_cast<std::size_t>(Quota::kHeldBytes)].store(bytes, std::memory_order_relaxed);
}

void Order::unhold(Stream& stream) {
  countHeld(heldBytes_ - stream.held.front().bytes);
  stream.held.pop_front();
  if (stream.held.empty()) --held_;
}

bool Order::full() {
  if (unfinished_ < mostOperations_ && heldBytes_ < mostHeldBytes_) return false;
  const std::lock_guard lock(mutex_);
  for (const StreamPtr& stream : streams_) (void)lookAtGiven(*stream);
  if (unfinished_ < mostOperations_ && heldBytes_ < mostHeldBytes_) return false;
  const Quota which = heldBytes_ < mostHeldBytes_ ? Quota::kOperations : Quota::kHeldBytes;
  SessionCounters::add(counters_.refusals[static_cast<std::size_t>(which)]);
  return true;
}

bool Order::weigh(Stream& stream, std::uint64_t pieces) {
  if (pieces <= 1 || stream.broken != hipSuccess) return true;
  const std::uint64_t more = pieces - 1, most = mostOperations_, now = unfinished_;
  if (more > most || now > most - more) {
    SessionCounters::add(counters_.refusals[static_cast<std::size_t>(Quota::kOperations)]);
    return false;
  }
  unfinished_ += more;
  weight_ += more;
  // The last one of the stream, or the first that it holds: what is behind that is not being started.
  stream.weights.push_back({stream.held.empty() ? stream.sent : stream.held.front().position, more});
  return true;
}

bool Order::crowded(const Stream& stream, std::uint64_t pieces) const {
  return pieces > 1 && weight_ + pieces > mostOperations_ / 2 && stream.done < stream.given;
}

void Order::drop(const StreamPtr& stream) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t position = count(*stream);
  if (stream->held.empty()) return settle(*stream, position, Start::kGiven);
  Work& last = stream->held.back();
  if (last.dropped && !last.started) {
    last.position = position;
    return;
  }
  Work nothing;
  nothing.position = position;
  nothing.fences = fenceCount_;
  nothing.start = [] { return Start::kGiven; };
  nothing.dropped = true;
  hold(stream, std::move(nothing));
}

void Order::settle(Stream& stream, std::uint64_t position, Start how) {
  stream.given = position;
  if (how == Start::kDone) raise(stream, position);
}

void Order::advance(const StreamPtr& stream, Start how) {
  const std::lock_guard lock(mutex_);
  if (stream->held.empty() || !stream->held.front().started) return;
  settle(*stream, stream->held.front().position, how);
  unhold(*stream);
  markNowAndThen(*stream);
  while (startNext(*stream)) {  // first what belongs to the operation itself: a fence behind it
  }
  startHeld();
}

void Order::startHeld() {
  for (bool again = held_ > 0; again;) {
    again = false;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      const StreamPtr stream = streams_[i];
      while (startNext(*stream)) again = held_ > 0;
    }
  }
}

bool Order::startNext(Stream& stream) {
  if (stream.held.empty() || stream.held.front().started) return false;
  Work& next = stream.held.front();
  const bool met = std::all_of(next.needs.begin(), next.needs.end(),
                               [](const Place& need) { return need.stream->given >= need.position; });
  if (!met) return false;
  next.started = true;
  if (next.position) waitForFences(stream, next.fences);
  const Start how = next.start();
  if (how == Start::kLater) return false;
  if (next.position) settle(stream, next.position, how);
  unhold(stream);
  markNowAndThen(stream);
  return true;
}

void Order::waitForFences(Stream& stream, std::uint64_t upTo) {
  if (stream.fenced >= upTo) return;
  dropFences();
  for (const Fence& fence : fences_) {
    if (fence.number <= stream.fenced || fence.number > upTo || fence.behind.stream.get() == &stream) continue;
    if (stream.broken != hipSuccess || !fence.event) continue;
    backend_.use(stream.device);
    backend_.hip.hipStreamWaitEvent(stream.native, fence.event, 0);
  }
  stream.fenced = upTo;
}

void Order::dropFences() {
  std::erase_if(fences_, [&](const Fence& fence) {
    const bool over = fence.event && (fence.behind.stream->done >= fence.behind.position ||
                                      backend_.hip.hipEventQuery(fence.event) != hipErrorNotReady);
    if (over) events(fence.behind.stream->device).give(fence.event);
    return over;
  });
}

void Order::fence(const StreamPtr& stream) {
  const std::lock_guard lock(mutex_);
  if (stream->broken != hipSuccess || isDone(*stream)) return;
  for (const Fence& fence : fences_)
    if (fence.behind.stream == stream && fence.behind.position == stream->sent) return;
  const std::uint64_t number = ++fenceCount_;
  fences_.push_back({number, {stream, stream->sent}});
  const auto recordIt = [this, stream, number] {
    const auto fence = std::find_if(fences_.begin(), fences_.end(), [&](const Fence& f) { return f.number == number; });
    if (fence == fences_.end()) return Start::kGiven;
    hipError_t error = hipSuccess;
    fence->event = events(stream->device).record(stream->native, &error);
    if (!fence->event) fences_.erase(fence);  // a stream that takes no more work has failed for good
    return Start::kGiven;
  };
  if (stream->held.empty()) {
    recordIt();
  } else {
    hold(stream, {0, 0, {}, recordIt});
  }
}

}  // namespace hipr::worker
