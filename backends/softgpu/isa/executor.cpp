// The pool: threads that start and resume workgroups of all dispatches.
//
// A workgroup that computes keeps its thread for a while; one whose waves all sleep or wait gives it up at once. A free
// thread alternates between resuming the longest waiting workgroup and starting the next one of some dispatch, so that
// whatever a spinning workgroup waits for gets its turn, started or not.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <list>
#include <thread>
#include <utility>

#include "backends/softgpu/isa/decode.h"
#include "backends/softgpu/isa/resident.h"

namespace hipr::softgpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kTurn = 1 << 18;       // instructions per wave before a computing workgroup gives way
constexpr std::uint64_t kPacedTurn = 1 << 14;  // so that what is paid for afterwards is little
constexpr unsigned kMaxResidentWaves = 4096;   // beyond it nothing new starts, unless it is cooperative
constexpr auto kLookOut = std::chrono::microseconds(50);
constexpr std::uint32_t kMaxLds = 64 * 1024;
constexpr std::uint32_t kMaxGroupItems = 1024;
// Of a work-item. Hardware has half of it, stack included; nobody counts it, so a kernel gets no more than it could
// use.
constexpr std::uint32_t kMaxPrivate = 256 * 1024;

std::string refusal(const Dispatch& d) {
  std::uint64_t items = 1;
  for (int k = 0; k < 3; ++k) {
    items *= d.groupSize[k];
    if (!d.groupSize[k] || !d.gridSize[k] || items > kMaxGroupItems) return "impossible workgroup or grid size";
  }
  if (!d.kernel.code || !d.kernel.code->at(d.kernel.entry)) return "no code at the kernel's entry";
  if (std::uint64_t{d.kernel.descriptor.groupSegmentBytes} + d.dynamicLdsBytes > kMaxLds) return "too much LDS";
  if (std::max(d.kernel.descriptor.privateSegmentBytes, d.privateBytes) > kMaxPrivate) return "too much private memory";
  return "";
}

std::uint64_t groupsOf(const Dispatch& d) {
  std::uint64_t groups = 1;
  for (int k = 0; k < 3; ++k) groups *= (d.gridSize[k] + std::uint64_t{d.groupSize[k]} - 1) / d.groupSize[k];
  return groups;
}

}  // namespace

struct Executor::Pool {
  struct Job {
    DispatchState state;
    Completion done;
    std::uint64_t next = 0;  // workgroup to start
    std::uint64_t groups = 0;
    std::uint64_t living = 0;  // started and not done
    Clock::time_point started;
  };
  struct Running {
    Job* job;
    std::unique_ptr<ResidentGroup> group;
  };

  Pool(const AddressSpace& memory, Services& services, unsigned count, Pace* pace)
      : memory_(memory), services_(services), pace_(pace) {
    for (unsigned k = 0; k < count; ++k) threads_.emplace_back([this] { work(); });
  }

