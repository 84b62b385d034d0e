#include "client/streams.h"

#include <algorithm>
#include <utility>

namespace hipr::client {

namespace {

void raise(std::atomic<std::uint64_t>& value, std::uint64_t least) {
  std::uint64_t known = value.load(std::memory_order_relaxed);
  while (known < least && !value.compare_exchange_weak(known, least)) {
  }
}

}  // namespace

void RemoteStream::promise(std::uint64_t position) {
  raise(promised, position);
}

void RemoteEvent::recordedAt(RemoteStream& stream, std::uint64_t position) {
  std::lock_guard lock(mutex_);
  stream_ = stream.shared_from_this();
  position_ = position;
  watched_ = false;
}

std::pair<std::shared_ptr<RemoteStream>, std::uint64_t> RemoteEvent::where() const {
  std::lock_guard lock(mutex_);
  return {stream_, position_};
}

bool RemoteEvent::recorded() const {
  std::lock_guard lock(mutex_);
  return stream_ != nullptr;
}

void RemoteEvent::forget() {
  std::lock_guard lock(mutex_);
  stream_.reset();
}

bool RemoteEvent::watch() {
  std::lock_guard lock(mutex_);
  return !std::exchange(watched_, true);
}

bool Moment::passed() const {
  return std::ranges::all_of(waits_, [](const Wait& wait) { return wait.stream->isVisible(wait.position); });
}

bool Moment::promised() const {
  return std::ranges::all_of(waits_, [](const Wait& w) { return w.stream->promised.load() >= w.position; });
}

bool Moment::noticeable() const {
  return std::ranges::any_of(waits_, [](const Wait& wait) {
    return wait.stream->depends.load() || !wait.stream->isVisible(wait.stream->noticeable.load());
  });
}

void Moment::promise() const {
  for (const Wait& wait : waits_) wait.stream->promise(wait.position);
}

RemoteStream& StreamTable::add(std::uint64_t wireId, int device, RemoteStream::Kind kind) {
  std::lock_guard lock(mutex_);
  auto& stream = streams_[wireId];
  if (stream) return *stream;
  StreamGroup& group = groups_[device];
  stream = std::make_shared<RemoteStream>(wireId, device, kind, group);
  if (kind == RemoteStream::Kind::kNull) group.null = stream;
  if (kind == RemoteStream::Kind::kBlocking) group.blocking.push_back(stream);
  return *stream;
}

void StreamTable::remove(std::uint64_t wireId) {
  std::lock_guard lock(mutex_);
  const auto found = streams_.find(wireId);
  if (found == streams_.end() || found->second->kind == RemoteStream::Kind::kNull) return;
  std::erase(found->second->group.blocking, found->second);
  streams_.erase(found);
}

void StreamTable::removeAll(int device) {
  std::lock_guard lock(mutex_);
  std::erase_if(streams_, [&](const auto& entry) {
    return entry.second->device == device && entry.second->kind != RemoteStream::Kind::kNull;
  });
  groups_[device].blocking.clear();
}

std::uint64_t StreamTable::count(RemoteStream& stream, bool noticeable) {
  const std::uint64_t position = stream.sent.load(std::memory_order_relaxed) + 1;
  stream.sent.store(position, std::memory_order_relaxed);
  if (noticeable) stream.noticeable.store(position, std::memory_order_relaxed);
  if (stream.kind == RemoteStream::Kind::kNonBlocking) return position;
  StreamGroup& group = stream.group;
  const bool null = stream.kind == RemoteStream::Kind::kNull;
  std::atomic<std::uint64_t>& own = null ? group.nullSent : group.blockingSent;
  own.store(own.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  const std::uint64_t others = (null ? group.blockingSent : group.nullSent).load(std::memory_order_relaxed);
  if (others == stream.seen.load(std::memory_order_relaxed)) return position;
  stream.seen.store(others, std::memory_order_relaxed);
  std::lock_guard lock(mutex_);
  if (null) {
    for (const auto& other : group.blocking) note(stream, position, other, other->sent.load(std::memory_order_relaxed));
  } else if (group.null) {
    note(stream, position, group.null, group.null->sent.load(std::memory_order_relaxed));
  }
  return position;
}

void StreamTable::follow(RemoteStream& stream, const std::shared_ptr<RemoteStream>& other, std::uint64_t position) {
  std::lock_guard lock(mutex_);
  note(stream, stream.sent.load(std::memory_order_relaxed), other, position);
}

void StreamTable::forgetVisible(Special& special) {
  std::erase_if(special.operations, [](const Moment::Wait& wait) { return wait.stream->isVisible(wait.position); });
}

void StreamTable::add(Special& special, RemoteStream& stream, std::uint64_t position) {
  std::lock_guard lock(mutex_);
  if (special.operations.size() >= kManySpecial) forgetVisible(special);
  special.operations.push_back({stream.shared_from_this(), position});
  special.any.store(true, std::memory_order_release);
}

bool StreamTable::any(Special& special) {
  if (!special.any.load(std::memory_order_acquire)) return false;
  std::lock_guard lock(mutex_);
  forgetVisible(special);
  special.any.store(!special.operations.empty(), std::memory_order_release);
  return !special.operations.empty();
}

void StreamTable::note(RemoteStream& stream, std::uint64_t at, const std::shared_ptr<RemoteStream>& other,
                       std::uint64_t position) {
  if (!other || other.get() == &stream || other->isVisible(position)) return;
  stream.follows.push_back({at, other, position});
  stream.depends = true;
}

void StreamTable::whenVisible(const std::shared_ptr<RemoteStream>& stream, std::uint64_t position,
                              std::function<void(bool lost)> tell) {
  {
    std::lock_guard lock(mutex_);
    watchers_.push_back({{stream, position}, std::move(tell)});
    anyWatcher_ = true;  // before it is looked at: whoever shows it from now on sees the watcher
  }
  tellWatchers();
}

void StreamTable::loseAll() {
  {
    std::lock_guard lock(mutex_);
    lost_ = true;
  }
  tellWatchers();
}

void StreamTable::tellWatchers() {
  std::vector<Watcher> told;
  bool lost;
  {
    std::lock_guard lock(mutex_);
    lost = lost_;
    const auto over = [&](const Watcher& watcher) {
      return lost || watcher.what.stream->visible.load() >= watcher.what.position;
    };
    for (Watcher& watcher : watchers_)
      if (over(watcher)) told.push_back(watcher);
    std::erase_if(watchers_, over);
    anyWatcher_ = !watchers_.empty();
  }
  for (const Watcher& watcher : told) watcher.tell(!watcher.what.stream->isVisible(watcher.what.position));
}

void StreamTable::show(RemoteStream& stream, std::uint64_t position) {
  raise(stream.visible, position);
  if (anyWatcher_.load()) tellWatchers();
  if (!stream.depends.load(std::memory_order_acquire)) return;
  std::vector<RemoteStream::Dependence> shown;
  {
    std::lock_guard lock(mutex_);
    while (!stream.follows.empty() && stream.follows.front().at <= position) {
      shown.push_back(std::move(stream.follows.front()));
      stream.follows.pop_front();
    }
    if (stream.follows.empty()) stream.depends = false;
  }
  for (const RemoteStream::Dependence& other : shown) show(*other.stream, other.position);
}

bool StreamTable::show(std::uint64_t wireId, std::uint64_t position) {
  std::shared_ptr<RemoteStream> stream;
  {
    std::lock_guard lock(mutex_);
    const auto found = streams_.find(wireId);
    if (found == streams_.end()) return true;
    stream = found->second;
  }
  if (position > stream->sent.load(std::memory_order_relaxed)) return false;
  show(*stream, position);
  return true;
}

void StreamTable::show(const Moment& moment) {
  for (const Moment::Wait& wait : moment.waits_) show(*wait.stream, wait.position);
}

template <class Concerned>
Moment StreamTable::momentOf(Concerned&& concerned) const {
  std::lock_guard lock(mutex_);
  Moment moment;
  for (const auto& [id, stream] : streams_) {
    if (concerned(*stream) && !stream->idle())
      moment.waits_.push_back({stream, stream->sent.load(std::memory_order_relaxed)});
  }
  return moment;
}

Moment StreamTable::now() const {
  return momentOf([](const RemoteStream&) { return true; });
}

Moment StreamTable::now(int device) const {
  return momentOf([&](const RemoteStream& stream) { return stream.device == device; });
}

Moment StreamTable::now(const RemoteStream& stream) const {
  if (stream.kind == RemoteStream::Kind::kNull) {
    return momentOf([&](const RemoteStream& other) {
      return other.device == stream.device && other.kind != RemoteStream::Kind::kNonBlocking;
    });
  }
  Moment moment;
  if (!stream.idle())
    moment.waits_.push_back({std::const_pointer_cast<RemoteStream>(stream.shared_from_this()), stream.sent.load()});
  return moment;
}

}  // namespace hipr::client
