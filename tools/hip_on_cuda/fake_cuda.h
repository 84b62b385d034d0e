// What the files of the stand-in for libcuda.so.1 share. Its one device has the CPU's memory, three kernels by name and
// one queue: all streams are carried out by one thread in the order of the calls, which keeps every promise that CUDA
// makes about order, and none about overlap.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>

#include "tools/hip_on_cuda/cuda_types.h"

namespace hipr::cuda::fake {

inline constexpr CUresult kOutOfMemory = 2, kInvalidHandle = 400, kNotFound = 500, kNotReady = 600;

class Queue {
 public:
  std::uint64_t post(std::function<void()> work);  // returns its number
  bool done(std::uint64_t number);
  void wait(std::uint64_t number);
  void waitForAll();

 private:
  void run();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::uint64_t posted_ = 0, done_ = 0;
  bool started_ = false;
};
Queue& queue();  // never destroyed: its thread runs until the process ends

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

template <class T>
T* at(CUdeviceptr address) {
  return reinterpret_cast<T*>(address);
}

}  // namespace hipr::cuda::fake
