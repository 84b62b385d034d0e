#include "runtime/process.h"

#include <mutex>

#include "base/env.h"
#include "platform/exit.h"
#include "runtime/fork.h"
#include "runtime/visible_devices.h"

namespace hipr {

std::atomic<Process*> processPointer{nullptr};

namespace {

// Where one device of the row that all cores make together really is.
struct Place {
  Core* core;
  const Platform* platform;
  int index;
};

}  // namespace

hipError_t openProcess(Process*& out) {
  if (exited()) return hipErrorDeinitialized;
  if ((out = endingProcess()) != nullptr) return hipSuccess;
  // Connecting may take long. Whoever else needs a device has to wait for it too; nobody who does not comes here.
  std::lock_guard lock(openMutex());
  if ((out = openedProcess()) != nullptr) return hipSuccess;
  watchForks();
  platform::stayUntilExit();
  std::vector<Place> places;
  DeviceRow all;
  for (Core* core : cores()) {
    const Platform* platform = nullptr;
    HIPR_TRY(core->open(&platform));
    for (int index = 0; index < static_cast<int>(platform->devices.size()); ++index) {
      places.push_back({core, platform, index});
      all.push_back(&platform->devices[index]);
    }
  }

  auto fresh = std::make_unique<Process>();
  fresh->launchBlocking = envFlag("HIP_LAUNCH_BLOCKING");
  for (const int visible : visibleDevices(all)) {
    const Place& place = places[visible];
    fresh->devices.push_back(
        std::make_unique<Device>(*place.core, *place.platform, place.index, static_cast<int>(fresh->devices.size())));
  }
  if (fresh->devices.empty()) return hipErrorNoDevice;
  if (exited()) return hipErrorDeinitialized;
  out = fresh.release();  // never destroyed, see the header
  processPointer.store(out, std::memory_order_release);
  return hipSuccess;
}

}  // namespace hipr
