#include "client/streams.h"

#include <algorithm>

namespace hipr::client {

void RemoteStream::advance(std::uint64_t position) {
  std::uint64_t known = finished.load(std::memory_order_relaxed);
  while (known < position && !finished.compare_exchange_weak(known, position, std::memory_order_release)) {
  }
}

void RemoteEvent::recordedAt(RemoteStream& stream, std::uint64_t position) {
  std::lock_guard lock(mutex_);
  stream_ = stream.shared_from_this();
  position_ = position;
}

std::pair<std::shared_ptr<RemoteStream>, std::uint64_t> RemoteEvent::where() const {
  std::lock_guard lock(mutex_);
  return {stream_, position_};
}

bool RemoteEvent::done() const {
  const auto [stream, position] = where();
  return !stream || stream->done(position);
}

bool Moment::passed() const {
  return std::all_of(waits_.begin(), waits_.end(), [](const auto& wait) { return wait.first->done(wait.second); });
}

RemoteStream& StreamTable::add(std::uint64_t wireId, int device) {
  std::lock_guard lock(mutex_);
  auto& stream = streams_[wireId];
  if (!stream) stream = std::make_shared<RemoteStream>(wireId, device);
  return *stream;
}

void StreamTable::remove(std::uint64_t wireId) {
  std::lock_guard lock(mutex_);
  streams_.erase(wireId);
}

void StreamTable::removeAll(int device) {
  std::lock_guard lock(mutex_);
  std::erase_if(streams_, [&](const auto& entry) { return entry.second->device == device; });
}

void StreamTable::advance(std::uint64_t wireId, std::uint64_t position) {
  std::lock_guard lock(mutex_);
  if (const auto found = streams_.find(wireId); found != streams_.end()) found->second->advance(position);
}

Moment StreamTable::now() const {
  return now(-1);
}

Moment StreamTable::now(int device) const {
  std::lock_guard lock(mutex_);
  Moment moment;
  for (const auto& [id, stream] : streams_) {
    const bool concerned = device < 0 || stream->device == device;
    if (concerned && !stream->idle())
      moment.waits_.emplace_back(stream, stream->posted.load(std::memory_order_relaxed));
  }
  return moment;
}

void StreamTable::passed(const Moment& moment) {
  for (const auto& [stream, position] : moment.waits_) stream->advance(position);
}

}  // namespace hipr::client
