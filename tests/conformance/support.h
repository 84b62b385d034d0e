// What conformance programs share beyond the harness: checked HIP calls, device buffers, a gate that holds a stream,
// and random numbers that are the same everywhere. Nothing here is about how the runtime is built.
#pragma once
#include <hip/hip_ext.h>
#include <hip/hip_runtime.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <utility>

#include "check.h"

namespace check {

inline bool hipIs(hipError_t got, hipError_t want, const char* text, const char* file, int line) {
  if (got == want) return true;
  fail(
      file, line,
      std::string(text) + ": " + hipGetErrorName(got) + " (" + show(int(got)) + "), expected " + hipGetErrorName(want));
  return false;
}

// From HIP 7 on an error that one test provoked would still be the last error in the next.
inline const bool clearsLastError = (beforeEach = [] { (void)hipGetLastError(); }, true);

}  // namespace check

// HIP(call): it must succeed, else the test ends. HIP_ERR: it must return exactly this error. HIP_FAILS: any error,
// where the manual names none. KERNEL_OK: after a <<<>>> launch.
#define HIP(CALL)                                                                          \
  do {                                                                                     \
    if (!check::hipIs((CALL), hipSuccess, #CALL, __FILE__, __LINE__)) throw check::Stop{}; \
  } while (0)
#define HIP_ERR(CALL, CODE) check::hipIs((CALL), (CODE), #CALL, __FILE__, __LINE__)
#define HIP_FAILS(CALL) check::equal((CALL), hipSuccess, #CALL, __FILE__, __LINE__, false)
#define KERNEL_OK() HIP(hipGetLastError())

// Device memory of one test: freed at the end of scope.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t count) : count_(count) { HIP(hipMalloc(reinterpret_cast<void**>(&data_), bytes())); }
  explicit Buffer(const std::vector<T>& from) : Buffer(from.size()) { upload(from); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { (void)hipFree(data_); }

  void upload(const std::vector<T>& from) {
    HIP(hipMemcpy(data_, from.data(), from.size() * sizeof(T), hipMemcpyHostToDevice));
  }
  std::vector<T> download() const {
    std::vector<T> to(count_);
    HIP(hipMemcpy(to.data(), data_, bytes(), hipMemcpyDeviceToHost));
    return to;
  }
  void fill(int byte) { HIP(hipMemset(data_, byte, bytes())); }
  operator T*() const { return data_; }
  T* get() const { return data_; }
  std::size_t count() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

struct Stream {
  hipStream_t handle = nullptr;
  explicit Stream(unsigned flags = hipStreamDefault) { HIP(hipStreamCreateWithFlags(&handle, flags)); }
  Stream(const Stream&) = delete;
  ~Stream() { (void)hipStreamDestroy(handle); }
  operator hipStream_t() const { return handle; }
};

struct Event {
  hipEvent_t handle = nullptr;
  explicit Event(unsigned flags = hipEventDefault) { HIP(hipEventCreateWithFlags(&handle, flags)); }
  Event(const Event&) = delete;
  ~Event() { (void)hipEventDestroy(handle); }
  operator hipEvent_t() const { return handle; }
};

// Holds a stream at one point until open() is called: a stream callback that waits. It opens by itself after a few
// seconds so that a runtime which wrongly waits for the held stream makes a failed test, not a stuck one.
class Gate {
 public:
  explicit Gate(hipStream_t stream) { HIP(hipStreamAddCallback(stream, &Gate::wait, this, 0)); }
  ~Gate() {
    open();
    std::unique_lock<std::mutex> hold(lock_);
    if (wake_.wait_for(hold, std::chrono::seconds(20), [this] { return passed_; })) return;
    check::fail(__FILE__, __LINE__, "a stream callback was never called");
    std::_Exit(3);  // it may still come, and this object is gone then
  }
  void open() {
    std::lock_guard<std::mutex> hold(lock_);
    open_ = true;
    wake_.notify_all();
  }
  bool held() {  // still closed, and nobody gave up waiting
    std::lock_guard<std::mutex> hold(lock_);
    return !open_ && !passed_;
  }

 private:
  static void wait(hipStream_t, hipError_t, void* self) {
    Gate& g = *static_cast<Gate*>(self);
    std::unique_lock<std::mutex> hold(g.lock_);
    g.wake_.wait_for(hold, std::chrono::seconds(5), [&g] { return g.open_; });
    g.passed_ = true;
    g.wake_.notify_all();
  }
  std::mutex lock_;
  std::condition_variable wake_;
  bool open_ = false, passed_ = false;
};

// xorshift64*: the same numbers with every compiler.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2654435761u + 88172645463325252u) {}
  std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 2685821657736338717u;
  }
  std::uint32_t bits() { return static_cast<std::uint32_t>(next() >> 32); }
  int below(int n) { return static_cast<int>(bits() % static_cast<unsigned>(n)); }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * unit(); }

 private:
  std::uint64_t state_;
};

template <class T>
std::vector<T> randomVector(std::size_t n, std::uint64_t seed, double low, double high) {
  Random r(seed);
  std::vector<T> v(n);
  for (T& x : v) x = static_cast<T>(r.between(low, high));
  return v;
}

inline unsigned blocksFor(std::size_t n, unsigned block) {
  return static_cast<unsigned>((n + block - 1) / block);
}