  ~Pool() {
    {
      std::unique_lock lock(mutex_);
      finished_.wait(lock, [this] { return jobs_.empty() && completing_ == 0; });
      stopping_ = true;
    }
    wake_.notify_all();
    paused_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void submit(Dispatch dispatch, Completion done) {
    auto job = std::make_unique<Job>();
    std::string why = refusal(dispatch);
    if (!why.empty()) {
      why += ": " + dispatch.kernel.name;
      return done(Fault{FaultKind::kResources, std::move(why), 0, -1, 0});
    }
    job->state.gpu = dispatch.kernel.code->gpu();
    job->groups = groupsOf(dispatch);
    job->state.dispatch = std::move(dispatch);
    job->state.memory = &memory_;
    job->state.services = &services_;
    job->done = std::move(done);
    job->started = Clock::now();
    std::lock_guard lock(mutex_);
    bool several = job->groups > 1;
    jobs_.push_back(std::move(job));
    // The next kernel of a stream comes from the thread that has just ended the one before, and which takes it itself,
    // unless it has something else to do.
    const bool here = std::exchange(freeThread, nullptr) == this && ready_.empty() && !pace_;
    if (here && !several) return;
    arrivals_.fetch_add(1, std::memory_order_relaxed);
    const bool awaited = std::exchange(lookingOut_, false);
    if (several) {
      wake_.notify_all();
    } else if (!awaited) {
      wake_.notify_one();
    }
  }

  void stopAll(const std::string& why) {
    std::unique_lock lock(mutex_);
    std::vector<Job*> notStarted;
    for (auto& job : jobs_) {
      stop(*job, FaultKind::kTrap, why);
      if (!job->living) notStarted.push_back(job.get());
    }
    for (Job* job : notStarted) complete(*job, lock);
  }

 private:
  static void stop(Job& job, FaultKind kind, const std::string& why) {
    std::lock_guard lock(job.state.faultMutex);
    if (!job.state.fault) job.state.fault = Fault{kind, why + " in " + job.state.dispatch.kernel.name, 0, -1, 0};
    job.state.stop.store(true, std::memory_order_release);
  }

  bool startable(const Job& job) const {
    return job.next < job.groups && !job.state.stop.load(std::memory_order_relaxed) &&
           (residentWaves_ < kMaxResidentWaves || job.state.dispatch.cooperative);
  }

  // The first dispatch that may start a workgroup goes to the end of the list, so that all get their turn.
  Job* nextToStart() {
    for (auto job = jobs_.begin(); job != jobs_.end(); ++job) {
      if (!startable(**job)) continue;
      jobs_.splice(jobs_.end(), jobs_, job);
      return jobs_.back().get();
    }
    return nullptr;
  }

  // REQUIRES: the lock. Empty when there is nothing to do.
  Running take(bool preferStart, std::uint64_t& startIndex) {
    startIndex = ~0ull;
    Job* job = preferStart || ready_.empty() ? nextToStart() : nullptr;
    if (!job) {
      if (ready_.empty()) return {};
      Running running = std::move(ready_.front());
      ready_.pop_front();
      return running;
    }
    startIndex = job->next++;
    ++job->living;
    Running running{job, nullptr};
    if (idle_.empty()) {
      running.group = std::make_unique<ResidentGroup>();
    } else {
      running.group = std::move(idle_.back());
      idle_.pop_back();
    }
    return running;
  }

  // One idle thread stays awake for a moment: the next short kernel often comes sooner than a thread could be woken.
  void lookOut(std::unique_lock<std::mutex>& lock) {
    lookingOut_ = true;
    const unsigned seen = arrivals_.load(std::memory_order_relaxed);
    lock.unlock();
    const auto until = Clock::now() + kLookOut;
    while (arrivals_.load(std::memory_order_relaxed) == seen && Clock::now() < until) std::this_thread::yield();
    lock.lock();
    if (arrivals_.load(std::memory_order_relaxed) == seen) lookingOut_ = false;  // otherwise submit() did that
  }

  void work() {
    threadOf = this;
    std::unique_lock lock(mutex_);
    bool preferStart = true;
    unsigned idleTurns = 0;
    bool looked = false;
    while (true) {
      std::uint64_t startIndex;
      Running running = take(preferStart, startIndex);
      if (!running.job) {
        if (stopping_) return;
        if (!looked && !lookingOut_) {
          lookOut(lock);
          looked = true;
        } else {
          wake_.wait(lock);
          looked = false;
        }
        continue;
      }
      looked = false;
      std::size_t others = ready_.size();
      lock.unlock();
      const auto began = pace_ ? Clock::now() : Clock::time_point();
      Outcome outcome = turn(running, startIndex);
      const auto onward = pace_ ? pace_->computed(Clock::now() - began) : Clock::time_point();
      // When everybody only waits, for the host perhaps, let somebody else have the CPU.
      idleTurns = outcome == Outcome::kIdle ? idleTurns + 1 : 0;
      if (idleTurns > others) std::this_thread::sleep_for(std::chrono::microseconds(idleTurns > 1000 ? 200 : 1));
      lock.lock();
      if (startIndex != ~0ull) residentWaves_ += running.group->waveCount();
      preferStart = !preferStart;
      if (outcome == Outcome::kDone) {
        retire(running, lock);
      } else {
        ready_.push_back(std::move(running));
        wake_.notify_one();
      }
      // Even a wait that is over before it begins puts the thread to sleep, for longer than many a turn takes.
      if (pace_ && onward > Clock::now()) paused_.wait_until(lock, onward, [this] { return stopping_; });
    }
  }

  Outcome turn(Running& running, std::uint64_t startIndex) {
    Job& job = *running.job;
    if (startIndex != ~0ull) running.group->start(job.state, startIndex);
    Outcome outcome = running.group->run(pace_ ? kPacedTurn : kTurn);
    std::uint32_t limit = job.state.dispatch.watchdogMilliseconds;
    if (limit && Clock::now() - job.started > std::chrono::milliseconds(limit))
      stop(job, FaultKind::kWatchdog, "time limit passed");
    return outcome;
  }

  // The workgroup ended; with the last one the dispatch does.
  void retire(Running& running, std::unique_lock<std::mutex>& lock) {
    if (residentWaves_ >= kMaxResidentWaves) wake_.notify_one();  // now there is room for another one
    residentWaves_ -= running.group->waveCount();
    idle_.push_back(std::move(running.group));
    Job& job = *running.job;
    --job.living;
    bool stopped = job.state.stop.load(std::memory_order_acquire);
    if (job.living || (job.next < job.groups && !stopped)) return;
    complete(job, lock);
  }

  // Takes the dispatch off the list and tells its owner, without the lock.
  void complete(Job& job, std::unique_lock<std::mutex>& lock) {
    auto at = jobs_.begin();
    while (at->get() != &job) ++at;
    std::unique_ptr<Job> ended = std::move(*at);
    jobs_.erase(at);
    ++completing_;
    lock.unlock();
    freeThread = threadOf;
    ended->done(std::move(ended->state.fault));
    freeThread = nullptr;
    ended.reset();
    lock.lock();
    --completing_;
    if (jobs_.empty() && completing_ == 0) finished_.notify_all();
  }

  static thread_local Pool* threadOf;    // the pool that this thread belongs to
  static thread_local Pool* freeThread;  // the same while it tells that a dispatch is over: it has nothing else to do

  const AddressSpace& memory_;
  Services& services_;
  Pace* const pace_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable paused_;  // threads that have computed ahead of their share
  std::condition_variable finished_;
  std::list<std::unique_ptr<Job>> jobs_;
  std::deque<Running> ready_;  // suspended workgroups, longest waiting first
  std::vector<std::unique_ptr<ResidentGroup>> idle_;
  unsigned residentWaves_ = 0;
  unsigned completing_ = 0;
  bool stopping_ = false;
  bool lookingOut_ = false;            // some thread is in lookOut() and nothing has come yet
  std::atomic<unsigned> arrivals_{0};  // dispatches ever submitted
  std::vector<std::thread> threads_;
};

thread_local Executor::Pool* Executor::Pool::threadOf = nullptr;
thread_local Executor::Pool* Executor::Pool::freeThread = nullptr;

Executor::Executor(const AddressSpace& memory, Services& services, Options options) {
  pool_ = std::make_unique<Pool>(memory, services, threadsFor(options.threads), options.pace);
}

unsigned Executor::threadsFor(unsigned wanted) {
  return wanted ? wanted : std::max(1u, std::thread::hardware_concurrency());
}

Executor::~Executor() = default;

void Executor::submit(Dispatch dispatch, Completion done) {
  pool_->submit(std::move(dispatch), std::move(done));
}

void Executor::stopAll(const std::string& why) {
  pool_->stopAll(why);
}

}  // namespace hipr::softgpu
