#include "worker/fake_hip.h"

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "base/log.h"

namespace hipr::worker {
namespace {

constexpr auto kHostFunctionPatience = std::chrono::milliseconds(300);

}  // namespace

FakeHip* FakeHip::the_ = nullptr;
thread_local int FakeHip::currentDevice_ = 0;
thread_local bool FakeHip::inHostFunction_ = false;

FakeHip::FakeHip() : FakeHip(Settings()) {}

FakeHip::FakeHip(const Settings& settings)
    : settings_(settings),
      memory_(settings.cpuReachesMemory, settings.forgiving),
      counter_(memory_.allocate(sizeof(int))) {
  if (the_) std::abort();
  the_ = this;
  for (int i = 0; i < settings.devices; ++i) nulls_.push_back(std::make_unique<Queue>());
  std::memset(memory_.bytesAt(counter_), 0, sizeof(int));
  if (!settings.strictCallbacks) return;
  hostFunctions_ = std::make_unique<Queue>();
  watch_ = std::make_unique<StallWatch>(kHostFunctionPatience, "FakeHip: host functions must not wait: one");
}

FakeHip::~FakeHip() {
  release();
  const auto end = [this](Queue& q) {
    {
      std::lock_guard lock(mutex_);
      q.ending = true;
      q.changed.notify_all();
    }
    if (q.thread.joinable()) q.thread.join();
  };
  for (auto& q : nulls_) end(*q);
  for (auto& [handle, q] : queues_) end(*q);
  if (hostFunctions_) end(*hostFunctions_);
  the_ = nullptr;
}

void FakeHip::hold() {
  std::lock_guard lock(mutex_);
  held_ = true;
}

void FakeHip::release() {
  std::lock_guard lock(mutex_);
  held_ = false;
  released_.notify_all();
}

void FakeHip::awaitIdle() {
  std::unique_lock lock(mutex_);
  for (auto& [stream, queue] : queues_)
    queue->changed.wait(lock, [&] { return queue->work.empty() && !queue->running; });
}

void FakeHip::stopNext(const std::string& call, std::function<void()> until) {
  std::lock_guard lock(mutex_);
  stopping_ = call;
  until_ = std::move(until);
}

bool FakeHip::fails(const char* call) {
  std::unique_lock lock(mutex_);
  if (stopping_ == call) {
    stopping_.clear();
    const std::function<void()> until = std::move(until_);
    lock.unlock();
    until();
    lock.lock();
  }
  if (failing_ != call) return false;
  failing_.clear();
  return true;
}

FakeHip::Queue& FakeHip::queue(hipStream_t stream) {
  return stream ? *queues_.at(stream) : *nulls_[static_cast<std::size_t>(currentDevice_)];
}

hipError_t FakeHip::enqueue(hipStream_t stream, std::function<void()> work) {
  std::lock_guard lock(mutex_);
  ++commands_;
  give(queue(stream), std::move(work));
  return hipSuccess;
}

void FakeHip::give(Queue& q, std::function<void()> work) {
  q.work.push_back(std::move(work));
  if (!q.thread.joinable()) {
    q.thread = std::thread([this, &q] {
      std::unique_lock own(mutex_);
      for (;;) {
        q.changed.wait(own, [&] { return !q.work.empty() || q.ending; });
        if (q.work.empty()) return;
        released_.wait(own, [&] { return !held_; });
        auto next = std::move(q.work.front());
        q.work.pop_front();
        q.running = true;
        own.unlock();
        next();
        next = nullptr;
        own.lock();
        q.running = false;
        q.changed.notify_all();
      }
    });
  }
  q.changed.notify_all();
}

// On the stream's thread, which waits for it.
void FakeHip::runHostFunction(hipHostFn_t function, void* data) {
  if (!settings_.strictCallbacks) return function(data);
  std::unique_lock lock(mutex_);
  bool done = false;
  Queue& q = *hostFunctions_;
  give(q, [&, this] {
    watch_->begin();
    inHostFunction_ = true;
    function(data);
    inHostFunction_ = false;
    watch_->end();
    const std::lock_guard own(mutex_);
    done = true;
  });
  q.changed.wait(lock, [&] { return done; });
}

void FakeHip::refuseInHostFunction(const char* call) {
  if (inHostFunction_) logAndAbort("FakeHip: %s was called by a host function, which must not call HIP", call);
}

int FakeHip::liveObjects() const {
  std::lock_guard lock(mutex_);
  return static_cast<int>(liveGraphs() + liveArrays() + liveTextures() + queues_.size() + events_.size() +
                          modules_.size() + registered_.size() + allocated_.size() + mapped_.size() + reserved_.size());
}

std::string FakeHip::leaks() const {
  std::lock_guard lock(mutex_);
  const auto count = [](const char* what, std::size_t n) {
    return n ? " " + std::to_string(n) + " " + what : std::string();
  };
  return count("streams", queues_.size()) + count("events", events_.size()) + count("modules", modules_.size()) +
         count("graphs", liveGraphs()) + count("arrays", liveArrays()) + count("textures", liveTextures()) +
         count("registrations", registered_.size()) + count("allocations", allocated_.size()) +
         count("mappings", mapped_.size()) + count("reservations", reserved_.size());
}

}  // namespace hipr::worker
