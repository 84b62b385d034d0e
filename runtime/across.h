// Work that needs devices of two cores at once: a stream that waits for an event of another core, a copy from the
// device memory of one core to that of another, work on memory of another core than the stream's. No core knows of any
// other. So the streams concerned are held where they stand (Core::hold). When all of them have come there, this
// process does the work, through its own memory, and lets them go on.
//
// Everything waits only for what was given to some stream before it, so nothing waits in a circle. When a core is lost
// meanwhile, the streams of the others go on, and the next call that waits for one of those reports the loss, once.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/operation.h"

namespace hipr {

class Core;
struct Process;

// A thread that does what it is asked, one after the other; started by the first request. It may wait for cores.
// Never ends: it belongs to a Process.
class Courier {
 public:
  void post(std::function<void()> task);

  // --- for its tasks alone
  hipError_t streamOn(Process& p, Device& device, int lane, Stream*& out);  // of its own; nothing else waits for it
  std::byte* buffer(int lane);                                              // of kPiece bytes
  void abandonBuffers();  // somebody who is gone may still write into them
  // Whether a core can bring its bytes to this courier's by itself: it has not failed to lately. And how it went.
  bool mayBring(const Core& from) const;
  void tried(const Core& from, hipError_t result);

  static constexpr std::size_t kPiece = 4 << 20;
  static constexpr int kLanes = 2;

 private:
  static constexpr std::chrono::seconds kRetryAfter{30};
  void run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  std::thread thread_;
  std::map<std::pair<Device*, int>, Stream*> streams_;
  std::array<std::unique_ptr<std::byte[]>, kLanes> buffers_;
  std::vector<std::unique_ptr<std::byte[]>> abandoned_;
  std::map<const Core*, std::chrono::steady_clock::time_point> notBefore_;  // it is tried again
};

// Of one process. Thread-safe.
class Across {
 public:
  // Streams that meet are held together: two meetings come in the same order to all of them.
  std::mutex& meetingOrder() { return meetingOrder_; }
  Courier& signalsTo(const Core& core) { return courier(core, false); }  // never long
  Courier& bytesTo(const Core& core) { return courier(core, true); }

  // Memory of these devices is in use by what has not begun yet; and no longer.
  void begin(const std::vector<const Device*>& devices);
  void end(const std::vector<const Device*>& devices);
  void wait(const Device& device);  // until nothing uses memory of that device

 private:
  Courier& courier(const Core& core, bool bytes);

  std::mutex meetingOrder_, mutex_;
  std::condition_variable ended_;
  std::map<std::pair<const Core*, bool>, Courier> couriers_;
  std::map<const Device*, int> users_;
};

// Like Core::submit, for an operation that does not stay inside the stream's core. hipErrorNotSupported, and a line in
// the log, when it is one that cannot be divided.
hipError_t submitAcross(Stream& stream, const Operation& operation, Stage until);

}  // namespace hipr
