#include "runtime/across.h"

#include <algorithm>
#include <atomic>

#include "base/log.h"
#include "platform/thread.h"
#include "runtime/copy_across.h"
#include "runtime/process.h"
#include "runtime/stream.h"

namespace hipr {

void Courier::post(std::function<void()> task) {
  std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  wake_.notify_one();
}

void Courier::run() {
  platform::nameThisThread("hip-courier");
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return !tasks_.empty(); });
    const auto task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

hipError_t Courier::streamOn(Process& p, Device& device, int lane, Stream*& out) {
  Stream*& mine = streams_[{&device, lane}];
  if (p.streams.find(mine) == nullptr) {  // never made, or gone with a device reset
    hipStream_t handle;
    HIPR_TRY(createStream(p, device, &handle, hipStreamNonBlocking, 0, {}));
    mine = p.streams.find(handle);
  }
  out = mine;
  return hipSuccess;
}

std::byte* Courier::buffer(int lane) {
  auto& buffer = buffers_[static_cast<std::size_t>(lane)];
  if (!buffer) buffer = std::make_unique<std::byte[]>(kPiece);
  return buffer.get();
}

void Courier::abandonBuffers() {
  for (auto& buffer : buffers_)
    if (buffer) abandoned_.push_back(std::move(buffer));
}

bool Courier::mayBring(const Core& from) const {
  const auto found = notBefore_.find(&from);
  return found == notBefore_.end() || std::chrono::steady_clock::now() >= found->second;
}

// Trying may have cost seconds. What has changed by then, a worker's options for example, is noticed sooner or later.
void Courier::tried(const Core& from, hipError_t result) {
  if (result == hipSuccess) {
    notBefore_.erase(&from);
  } else {
    notBefore_[&from] = std::chrono::steady_clock::now() + kRetryAfter;
  }
}

Courier& Across::courier(const Core& core, bool bytes) {
  std::lock_guard lock(mutex_);
  return couriers_[{&core, bytes}];
}

void Across::begin(const std::vector<const Device*>& devices) {
  std::lock_guard lock(mutex_);
  for (const Device* device : devices) ++users_[device];
}

void Across::end(const std::vector<const Device*>& devices) {
  std::lock_guard lock(mutex_);
  for (const Device* device : devices) --users_[device];
  ended_.notify_all();
}

void Across::wait(const Device& device) {
  std::unique_lock lock(mutex_);
  const auto users = users_.find(&device);
  if (users == users_.end()) return;
  ended_.wait(lock, [&] { return users->second == 0; });
}

namespace {

// Some streams, and perhaps an event, that have to be reached before something is done.
class Meeting : public std::enable_shared_from_this<Meeting> {
 public:
  // `what` is done on the courier's thread; `over` is called there when the streams have been let go.
  Meeting(Courier& courier, std::size_t parties, std::function<hipError_t()> what, std::function<void()> over)
      : courier_(courier), what_(std::move(what)), over_(std::move(over)), missing_(parties) {}

  void arrived(bool lost, Core* core, Core::GoOn goOn) {
    {
      std::lock_guard lock(mutex_);
      lost_ |= lost;
      if (goOn) held_.push_back({core, std::move(goOn)});
      if (--missing_ != 0) return;
    }
    courier_.post([self = shared_from_this()] { self->finish(); });
  }

 private:
  struct Held {
    Core* core;
    Core::GoOn goOn;
  };

  void finish() {
    const hipError_t error = lost_ ? hipErrorNotInitialized : what_();
    for (const Held& held : held_) {
      if (error != hipSuccess && !exited()) {
        logError(
            "work that needs another worker failed, and its stream goes on without it: that worker is lost, or "
            "could not do its part (error %d)",
            error);
        held.core->asyncError.report(error);
      }
      held.goOn();
    }
    over_();
  }

