// Order: gives the operations of all streams to the runtime, in the order HIP promises.
//
// The runtime itself keeps order among what it has been given: one after the other in a stream, the null stream's
// rules, waits for events. So most operations are given to it at once. Some cannot be: a function of the client must
// run first, or bytes are still on their way. No host function of the runtime ever waits for that, because all of them
// share one thread. Instead such an operation is *held* here, and with it what comes behind it: later work of its
// stream, work of streams that follow the null stream's rules with it, waits for its events. Other streams go on.
//
// A fence makes everything that is submitted later, to any stream, start after the work that one stream has now.
//
// Thread-safe. `start` functions run under the lock, which the thread that has it may take again; they must not wait
// for anything.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "worker/backend.h"
#include "worker/kept_message.h"
#include "worker/session_counters.h"
#include "worker/stream.h"

namespace hipr::worker {

struct NativeEvent {
  NativeEvent(const Backend& b, hipEvent_t e) : backend(b), event(e) {}
  ~NativeEvent() { backend.hip.hipEventDestroy(event); }
  NativeEvent(const NativeEvent&) = delete;
  NativeEvent& operator=(const NativeEvent&) = delete;
  const Backend& backend;
  const hipEvent_t event;
};

// One record of an event: where it stands.
struct Record {
  Place place;
  std::shared_ptr<NativeEvent> native;
  std::vector<std::function<void()>> whenGiven;  // under Order's lock
};

class Order {
 public:
  using Then = std::function<void(hipError_t)>;

  Order(const Backend& backend, Crew& crew, const Meter& meter, SessionCounters& counters);
  ~Order();

  void add(const StreamPtr& stream);
  void close(const StreamPtr& stream);  // what it has is still done; then the native stream is destroyed
  void sweep();                         // closed streams that have come to rest since

  // One more operation of the stream. start(stream, message) runs now or later. `needs`: what must have been given
  // before it.
  template <class Message, class StartFunction>
  void submit(const StreamPtr& stream, const Message& message, StartFunction start, const Place& needs = {}) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t position = count(*stream);
    std::vector<Place> unmet;
    if (held_) unmet = unmetNeeds(*stream, needs);
    if (stream->held.empty() && unmet.empty()) {
      waitForFences(*stream, fenceCount_);
      const Start how = start(stream, message);
      if (how != Start::kLater) {
        settle(*stream, position, how);
        return markNowAndThen(*stream);
      }
      hold(stream, {position, fenceCount_, {}, {}, true});
      return;
    }
    auto kept = std::make_shared<KeptMessage<Message>>(message);
    hold(stream, {position, fenceCount_, std::move(unmet),
                  [kept, stream, start = std::move(start)]() mutable { return start(stream, kept->get()); }, false,
                  kept->bytes()});
  }
  // So many operations are not done, or so much is held, that there is no room for another one.
  bool full();
  // An operation for which there is no room. It has its place, and does nothing; any number of them needs no memory.
  void drop(const StreamPtr& stream);
  // The operation being started is as many of the runtime's as it has pieces, and counts as that many until they are
  // done. False: there is no room for them. REQUIRES: mutex(), as for the next
  bool weigh(Stream& stream, std::uint64_t pieces);
  // There is so much of that kind that it should wait until what its stream has is done.
  bool crowded(const Stream& stream, std::uint64_t pieces) const;
  // The operation of this stream that could not be given at once has been given, or carried out by the CPU.
  void given(const StreamPtr& stream) { advance(stream, Start::kGiven); }
  void done(const StreamPtr& stream) { advance(stream, Start::kDone); }

  // `then` runs on a thread that may wait, when everything the stream has now is done.
  void whenDone(const StreamPtr& stream, Then then);
  void whenDone(const std::shared_ptr<Record>& record, const SeriesPtr& series, Then then);
  // REQUIRES: called from a start function. What comes before this operation is done.
  void whenReached(const StreamPtr& stream, Then then);
  // `action` runs, on some thread, when what all streams have now is done; nobody waits for it.
  void afterEverything(std::function<void()> action);
  // What is due of that has run when this returns, unless it takes long. Of the reader.
  void finishRetired();

  void wasGiven(Record& record);  // says so. REQUIRES: from a start function
  bool isGiven(const Place& place);
  void fence(const StreamPtr& stream);
  void keep(const StreamPtr& stream, std::shared_ptr<void> object);  // until what the stream has now is done

  // Asks the runtime, if need be: hipSuccess when everything the stream has is done, hipErrorNotReady, or what went
  // wrong.
  hipError_t look(Stream& stream);
  bool isDone(Stream& stream) { return look(stream) != hipErrorNotReady; }  // or will never be
  std::uint64_t doneSoFar(Stream& stream);
  bool unfinished();  // any stream has something to do
  // REQUIRES: from a start function. Nothing has to be waited for before the operation being started.
  bool quiet(const StreamPtr& stream);
  // What the runtime says of a stream with nothing to do: hipSuccess, unless its device has failed for good.
  hipError_t health(const Stream& stream);
  void reached(const StreamPtr& stream, std::uint64_t position);  // somebody has found out that it is done

  std::vector<StreamPtr> streams(int device);  // -1: of every device
  EventPool& events(int device) { return *events_[static_cast<std::size_t>(device)]; }
  std::recursive_mutex& mutex() { return mutex_; }

 private:
  struct Fence {
    std::uint64_t number;
    Place behind;
    hipEvent_t event = nullptr;  // null until it is recorded
  };
  struct Retired {
    std::vector<Place> until{};  // and what the one before it waits for
    std::function<void()> action{};
    std::uint64_t bytes = 0;
  };

  std::vector<Place> unmetNeeds(const Stream& stream, const Place& more) const;
  void waitForFences(Stream& stream, std::uint64_t upTo);
  void dropFences();
  std::uint64_t count(Stream& stream);  // one more operation; its position
  void markNowAndThen(Stream& stream);  // so that somebody who wonders can find out how far it is
  void hold(const StreamPtr& stream, Work work);
  void countHeld(std::uint64_t bytes);
  void unhold(Stream& stream);  // the first one
  void settle(Stream& stream, std::uint64_t position, Start how);
  void advance(const StreamPtr& stream, Start how);
  void startHeld();
  bool startNext(Stream& stream);  // true when it was given
  hipError_t lookAtGiven(Stream& stream);
  void mark(const StreamPtr& stream, std::uint64_t position, Then then);
  void lookAtMarks(Stream& stream);
  void raise(Stream& stream, std::uint64_t position);  // so many are done
  void retire();                                       // what has waited for that

  const Backend& backend_;
  Crew& crew_;
  SessionCounters& counters_;
  const std::uint64_t mostOperations_, mostHeldBytes_;
  std::vector<std::unique_ptr<EventPool>> events_;  // per device

  // Changed under the lock; whoever submits looks at them without it.
  std::atomic<std::uint64_t> heldBytes_{0};
  std::atomic<std::uint64_t> unfinished_{0};  // operations sent and not known to be done

  std::recursive_mutex mutex_;  // guards what follows, and the streams
  std::vector<StreamPtr> streams_;
  int held_ = 0;              // streams that hold something
  std::uint64_t weight_ = 0;  // what operations that are several count for besides one
  std::vector<Fence> fences_;
  std::uint64_t fenceCount_ = 0;
  std::deque<Retired> retired_;                            // in the order in which they are over
  const SeriesPtr retiring_ = std::make_shared<Series>();  // giving memory back may wait for the device
};

}  // namespace hipr::worker
