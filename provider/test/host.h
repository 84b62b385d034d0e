// Host: a vendor's library, loaded and used as TensorFusion's hypervisor does: opened with RTLD_NOW | RTLD_GLOBAL,
// every function looked up before any is called, a log callback registered before the init, buffers of Go's sizes.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "provider/accelerator.h"
#include "provider/topology.h"

namespace hipr::provider {

struct Functions {
  AccelResult (*init)();
  AccelResult (*shutdown)();
  AccelResult (*deviceCount)(std::size_t*);
  AccelResult (*allDevices)(ExtendedDeviceInfo*, std::size_t, std::size_t*);
  AccelResult (*topology)(void*);
  AccelResult (*assignPartition)(const char*, const char*, PartitionResult*);
  AccelResult (*removePartition)(const char*, const char*);
  AccelResult (*setMemoryLimit)(const char*, std::uint64_t);
  AccelResult (*setComputeLimit)(const char*, std::uint32_t);
  AccelResult (*snapshot)(SnapshotContext*);
  AccelResult (*resume)(SnapshotContext*);
  AccelResult (*processes)(ProcessInformation*, std::size_t, std::size_t*);
  AccelResult (*metrics)(const char**, std::size_t, DeviceMetrics*);
  AccelResult (*mounts)(MountPath*, std::size_t, std::size_t*);
  AccelResult (*registerLog)(LogCallback);
};

// Go's arrays.
inline constexpr std::size_t kGoDevices = 64, kGoProcesses = 1024, kGoMounts = 64;

class Host {
 public:
  // Loads once in a process, like the hypervisor; ends the program when a function is missing.
  static Host& get();

  void* symbol(const char* name) const;  // null when not exported
  template <class Function>
  Function function(const char* name) const {
    return reinterpret_cast<Function>(symbol(name));
  }

  void start();  // callback, then init
  void stop();   // shutdown, then no callback
  const Functions& call() const { return functions_; }

  std::vector<ExtendedDeviceInfo> discover();
  std::vector<DeviceMetrics> metrics(const std::vector<std::string>& uuids);
  std::vector<ProcessInformation> processes();

  struct Line {
    std::string level, text;
  };
  std::vector<Line> takeLog();

 private:
  Host();
  static void onLog(const char* level, const char* text);

  void* library_ = nullptr;
  Functions functions_{};
  std::mutex mutex_;
  std::vector<Line> log_;
};

}  // namespace hipr::provider
