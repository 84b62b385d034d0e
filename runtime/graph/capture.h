// Stream capture: while a stream is captured, work given to it becomes nodes of a graph instead (submit.h asks here).
//
// A capture begins on one stream, its origin. Others join it by waiting for an event recorded on a stream that takes
// part, and must have come back the same way when it ends. Every stream has a frontier: the nodes that the next one of
// it comes after. Captures are rare and their calls short, so one lock guards them all; whoever captures nothing pays
// for one look at a counter.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "hip_remote/hip.h"
#include "runtime/objects.h"
#include "runtime/operation.h"
#include "runtime/try.h"

namespace hipr {

struct Graph;
struct GraphNode;
struct Process;

struct Capture {
  std::uint64_t id = 0;
  Graph* graph = nullptr;
  bool intoExisting = false;  // hipStreamBeginCaptureToGraph: the graph is the program's
  hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
  Stream* origin = nullptr;
  std::thread::id thread;
  bool invalidated = false;
  std::map<Stream*, std::vector<GraphNode*>> frontiers;  // of the streams that take part
  std::map<Event*, std::vector<GraphNode*>> events;      // recorded in it, and behind what
  std::set<GraphNode*> letGo;                            // need not be joined: the program said so
};

class Captures {
 public:
  bool any() const { return count_.load(std::memory_order_relaxed) != 0; }

  hipError_t begin(Process& p, Stream& stream, hipStreamCaptureMode mode, Graph* into,
                   const std::vector<GraphNode*>& after);
  hipError_t end(Process& p, Stream& stream, Graph*& out);
  void drop(Process& p, Stream& stream);  // it is being destroyed
  void drop(Event& event);
  void dropAll();  // the graphs are gone already

  // What the calls about it tell. `inspect(capture)` runs under the lock; null: the stream takes part in none.
  template <class F>
  auto look(const Stream& stream, F&& inspect) {
    const std::lock_guard lock(mutex_);
    return inspect(of(stream));
  }

  // One more node, behind the stream's frontier, that becomes its frontier.
  hipError_t add(Process& p, Stream& stream, const Operation& operation);
  template <class Make>  // make(capture, frontier) adds the node and gives it
  hipError_t addWith(Stream& stream, Make&& make) {
    const std::lock_guard lock(mutex_);
    Capture* capture = of(stream);
    if (capture == nullptr) return hipErrorIllegalState;
    if (capture->invalidated) return hipErrorStreamCaptureInvalidated;
    std::vector<GraphNode*>& frontier = capture->frontiers[&stream];
    GraphNode* node = nullptr;
    HIPR_TRY(make(*capture, frontier, node));
    frontier.assign(1, node);
    return hipSuccess;
  }

  hipError_t record(Stream& stream, Event& event);
  // Whether the wait belongs to a capture, and was taken care of.
  hipError_t wait(Stream& stream, Event& event, bool& taken);

  // --- what must not happen while something is captured; each invalidates what it disturbs. Those about
  // allocations, devices and callbacks do not mind where the thread ignores captures (IgnoringCapture).
  hipError_t allocationAllowed();                // hipErrorStreamCaptureUnsupported by the thread's mode
  hipError_t blockingCallAllowed();              // copies and fills without "Async": hipErrorStreamCaptureImplicit
  hipError_t deviceWaitAllowed();                // hipErrorStreamCaptureUnsupported
  hipError_t streamWaitAllowed(Stream& stream);  // the same, for the stream and by the thread's mode
  hipError_t callbackAllowed(Stream& stream);    // which a graph would call once only; others' captures do not mind
  hipError_t eventAllowed(Event& event);         // hipErrorCapturedEvent
  bool blocksNullStream();                       // a stream that follows the null stream's rules is captured

 private:
  Capture* of(const Stream& stream);
  Capture* of(const Event& event);
  bool invalidate(bool (*which)(const Capture&));
  void finish(Capture& capture);
  void discard(Process& p, Capture& capture);

  std::atomic<int> count_{0};
  std::mutex mutex_;
  std::vector<std::unique_ptr<Capture>> captures_;
};

}  // namespace hipr
