#include "runtime/activity.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "base/log.h"
#include "base/trace.h"
#include "runtime/kernel_order.h"
#include "runtime/profiler.h"
#include "runtime/stream.h"
#include "runtime/submit.h"
#include "runtime/tracer.h"

namespace hipr {

namespace {

struct Watched {
  Process* process;
  Device* device;
  Event *start, *stop;
  KernelTime time;
};

// Kept for good: what is known of a kernel is read when its code may be gone, at the end of the process for one.
const char* keptName(const std::string& name) {
  static std::mutex mutex;
  static auto* const names = new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return names->insert(name).first->c_str();
}

std::uint64_t nanoseconds() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

hipError_t makeEvent(Process& p, Device& device, Event*& out) {
  Core* core;
  HIPR_TRY(device.reach(core));
  Event* event = p.events.create();
  if (event == nullptr) return hipErrorOutOfMemory;
  event->id = p.newId();
  event->owner = &device;
  event->device = device.index;
  if (const hipError_t error = core->create(*event); error != hipSuccess) {
    p.events.take(event);
    p.events.recycle(event);
    return error;
  }
  out = event;
  return hipSuccess;
}

void endEvent(Process& p, Event* event) {
  if (event == nullptr || p.events.take(event) == nullptr) return;
  static_cast<void>(event->owner->evenLost().destroy(*event));
  p.events.recycle(event);
}

// The one thread that waits, made on first use. Never destroyed: it may be waiting when the process ends.
class Reporter {
 public:
  static Reporter& instance() {
    static auto* reporter = new Reporter;
    return *reporter;
  }

  void add(const Watched& watched) {
    std::lock_guard lock(mutex_);
    if (!running_) std::thread([this] { run(); }).detach();
    running_ = true;
    queue_.push_back(watched);
    changed_.notify_all();
  }

  void drain() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return queue_.empty(); });
  }
  void drain(std::chrono::seconds atMost) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, atMost, [&] { return queue_.empty(); });
  }

 private:
  // A moment of the device, by both clocks: `host`, give or take `within`.
  struct Origin {
    Event* event = nullptr;
    std::uint64_t host = 0, within = 0;
  };
  // Times since an event are floats of milliseconds, which after a minute tell 4 us apart.
  static constexpr std::uint64_t kRenewAfter = 60'000'000'000;
  static constexpr int kTries = 16;
  static constexpr std::uint64_t kGood = 20'000, kPromised = 50'000;  // how well it is to be known on one machine
  static constexpr std::uint64_t kPatience = 100'000'000;  // for a round trip of a busy machine that keeps it

  void run() {
    for (;;) {
      Watched next;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !queue_.empty(); });
        next = queue_.front();
      }
      report(next);
      std::lock_guard lock(mutex_);
      queue_.pop_front();
      changed_.notify_all();
    }
  }

  void report(Watched& watched) {
    Core& core = watched.device->evenLost();
    float begin = 0, end = 0;
    const Origin* origin = nullptr;
    const bool known = core.synchronize(*watched.stop) == hipSuccess && (origin = find(watched)) != nullptr &&
                       core.elapsed(*origin->event, *watched.start, &begin) == hipSuccess &&
                       core.elapsed(*watched.start, *watched.stop, &end) == hipSuccess;
    endEvent(*watched.process, watched.start);
    endEvent(*watched.process, watched.stop);
    if (!known) return;
    constexpr double kNanoseconds = 1e6;
    const auto duration = static_cast<std::uint64_t>(std::max(end, 0.0F) * kNanoseconds);
    watched.time.begin = order_.place(watched.time.device, watched.time.queue,
                                      origin->host + static_cast<std::int64_t>(begin * kNanoseconds), duration,
                                      roundedBy(begin) + 2 * origin->within);
    watched.time.end = watched.time.begin + duration;
    trace::kernel({.name = watched.time.name,
                   .device = watched.time.device,
                   .queue = watched.time.queue,
                   .launched = watched.time.launched,
                   .begin = watched.time.begin,
                   .end = watched.time.end});
    if (watched.time.graph) return;
    traceKernel(watched.time);
    profileKernel(watched.time);
  }

  // Recorded after the kernel that is reported first, so the time of that one relative to it is negative.
  const Origin* find(const Watched& watched) {
    Origin& origin = origins_[watched.device];
    const bool there = origin.event != nullptr && watched.process->events.find(origin.event) != nullptr;
    if (there && nanoseconds() - origin.host < kRenewAfter) return &origin;
    if (there) endEvent(*watched.process, origin.event);
    origin = {};
    const std::uint64_t start = nanoseconds();
    const auto worthATry = [&](int tries) {
      if (origin.event == nullptr || tries < kTries) return tries < kTries && (tries == 0 || origin.within > kGood);
      return origin.within > kPromised && nanoseconds() - start < kPatience;
    };
    for (int i = 0; worthATry(i); ++i) {
      Origin next;
      if (!measure(watched, next)) break;
      if (origin.event != nullptr && next.within >= origin.within) {
        endEvent(*watched.process, next.event);
        continue;
      }
      endEvent(*watched.process, origin.event);
      origin = next;
    }
    if (origin.event == nullptr) return nullptr;
    trace::clockKnownWithin(origin.within);
    return &origin;
  }

  // The device reaches an event between when it is sent and when it is known to be reached.
  bool measure(const Watched& watched, Origin& out) {
    Stream* stream;
    if (nullStream(*watched.process, *watched.device, stream) != hipSuccess) return false;
    if (makeEvent(*watched.process, *watched.device, out.event) != hipSuccess) return false;
    const std::uint64_t before = nanoseconds();
    if (hand(*stream, Record{out.event}, Stage::kSent) != hipSuccess ||
        watched.device->evenLost().synchronize(*out.event) != hipSuccess) {
      endEvent(*watched.process, out.event);
      return false;
    }
    out.within = (nanoseconds() - before) / 2;
    out.host = before + out.within;
    return true;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool running_ = false;
  std::deque<Watched> queue_;
  std::map<Device*, Origin> origins_;  // the thread's own, and so is:
  KernelOrder order_;
};

}  // namespace

