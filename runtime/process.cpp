#include "runtime/process.h"

#include <mutex>
#include <thread>

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

// Of all cores, in their order; opened side by side, since each may be far away.
hipError_t openAll(std::vector<const Platform*>& platforms) {
  const std::vector<Core*>& all = cores();
  platforms.resize(all.size());
  std::vector<hipError_t> errors(all.size());
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < all.size(); ++i) others.emplace_back([&, i] { errors[i] = all[i]->open(&platforms[i]); });
  errors[0] = all[0]->open(&platforms[0]);
  for (std::thread& other : others) other.join();
  for (const hipError_t error : errors) HIPR_TRY(error);
  return hipSuccess;
}

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
  std::vector<const Platform*> platforms;
  HIPR_TRY(openAll(platforms));
  for (std::size_t i = 0; i < platforms.size(); ++i) {
    for (int index = 0; index < static_cast<int>(platforms[i]->devices.size()); ++index) {
      places.push_back({cores()[i], platforms[i], index});
      all.push_back(&platforms[i]->devices[index]);
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
