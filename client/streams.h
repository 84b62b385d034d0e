// What the client knows about each stream and event on the worker: how many operations were given to it and how many
// are finished. Queries and waits for finished work are answered from here.
//
// Some calls wait in HIP and return at once here, because nothing the program can look at tells the difference, except
// a query: it must not find unfinished what such a call would have waited for. They leave a debt, which a query pays by
// waiting itself, unless there is newer work, which is what the query is about then.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace hipr::client {

struct RemoteStream : std::enable_shared_from_this<RemoteStream> {
  RemoteStream(std::uint64_t wireId, int ownerDevice, bool ordered)
      : id(wireId), device(ownerDevice), withNull(ordered) {}

  const std::uint64_t id;
  const int device;
  const bool withNull;                   // the null stream waits for it, or it is the null stream
  std::atomic<std::uint64_t> posted{0};  // changed only under the lock that orders messages
  std::atomic<std::uint64_t> finished{0};
  std::atomic<std::uint64_t> owed{0};  // the program believes that everything up to here is finished

  void owe();  // everything posted so far
  bool done(std::uint64_t position) const { return finished.load(std::memory_order_acquire) >= position; }
  bool idle() const { return done(posted.load(std::memory_order_relaxed)); }
  bool indebted() const { return owed.load(std::memory_order_relaxed) == posted.load(std::memory_order_relaxed); }
  void advance(std::uint64_t position);  // finished = max(finished, position)
};

struct RemoteEvent {
  explicit RemoteEvent(std::uint64_t wireId) : id(wireId) {}

  const std::uint64_t id;
  void recordedAt(RemoteStream& stream, std::uint64_t position);
  // The stream and position of the last record; null when never recorded.
  std::pair<std::shared_ptr<RemoteStream>, std::uint64_t> where() const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<RemoteStream> stream_;
  std::uint64_t position_ = 0;
};

// A moment in the life of all streams: everything posted before it.
class Moment {
 public:
  bool passed() const;
  bool owed() const;  // all that has not passed is debts

 private:
  friend class StreamTable;
  std::vector<std::pair<std::shared_ptr<RemoteStream>, std::uint64_t>> waits_;
};

// Thread-safe.
class StreamTable {
 public:
  RemoteStream& add(std::uint64_t wireId, int device, bool withNull);
  void remove(std::uint64_t wireId);
  void removeAll(int device);
  void advance(std::uint64_t wireId, std::uint64_t position);
  Moment now() const;
  Moment now(int device) const;
  Moment nowWithNull(int device) const;  // of the null stream and those it waits for
  void owe(int device);                  // all its streams
  void passed(const Moment& moment);     // everything before it is finished

 private:
  template <class Concerned>
  Moment momentOf(Concerned&& concerned) const;

  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<RemoteStream>> streams_;
};

}  // namespace hipr::client
