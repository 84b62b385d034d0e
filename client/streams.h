// What the client knows about each stream and event on the worker: how many operations were given to it and how many
// are finished. Queries and waits for finished work are answered from here.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace hipr::client {

struct RemoteStream : std::enable_shared_from_this<RemoteStream> {
  RemoteStream(std::uint64_t wireId, int ownerDevice) : id(wireId), device(ownerDevice) {}

  const std::uint64_t id;
  const int device;
  std::atomic<std::uint64_t> posted{0};  // changed only under the lock that orders messages
  std::atomic<std::uint64_t> finished{0};

  bool done(std::uint64_t position) const { return finished.load(std::memory_order_acquire) >= position; }
  bool idle() const { return done(posted.load(std::memory_order_relaxed)); }
  void advance(std::uint64_t position);  // finished = max(finished, position)
};

struct RemoteEvent {
  explicit RemoteEvent(std::uint64_t wireId) : id(wireId) {}

  const std::uint64_t id;
  void recordedAt(RemoteStream& stream, std::uint64_t position);
  // The stream and position of the last record; null when never recorded.
  std::pair<std::shared_ptr<RemoteStream>, std::uint64_t> where() const;
  bool done() const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<RemoteStream> stream_;
  std::uint64_t position_ = 0;
};

// A moment in the life of all streams: everything posted before it.
class Moment {
 public:
  bool passed() const;

 private:
  friend class StreamTable;
  std::vector<std::pair<std::shared_ptr<RemoteStream>, std::uint64_t>> waits_;
};

// Thread-safe.
class StreamTable {
 public:
  RemoteStream& add(std::uint64_t wireId, int device);
  void remove(std::uint64_t wireId);
  void removeAll(int device);
  void advance(std::uint64_t wireId, std::uint64_t position);
  Moment now() const;
  Moment now(int device) const;
  void passed(const Moment& moment);  // everything before it is finished

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<RemoteStream>> streams_;
};

}  // namespace hipr::client
