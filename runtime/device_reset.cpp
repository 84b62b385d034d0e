#include "runtime/device_reset.h"

#include "runtime/api.h"
#include "runtime/async_error.h"
#include "runtime/memory.h"
#include "runtime/registry.h"

namespace hipr {

namespace {

// The core drops its own side of them all at once, in deviceReset.
template <class T>
void forget(HandlePool<T>& pool, int device) {
  pool.forEach([&](T* object) {
    if (object->device == device && pool.take(object) != nullptr) pool.recycle(object);
  });
}

// Every other device of the process has nothing either.
bool nothingLeft(Process& p) {
  bool left = false;
  const auto found = [&](auto*) { left = true; };
  p.streams.forEach(found);
  p.events.forEach(found);
  p.modules.forEach(found);
  return !left && p.allocations.empty();
}

}  // namespace

hipError_t resetDevice(Process& p, Device& device) {
  device.nullStream.store(nullptr);
  p.functions.forEach([&](Function* function) {
    if (function->module->device == device.index && p.functions.take(function) != nullptr)
      p.functions.recycle(function);
  });
  forgetLoaded(p, device);
  forget(p.modules, device.index);
  forget(p.streams, device.index);
  forget(p.events, device.index);
  // Host memory is not the device's, but its mapping is; HIP frees both, except memory the program itself owns.
  for (const Region& region :
       p.allocations.takeAll([&](const Region& r) { return r.allocation.device == device.index; })) {
    const bool allocated = region.origin != Region::Origin::kVariable && region.origin != Region::Origin::kMapped;
    if (allocated) static_cast<void>(releaseMemory(p, region));
  }
  {
    std::lock_guard lock(device.mutex);
    device.defaultPool = device.pool = nullptr;
    device.limits.clear();
    device.peers.clear();
  }
  forget(p.pools, device.index);
  device.flags = 0;
  device.used = false;
  const hipError_t error = core::deviceReset(device.index, nothingLeft(p));
  clearAsyncError();
  return error;
}

namespace api {

hipError_t hipDeviceReset() {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  return resetDevice(*p, *device);
}

}  // namespace api
}  // namespace hipr
