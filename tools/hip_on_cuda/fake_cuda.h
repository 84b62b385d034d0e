// What the files of the stand-in for libcuda.so.1 share. Its one device has the CPU's memory, a few kernels by name and
// a thread for each stream. As with the real one, streams overlap, the null stream and blocking streams wait for each
// other, and the host functions of all streams run one at a time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "tools/hip_on_cuda/cuda_types.h"

namespace hipr::cuda::fake {

inline constexpr CUresult kOutOfMemory = 2, kInvalidHandle = 400, kNotFound = 500, kNotReady = 600;

// What one stream has to do. Its thread keeps it alive until the stream is destroyed and nothing is left to do.
class Queue {
 public:
  static std::shared_ptr<Queue> start(bool blocking);

  std::uint64_t post(std::function<void()> work);  // returns its number
  std::uint64_t posted();
  bool done(std::uint64_t number);
  void wait(std::uint64_t number);
  void close();
  const bool blocking;

 private:
  explicit Queue(bool isBlocking) : blocking(isBlocking) {}
  void run();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::uint64_t posted_ = 0, done_ = 0;
  bool closed_ = false;
};

CUresult submit(CUstream stream, std::function<void()> work);
void waitForAll();

// Which memory there is: [start, start + size).
class Ranges {
 public:
  struct Range {
    std::size_t size;
    CUmemorytype type;
  };
  void add(CUdeviceptr start, std::size_t size, CUmemorytype type);
  bool remove(CUdeviceptr start);
  CUmemorytype typeOf(CUdeviceptr address);  // 0 when unknown

 private:
  std::mutex mutex_;
  std::map<CUdeviceptr, Range> ranges_;
};
Ranges& ranges();

// A kernel that the stand-in knows, called once for each thread of a launch (in one dimension).
struct Thread {
  unsigned block, index, blockSize;
  unsigned global() const { return block * blockSize + index; }
};
struct Kernel {
  struct Parameter {
    std::size_t offset, size;
  };
  const char* name;
  std::vector<Parameter> parameters;
  std::function<void(const Thread&, const char* arguments)> run;
  std::size_t argumentBytes() const {
    return parameters.empty() ? 0 : parameters.back().offset + parameters.back().size;
  }
};
const Kernel* findKernel(const char* name);

template <class T>
T* at(CUdeviceptr address) {
  return reinterpret_cast<T*>(address);
}

}  // namespace hipr::cuda::fake
