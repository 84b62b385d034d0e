// The stand-in's queue, and what is put into it: streams, events, copies, fills, host functions.
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <thread>
#include <vector>

#include "tools/hip_on_cuda/fake_cuda.h"

namespace hipr::cuda::fake {

std::shared_ptr<Queue> Queue::start(bool blocking) {
  std::shared_ptr<Queue> queue(new Queue(blocking));
  std::thread([queue] { queue->run(); }).detach();
  return queue;
}

std::uint64_t Queue::post(std::function<void()> work) {
  std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(work));
  changed_.notify_all();
  return ++posted_;
}

void Queue::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    lock.lock();
    ++done_;
    changed_.notify_all();
  }
}

std::uint64_t Queue::posted() {
  std::lock_guard lock(mutex_);
  return posted_;
}

bool Queue::done(std::uint64_t number) {
  std::lock_guard lock(mutex_);
  return done_ >= number;
}

void Queue::wait(std::uint64_t number) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_ >= number; });
}

void Queue::close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

namespace {

// A place in a stream. Waiting for it waits for all that was given to the stream before.
struct Point {
  std::shared_ptr<Queue> queue;
  std::uint64_t number = 0;
  void wait() const {
    if (queue) queue->wait(number);
  }
  bool done() const { return !queue || queue->done(number); }
};

struct Streams {
  std::mutex mutex;  // also makes "what came before" the same for all streams
  std::map<CUstream, std::shared_ptr<Queue>> queues;
};

Streams& streams() {
  static Streams& only = *new Streams;  // threads run until the process ends
  if (only.queues.empty()) only.queues[nullptr] = Queue::start(true);
  return only;
}

std::shared_ptr<Queue> of(CUstream stream) {
  Streams& all = streams();
  if (reinterpret_cast<std::uintptr_t>(stream) <= 2) stream = nullptr;
  std::lock_guard lock(all.mutex);
  const auto found = all.queues.find(stream);
  return found == all.queues.end() ? nullptr : found->second;
}

struct Event {
  std::mutex mutex;
  Point recorded;
  std::shared_ptr<std::atomic<double>> time;
};
Event& of(CUevent event) {
  return *reinterpret_cast<Event*>(event);
}

Point recorded(CUevent event) {
  std::lock_guard lock(of(event).mutex);
  return of(event).recorded;
}

std::mutex hostFunctions;

}  // namespace

CUresult submit(CUstream stream, std::function<void()> work) {
  const std::shared_ptr<Queue> queue = of(stream);
  if (!queue) return kInvalidHandle;
  Streams& all = streams();
  std::lock_guard lock(all.mutex);
  const std::shared_ptr<Queue>& null = all.queues[nullptr];
  std::vector<Point> before;
  for (const auto& [handle, other] : all.queues) {
    const bool ordered = queue == null ? other->blocking : queue->blocking && other == null;
    if (ordered && other != queue) before.push_back({other, other->posted()});
  }
  queue->post([before = std::move(before), work = std::move(work)] {
    for (const Point& point : before) point.wait();
    work();
  });
  return kCudaSuccess;
}

void waitForAll() {
  std::vector<Point> all;
  {
    std::lock_guard lock(streams().mutex);
    for (const auto& [handle, queue] : streams().queues) all.push_back({queue, queue->posted()});
  }
  for (const Point& point : all) point.wait();
}

namespace {

template <class T>
CUresult fill(CUstream stream, CUdeviceptr to, T value, std::size_t count) {
  return submit(stream, [=] {
    for (std::size_t i = 0; i < count; ++i) at<T>(to)[i] = value;
  });
}

}  // namespace
}  // namespace hipr::cuda::fake

using namespace hipr::cuda;
using namespace hipr::cuda::fake;

