// Progress: knows how far each stream has come, and tells the client without being asked (PROTOCOL.md, "Order").
//
// The reader thread counts operations as it gives them to a stream. When it runs out of messages it leaves a marker in
// every stream that has news; a thread waits for the marker and pushes the count. Synchronize calls leave markers too,
// so they wait for what was sent before them and for nothing that came later.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "worker/backend.h"
#include "worker/host_memory.h"
#include "worker/outbox.h"
#include "worker/output.h"
#include "worker/streams.h"
#include "worker/waiters.h"

namespace hipr::worker {

class Progress {
 public:
  using StreamPtr = std::shared_ptr<Stream>;

  // A place in a stream: behind everything given to it so far.
  struct Marker {
    StreamPtr stream;
    std::uint64_t position = 0;
    hipEvent_t event = nullptr;  // null when it was reached already, or could not be placed
    hipError_t error = hipSuccess;
  };

  Progress(const Backend& backend, Outbox& outbox, Waiters& waiters, HostMemory& hostMemory, OutputRelay* output);
  ~Progress();

  // --- the reader's
  void count(const StreamPtr& stream);  // one more operation; call it after the operation was given to the stream
  bool hasNews() const { return !unwatched_.empty(); }
  void report();                 // nothing more to read: see to it that the client learns all news
  bool settled(Stream& stream);  // everything given to it is finished, and needs no waiting to be reported
  void told(Stream& stream);     // a settled stream: the answer being sent says so
  Marker mark(const StreamPtr& stream);
  // `action` runs, on any thread, when the operation about to be counted is finished.
  void whenNextFinished(const StreamPtr& stream, std::function<void()> action);

  // --- any thread's
  // Waits for the markers, in turn. `tell`: pushes Progress for them; without it the caller answers the client, and
  // host memory written before the markers is on its way already.
  hipError_t await(const std::vector<Marker>& markers, bool tell);
  // Somebody else has waited for this position, and answers the client.
  void finished(Stream& stream, std::uint64_t position, hipError_t error);
  // The stream has come to this operation, whose own answer says so: sends host memory written before it.
  void aboutToAnswer(Stream& stream, std::uint64_t position);
  void expect(Stream& stream, std::shared_ptr<Transfer> transfer);  // its place has not been reached yet
  void reached(Stream& stream, const Transfer* transfer);
  void fail(hipError_t error, const std::string& what, wire::Opcode opcode);  // AsyncFailure, once per kind of error
  void forgetFailures();
  bool unfinished() const { return issued_.load() != finished_.load(); }  // some stream has work that is not known over

 private:
  void watch(const StreamPtr& stream);
  void finish(Stream& stream, std::uint64_t position, hipError_t error, bool tell);
  void syncHost(Stream& stream, std::uint64_t position);
  bool needsHostSync(const Stream& stream) const;

  const Backend& backend_;
  Outbox& outbox_;
  Waiters& waiters_;
  HostMemory& hostMemory_;
  OutputRelay* output_;                             // or null
  std::vector<std::unique_ptr<EventPool>> events_;  // per device

  std::vector<StreamPtr> unwatched_;                    // the reader's
  std::atomic<std::uint64_t> issued_{0}, finished_{0};  // operations of all streams

  std::mutex mutex_;  // guards the marked part of every Stream, and what follows
  std::vector<hipError_t> failures_;
};

}  // namespace hipr::worker
