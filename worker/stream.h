// A stream of the client as the worker keeps it: a native stream, how far it is, and what cannot be given to it yet.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "hip_remote/hip.h"
#include "worker/crew.h"
#include "worker/quotas.h"

namespace hipr::worker {

struct Stream;
using StreamPtr = std::shared_ptr<Stream>;

// The first `position` operations of a stream.
struct Place {
  StreamPtr stream;
  std::uint64_t position = 0;
};

// How far an operation got when it was started.
enum class Start {
  kGiven,  // the runtime has it
  kDone,   // the CPU has carried it out: everything before it was done
  kLater,  // it needs more time; Order::given or Order::done will be called
};

// Something that has its place in a stream but has not been given to the runtime.
struct Work {
  std::uint64_t position = 0;  // 0: no operation, only a place to do something at
  std::uint64_t fences = 0;    // those raised before it
  std::vector<Place> needs;    // must be given before it
  std::function<Start()> start;
  bool started = false;
  std::uint64_t bytes = 0;  // of memory that it takes
  bool dropped = false;     // it is for all operations up to its position that were dropped
};

struct Stream {
  Stream(std::uint64_t number, int ofDevice, bool withNull) : id(number), device(ofDevice), blocking(withNull) {}

  Meter::Share share;
  const std::uint64_t id;
  const int device;
  const bool blocking;  // takes part in the null stream's rules
  bool null() const { return native == nullptr && broken == hipSuccess; }
  // By the null stream's rules: what is sent to this one now comes after what the other has.
  bool follows(const Stream& other) const {
    return device == other.device && ((null() && other.blocking) || (other.null() && blocking));
  }
  hipStream_t native = nullptr;
  hipError_t broken = hipSuccess;  // it could not be made: everything given to it fails with this

  // --- under Order's lock: how far it is, as numbers of operations
  std::uint64_t sent = 0;    // by the client
  std::uint64_t given = 0;   // to the runtime
  std::uint64_t done = 0;    // by the device, as far as we know
  std::uint64_t fenced = 0;  // it waits for the fences up to this one
  bool closed = false;       // by the client
  std::deque<Work> held;
  struct Mark {
    hipEvent_t event;
    std::uint64_t position;
  };
  std::deque<Mark> marks;    // looked at when somebody wonders how far it is
  std::uint64_t marked = 0;  // the position of the last one
  struct Kept {
    std::uint64_t position;
    std::shared_ptr<void> object;
  };
  std::deque<Kept> kept;  // needed until that position is done
  struct Weight {
    std::uint64_t position, more;
  };
  std::deque<Weight> weights;  // of operations that count as more than one
  std::uint64_t awaited = 0;   // by something that goes when everything is done

  // --- what the client knows (Reporter)
  std::atomic<std::uint64_t> told{0};
  std::atomic<bool> telling{false};          // somebody is about to
  std::atomic<std::uint64_t> lastWriter{0};  // the last operation that can write host memory
  std::atomic<std::uint64_t> shown{0};       // what the first `shown` wrote there has been sent

  const SeriesPtr series = std::make_shared<Series>();    // for those who wait for it
  const SeriesPtr watchers = std::make_shared<Series>();  // for those who want to hear of its events
};

}  // namespace hipr::worker