  Courier& courier_;
  const std::function<hipError_t()> what_;
  const std::function<void()> over_;
  std::mutex mutex_;
  std::size_t missing_;
  bool lost_ = false;
  std::vector<Held> held_;
};

hipError_t hold(Stream& stream, const std::shared_ptr<Meeting>& meeting) {
  Core* core = &stream.owner->evenLost();
  const hipError_t error = core->hold(
      stream, [meeting, core](bool lost, Core::GoOn goOn) { meeting->arrived(lost, core, std::move(goOn)); });
  if (error != hipSuccess) meeting->arrived(true, core, {});
  return error;
}

hipError_t wait(Process& p, Stream& stream, Event& event) {
  auto meeting =
      std::make_shared<Meeting>(p.across.signalsTo(stream.owner->evenLost()), 2, [] { return hipSuccess; }, [] {});
  const hipError_t error = hold(stream, meeting);
  event.owner->evenLost().whenReached(event, [meeting](bool lost) { meeting->arrived(lost, nullptr, {}); });
  return error;
}

// The streams that work on these devices is ordered with: the null stream is every device's.
hipError_t streamsOf(Process& p, Stream& stream, const std::vector<const Device*>& devices, std::vector<Stream*>& out) {
  out = {&stream};
  if (stream.kind != Stream::Kind::kNull) return hipSuccess;
  for (const Device* device : devices) {
    Stream* other;
    HIPR_TRY(nullStream(p, *p.devices[device->ordinal], other));
    if (std::find(out.begin(), out.end(), other) == out.end()) out.push_back(other);
  }
  return hipSuccess;
}

hipError_t carryOut(Process& p, Stream& stream, const std::vector<const Device*>& devices, Courier& courier,
                    std::function<hipError_t()> what, Stage until) {
  std::vector<Stream*> streams;
  HIPR_TRY(streamsOf(p, stream, devices, streams));
  p.across.begin(devices);
  auto meeting =
      std::make_shared<Meeting>(courier, streams.size(), std::move(what), [&p, devices] { p.across.end(devices); });
  hipError_t error = hipSuccess;
  {
    std::lock_guard lock(p.across.meetingOrder());
    for (Stream* party : streams)
      if (const hipError_t failure = hold(*party, meeting); error == hipSuccess) error = failure;
  }
  if (error != hipSuccess || until == Stage::kSent) return error;
  HIPR_TRY(stream.owner->evenLost().synchronize(stream));
  return asyncError(*stream.owner);  // what could not be done is told here
}

}  // namespace

hipError_t submitAcross(Stream& stream, const Operation& operation, Stage until) {
  Process& p = *livingProcess();
  if (const auto* waits = std::get_if<Wait>(&operation)) return wait(p, stream, *waits->event);
  if (const auto* copy = std::get_if<Copy>(&operation)) {
    if (copy->to.array != nullptr || copy->from.array != nullptr) return severalWorkers("a copy of an array");
    std::vector<const Device*> devices;
    for (const Plane* plane : {&copy->to, &copy->from})
      if (plane->owner != nullptr) devices.push_back(plane->owner);
    // The program may change or look at pageable memory as soon as the call returns.
    const bool pageable = devices.size() < 2;
    const Device& target = copy->to.kind == MemoryKind::kDevice ? *copy->to.owner : *copy->from.owner;
    Courier& courier = p.across.bytesTo(target.evenLost());
    return carryOut(
        p, stream, devices, courier, [&p, &courier, copy = *copy] { return copyAcross(p, courier, copy); },
        pageable ? Stage::kVisible : until);
  }
  if (const auto* fill = std::get_if<Fill>(&operation)) {
    Courier& courier = p.across.bytesTo(fill->owner->evenLost());
    return carryOut(
        p, stream, {fill->owner}, courier,
        [&p, &courier, fill = *fill] { return doAlone(p, courier, *fill.owner, fill); }, until);
  }
  return severalWorkers(std::holds_alternative<GraphLaunch>(operation) ? "a graph" : "an operation of a stream");
}

}  // namespace hipr
