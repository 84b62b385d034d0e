#include "backends/softgpu/state.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>

#include "backends/softgpu/core.h"
#include "backends/softgpu/device_list.h"
#include "base/env.h"
#include "base/log.h"

namespace hipr::softgpu {
namespace {

constexpr auto kExitPatience = std::chrono::seconds(5), kRestPatience = std::chrono::seconds(20);

std::size_t cpus() {
  return std::max(1u, std::thread::hardware_concurrency());
}

// What open() found out. Replaced as a whole after a fork, because the parent's other threads may have held the lock.
struct Process {
  std::mutex mutex;
  std::atomic<State*> state{nullptr};
  hipError_t failure = hipSuccess;
};
Process process;

void openLocked() {
  std::vector<Gpu> gpus;
  if (const Status status = configuredDevices(gpus); !status.ok()) {
    logError("%s", status.message().c_str());
    process.failure = hipErrorNotInitialized;
    return;
  }
  if (gpus.empty()) {
    logError("HIP_REMOTE_SOFTGPU=none: no device");
    process.failure = hipErrorNoDevice;
    return;
  }
  Discrete discrete;
  if (const Status status = configuredDiscrete(discrete); !status.ok()) {
    logError("%s", status.message().c_str());
    process.failure = hipErrorNotInitialized;
    return;
  }
  const std::size_t memory = memoryPerDevice(gpus.size());
  process.state.store(new State(std::move(gpus), memory, discrete), std::memory_order_release);
}

}  // namespace

State::State(std::vector<Gpu> gpus, std::size_t memoryBytes, Discrete how)
    : discrete(how),
      platform(describe(gpus, memoryBytes, how)),
      usage(gpus.size()),
      copiers(std::min<std::size_t>(cpus(), 8)),
      hostFunctions(how),
      vmm(regions, how.reach(), [this](std::uint64_t begin, const CommandPtr& reclaim) { retire(begin, reclaim); }) {
  for (std::size_t i = 0; i < gpus.size(); ++i)
    devices.emplace_back(regions, usage.device(static_cast<int>(i)), static_cast<int>(i), gpus[i],
                         platform.devices[i].props.totalGlobalMem, discrete.reach());
}

std::vector<CommandPtr> State::workInFlight() {
  std::vector<CommandPtr> out;
  for (Device& device : devices) device.queues.collectUnfinished(out);
  return out;
}

bool State::whileAtRest(const std::function<void()>& action) {
  const auto until = std::chrono::steady_clock::now() + kRestPatience;
  std::vector<QueueSet*> sets;
  for (Device& device : devices) sets.push_back(&device.queues);
  while (!QueueSet::atRest(sets, action)) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return true;
}

void State::afterWorkInFlight(std::function<void()> action) {
  const std::vector<CommandPtr> earlier = workInFlight();
  if (earlier.empty()) return action();
  const auto task = std::make_shared<Task>(std::move(action));
  for (const CommandPtr& command : earlier) task->after(*command);
  task->release();
}

void State::retire(std::uint64_t begin, const CommandPtr& reclaim) {
  afterWorkInFlight([this, begin, reclaim] {
    regions.erase(begin);
    for (const CommandPtr& command : workInFlight()) reclaim->after(*command);
    reclaim->release();
  });
}

State& state() {
  return *process.state.load(std::memory_order_acquire);
}

hipError_t SoftgpuCore::open(const Platform** platform) {
  State* now = process.state.load(std::memory_order_acquire);
  if (now == nullptr) {
    const std::lock_guard lock(process.mutex);
    if (process.state.load(std::memory_order_relaxed) == nullptr && process.failure == hipSuccess) openLocked();
    now = process.state.load(std::memory_order_relaxed);
    if (now == nullptr) return process.failure;
  }
  if (now->closed.load(std::memory_order_acquire)) return hipErrorDeinitialized;
  now->core.store(this, std::memory_order_relaxed);
  *platform = &now->platform;
  return hipSuccess;
}

// The child has one thread and none of the executor's; memory of the parent's devices is its own copy, unused.
void SoftgpuCore::forgetAfterFork() {
  [[maybe_unused]] static State* abandoned;  // reachable, so that leak checkers know it is meant
  abandoned = process.state.load(std::memory_order_relaxed);
  new (&process) Process;
}

void SoftgpuCore::leave(platform::Ending) {
  State* now = process.state.load(std::memory_order_acquire);
  if (now == nullptr || now->closed.exchange(true)) return;
  const auto until = std::chrono::steady_clock::now() + kExitPatience;
  bool patient = true;
  for (const CommandPtr& command : now->workInFlight()) {
    while (!command->done()) {
      if (patient && std::chrono::steady_clock::now() > until) {
        logError("softgpu: the program ended with kernels still running after %d s; they are stopped",
                 static_cast<int>(kExitPatience.count()));
        patient = false;
      }
      if (!patient)
        for (Device& device : now->devices) device.abandonWork("the program ended");
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      if (!patient && std::chrono::steady_clock::now() > until + kExitPatience) return;  // a host function is stuck
    }
  }
  now->usage.withdraw();
  // Idle threads stay asleep until the process is gone: other threads of the program may still be calling us.
}

}  // namespace hipr::softgpu
