// Usage: keeps this process's page (usage_page.h). Where the page cannot be made (no /dev/shm, a sandbox) everything
// goes on, untold.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "backends/softgpu/usage_page.h"

namespace hipr::softgpu {

class Usage {
 public:
  explicit Usage(std::size_t devices);
  ~Usage();
  Usage(const Usage&) = delete;
  Usage& operator=(const Usage&) = delete;

  DeviceUsage& device(int index) { return page_->device[index]; }
  void withdraw();  // the process is about to end: removes the file, unless a fork made it somebody else's

 private:
  bool publish(std::size_t devices);

  UsagePage* page_ = nullptr;
  std::string path_;
  int process_ = 0;
};

// The meter of one device. Thread-safe.
class DeviceMeter {
 public:
  explicit DeviceMeter(DeviceUsage& usage) : usage_(usage) {}

  void allocated(std::uint64_t bytes) { usage_.memoryBytes.fetch_add(bytes, std::memory_order_relaxed); }
  void freed(std::uint64_t bytes) { usage_.memoryBytes.fetch_sub(bytes, std::memory_order_relaxed); }
  void kernelStarted();
  void kernelEnded();

 private:
  DeviceUsage& usage_;
  std::mutex mutex_;
  std::uint64_t running_ = 0;  // kernels in the processor
  std::uint64_t busyNs_ = 0;   // while one or more were, until the last pause
};

}  // namespace hipr::softgpu
