#include "client/streams.h"

#include <algorithm>

namespace hipr::client {

namespace {

void raise(std::atomic<std::uint64_t>& value, std::uint64_t least) {
  std::uint64_t known = value.load(std::memory_order_relaxed);
  while (known < least && !value.compare_exchange_weak(known, least, std::memory_order_release)) {
  }
}

}  // namespace

void RemoteStream::advance(std::uint64_t position) {
  raise(finished, position);
}

void RemoteStream::owe() {
  raise(owed, posted.load(std::memory_order_relaxed));
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

bool Moment::passed() const {
  return std::all_of(waits_.begin(), waits_.end(), [](const auto& wait) { return wait.first->done(wait.second); });
}

bool Moment::owed() const {
  return std::all_of(waits_.begin(), waits_.end(), [](const auto& wait) { return wait.first->indebted(); });
}

RemoteStream& StreamTable::add(std::uint64_t wireId, int device, bool withNull) {
  std::lock_guard lock(mutex_);
  auto& stream = streams_[wireId];
  if (!stream) stream = std::make_shared<RemoteStream>(wireId, device, withNull);
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

template <class Concerned>
Moment StreamTable::momentOf(Concerned&& concerned) const {
  std::lock_guard lock(mutex_);
  Moment moment;
  for (const auto& [id, stream] : streams_) {
    if (concerned(*stream) && !stream->idle())
      moment.waits_.emplace_back(stream, stream->posted.load(std::memory_order_relaxed));
  }
  return moment;
}

Moment StreamTable::now() const {
  return momentOf([](const RemoteStream&) { return true; });
}

Moment StreamTable::now(int device) const {
  return momentOf([&](const RemoteStream& stream) { return stream.device == device; });
}

Moment StreamTable::nowWithNull(int device) const {
  return momentOf([&](const RemoteStream& stream) { return stream.device == device && stream.withNull; });
}

void StreamTable::owe(int device) {
  std::lock_guard lock(mutex_);
  for (const auto& [id, stream] : streams_)
    if (stream->device == device) stream->owe();
}

void StreamTable::passed(const Moment& moment) {
  for (const auto& [stream, position] : moment.waits_) stream->advance(position);
}

}  // namespace hipr::client
