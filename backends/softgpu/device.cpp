// One device: its processor, its failure state, and hipDeviceReset.
#include <chrono>
#include <thread>

#include "backends/softgpu/core.h"
#include "backends/softgpu/device_services.h"
#include "backends/softgpu/launch_pool.h"
#include "backends/softgpu/memory.h"
#include "backends/softgpu/module.h"
#include "backends/softgpu/state.h"
#include "base/env.h"

namespace hipr::softgpu {

Device::Device(RegionTable& regions, DeviceUsage& usage, int number, Gpu kind, std::size_t bytes, Reach reach)
    : index(number),
      gpu(kind),
      capacity(bytes),
      watchdogMilliseconds(
          static_cast<std::uint32_t>(envNumber("HIP_REMOTE_SOFTGPU_WATCHDOG", 0, 0, 1'000'000) * 1000)),
      view(regions, number),
      meter(usage),
      smallBlocks(kPage, reach),
      launches(std::make_unique<LaunchPool>(regions, number)),
      services(std::make_unique<DeviceServices>(*this)),
      threads_(Executor::threadsFor(static_cast<unsigned>(envNumber("HIP_REMOTE_SOFTGPU_THREADS", 0, 0, 1024)))),
      share_(ComputeShare::make(number, threads_, usage)) {}

Device::~Device() = default;

Executor& Device::executor() {
  const std::lock_guard lock(executorMutex_);
  if (executor_ == nullptr) {
    executor_ = std::make_unique<Executor>(view, *services, Executor::Options{threads_, share_.get()});
  }
  return *executor_;
}

void Device::abandonWork(const std::string& why) {
  abandoning_.store(true, std::memory_order_release);
  const std::lock_guard lock(executorMutex_);
  if (executor_ != nullptr) executor_->stopAll(why);
}

void Device::fail(hipError_t error) {
  hipError_t none = hipSuccess;
  failure_.compare_exchange_strong(none, error, std::memory_order_acq_rel);
}

void Device::recover() {
  failure_.store(hipSuccess, std::memory_order_release);
  abandoning_.store(false, std::memory_order_release);
}

bool Device::charge(std::size_t bytes) {
  std::size_t before = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > capacity - before) return false;
  } while (!used_.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
  meter.allocated(bytes);
  return true;
}

hipError_t SoftgpuCore::synchronize(int device) {
  Device& d = state().device(device);
  std::vector<CommandPtr> work;
  d.queues.collectUnfinished(work);
  for (const CommandPtr& command : work) command->wait();
  return d.failure();
}

void SoftgpuCore::fence(int device) {
  static_cast<void>(synchronize(device));
}

hipError_t SoftgpuCore::reset(int device, bool) {
  State& s = state();
  Device& d = s.device(device);
  std::vector<CommandPtr> work;
  d.queues.collectUnfinished(work);
  for (const CommandPtr& command : work) {
    // Asked again and again: a kernel may have been on its way to the processor when the others were stopped.
    while (!command->done()) {
      d.abandonWork("the device was reset");
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
  d.queues.closeAll();
  for (auto& module : d.modules.takeAll()) retireModule(std::move(module));
  for (auto& block : d.blocks.takeAll()) retireBlock(std::move(block));
  for (const Device& peer : s.devices) s.regions.setPeerAccess(device, peer.index, false);
  d.services->reset();
  d.stackBytes = kDefaultStackBytes;
  d.printfBytes = kDefaultPrintfBytes;
  d.heapBytes = kDefaultHeapBytes;
  d.recover();
  return hipSuccess;
}

hipError_t SoftgpuCore::setLimit(int device, hipLimit_t limit, std::size_t value) {
  Device& d = state().device(device);
  switch (limit) {
    case hipLimitStackSize:
      d.stackBytes = value;
      return hipSuccess;
    case hipLimitPrintfFifoSize:
      d.printfBytes = value;
      return hipSuccess;
    case hipLimitMallocHeapSize:
      d.heapBytes = value;
      return hipSuccess;
    case hipExtLimitScratchCurrent:
      return hipSuccess;
    default:
      return hipErrorUnsupportedLimit;
  }
}

hipError_t SoftgpuCore::setPeerAccess(int device, int peer, bool enabled) {
  state().regions.setPeerAccess(device, peer, enabled);
  return hipSuccess;
}

hipError_t SoftgpuCore::memoryInfo(int device, std::size_t* free, std::size_t* total) {
  const Device& d = state().device(device);
  *total = d.capacity;
  *free = d.capacity - d.used();
  return hipSuccess;
}

}  // namespace hipr::softgpu