extern "C" {

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int) {
  auto queue = Queue::start(flags == 0);
  *stream = reinterpret_cast<CUstream>(queue.get());
  std::lock_guard lock(streams().mutex);
  streams().queues[*stream] = std::move(queue);
  return kCudaSuccess;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  const std::shared_ptr<Queue> queue = of(stream);
  if (!queue) return kInvalidHandle;
  std::lock_guard lock(streams().mutex);
  streams().queues.erase(stream);
  queue->close();
  return kCudaSuccess;
}

CUresult cuStreamQuery(CUstream stream) {
  const std::shared_ptr<Queue> queue = of(stream);
  if (!queue) return kInvalidHandle;
  return queue->done(queue->posted()) ? kCudaSuccess : kNotReady;
}

CUresult cuStreamSynchronize(CUstream stream) {
  const std::shared_ptr<Queue> queue = of(stream);
  if (!queue) return kInvalidHandle;
  queue->wait(queue->posted());
  return kCudaSuccess;
}

CUresult cuCtxSynchronize() {
  waitForAll();
  return kCudaSuccess;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  return submit(stream, [point = recorded(event)] { point.wait(); });
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data, unsigned) {
  return submit(stream, [=] {
    std::lock_guard lock(hostFunctions);
    callback(stream, kCudaSuccess, data);
  });
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return submit(stream, [=] {
    std::lock_guard lock(hostFunctions);
    function(data);
  });
}

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr to, std::uint32_t value, unsigned) {
  return submit(stream, [=] { __atomic_store_n(at<std::uint32_t>(to), value, __ATOMIC_RELEASE); });
}

CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr to, std::uint64_t value, unsigned) {
  return submit(stream, [=] { __atomic_store_n(at<std::uint64_t>(to), value, __ATOMIC_RELEASE); });
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  *event = reinterpret_cast<CUevent>(new Event);
  return kCudaSuccess;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  Event& e = of(event);
  std::lock_guard lock(e.mutex);
  e.time = std::make_shared<std::atomic<double>>();
  const CUresult result = submit(stream, [time = e.time] {
    *time = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
  });
  if (result == kCudaSuccess) e.recorded = {of(stream), of(stream)->posted()};
  return result;
}

CUresult cuEventSynchronize(CUevent event) {
  recorded(event).wait();
  return kCudaSuccess;
}

CUresult cuEventQuery(CUevent event) {
  return recorded(event).done() ? kCudaSuccess : kNotReady;
}

CUresult cuEventElapsedTime(float* ms, CUevent start, CUevent stop) {
  const Point from = recorded(start), to = recorded(stop);
  if (!from.queue || !to.queue) return kInvalidHandle;
  if (!from.done() || !to.done()) return kNotReady;
  *ms = static_cast<float>(*of(stop).time - *of(start).time);
  return kCudaSuccess;
}

CUresult cuEventDestroy_v2(CUevent event) {
  delete &of(event);
  return kCudaSuccess;
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return submit(stream, [=] { std::memmove(at<void>(to), at<void>(from), bytes); });
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  cuMemcpyAsync(to, from, bytes, nullptr);
  return cuStreamSynchronize(nullptr);
}

CUresult cuMemcpy2DAsync_v2(const CUmemcpy2D* copy, CUstream stream) {
  return submit(stream, [c = *copy] {
    for (std::size_t y = 0; y < c.height; ++y) {
      std::memcpy(at<char>(c.dstDevice) + y * c.dstPitch, at<char>(c.srcDevice) + y * c.srcPitch, c.widthInBytes);
    }
  });
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream) {
  return fill(stream, to, value, count);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, std::size_t count, CUstream stream) {
  return fill(stream, to, value, count);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count, CUstream stream) {
  return fill(stream, to, value, count);
}
CUresult cuMemsetD2D8Async(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width,
                           std::size_t height, CUstream stream) {
  return submit(stream, [=] {
    for (std::size_t y = 0; y < height; ++y) std::memset(at<char>(to) + y * pitch, value, width);
  });
}
}
