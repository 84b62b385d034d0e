#include "runtime/process.h"

#include <mutex>

#include "base/env.h"
#include "runtime/async_error.h"
#include "runtime/fork.h"
#include "runtime/visible_devices.h"

namespace hipr {

std::atomic<Process*> processPointer{nullptr};

hipError_t openProcess(Process*& out) {
  if (exited()) return hipErrorDeinitialized;
  // Connecting may take long. Whoever else needs a device has to wait for it too; nobody who does not comes here.
  std::lock_guard lock(openMutex());
  if ((out = openedProcess()) != nullptr) return hipSuccess;
  watchForks();
  const Platform* platform = nullptr;
  HIPR_TRY(core::open(&platform));

  auto fresh = std::make_unique<Process>();
  fresh->platform = platform;
  fresh->launchBlocking = envFlag("HIP_LAUNCH_BLOCKING");
  fresh->deviceByIndex.resize(platform->devices.size());
  for (int index : visibleDevices(*platform)) {
    auto device = std::make_unique<Device>();
    device->ordinal = static_cast<int>(fresh->devices.size());
    device->index = index;
    device->info = &platform->devices[index];
    fresh->deviceByIndex[index] = device.get();
    fresh->devices.push_back(std::move(device));
  }
  if (fresh->devices.empty()) return hipErrorNoDevice;
  if (exited()) return hipErrorDeinitialized;
  out = fresh.release();  // never destroyed, see the header
  processPointer.store(out, std::memory_order_release);
  return hipSuccess;
}

hipError_t afterAsync(Process& p, Stream& stream) {
  if (!p.launchBlocking) [[likely]]
    return hipSuccess;
  HIPR_TRY(core::streamSynchronize(stream));
  return asyncError();
}

}  // namespace hipr
