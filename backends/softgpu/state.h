// Everything this process knows about its software GPUs. Made when the core is opened first, never destroyed: at exit
// other threads of the program may still be calling, and after a fork the child simply starts a new one.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "backends/softgpu/address_space.h"
#include "backends/softgpu/arena.h"
#include "backends/softgpu/command.h"
#include "backends/softgpu/compute_share.h"
#include "backends/softgpu/discrete.h"
#include "backends/softgpu/host_functions.h"
#include "backends/softgpu/isa/execute.h"
#include "backends/softgpu/platform.h"
#include "backends/softgpu/queue.h"
#include "backends/softgpu/stream_memory.h"
#include "backends/softgpu/thread_pool.h"
#include "backends/softgpu/usage.h"
#include "backends/softgpu/vmm.h"
#include "runtime/objects.h"
#include "types/platform.h"

namespace hipr {
class Core;
}

namespace hipr::softgpu {

struct Block;          // memory.h
struct LoadedModule;   // module.h
class LaunchPool;      // launch_pool.h
class DeviceServices;  // device_services.h

// Objects a program made on a device, by something that tells them apart, so that a reset can drop them all.
template <class T>
class Registry {
 public:
  void add(const void* key, std::unique_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    objects_.emplace(key, std::move(object));
  }
  std::unique_ptr<T> take(const void* key) {  // null when it was dropped already
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(key);
    if (found == objects_.end()) return nullptr;
    std::unique_ptr<T> out = std::move(found->second);
    objects_.erase(found);
    return out;
  }
  template <class Wanted>
  T* find(const Wanted& wanted) {  // the first that `wanted` says yes to, or null
    const std::lock_guard lock(mutex_);
    for (auto& [key, object] : objects_)
      if (wanted(*object)) return object.get();
    return nullptr;
  }
  std::vector<std::unique_ptr<T>> takeAll() {
    std::vector<std::unique_ptr<T>> out;
    const std::lock_guard lock(mutex_);
    for (auto& [key, object] : objects_) out.push_back(std::move(object));
    objects_.clear();
    return out;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const void*, std::unique_ptr<T>> objects_;
};

class Device {
 public:
  Device(RegionTable& regions, DeviceUsage& usage, int index, Gpu gpu, std::size_t capacity, Reach reach);
  ~Device();

  const int index;
  const Gpu gpu;
  const std::size_t capacity;                // bytes it may hand out
  const std::uint32_t watchdogMilliseconds;  // how long a kernel may run; 0: for ever
  DeviceView view;
  DeviceMeter meter;
  QueueSet queues;

  Registry<Block> blocks;          // by address
  Registry<LoadedModule> modules;  // by themselves
  Arena smallBlocks;  // whole pages, as AMD's runtime does: its own libraries write a little past what they asked for
  std::unique_ptr<LaunchPool> launches;
  std::unique_ptr<DeviceServices> services;
  std::atomic<std::uint64_t> nextDispatch{0};

  std::atomic<std::size_t> stackBytes{kDefaultStackBytes};
  std::atomic<std::size_t> printfBytes{kDefaultPrintfBytes};
  std::atomic<std::size_t> heapBytes{kDefaultHeapBytes};

  Executor& executor();  // made on first use

  // A fault ends what the device does: until it is reset, work given to it completes without being done.
  void fail(hipError_t error);
  hipError_t failure() const { return failure_.load(std::memory_order_acquire); }
  // Ends the kernels that run now, without calling that a failure; those still queued do not start.
  void abandonWork(const std::string& why);
  bool abandoning() const { return abandoning_.load(std::memory_order_acquire); }
  bool skipsWork() const { return failure() != hipSuccess || abandoning(); }
  void recover();

  bool charge(std::size_t bytes);  // false when the device has not that much left
  void refund(std::size_t bytes) {
    used_.fetch_sub(bytes, std::memory_order_relaxed);
    meter.freed(bytes);
  }
  std::size_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> used_{0};
  const unsigned threads_;
  const std::unique_ptr<ComputeShare> share_;  // null: all of the device
  std::mutex executorMutex_;
  std::unique_ptr<Executor> executor_;
  std::atomic<hipError_t> failure_{hipSuccess};
  std::atomic<bool> abandoning_{false};
};

struct State {
  State(std::vector<Gpu> gpus, std::size_t memoryBytes, Discrete how);

  const Discrete discrete;
  const Platform platform;
  RegionTable regions;
  Usage usage;
  std::deque<Device> devices;
  Arena hostBlocks{kPage};
  ThreadPool copiers;
  HostFunctions hostFunctions;
  WordWaits wordWaits;
  Vmm vmm;
  std::atomic<bool> closed{false};
  std::atomic<Core*> core{nullptr};  // which is told of faults; set when it is opened

  Device& device(int index) { return devices[static_cast<std::size_t>(index)]; }

  // Everything any device is doing or still has to do.
  std::vector<CommandPtr> workInFlight();
  // Runs `action` when nothing is being done, and nothing is begun meanwhile. False when that does not happen for
  // seconds.
  bool whileAtRest(const std::function<void()>& action);
  // Runs `action` when all that is done; at once when nothing is.
  void afterWorkInFlight(std::function<void()> action);
  // Takes the range that begins there away from kernels, and lets `reclaim` run when no kernel can be in the middle of
  // an access to it any more: work in flight now may use it, and what starts meanwhile may at worst have looked it up.
  // REQUIRES: reclaim->release() was not called.
  void retire(std::uint64_t begin, const CommandPtr& reclaim);
};

// REQUIRES: the core was opened.
State& state();

}  // namespace hipr::softgpu