KernelWatch::~KernelWatch() {
  endEvent(p_, start_);
  endEvent(p_, stop_);
}

hipError_t KernelWatch::makeEvents() {
  HIPR_TRY(makeEvent(p_, *stream_.owner, start_));
  return makeEvent(p_, *stream_.owner, stop_);
}

hipError_t KernelWatch::before(Launch& launch) {
  if (launch.start != nullptr || launch.stop != nullptr) return hipSuccess;  // the program times it itself
  HIPR_TRY(makeEvents());
  launch.start = start_;
  launch.stop = stop_;
  return hipSuccess;
}

void KernelWatch::after(const Function& function) {
  if (start_ != nullptr && stop_ != nullptr) report(function.kernel->name(), false);
}

hipError_t KernelWatch::beforeGraph() {
  HIPR_TRY(makeEvents());
  return hand(stream_, Record{start_}, Stage::kSent);
}

hipError_t KernelWatch::afterGraph(const std::string& name) {
  HIPR_TRY(hand(stream_, Record{stop_}, Stage::kSent));
  report(name, true);
  return hipSuccess;
}

void KernelWatch::report(const std::string& name, bool graph) {
  const KernelTime time{.name = keptName(name),
                        .graph = graph,
                        .correlation = correlationId(),
                        .launched = nanoseconds(),
                        .begin = 0,
                        .end = 0,
                        .device = stream_.owner->ordinal,
                        .queue = stream_.id};
  Reporter::instance().add({&p_, stream_.owner, start_, stop_, time});
  start_ = stop_ = nullptr;
}

void awaitKernelTimes() {
  Reporter::instance().drain();
}
void awaitKernelTimes(std::chrono::seconds atMost) {
  Reporter::instance().drain(atMost);
}

std::uint64_t& correlationId() {
  static thread_local std::uint64_t id = 0;
  return id;
}

}  // namespace hipr
