// What the client knows about each stream and event on the worker, as numbers of operations. Queries and waits for work
// that is known to be finished are answered from here.
//
//   sent      the operation has its place in the stream
//   visible   it is known to be done, and what it wrote to host memory is here
//   promised  the program may believe that it is visible: a call that waits in HIP returned without waiting, because
//             only a query could tell. So a query that meets promised work waits for it
//
// What is known about one stream can tell something about others: if an operation is visible, so is everything that it
// waited for. `follows` remembers that.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace hipr::client {

struct StreamGroup;

struct RemoteStream : std::enable_shared_from_this<RemoteStream> {
  enum class Kind { kNull, kBlocking, kNonBlocking };
  RemoteStream(std::uint64_t wireId, int ownerDevice, Kind streamKind, StreamGroup& ofDevice)
      : id(wireId), device(ownerDevice), kind(streamKind), group(ofDevice) {}

  const std::uint64_t id;
  const int device;
  const Kind kind;
  StreamGroup& group;
  std::atomic<std::uint64_t> sent{0};  // changed only under the lock that orders messages, as are the next two
  std::atomic<std::uint64_t> seen{0};  // how much of the streams it follows by the null stream's rules it has noted
  // The last operation whose end the host can notice. What is behind it are uploads whose bytes have been taken.
  std::atomic<std::uint64_t> noticeable{0};
  std::atomic<std::uint64_t> visible{0}, promised{0}, watched{0};
  std::atomic<std::uint64_t> carried{0};  // bytes of uploads in their messages, since somebody last waited for room
  // Its last copy to host memory that nobody has waited for: the operation, and the question whose answer ends it. Or a
  // later one's question, which tells as much. Changed under the lock that orders messages, the question first.
  std::atomic<std::uint64_t> downloadAt{0};
  std::atomic<std::uint32_t> downloadAsked{0};

  bool isVisible(std::uint64_t position) const { return visible.load(std::memory_order_acquire) >= position; }
  bool idle() const { return isVisible(sent.load(std::memory_order_relaxed)); }
  void promise(std::uint64_t position);

  struct Dependence {
    std::uint64_t at;  // this operation here
    std::shared_ptr<RemoteStream> stream;
    std::uint64_t position;  // comes after that one there
  };
  std::atomic<bool> depends{false};
  std::deque<Dependence> follows;  // under StreamTable's lock
};

// The streams of one device that the null stream's rules tie together.
struct StreamGroup {
  std::atomic<std::uint64_t> nullSent{0}, blockingSent{0};  // operations. Changed under the lock that orders messages
  // --- under StreamTable's lock
  std::shared_ptr<RemoteStream> null;  // or none yet
  std::vector<std::shared_ptr<RemoteStream>> blocking;
};

struct RemoteEvent {
  explicit RemoteEvent(std::uint64_t wireId) : id(wireId) {}

  const std::uint64_t id;
  void recordedAt(RemoteStream& stream, std::uint64_t position);
  // The stream and position of the last record; null when never recorded.
  std::pair<std::shared_ptr<RemoteStream>, std::uint64_t> where() const;
  bool recorded() const;
  void forget();  // that it was recorded
  bool watch();   // true the first time after a record

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<RemoteStream> stream_;
  std::uint64_t position_ = 0;
  bool watched_ = false;
};

// A moment in the life of some streams: everything sent before it.
class Moment {
 public:
  struct Wait {
    std::shared_ptr<RemoteStream> stream;
    std::uint64_t position;
  };
  bool passed() const;
  bool promised() const;    // all that has not passed
  bool noticeable() const;  // whether it has passed: the host could see it by more than a query
  void promise() const;
  const std::vector<Wait>& waits() const { return waits_; }

 private:
  friend class StreamTable;
  std::vector<Wait> waits_;
};

// Thread-safe.
class StreamTable {
 public:
  // A null stream stays, whatever becomes of the program's object: the worker has one for the whole session, and both
  // sides go on counting. Adding it again gives the same.
  RemoteStream& add(std::uint64_t wireId, int device, RemoteStream::Kind kind);
  void remove(std::uint64_t wireId);
  void removeAll(int device);

  // One more operation; its position. REQUIRES: the lock that orders messages.
  std::uint64_t count(RemoteStream& stream, bool noticeable = true);
  // The operation just counted comes after that one. REQUIRES: as above.
  void follow(RemoteStream& stream, const std::shared_ptr<RemoteStream>& other, std::uint64_t position);

  // This operation waits for a word of memory; or records an event whose time the program may want. And whether there
  // is one that is not known to be over.
  void awaitWord(RemoteStream& stream, std::uint64_t position) { add(wordWaits_, stream, position); }
  bool awaitsWord() { return any(wordWaits_); }
  void tellTime(RemoteStream& stream, std::uint64_t position) { add(timings_, stream, position); }
  bool tellsTime() { return any(timings_); }

  // Calls once it is visible, or everything is lost; on the thread that learns of it. It must not wait.
  void whenVisible(const std::shared_ptr<RemoteStream>& stream, std::uint64_t position, std::function<void(bool lost)>);
  void loseAll();

  void show(RemoteStream& stream, std::uint64_t position);  // it is visible, and so is what it followed
  // The same, by its number. False when it never had that many; nothing happens where there is no such stream (any
  // more).
  bool show(std::uint64_t wireId, std::uint64_t position);
  void show(const Moment& moment);

  Moment now() const;
  Moment now(int device) const;
  Moment now(const RemoteStream& stream) const;  // of the null stream: and of those it waits for

 private:
  void tellWatchers();
  template <class Concerned>
  Moment momentOf(Concerned&& concerned) const;
  void note(RemoteStream& stream, std::uint64_t at, const std::shared_ptr<RemoteStream>& other, std::uint64_t position);

  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<RemoteStream>> streams_;
  std::map<int, StreamGroup> groups_;
  struct Special {
    std::vector<Moment::Wait> operations;
    std::atomic<bool> any{false};
  };
  void add(Special& special, RemoteStream& stream, std::uint64_t position);
  bool any(Special& special);
  static void forgetVisible(Special& special);
  static constexpr std::size_t kManySpecial = 256;  // time to look which of them are over
  Special wordWaits_, timings_;
  struct Watcher {
    Moment::Wait what;
    std::function<void(bool lost)> tell;
  };
  std::vector<Watcher> watchers_;
  std::atomic<bool> anyWatcher_{false};
  bool lost_ = false;
};

}  // namespace hipr::client
