// The stand-in's queue, and what is put into it: streams, events, copies, fills, host functions.
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "tools/hip_on_cuda/fake_cuda.h"

namespace hipr::cuda::fake {

std::uint64_t Queue::post(std::function<void()> work) {
  std::lock_guard lock(mutex_);
  if (!started_) std::thread([this] { run(); }).detach();
  started_ = true;
  waiting_.push_back(std::move(work));
  changed_.notify_all();
  return ++posted_;
}

void Queue::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !waiting_.empty(); });
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    lock.lock();
    ++done_;
    changed_.notify_all();
  }
}

bool Queue::done(std::uint64_t number) {
  std::lock_guard lock(mutex_);
  return done_ >= number;
}

void Queue::wait(std::uint64_t number) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_ >= number; });
}

void Queue::waitForAll() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_ == posted_; });
}

Queue& queue() {
  static Queue& only = *new Queue;
  return only;
}

namespace {

struct Stream {
  std::atomic<std::uint64_t> last{0};
};
Stream nullStream;

struct Event {
  std::atomic<std::uint64_t> recorded{0};
  std::atomic<double> time{0};
};

Stream& of(CUstream stream) {
  return reinterpret_cast<std::uintptr_t>(stream) <= 2 ? nullStream : *reinterpret_cast<Stream*>(stream);
}
Event& of(CUevent event) {
  return *reinterpret_cast<Event*>(event);
}

CUresult submit(CUstream stream, std::function<void()> work) {
  of(stream).last = queue().post(std::move(work));
  return kCudaSuccess;
}

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

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned, int) {
  *stream = reinterpret_cast<CUstream>(new Stream);
  return kCudaSuccess;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  queue().post([stream] { delete reinterpret_cast<Stream*>(stream); });
  return kCudaSuccess;
}

CUresult cuStreamSynchronize(CUstream stream) {
  queue().wait(of(stream).last);
  return kCudaSuccess;
}

CUresult cuStreamQuery(CUstream stream) {
  return queue().done(of(stream).last) ? kCudaSuccess : kNotReady;
}

CUresult cuCtxSynchronize() {
  queue().waitForAll();
  return kCudaSuccess;
}

CUresult cuStreamWaitEvent(CUstream, CUevent, unsigned) {
  return kCudaSuccess;  // one queue: what was recorded earlier is done earlier
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data, unsigned) {
  return submit(stream, [=] { callback(stream, kCudaSuccess, data); });
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return submit(stream, [=] { function(data); });
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
  submit(stream, [&e] {
    e.time = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
  });
  e.recorded = of(stream).last.load();
  return kCudaSuccess;
}

CUresult cuEventSynchronize(CUevent event) {
  queue().wait(of(event).recorded);
  return kCudaSuccess;
}

CUresult cuEventQuery(CUevent event) {
  return queue().done(of(event).recorded) ? kCudaSuccess : kNotReady;
}

CUresult cuEventElapsedTime(float* ms, CUevent start, CUevent stop) {
  if (!of(start).recorded || !of(stop).recorded) return kInvalidHandle;
  if (!queue().done(of(start).recorded) || !queue().done(of(stop).recorded)) return kNotReady;
  *ms = static_cast<float>(of(stop).time - of(start).time);
  return kCudaSuccess;
}

CUresult cuEventDestroy_v2(CUevent event) {
  queue().post([event] { delete reinterpret_cast<Event*>(event); });
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
